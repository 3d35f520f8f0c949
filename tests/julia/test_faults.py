"""Whatever a run in Julia dies of becomes a row with a reason, by either bridge."""

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from rosetta.launch import Outcome

from .conftest import LIMITS, TOY

Start = Callable[..., Outcome]
ToyJob = Callable[..., dict[str, Any]]


def line(code: str) -> int:
    """The line of the toy that begins with this code."""
    lines = TOY.read_text(encoding="utf-8").splitlines()
    return next(number for number, text in enumerate(lines, start=1) if text.lstrip().startswith(code))


def test_an_exception_is_told_with_its_place(start: Start, toy_job: ToyJob, tmp_path: Path) -> None:
    outcome = start(toy_job(fault="exception"), tmp_path)
    assert outcome.status == "failed"
    assert outcome.reason.startswith("ErrorException: the weights do not fit (")
    assert f"toy.jl:{line('exception()')})" in outcome.reason


def test_threads_collect_garbage_and_throw_under_juliacall(start: Start, toy_job: ToyJob, tmp_path: Path) -> None:
    outcome = start(toy_job("juliacall", "exception_in_thread"), tmp_path)
    assert outcome.reason.startswith("ErrorException: in part ")
    thrown_at = line('error("in part')
    assert f"toy.jl:{thrown_at})" in outcome.reason


def test_an_exit_in_between_is_a_failure(start: Start, toy_job: ToyJob, tmp_path: Path) -> None:
    outcome = start(toy_job("juliacall", "leave"), tmp_path)
    assert (outcome.status, outcome.record) == ("failed", None)
    assert outcome.reason.startswith("The process ended with exit code 3.")


def test_a_segmentation_fault_is_a_failure(start: Start, toy_job: ToyJob, tmp_path: Path) -> None:
    outcome = start(toy_job("juliacall", "segfault"), tmp_path)
    assert (outcome.status, outcome.record) == ("failed", None)
    assert "SIGSEGV" in outcome.reason


def test_too_large_an_array_is_a_failure(start: Start, toy_job: ToyJob, tmp_path: Path) -> None:
    outcome = start(toy_job(fault="memory"), tmp_path)
    assert outcome.status == "failed"
    assert outcome.reason.startswith("OutOfMemoryError")


def test_an_endless_loop_is_ended(start: Start, toy_job: ToyJob, tmp_path: Path) -> None:
    began = time.monotonic()
    outcome = start(toy_job(fault="endless"), tmp_path, limits=replace(LIMITS, wall_s=6))
    assert outcome.reason.startswith("The process had not answered at its time limit of 6 s")
    assert time.monotonic() - began < 20


def test_a_missing_package_makes_the_row_unavailable(start: Start, toy_job: ToyJob, tmp_path: Path) -> None:
    outcome = start(toy_job(fault="missing_package", packages=["NoSuchPackage"]), tmp_path)
    assert outcome.status == "unavailable"
    assert outcome.reason.startswith("ArgumentError: Package NoSuchPackage not found")
    assert "envs/julia.sh" in outcome.reason


def test_a_syntax_error_is_told_with_its_place(start: Start, toy_job: ToyJob, tmp_path: Path) -> None:
    source = tmp_path / "wrong" / "toy.jl"
    source.parent.mkdir()
    source.with_name("framework.jl").write_text(TOY.with_name("framework.jl").read_text())
    source.write_text("model = 1\n\ntrain( = 2\n")
    outcome = start(toy_job() | {"source": str(source)}, tmp_path)
    assert outcome.status == "failed"
    assert "syntax" in outcome.reason.lower() or "ParseError" in outcome.reason
    assert "toy.jl:3)" in outcome.reason
