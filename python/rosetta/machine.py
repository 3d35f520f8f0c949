"""What this machine is: processor, cores, memory, GPU, system."""

import os
import platform
from functools import cache
from pathlib import Path
from typing import Any

import psutil


@cache
def physical_cores() -> int:
    """Physical cores that this process may use, at least 1."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(psutil.cpu_count(logical=False) or allowed, allowed))


@cache
def has_gpu() -> bool:
    """Whether the NVIDIA driver shows a GPU."""
    return any(Path("/proc/driver/nvidia/gpus").glob("*"))


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
