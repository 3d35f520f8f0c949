"""Runs one job: `python python/harness JOB RECORD` (docs/contract.md, section 1)."""

import time

FIRST_LINE_NS = time.monotonic_ns()

import importlib  # noqa: E402 (the clock comes first)
import sys  # noqa: E402
from pathlib import Path  # noqa: E402


def main() -> int:
    """Run the job named on the command line and return the exit code."""
    if len(sys.argv) != 3:
        print("usage: python python/harness JOB RECORD", file=sys.stderr)
        return 2
    # Python put this folder on its path. Neither it nor the folder above may stay there: the modules here bear common
    # names, and a folder such as python/keras would pass for the package where Keras is not installed.
    language_folder = Path(__file__).resolve().parents[1]
    sys.path[0] = str(language_folder)
    run = importlib.import_module("harness.run")
    sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != language_folder]
    return run.run(Path(sys.argv[1]), Path(sys.argv[2]), FIRST_LINE_NS)


if __name__ == "__main__":
    sys.exit(main())
