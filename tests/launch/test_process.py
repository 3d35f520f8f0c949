"""How a job's process stands in the world, and what the kernel's account says of it."""

import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from rosetta.launch import Outcome, ProcessFacts
from rosetta.launch.limits import MemoryWatch

from .toys import LIMITS, a_job

Run = Callable[..., Outcome]
MB = 2**20


def facts(outcome: Outcome) -> ProcessFacts:
    assert outcome.status == "ok", outcome.reason
    assert outcome.process is not None
    return outcome.process


def record(outcome: Outcome) -> dict[str, Any]:
    assert outcome.record is not None, outcome.reason
    return outcome.record


def test_a_job_stands_alone(run: Run) -> None:
    previous = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as under nohup
    try:
        outcome = run("standing")
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, previous)
    leads, stdin, ignored, descriptors, mode, folder, temporary = record(outcome)["notes"]
    assert leads == "True"
    assert stdin == "/dev/null"
    standard = int(ignored, 16) & ((1 << 31) - 1)  # not the C library's own, which some package of ours may ignore
    assert standard == 1 << (signal.SIGPIPE - 1) | 1 << (signal.SIGXFSZ - 1)  # Python's own
    assert descriptors == "0 1 2"
    assert mode == "700"
    assert Path(temporary).parent.parent == Path(folder)
    assert not Path(folder).exists()


def test_the_environment_holds_what_the_contract_promises(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "64")
    monkeypatch.setenv("KEPT", "yes")
    before = time.monotonic_ns(), time.time_ns()
    found = record(
        run("environment", job={**a_job(), "threads": 3}, environment={"MKL_NUM_THREADS": "1", "ADDED": "a=b c"})
    )
    inside_monotonic, inside_unix = map(int, found["notes"])
    variables = found["versions"]
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "JULIA_NUM_THREADS"):
        assert variables[name] == "3"
    assert (variables["MKL_NUM_THREADS"], variables["ADDED"], variables["KEPT"]) == ("1", "a=b c", "yes")
    assert before[0] < int(variables["ROSETTA_SPAWNED_MONOTONIC_NS"]) < inside_monotonic
    assert before[1] < int(variables["ROSETTA_SPAWNED_UNIX_NS"]) < inside_unix
    assert inside_monotonic - int(variables["ROSETTA_SPAWNED_MONOTONIC_NS"]) < 1e9


def test_time_and_cpu_are_the_kernels(run: Run) -> None:
    began = datetime.now(UTC)
    process = facts(run("burn=0.3"))
    assert 0.3 < process.cpu_user_s + process.cpu_system_s < 0.5
    assert process.wall_s > 0.3
    assert 0 <= (datetime.fromisoformat(process.started_at) - began).total_seconds() < 1
    process = facts(run("burn_in_child=0.3"))
    assert 0.3 < process.cpu_user_s + process.cpu_system_s < 0.5


def test_peak_memory_is_the_jobs_own_though_the_launcher_is_large(run: Run) -> None:
    ballast = bytearray(b"\1") * (300 * MB)
    assert facts(run("answer")).peak_rss_bytes < 30 * MB
    assert 200 * MB < facts(run("hold=200")).peak_rss_bytes < 230 * MB
    del ballast


def test_peak_memory_of_a_grandchild_counts(run: Run) -> None:
    assert 200 * MB < facts(run("hold_in_grandchild=200")).peak_rss_bytes < 240 * MB


def test_memory_of_several_processes_adds_up_but_shared_memory_counts_once(run: Run) -> None:
    assert 300 * MB < facts(run("hold_in_many=100")).peak_rss_bytes < 350 * MB
    assert 150 * MB < facts(run("hold_shared=150")).peak_rss_bytes < 190 * MB


@pytest.mark.parametrize("behaviour", ["hold_on=400", "hold_in_many=150"])
def test_the_memory_limit_ends_a_job(run: Run, behaviour: str) -> None:
    began = time.monotonic()
    outcome = run(behaviour, limits=replace(LIMITS, memory_bytes=250 * MB))
    assert outcome.status == "failed"
    assert outcome.reason.startswith("The process held 0.")
    assert "of memory, more than its limit of 0.24 GiB (limits.memory_gib; raise it" in outcome.reason
    assert time.monotonic() - began < 3


def test_address_space_is_not_limited(run: Run) -> None:
    code = "from mmap import *; reserved = mmap(-1, 1 << 38, MAP_PRIVATE | MAP_ANONYMOUS, PROT_READ); print('reserved')"
    outcome = run(command=[sys.executable, "-I", "-S", "-c", code])
    assert 'without leaving a record. Its last words: "reserved".' in outcome.reason


def test_watching_is_cheap() -> None:
    watch = MemoryWatch()
    watch.poll(os.getpid())
    began = time.thread_time()
    for _ in range(100):
        watch.poll(os.getpid())
    assert (time.thread_time() - began) / 100 < 0.01 * watch.pause_s


def test_the_launchers_own_cost_is_small(run: Run) -> None:
    run("answer")  # imports
    began = os.times()
    process = facts(run("answer"))
    ended = os.times()
    used_s = sum(ended[:4]) - sum(began[:4])
    assert used_s - process.cpu_user_s - process.cpu_system_s < 0.15
