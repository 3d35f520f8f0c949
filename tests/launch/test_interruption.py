"""Whatever ends the launcher, or what stands around it, no process of the job is left."""

import os
import pty
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from rosetta.launch import Outcome
from rosetta.launch.keeper import children, family

from .toys import LIMITS, toy_command

PROGRAM = """
import sys
from pathlib import Path
sys.path[:0] = {path!r}
from rosetta.launch import Interrupted, Limits, launch
from tests.launch.toys import a_job
try:
    outcome = launch({command!r}, a_job(), {{}}, Limits(60, 2**30, 1), Path({log!r}), "toy", "make toy")
    print(outcome.status, outcome.reason)
except Interrupted as interruption:
    print(interruption.signal.name)
    sys.exit(128 + interruption.signal)
"""
ROOT = Path(__file__).parents[2]


class Scene:
    """A launcher whose job has had many children, and all the processes of that job."""

    def __init__(self, folder: Path, wrapper: str) -> None:
        ids = folder / "ids"
        temporary = folder / "tmp"
        temporary.mkdir()
        program = folder / "program.py"
        path = [str(ROOT), str(ROOT / "python")]
        text = PROGRAM.format(path=path, command=toy_command(f"brood={ids}"), log=str(folder / "run.log"))
        program.write_text(text)
        command = wrapper.format(command=f"{sys.executable} {program}")
        self.outer = subprocess.Popen(
            ["bash", "-c", command],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
            env={**os.environ, "TMPDIR": str(temporary)},
        )
        self.temporary = temporary
        self.job = [psutil.Process(int(pid)) for pid in self._wait_for(ids).split()]
        assert len(self.job) == 7
        self.keeper = self.job[0].parents()[0]
        self.launcher = self.keeper.parents()[0]
        assert "keeper.py" in " ".join(self.keeper.cmdline())
        assert str(program) in self.launcher.cmdline()

    @staticmethod
    def _wait_for(path: Path) -> str:
        patience_ends = time.monotonic() + 10
        while not path.exists():
            assert time.monotonic() < patience_ends
            time.sleep(0.02)
        return path.read_text()

    def assert_all_gone(self, within_s: float = 2) -> None:
        processes = [*self.job, self.keeper, self.launcher]
        patience_ends = time.monotonic() + within_s
        while left := [process for process in processes if alive(process)]:
            assert time.monotonic() < patience_ends, left
            time.sleep(0.01)
        assert list(self.temporary.iterdir()) == []

    def output(self) -> str:
        return self.outer.communicate(timeout=5)[0].strip()


def alive(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.fixture(autouse=True)
def heeded_hangup() -> Iterator[None]:
    """SIGHUP as a terminal sends it: under nohup it would be ignored, by everything that is started here too."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Callable[..., Scene]]:
    made = []

    def make(wrapper: str = "exec {command}") -> Scene:
        made.append(Scene(tmp_path, wrapper))
        return made[-1]

    yield make
    for each in made:
        for process in filter(alive, each.job):
            process.kill()
        each.outer.kill()
        each.outer.wait()


def test_under_nohup_a_hangup_ends_nothing(scene: Callable[..., Scene]) -> None:
    made = scene("trap '' HUP; exec {command}")
    made.launcher.send_signal(signal.SIGHUP)
    time.sleep(0.5)
    assert all(alive(process) for process in (*made.job, made.keeper, made.launcher))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_job_and_is_told(scene: Callable[..., Scene], number: signal.Signals) -> None:
    made = scene()
    made.launcher.send_signal(number)
    made.assert_all_gone()
    assert made.output() == number.name
    assert made.outer.returncode == 128 + number


def test_killing_the_launcher_leaves_nothing(scene: Callable[..., Scene]) -> None:
    made = scene()
    made.launcher.kill()
    made.assert_all_gone()


def test_killing_the_launchers_whole_group_leaves_nothing(scene: Callable[..., Scene]) -> None:
    made = scene("{command}; true")
    os.killpg(made.outer.pid, signal.SIGKILL)
    made.assert_all_gone()


def test_killing_the_shell_around_the_launcher_leaves_nothing(scene: Callable[..., Scene]) -> None:
    made = scene("{command}; true")
    assert made.launcher.pid != made.outer.pid
    made.outer.kill()
    made.assert_all_gone()


def test_killing_the_keeper_leaves_nothing_and_is_a_failure(scene: Callable[..., Scene]) -> None:
    made = scene()
    made.keeper.kill()
    made.assert_all_gone()
    assert made.output().startswith("failed The process was lost: its keeper was killed.")


def test_killing_the_job_itself_leaves_nothing(scene: Callable[..., Scene]) -> None:
    made = scene()
    made.job[0].kill()
    made.assert_all_gone()
    assert made.output().startswith("failed The process was killed (SIGKILL), by somebody")


def test_killing_launcher_and_keeper_at_once_ends_the_job_itself(scene: Callable[..., Scene]) -> None:
    made = scene()
    for process in (made.launcher, made.keeper):
        process.suspend()
    for process in (made.launcher, made.keeper):
        process.kill()
    gone, _ = psutil.wait_procs([made.job[0]], timeout=2)
    assert gone


def test_a_stopped_launcher_that_is_killed_leaves_nothing(scene: Callable[..., Scene]) -> None:
    made = scene()
    made.launcher.suspend()
    made.launcher.kill()
    made.assert_all_gone()


def test_control_c_in_a_terminal_ends_the_job(tmp_path: Path) -> None:
    ids = tmp_path / "ids"
    path = [str(ROOT), str(ROOT / "python")]
    text = PROGRAM.format(path=path, command=toy_command(f"brood={ids}"), log=str(tmp_path / "run.log"))
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(sys.executable, [sys.executable, "-c", text])
    job = [psutil.Process(int(each)) for each in Scene._wait_for(ids).split()]
    os.write(terminal, b"\x03")
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 128 + signal.SIGINT
    assert not any(alive(process) for process in job)


def test_a_keeper_that_is_stuck_is_given_up(run: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rosetta.launch.process.END_PATIENCE_S", 0.2)
    ids = []

    def stop_the_keeper() -> None:
        while not (job := family(keepers := children(os.getpid()))[1:]):
            time.sleep(0.02)
        ids.extend(job)
        os.kill(keepers[0], signal.SIGSTOP)

    stopper = threading.Thread(target=stop_the_keeper)
    stopper.start()
    outcome = run("sleep=100", limits=replace(LIMITS, wall_s=0.5))
    stopper.join()
    assert outcome.reason.startswith("The process had not answered at its time limit of 0.5 s")
    assert ids
    assert [psutil.Process(pid) for pid in ids if psutil.pid_exists(pid)] == []
