"""The closed list of what can make a row's figures doubtful, and how each is seen in run files.

The table shows them in the column `warnings`; docs/table.md explains them.
"""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from rosetta.statistics import FEWEST_FOR_CONFIDENCE, relative_spread

NOISE = 0.1  # of the median: the range of runs or of epochs that should be alike
SLOW_FIRST_EPOCH = 1.2  # times the median of the other epochs
OTHER_LOAD_CORES = 0.2
PEERS_NEEDED = 4
FENCE = 1.5  # interquartile ranges: Tukey 1977, "Exploratory Data Analysis", section 2D
LEAST_FENCE = 0.02  # of accuracy: rows that differ by less than this are alike, however close all others are


class Kind(Enum):
    """What can be wrong: its code, and a hint what to do."""

    NOISY = ("noisy run", f"close other programs, and ask for more runs: --config runs={FEWEST_FOR_CONFIDENCE}")
    SLOW_FIRST_EPOCH = ("slow first epoch", "compare rows by the median of their epochs, and ask for more epochs")
    OTHER_THREADS = (
        "thread count differs",
        "the framework chose for itself; compare rows of the same `threads`",
    )
    THROTTLED = ("clock throttled", "let the machine cool, and choose a constant clock: cpupower frequency-set")
    OTHER_LOAD = ("other load", "close other programs and run the row again: delete its file in results/runs")
    OUTSIDE_PEERS = ("outside its peers", "compare its losses with a peer's in results/runs.csv")

    def __init__(self, code: str, hint: str) -> None:
        self.code = code
        self.hint = hint


@dataclass(frozen=True)
class Caution:
    """One thing that makes a figure doubtful; `detail` says it with its figures."""

    kind: Kind
    detail: str

    def __str__(self) -> str:
        return f"{self.kind.code}: {self.detail} ({self.kind.hint})"


def of_run(file: Mapping[str, Any]) -> list[Caution]:
    """What is doubtful in one run.

    Args:
        file: a run file's content; without a record nothing is doubtful, since nothing was measured.
    """
    record = file["record"]
    if file["status"] != "ok" or not record:
        return []
    found = _of_epochs(record["phases"]["epoch_s"])
    asked = file["settings"]["threads"]
    if record["threads"] != asked:
        found.append(Caution(Kind.OTHER_THREADS, f"{record['threads']} where {asked} were asked for"))
    load = file.get("load") or {}
    if load.get("throttles"):
        found.append(Caution(Kind.THROTTLED, f"{load['throttles']} times"))
    if load.get("other_cores", 0) > OTHER_LOAD_CORES:
        found.append(Caution(Kind.OTHER_LOAD, f"other programs kept {load['other_cores']:.1f} cores busy"))
    return found


def of_runs(samples_per_s: Sequence[float]) -> list[Caution]:
    """What is doubtful in the throughputs of a row's repeated runs."""
    spread = relative_spread(samples_per_s) if len(samples_per_s) > 1 else 0
    return [Caution(Kind.NOISY, f"the runs differ by {spread:.0%}")] if spread > NOISE else []


def of_peers(accuracy: float, peers: Sequence[float]) -> list[Caution]:
    """Whether a row's accuracy lies outside its peers', by Tukey's fences around their quartiles.

    Args:
        accuracy: the row's.
        peers: those of other implementations of the same model, on the same data set; fewer than `PEERS_NEEDED` say
            nothing.
    """
    if len(peers) < PEERS_NEEDED:
        return []
    lower, _, upper = statistics.quantiles(peers, n=4, method="inclusive")
    fence = max(FENCE * (upper - lower), LEAST_FENCE)
    low, high = lower - fence, upper + fence
    if low <= accuracy <= high:
        return []
    return [Caution(Kind.OUTSIDE_PEERS, f"{accuracy:.4g}, where peers lie in {low:.4g} to {high:.4g}")]


def _of_epochs(epoch_s: Sequence[float]) -> list[Caution]:
    """Of a run's epochs: the first against the others, and the others among themselves."""
    found = []
    first, others = epoch_s[:1], epoch_s[1:]
    if others and first[0] > SLOW_FIRST_EPOCH * statistics.median(others):
        slower = first[0] / statistics.median(others)
        found.append(Caution(Kind.SLOW_FIRST_EPOCH, f"it took {slower:.1f} times as long as the others"))
    if len(others) > 1 and relative_spread(others) > NOISE:
        found.append(Caution(Kind.NOISY, f"its epochs differ by {relative_spread(others):.0%}"))
    return found
