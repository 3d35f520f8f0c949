"""Runs one job by rpy2, in this process: `python r/bridge/main.py RSCRIPT JOB RECORD` (docs/contract.md)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import bridge

# An error that the harness does not turn into a refusal itself must not leave R_ParseEvalString.
RUN = """
tryCatch({{
  source(file.path(Sys.getenv("ROSETTA_R"), "exec", "start.R"))
  rosetta$run({job}, {record}, first_line_s)
}}, error = function(error) {{
  message(conditionMessage(error))
  1L
}})
"""


def main() -> int:
    """Start R, call the harness and return the exit code."""
    if len(sys.argv) != 4:
        print("usage: python r/bridge/main.py RSCRIPT JOB RECORD", file=sys.stderr)
        return 2
    rscript, job, record = sys.argv[1:]
    try:
        embedded = bridge.Embedded(bridge.ask(rscript))
    except ModuleNotFoundError as error:
        return refuse(Path(record), "unavailable", f"rpy2 is not installed ({error}). Install it: envs/r.sh")
    except (OSError, subprocess.CalledProcessError) as error:
        return refuse(Path(record), "failed", f"R cannot be started in Python: {error}")
    return embedded.evaluate(RUN.format(job=quoted(job), record=quoted(record)))


def quoted(text: str) -> str:
    """A string as R spells it."""
    return json.dumps(text, ensure_ascii=False)


def refuse(record: Path, status: str, message: str) -> int:
    """Write a refusal, whole or not at all, and return the exit code."""
    print(message, file=sys.stderr)
    partial = record.with_name(f".{record.name}.partial")
    partial.write_text(json.dumps({"contract": 1, "error": {"status": status, "message": message}}) + "\n")
    partial.replace(record)
    return 1


if __name__ == "__main__":
    bridge.leave(main())
