"""A real model through both bridges, amid what breaks others: the same numbers, and nothing of the user's is used."""

import functools
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rosetta.jobs import compose
from rosetta.languages import Row, discover
from rosetta.launch import Outcome
from rosetta.referee import judge, read_reference

from ..harness.jobs import ROOT
from ..mutants.bench import small_settings

BRIDGES = ["native", "rpy2"]
Answer = Callable[[str], dict[str, Any]]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project in a folder with a space and letters beyond ASCII in its name."""
    folder = tmp_path_factory.mktemp("r") / "Größe & Maß"
    for part in ("r", "python/harness", "python/keras"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "envs").mkdir()
    (folder / "envs" / ".cache").symlink_to(ROOT / "envs" / ".cache")
    return folder


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Variables and start-up files that would break a run."""
    home = tmp_path_factory.mktemp("home")
    (home / ".Rprofile").write_text('stop("the start-up file was read")\n')
    (home / ".Renviron").write_text("RETICULATE_PYTHON=/no/such/python\n")
    return {"HOME": str(home), "R_HOME": "/no/such/r", "LC_ALL": "C", "LANG": "C"}


@pytest.fixture(scope="module")
def answer(
    start: Callable[..., Outcome],
    project: Path,
    hostile: dict[str, str],
    prepared: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Answer:
    """The record of the CNN by a bridge."""

    @functools.cache
    def run(bridge: str) -> dict[str, Any]:
        folder = tmp_path_factory.mktemp(bridge)
        language = discover(project)["r"]
        framework = language.frameworks["keras-tensorflow"]
        row = Row("r", framework.name, "cnn", bridge)
        job = compose(language, framework, row, small_settings(evaluate=True), prepared)
        outcome = start(job, folder, {**framework.environment, **hostile}, language=language)
        assert outcome.record is not None, outcome.reason
        assert outcome.warnings == ()
        return dict(outcome.record)

    return run


@pytest.mark.parametrize("bridge", BRIDGES)
def test_the_record_is_complete(answer: Answer, bridge: str) -> None:
    record = answer(bridge)
    phases = record["phases"]
    assert [len(losses) for losses in record["losses"]["epochs"]] == [4]
    assert len(phases["epoch_s"]) == len(phases["evaluate_s"]) == len(record["epoch_accuracy"]) == 1
    assert min(seconds for name, seconds in phases.items() if not isinstance(seconds, list)) > 0
    assert record["threads"] == 2
    assert record["check"]["repeat_difference"] == 0
    assert set(record["versions"]) == {"r", "reticulate", "jsonlite", "python:keras", "python:tensorflow", "keras3"}


def test_both_bridges_compute_the_same_and_are_verified(answer: Answer, prepared: Path) -> None:
    native, rpy2 = answer("native"), answer("rpy2")
    verdict = judge(read_reference(prepared, "cnn"), "float32", "epsilon_hat", native)
    assert verdict.verified == "yes", verdict.reason
    for part in ("outputs_before", "losses", "outputs_after"):
        np.testing.assert_array_equal(native["check"][part], rpy2["check"][part])
    assert native["losses"] == rpy2["losses"]
    assert native["versions"] == rpy2["versions"]


@pytest.mark.parametrize("bridge", BRIDGES)
def test_the_order_of_work(
    start: Callable[..., Outcome], toy_job: Callable[..., dict[str, Any]], tmp_path: Path, bridge: str
) -> None:
    diary = tmp_path / "diary"
    job = toy_job(bridge, evaluate=True)
    job["check"]["hyperparameters"] = {"batch_size": 7, "fault": ""}
    outcome = start(job, tmp_path, {"TOY_DIARY": str(diary)})
    assert outcome.record is not None, outcome.reason
    assert [line.split() for line in diary.read_text().splitlines()] == [
        ["configure", "cpu", "2"],
        ["build", "64"],
        ["train", "128", "1"],  # first step
        ["predict", "64"],
        *[["train", "128", "2"], ["predict", "70"]] * 2,  # epochs, each evaluated
        ["predict", "70"],
        ["predict", "70"],  # the check, twice by the trained model
        ["predict", "70"],
        ["build", "64"],  # as the job was
        ["predict", "70"],
        ["build", "7"],  # as the check trains
        ["train", "70", "1"],
        ["predict", "70"],
    ]
    assert outcome.record["losses"] == {
        "first_step": 1,
        "epochs": [[1 / 2, pytest.approx(1 / 3)], [1 / 4, pytest.approx(1 / 5)]],
    }
    assert outcome.record["check"]["outputs_after"] == [[0, 2]] * 70
    # A child process runs the Python it asks for, and none of R's folders of libraries holds another.
    version, libraries = outcome.record["notes"][0].split()
    assert version == sys.version.split()[0]
    assert [path for folder in libraries.split(":") for path in Path(folder).glob("libpython*")] == []
