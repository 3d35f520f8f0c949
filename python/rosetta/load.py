"""What else the machine did while a run lasted: CPU time of other programs, throttled clocks."""

from dataclasses import dataclass
from pathlib import Path

import psutil

CPU_FOLDER = Path("/sys/devices/system/cpu")


@dataclass(frozen=True)
class Reading:
    """The machine's counters at one moment.

    Attributes:
        busy_s: CPU time of all programs since the machine started, and what a virtual machine's host took away.
        throttles: how often a core's clock was slowed down for heat or power; None where the kernel does not tell.
    """

    busy_s: float
    throttles: int | None


@dataclass(frozen=True)
class Load:
    """What happened between two readings: `other_cores` is how many cores others kept busy, on average."""

    other_cores: float
    throttles: int | None


def read(cpu_folder: Path = CPU_FOLDER) -> Reading:
    """Read the counters."""
    times = psutil.cpu_times()
    kinds = ("user", "nice", "system", "irq", "softirq", "steal")
    return Reading(sum(getattr(times, kind, 0.0) for kind in kinds), _throttles(cpu_folder))


def between(before: Reading, after: Reading, wall_s: float, own_cpu_s: float) -> Load:
    """What others did between two readings.

    Args:
        wall_s: the time between them.
        own_cpu_s: the CPU time of the run itself.
    """
    other_cores = max(0.0, after.busy_s - before.busy_s - own_cpu_s) / wall_s
    throttles = None
    if before.throttles is not None and after.throttles is not None:
        throttles = after.throttles - before.throttles
    return Load(round(other_cores, 3), throttles)


def _throttles(cpu_folder: Path) -> int | None:
    counts = list(cpu_folder.glob("cpu[0-9]*/thermal_throttle/core_throttle_count"))
    try:
        return sum(int(count.read_text()) for count in counts) if counts else None
    except (OSError, ValueError):
        return None
