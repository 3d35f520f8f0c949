"""Whatever a run in R dies of becomes a row with a reason, by either bridge."""

import json
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rosetta import toolchains
from rosetta.languages import discover
from rosetta.launch import Outcome

from ..harness.jobs import ROOT
from .conftest import LIMITS, RPY2, TOY

Start = Callable[..., Outcome]
ToyJob = Callable[..., dict[str, Any]]


def line(code: str) -> int:
    """The line of the toy that begins with this code."""
    lines = TOY.read_text(encoding="utf-8").splitlines()
    return next(number for number, text in enumerate(lines, start=1) if text.lstrip().startswith(code))


@pytest.mark.parametrize("bridge", ["native", "rpy2"])
def test_an_error_is_told_with_its_place(start: Start, toy_job: ToyJob, tmp_path: Path, bridge: str) -> None:
    outcome = start(toy_job(bridge, "exception"), tmp_path)
    assert outcome.status == "failed"
    assert outcome.reason.startswith("Error: the weights do not fit (")
    assert f"toy.R:{line('stop(')})" in outcome.reason
    log = (tmp_path / "run.log").read_text()
    assert "Warning" in log
    assert "the weights are odd" in log
    assert f"toy.R:{line('get(')}" in log  # the traceback


def test_quit_in_between_is_a_failure(start: Start, toy_job: ToyJob, tmp_path: Path) -> None:
    outcome = start(toy_job("rpy2", "leave"), tmp_path)
    assert (outcome.status, outcome.record) == ("failed", None)
    assert outcome.reason.startswith("The process ended with exit code 3.")


@pytest.mark.parametrize("bridge", ["native", "rpy2"])
def test_a_segmentation_fault_is_a_failure(start: Start, toy_job: ToyJob, tmp_path: Path, bridge: str) -> None:
    outcome = start(toy_job(bridge, "segfault"), tmp_path)
    assert (outcome.status, outcome.record) == ("failed", None)
    assert "SIGSEGV" in outcome.reason


def test_too_large_a_vector_is_a_failure(start: Start, toy_job: ToyJob, tmp_path: Path) -> None:
    outcome = start(toy_job("rpy2", "memory"), tmp_path)
    assert outcome.status == "failed"
    assert outcome.reason.startswith("Error: cannot allocate vector of size")


def test_endless_recursion_is_a_failure(start: Start, toy_job: ToyJob, tmp_path: Path) -> None:
    outcome = start(toy_job("rpy2", "recursion"), tmp_path)
    assert outcome.status == "failed"
    assert "infinite recursion" in outcome.reason
    assert "toy.R:" in outcome.reason


def test_an_endless_loop_is_ended(start: Start, toy_job: ToyJob, tmp_path: Path) -> None:
    began = time.monotonic()
    outcome = start(toy_job("rpy2", "endless"), tmp_path, limits=replace(LIMITS, wall_s=3))
    assert outcome.reason.startswith("The process had not answered at its time limit of 3 s")
    assert time.monotonic() - began < 20


def test_a_missing_package_makes_the_row_unavailable(start: Start, toy_job: ToyJob, tmp_path: Path) -> None:
    outcome = start(toy_job(fault="missing_package", packages=["NoSuchPackage"]), tmp_path)
    assert outcome.status == "unavailable"
    assert "NoSuchPackage" in outcome.reason
    assert "envs/r.sh" in outcome.reason


def test_what_the_framework_cannot_do_makes_the_row_unavailable(start: Start, toy_job: ToyJob, tmp_path: Path) -> None:
    outcome = start(toy_job(precision="bf16"), tmp_path)
    assert outcome.status == "unavailable"
    assert outcome.reason.startswith("UnavailableError: The toy computes in float32. (")


def test_a_hang_at_exit_costs_the_answer_nothing(start: Start, toy_job: ToyJob, tmp_path: Path) -> None:
    outcome = start(toy_job("native", "hang_at_exit"), tmp_path, limits=replace(LIMITS, exit_grace_s=1))
    assert outcome.status == "ok", outcome.reason
    assert any("did not end within 1 s" in warning for warning in outcome.warnings)
    # By rpy2 nothing runs after the record.
    outcome = start(toy_job("rpy2", "hang_at_exit"), tmp_path)
    assert (outcome.status, outcome.warnings) == ("ok", ())


def test_r_frees_python_s_objects_under_rpy2(start: Start, toy_job: ToyJob, tmp_path: Path) -> None:
    outcome = start(toy_job("rpy2", "garbage"), tmp_path)
    assert outcome.status == "ok", outcome.reason


def test_a_syntax_error_is_told_with_its_place(start: Start, toy_job: ToyJob, tmp_path: Path) -> None:
    source = tmp_path / "wrong" / "toy.R"
    source.parent.mkdir()
    source.with_name("framework.R").write_text(TOY.with_name("framework.R").read_text())
    source.write_text("model <- 1\n\ntrain <- function( = 2\n")
    outcome = start(toy_job() | {"source": str(source)}, tmp_path)
    assert outcome.status == "failed"
    assert "unexpected '='" in outcome.reason
    assert "toy.R:3)" in outcome.reason


@pytest.mark.parametrize("bridge", ["native", "rpy2"])
def test_an_interrupt_ends_it_at_once(rscript: str, toy_job: ToyJob, tmp_path: Path, bridge: str) -> None:
    if bridge == "rpy2" and not RPY2.is_dir():
        pytest.skip("rpy2 is not installed.")
    language = discover(ROOT)["r"]
    (tmp_path / "job.json").write_text(json.dumps(toy_job(bridge, "endless")))
    command = toolchains.expand(language.bridges[bridge], rscript, language.folder)
    paths = [str(tmp_path / "job.json"), str(tmp_path / "record.json")]
    with subprocess.Popen([*command, *paths], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        while process.stdout.readline() != "here\n":  # streamed, or this would wait for ever
            assert process.poll() is None
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.wait(timeout=10)
    assert time.monotonic() - began < 5
    assert process.returncode != 0
    assert not (tmp_path / "record.json").exists()
