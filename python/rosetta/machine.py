"""What this machine is: processor, cores, memory, GPU, system."""

import math
import os
import platform
import sys
from functools import cache
from pathlib import Path
from typing import Any

import psutil


@cache
def physical_cores() -> int:
    """Physical cores that this process may use, at least 1."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(psutil.cpu_count(logical=False) or allowed, allowed, _quota()))


def _quota() -> int:
    """Cores that a container's quota amounts to (cgroup version 2); many where there is none."""
    try:
        share_us, period_us = Path("/sys/fs/cgroup/cpu.max").read_text(encoding="ascii").split()
        return math.ceil(int(share_us) / int(period_us))
    except (OSError, ValueError):  # none, or "max"
        return sys.maxsize


@cache
def has_gpu() -> bool:
    """Whether there may be an NVIDIA GPU: a device of the driver or of Windows' subsystem for Linux, not hidden."""
    hidden = os.environ.get("CUDA_VISIBLE_DEVICES") in ("", "-1")
    return not hidden and (any(Path("/dev").glob("nvidia[0-9]*")) or Path("/dev/dxg").exists())


def describe() -> dict[str, Any]:
    """The machine's facts that a reader of timings needs. `memory_bytes` is the installed memory."""
    return {
        "processor": _processor(),
        "cores": physical_cores(),
        "memory_bytes": psutil.virtual_memory().total,
        "system": platform.platform(),
    }


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
