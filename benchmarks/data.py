"""What preparing and mapping the real data sets costs. Run it with ROSETTA_DATA naming a folder that holds them:

    ROSETTA_DATA=~/data .venv/bin/python benchmarks/data.py

It prepares all of CIFAR-10 and IMDB, each in a process of its own, and then maps CIFAR-10. It ends with exit code 1 if
a promise of docs/data.md is broken.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

from rosetta.data import DataSettings, prepare
from rosetta.tensors import Sheet

PREPARE_LIMIT_S = 90
PREPARE_LIMIT_BYTES = 2 * 1000**3
MAP_LIMIT_BYTES = 20 * 1000**2


def main() -> int:
    """Measure, print, and compare with what is promised."""
    data_dir = os.environ.get("ROSETTA_DATA")
    if data_dir is None:
        print("ROSETTA_DATA names no folder with the real sets.", file=sys.stderr)
        return 2
    total_s, peak_bytes = 0.0, 0
    with tempfile.TemporaryDirectory() as folder:
        for model in ("cnn", "gru"):
            figures = _in_a_process("prepare", model, folder, data_dir)
            print(f"prepare {figures['title']}: {figures['seconds']:.1f} s, peak {figures['peak_bytes'] / 1e6:.0f} MB")
            total_s += figures["seconds"]
            peak_bytes = max(peak_bytes, figures["peak_bytes"])
        mapped = _in_a_process("map", "cnn", folder, data_dir)
    print(
        f"map {mapped['bytes'] / 1e6:.0f} MB: resident memory rises by {mapped['rise_bytes'] / 1e6:.1f} MB, "
        f"by {mapped['touched_bytes'] / 1e6:.1f} MB once all is read"
    )
    kept = total_s < PREPARE_LIMIT_S and peak_bytes < PREPARE_LIMIT_BYTES and mapped["rise_bytes"] < MAP_LIMIT_BYTES
    print("all promises kept" if kept else "a promise is broken")
    return 0 if kept else 1


def measure_prepare(model: str, folder: Path, data_dir: Path) -> dict[str, Any]:
    """Seconds and peak resident memory of preparing one model's data."""
    began = time.monotonic()
    sheet = prepare(model, folder, DataSettings(data_dir=data_dir, download=False, seed=2018, photos=0))
    seconds = time.monotonic() - began
    peak_bytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {"title": sheet.facts["title"], "seconds": seconds, "peak_bytes": peak_bytes}


def measure_map(model: str, folder: Path) -> dict[str, Any]:
    """By how much resident memory rises when all tensors are mapped, and when they are read."""
    sheet = Sheet.read(folder / f"{model}.json")
    process = psutil.Process()
    before = process.memory_info().rss
    arrays = [tensor.map() for tensor in sheet.tensors.values()]
    mapped = process.memory_info().rss
    for array in arrays:
        array.max()
    touched = process.memory_info().rss
    size = sum(array.nbytes for array in arrays)
    return {"bytes": size, "rise_bytes": mapped - before, "touched_bytes": touched - before}


def _in_a_process(*arguments: str) -> dict[str, Any]:
    """Measure in a fresh process, so that the one before leaves no traces in the memory."""
    command = [sys.executable, __file__, *arguments]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.exit(main())
    what, model, folder, data_dir = sys.argv[1:]
    measured = (
        measure_prepare(model, Path(folder), Path(data_dir)) if what == "prepare" else measure_map(model, Path(folder))
    )
    print(json.dumps(measured))
