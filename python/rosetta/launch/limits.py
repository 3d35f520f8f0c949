"""What a job may use, and how much memory it does use."""

import os
import time
from dataclasses import dataclass
from pathlib import Path

from rosetta.launch.keeper import family

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
POLL_S = 0.1
LONGEST_POLL_S = 2.0
POLL_SHARE = 0.01  # of one core, at most, while polls are shorter than LONGEST_POLL_S apart


@dataclass(frozen=True)
class Limits:
    """What a job may use.

    Attributes:
        wall_s: time from its start to its answer.
        memory_bytes: resident memory of all its processes together.
        exit_grace_s: time from its answer to its end.
    """

    wall_s: float
    memory_bytes: int
    exit_grace_s: float = 10


class MemoryWatch:
    """Polls the memory of a job's processes. Without Linux's `/proc` it sees nothing and no limit is enforced.

    A single process counts with its resident memory, which is cheap to ask for. Of several processes each counts with
    its proportional share (PSS): resident memory would count what forked workers share once for each of them. That is
    dearer to ask for, so polls get rarer as they get dearer.

    A child that is about to start a program shares all its parent's memory for a moment (vfork), and would double the
    sum: so a sum counts only as far as two polls in a row saw it.
    """

    def __init__(self) -> None:
        self._last_bytes = 0
        self.peak_bytes = 0
        self.pause_s = POLL_S

    def poll(self, pid: int) -> int:
        """How many bytes the process `pid` and its descendants hold."""
        started = time.perf_counter()
        now_bytes = _memory_bytes(family([pid]))
        held_bytes = min(self._last_bytes, now_bytes)
        self._last_bytes = now_bytes
        self.peak_bytes = max(self.peak_bytes, held_bytes)
        cost_s = time.perf_counter() - started
        self.pause_s = min(max(POLL_S, cost_s / POLL_SHARE), LONGEST_POLL_S)
        return held_bytes


def _memory_bytes(pids: list[int]) -> int:
    if len(pids) == 1:
        return _resident_bytes(pids[0])
    return sum(_proportional_bytes(pid) for pid in pids)


def _resident_bytes(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_bytes().split()[1]) * PAGE_BYTES
    except (OSError, IndexError):
        return 0  # it has ended


def _proportional_bytes(pid: int) -> int:
    try:
        with Path(f"/proc/{pid}/smaps_rollup").open("rb") as rollup:
            return next(int(line.split()[1]) * 1024 for line in rollup if line.startswith(b"Pss:"))
    except (OSError, StopIteration):
        return _resident_bytes(pid)
