"""Julia's own tests, and how it is found."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from rosetta import toolchains
from rosetta.languages import discover

from ..harness.jobs import ROOT


def test_julia_s_own_tests_pass(julia: str, tmp_path: Path) -> None:
    command = [julia, "--startup-file=no", str(ROOT / "julia" / "test" / "runtests.jl")]
    environment = {**os.environ, "JULIA_NUM_THREADS": "2", "JULIA_DEPOT_PATH": str(tmp_path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert list(tmp_path.rglob("*.ji")) == []  # the harness leaves no compiled code behind


def test_a_julia_that_is_too_old_is_passed_over(julia: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = tmp_path / "julia"
    old.write_text("#!/bin/sh\necho 'Julia 1.4.2 is older than 1.5' >&2\nexit 1\n")
    old.chmod(0o755)
    monkeypatch.setenv("ROSETTA_JULIA", str(old))
    language = discover(ROOT)["julia"]
    found = toolchains.find(language, language.frameworks["base"])
    assert (found.interpreter, found.problem) == (julia, "")
    assert found.passed_over[0] == f"{old} does not work: Julia 1.4.2 is older than 1.5"


@pytest.mark.parametrize(
    ("version", "juliacall", "standins"),
    [("1.5.3", "old", True), ("1.9.4", "old", False), ("1.10.0", "current", False), ("1.12.1", "current", False)],
)
def test_the_juliacall_that_fits_is_taken(
    version: str, juliacall: str, standins: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "julia" / "bridge"))
    monkeypatch.delitem(sys.modules, "bridge", raising=False)
    import bridge

    julia = bridge.Julia("/usr/bin/julia", version, "")
    assert julia.juliacall == juliacall
    variables = bridge.environment(julia)
    assert variables["PYTHON_JULIAPKG_OFFLINE"] == "yes"
    assert ("standins" in variables["JULIA_LOAD_PATH"]) == standins
    assert "OPENBLAS_CORETYPE" not in variables
