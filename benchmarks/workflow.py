"""The runner's own cost: seconds per row beyond the job's process, and a dry run over 500 implementations.

The exit code is 1 if it is more than half a second, or six seconds.

.venv/bin/python benchmarks/workflow.py
"""

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.workflow.project import Project, make_project

TARGET = ("results/table.csv", "--config", "download=false")
ROWS = 20
IMPLEMENTATIONS = 500
ROW_LIMIT_S = 0.5
DRY_RUN_LIMIT_S = 6


def seconds(project: Project, *arguments: str) -> float:
    start = time.monotonic()
    project.snakemake(*arguments)
    return time.monotonic() - start


def jobs_s(project: Project) -> float:
    """Seconds that the jobs' own processes took, from their first line to their last."""
    marks = {(words[0], words[1]): int(words[2]) for words in project.trace()}
    return sum(time_ns - marks["start", pid] for (what, pid), time_ns in marks.items() if what == "end") / 1e9


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        project = make_project(Path(folder) / "project")
        project.declare({"first": "ok"})
        project.snakemake(*TARGET)
        project.started()

        names = [f"row{number:03}" for number in range(ROWS)]
        project.declare(dict.fromkeys(["first", *names], "ok"))
        took = seconds(project, *TARGET)
        own_s = jobs_s(project)
        start_s = seconds(project, *TARGET)
        row_s = (took - start_s - own_s) / ROWS
        print(f"{ROWS} rows: {took:.1f} s, of which {start_s:.1f} s are a call that finds nothing to do")
        print(f"{row_s:.3f} s for each row: Snakemake, launcher and an empty Python process")

        names = [f"row{number:03}" for number in range(IMPLEMENTATIONS)]
        project.declare(dict.fromkeys(names, "ok"))
        dry_run_s = seconds(project, "-n", *TARGET)
        print(f"dry run of {IMPLEMENTATIONS} implementations: {dry_run_s:.2f} s")
    if row_s > ROW_LIMIT_S or dry_run_s > DRY_RUN_LIMIT_S:
        sys.exit(f"More than {ROW_LIMIT_S} s per row, or {DRY_RUN_LIMIT_S} s for the dry run")


if __name__ == "__main__":
    main()
