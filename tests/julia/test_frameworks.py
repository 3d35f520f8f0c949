"""Frameworks with packages: what becomes of them where the packages are missing, and where they are found."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rosetta import toolchains
from rosetta.languages import discover
from rosetta.launch import Outcome
from rosetta.models import MODELS
from rosetta.weights import draw

from ..harness.jobs import ROOT, a_job

TINY_UUID = "0f6a1d3c-8a2b-4c5d-9e7f-123456789abc"
TINY_FRAMEWORK = """\
using Tiny
configure(job) = nothing
load(array) = array
fetch(value) = value
synchronize() = nothing
describe(job) = Dict(
    "device" => Dict("kind" => "cpu", "name" => Tiny.NAME), "threads" => Threads.nthreads(), "precision" => "float32",
)
"""
TINY_MODEL = """\
build(job, weights) = nothing
train(model, inputs, labels, batches) = ones(size(batches, 2))
predict(model, inputs) = ones(2, size(inputs, 2))
"""


@pytest.mark.parametrize(("framework", "package"), [("flux", "Flux"), ("knet", "Knet")])
def test_without_its_package_a_row_is_unavailable(
    start: Callable[..., Outcome], tmp_path: Path, framework: str, package: str
) -> None:
    if (ROOT / "envs" / ".cache" / "julia" / "environments" / framework).is_dir():
        pytest.skip(f"{package} is installed")
    source = ROOT / "julia" / framework / "gru.jl"
    settings = {"language": "julia", "framework": framework, "packages": [package]}
    outcome = start(a_job(tmp_path, MODELS["gru"], source, draw("gru", seed=1), **settings), tmp_path)
    assert outcome.status == "unavailable"
    assert outcome.reason.startswith(f"ArgumentError: Package {package} not found")
    assert "envs/julia.sh" in outcome.reason


def test_a_julia_of_the_wanted_version_is_looked_for(tmp_path: Path) -> None:
    for version in ("1.8.5", "1.9.4", "1.12.1"):
        julia = tmp_path / f"julia-{version}+0.x64" / "bin" / "julia"
        julia.parent.mkdir(parents=True)
        julia.write_text(f'#!/bin/sh\necho \'{{"version": "{version}", "packages": {{"Knet": "1.4.10"}}}}\'\n')
        julia.chmod(0o755)
    language = discover(ROOT)["julia"]
    knet = replace(language.frameworks["knet"], interpreter=(f"{tmp_path}/julia-*/bin/julia",))
    found = toolchains.find(language, replace(knet, version=">=1.9,<1.10"))
    assert (found.version, found.problem) == ("1.9.4", "")
    found = toolchains.find(language, replace(knet, version=">=1.6,<1.8"))
    assert found.problem.endswith(" is Julia 1.12.1, and >=1.6,<1.8 is needed")


def test_two_processes_at_once_compile_the_packages_of_an_environment(julia: str, tmp_path: Path) -> None:
    """As when a framework was just installed: the packages are compiled at their first use, in the project's depot."""
    folder, home = tmp_path / "project", tmp_path / "home"
    shutil.copytree(ROOT / "julia" / "src", folder / "julia" / "src")
    tiny = folder / "julia" / "tiny"
    tiny.mkdir()
    (tiny / "framework.jl").write_text(TINY_FRAMEWORK)
    (tiny / "gru.jl").write_text(TINY_MODEL)
    package = tmp_path / "Tiny"
    (package / "src").mkdir(parents=True)
    (package / "src" / "Tiny.jl").write_text('module Tiny\nconst NAME = "tiny"\nend\n')
    (package / "Project.toml").write_text(f'name = "Tiny"\nuuid = "{TINY_UUID}"\nversion = "0.3.0"\n')
    environment = folder / "envs" / ".cache" / "julia" / "environments" / "tiny"
    environment.mkdir(parents=True)
    (environment / "Project.toml").write_text(f'[deps]\nTiny = "{TINY_UUID}"\n')
    manifest = f'[[Tiny]]\npath = "{package}"\nuuid = "{TINY_UUID}"\nversion = "0.3.0"\n'
    (environment / "Manifest.toml").write_text(manifest)

    job = a_job(tmp_path, MODELS["gru"], tiny / "gru.jl", {}, language="julia", framework="tiny", packages=["Tiny"])
    (tmp_path / "job.json").write_text(json.dumps(job))
    main = [julia, "--startup-file=no", str(folder / "julia" / "src" / "main.jl"), str(tmp_path / "job.json")]
    variables = {name: value for name, value in os.environ.items() if name != "JULIA_DEPOT_PATH"}
    settings: dict[str, Any] = {"env": {**variables, "HOME": str(home), "JULIA_NUM_THREADS": "2"}}
    records = [tmp_path / "first.json", tmp_path / "second.json"]
    processes = [subprocess.Popen([*main, str(record)], stdout=subprocess.DEVNULL, **settings) for record in records]
    assert [process.wait() for process in processes] == [0, 0]
    for record in records:
        answer = json.loads(record.read_text())
        assert (answer["device"]["name"], answer["versions"]["Tiny"]) == ("tiny", "0.3.0")
    assert list((folder / "envs" / ".cache" / "julia" / "depot").rglob("Tiny/*.ji"))
    assert not home.exists()

    probe = [julia, "--startup-file=no", str(folder / "julia" / "src" / "probe.jl"), "Tiny", "Other"]
    told = json.loads(subprocess.run(probe, check=True, stdout=subprocess.PIPE, text=True, **settings).stdout)
    assert told["packages"] == {"Tiny": "0.3.0", "Other": None}
