"""A real model through both bridges: the same numbers, and nothing of the user's is read or written."""

import functools
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rosetta.launch import Outcome
from rosetta.models import MODELS
from rosetta.weights import draw

from ..harness.jobs import ROOT, a_job

BRIDGES = ["native", "juliacall"]
Answer = Callable[[str], dict[str, Any]]


@pytest.fixture(scope="module")
def home(julia: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a Julia environment and a start-up file that must not be touched."""
    home = tmp_path_factory.mktemp("home")
    told = subprocess.run([julia, "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout
    major, minor, _ = told.removeprefix("julia version ").split(".", 2)
    environment = home / ".julia" / "environments" / f"v{major}.{minor}"
    environment.mkdir(parents=True)
    (environment / "Project.toml").write_text('[deps]\nNoSuch = "00000000-0000-0000-0000-000000000001"\n')
    (home / ".julia" / "config").mkdir()
    (home / ".julia" / "config" / "startup.jl").write_text('error("the start-up file was read")\n')
    return home


@pytest.fixture(scope="module")
def answer(start: Callable[..., Outcome], home: Path, tmp_path_factory: pytest.TempPathFactory) -> Answer:
    """The record of the GRU by a bridge."""

    @functools.cache
    def run(bridge: str) -> dict[str, Any]:
        folder = tmp_path_factory.mktemp(bridge)
        source = ROOT / "julia" / "base" / "gru.jl"
        settings = {"language": "julia", "bridge": bridge, "packages": [], "evaluate": True}
        job = a_job(folder, MODELS["gru"], source, draw("gru", seed=1), **settings)
        with pytest.MonkeyPatch.context() as patch:
            patch.delenv("JULIA_DEPOT_PATH", raising=False)
            outcome = start(job, folder, {"HOME": str(home)})
        assert outcome.record is not None, outcome.reason
        assert outcome.warnings == ()
        return dict(outcome.record)

    return run


@pytest.mark.parametrize("bridge", BRIDGES)
def test_the_user_s_environments_are_not_touched(answer: Answer, home: Path, bridge: str) -> None:
    answer(bridge)
    startup, project = sorted(path for path in home.rglob("*") if path.is_file())
    assert (startup.name, project.name) == ("startup.jl", "Project.toml")
    assert "NoSuch" in project.read_text()


@pytest.mark.parametrize("bridge", BRIDGES)
def test_the_record_is_complete(answer: Answer, bridge: str) -> None:
    record = answer(bridge)
    phases = record["phases"]
    assert [len(losses) for losses in record["losses"]["epochs"]] == [2, 2]
    assert len(phases["epoch_s"]) == len(phases["evaluate_s"]) == len(record["epoch_accuracy"]) == 2
    assert min(seconds for name, seconds in phases.items() if not isinstance(seconds, list)) > 0
    assert record["threads"] == 2
    assert record["check"]["repeat_difference"] == 0
    assert set(record["versions"]) == {"julia"}


def test_both_bridges_compute_the_same(answer: Answer) -> None:
    native, juliacall = answer("native"), answer("juliacall")
    for part in ("outputs_before", "losses", "outputs_after"):
        np.testing.assert_array_equal(native["check"][part], juliacall["check"][part])
    assert native["losses"] == juliacall["losses"]
    assert native["versions"] == juliacall["versions"]
