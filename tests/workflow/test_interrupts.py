"""Ctrl-C, SIGTERM, SIGKILL at any moment: no orphan, no half-written file, and the next call goes on."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from .project import Project, environment

TARGET = ("results/table.csv", "--config", "download=false")
PATIENCE_S = 60


def started(project: Project) -> subprocess.Popen[bytes]:
    """Snakemake, making the table in a process group of its own."""
    return subprocess.Popen(
        project.command(*TARGET),
        cwd=project.folder,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def interrupted(project: Project, sent: signal.Signals, to_group: bool) -> int:
    """Start Snakemake, send a signal while the slow row runs; the process id of that row's process."""
    snakemake = started(project)
    wait_for(lambda: any(words[0] == "start" for words in project.trace()))
    job = int(project.trace()[-1][1])
    assert psutil.pid_exists(job)
    if to_group:
        os.killpg(snakemake.pid, sent)
    else:
        snakemake.send_signal(sent)
    assert snakemake.wait(timeout=PATIENCE_S) != 0
    return job


def has_ended(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.05)


def partial_files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*.partial") if ".snakemake" not in path.parts]


@pytest.mark.parametrize(
    ("sent", "to_group"),
    [(signal.SIGINT, True), (signal.SIGTERM, False), (signal.SIGKILL, False), (signal.SIGKILL, True)],
    ids=["ctrl-c", "sigterm", "sigkill", "sigkill-group"],
)
def test_no_orphan_and_the_next_call_goes_on(project: Project, sent: signal.Signals, to_group: bool) -> None:
    project.declare({"one": "ok", "two": "ok", "slow": "sleep 4"})
    job = interrupted(project, sent, to_group)
    wait_for(lambda: has_ended(job))
    # At SIGTERM Snakemake lets the running step end well; at all others the step ends with it.
    ended_well = (project.folder / "results/runs/toy/slow/gru/native/1.json").exists()
    assert ended_well == (sent == signal.SIGTERM)
    assert partial_files(project.folder) == []
    project.started()
    project.snakemake(*TARGET)
    assert project.started() == ([] if ended_well else ["slow"])
    assert project.line("slow")["status"] == "ok"


def test_a_working_snakemake_keeps_its_lock(project: Project) -> None:
    project.write("toy/one/gru.toy", "sleep 4")
    snakemake = started(project)
    wait_for(lambda: any(words[0] == "start" for words in project.trace()))
    assert "cannot be locked" in project.snakemake(*TARGET, code=1)
    assert snakemake.wait(timeout=PATIENCE_S) == 0
    assert project.line("one")["status"] == "ok"


def test_an_interrupted_rerun_keeps_the_old_record(project: Project) -> None:
    record = project.folder / "results/runs/toy/one/gru/native/1.json"
    before = record.read_text()
    project.write("toy/one/gru.toy", "sleep 4")
    interrupted(project, signal.SIGINT, to_group=True)
    assert record.read_text() == before
    project.snakemake(*TARGET)
    assert record.read_text() != before


def steps_of(project: Project, command: str) -> list[psutil.Process]:
    """The running processes of one of the runner's steps in a project."""
    found = []
    for process in psutil.process_iter(["cmdline", "cwd"]):
        words = process.info["cmdline"] or []
        if process.info["cwd"] == str(project.folder) and command in words and "python/rosetta" in words:
            found.append(process)
    return found


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL], ids=["ctrl-c", "sigkill"])
def test_a_step_that_prepares_ends_with_snakemake(project: Project, sent: signal.Signals) -> None:
    for name in ("gru.json", "gru.arrow"):
        (project.folder / "shared_data/reference" / name).unlink()
    project.write("toy/one/gru.toy", "ok again")
    snakemake = started(project)
    wait_for(lambda: bool(steps_of(project, "reference")))
    if sent == signal.SIGINT:
        os.killpg(snakemake.pid, sent)
    else:
        snakemake.send_signal(sent)
    assert snakemake.wait(timeout=PATIENCE_S) != 0
    wait_for(lambda: not steps_of(project, "reference"))
    assert partial_files(project.folder) == []
    project.snakemake(*TARGET)
    assert project.line("one")["status"] == "ok"
