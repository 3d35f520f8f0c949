"""What a job may use, and how much memory it does use."""

import os
import time
from dataclasses import dataclass
from pathlib import Path

from rosetta.launch.keeper import family

PF_FORKNOEXEC = 0x40  # in Linux's include/linux/sched.h: forked, and no program started since
FLAGS_FIELD, RESIDENT_PAGES_FIELD = 6, 21  # of /proc/PID/stat behind the name: see proc_pid_stat(5)
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
POLL_S = 0.2
LONGEST_POLL_S = 2.0
POLL_SHARE = 0.005  # of one core, at most, while polls are less than LONGEST_POLL_S apart


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

    Each process counts with its resident memory, but one that was forked and has started no other program, such as a
    worker of a data loader, counts only with the pages that are its own: the others are its parent's. These are dearer
    to count, so polls get rarer as they get dearer.

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
        now_bytes = sum(_memory_bytes(member) for member in family([pid]))
        held_bytes = min(self._last_bytes, now_bytes)
        self._last_bytes = now_bytes
        self.peak_bytes = max(self.peak_bytes, held_bytes)
        cost_s = time.perf_counter() - started
        self.pause_s = min(max(POLL_S, cost_s / POLL_SHARE), LONGEST_POLL_S)
        return held_bytes


def _memory_bytes(pid: int) -> int:
    try:
        # Behind the name, which may hold anything: state, parent, group, session, terminal, its group, flags, ...
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        if int(fields[FLAGS_FIELD]) & PF_FORKNOEXEC:
            return _private_bytes(pid)
        return int(fields[RESIDENT_PAGES_FIELD]) * PAGE_BYTES
    except (OSError, IndexError):
        return 0  # it has ended


def _private_bytes(pid: int) -> int:
    with Path(f"/proc/{pid}/smaps_rollup").open("rb") as rollup:
        return sum(int(line.split()[1]) * 1024 for line in rollup if line.startswith(b"Private_"))
