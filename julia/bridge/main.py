"""Runs one job by juliacall, in this process: `python julia/bridge/main.py JULIA JOB RECORD` (docs/contract.md)."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import bridge

START = Path(__file__).resolve().parents[1] / "src/start.jl"


def main() -> int:
    """Start Julia, call the harness and return the exit code."""
    if len(sys.argv) != 4:
        print("usage: python julia/bridge/main.py JULIA JOB RECORD", file=sys.stderr)
        return 2
    executable, job, record = sys.argv[1:]
    try:
        juliacall = bridge.load(bridge.ask(executable))
    except ModuleNotFoundError as error:
        return refuse(Path(record), "unavailable", f"{error}. Install it: envs/julia.sh")
    # From here on all errors are Julia's: the harness writes its own refusals; what keeps it from starting is left.
    try:
        juliacall.Main.include(str(START))
        return int(juliacall.Main.Rosetta.run(job, record, juliacall.Main.FIRST_LINE_NS))
    except juliacall.JuliaError as error:
        return refuse(Path(record), "failed", f"{type(error).__name__}: {error}".splitlines()[0])


def refuse(record: Path, status: str, message: str) -> int:
    """Write a refusal, whole or not at all, and return the exit code."""
    print(message, file=sys.stderr)
    partial = record.with_name(f".{record.name}.partial")
    partial.write_text(json.dumps({"contract": 1, "error": {"status": status, "message": message}}) + "\n")
    partial.replace(record)
    return 1


if __name__ == "__main__":
    sys.exit(main())
