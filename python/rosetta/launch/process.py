"""A job's process, held through its keeper: started, asked about, ended."""

import contextlib
import os
import select
import shutil
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from rosetta.errors import RosettaError
from rosetta.launch import keeper
from rosetta.launch.log import Log

END_PATIENCE_S = 30  # for processes that the kernel cannot end at once, such as in a driver's call


class Process:
    """The process of a job, and all that come of it. When the block ends, none is left, and `folder` is removed.

    Attributes:
        pid: 0 until it is started.
        refused: why it could not be started: an `errno`, 0 if it could.
        wait_status: how it ended, as `os.wait` tells it; None before, or if that was never known.
        gone: whether all its processes have ended.
        started_at: ISO 8601, UTC.
        wall_s: from its start to its end.
        cpu_user_s, cpu_system_s: of all its processes, by the kernel's account.
        peak_bytes: most resident memory of a single one of its processes, by the kernel's account.
        left: names of the processes that it left behind.
    """

    def __init__(self, command: list[str], additions: dict[str, str], folder: Path, log: Log) -> None:
        self.pid = 0
        self.refused = 0
        self.wait_status: int | None = None
        self.gone = False
        self.started_at = ""
        self.wall_s = 0.0
        self.cpu_user_s = 0.0
        self.cpu_system_s = 0.0
        self.peak_bytes = 0
        self.left: tuple[str, ...] = ()
        self._spawned_ns = time.monotonic_ns()
        self._unread = b""
        self._folder = folder
        self._lost = False
        self._spared = frozenset(keeper.children(os.getpid()))
        # What a killed keeper leaves comes to this process.
        keeper.process_control(keeper.PR_SET_CHILD_SUBREAPER, 1)
        self._report_fd, keeper_report_fd = os.pipe()
        words = [f"{name}={value}" for name, value in additions.items()]
        try:
            self._keeper = subprocess.Popen(
                [
                    sys.executable,
                    "-I",
                    "-S",
                    keeper.__file__,
                    str(keeper_report_fd),
                    str(folder),
                    *words,
                    "--",
                    *command,
                ],
                stdin=subprocess.PIPE,
                stdout=log.fileno(),
                stderr=log.fileno(),
                bufsize=0,
                pass_fds=[keeper_report_fd],
                start_new_session=True,
            )
        except OSError as error:
            os.close(self._report_fd)
            raise RosettaError(f"No process can be started on this machine: {error}") from None
        finally:
            os.close(keeper_report_fd)
        assert self._keeper.stdin is not None
        self._control = self._keeper.stdin

    def __enter__(self) -> "Process":
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.end()
        self.wait()
        shutil.rmtree(self._folder, ignore_errors=True)
        self._tell(keeper.DONE)
        self._control.close()
        self._keeper.wait()
        os.close(self._report_fd)
        keeper.process_control(keeper.PR_SET_CHILD_SUBREAPER, 0)

    def fileno(self) -> int:
        """A descriptor that becomes readable when there is something to `receive`."""
        return self._report_fd

    @property
    def age_s(self) -> float:
        """How long ago it was started."""
        return (time.monotonic_ns() - self._spawned_ns) / 1e9

    @property
    def ended(self) -> bool:
        """Whether the process itself has ended or never was; what it has left may not have."""
        return self.wait_status is not None or bool(self.refused) or self._lost

    def receive(self) -> None:
        """Take in what the keeper has reported; wait for it if there is nothing yet."""
        text = os.read(self._report_fd, 65536)
        self._lost = not text
        *lines, self._unread = (self._unread + text).split(b"\n")
        for line in lines:
            self._take_in(*line.decode(errors="replace").split())

    def end(self) -> None:
        """Have all processes of the job killed, without waiting for it."""
        self._tell(keeper.END)

    def wait(self) -> None:
        """Wait until all processes of the job are gone. One that the kernel does not end in time is left to itself."""
        patience_ends = time.monotonic() + END_PATIENCE_S
        report = select.poll()
        report.register(self._report_fd, select.POLLIN)
        while not (self.gone or self.refused or self._lost):
            if report.poll(1000 * max(0, patience_ends - time.monotonic())):
                self.receive()
            else:
                self._keeper.kill()
        if self._lost:
            self._keeper.wait()
            self.gone = keeper.end_children(self._spared, max(1, patience_ends - time.monotonic()))
            self.wall_s = self.wall_s or self.age_s

    def _take_in(self, event: str, *words: str) -> None:
        match event:
            case "refused":
                self.refused = int(words[0])
            case "started":
                self.pid = int(words[0])
                self._spawned_ns = int(words[1])
                self.started_at = datetime.fromtimestamp(int(words[2]) / 1e9, UTC).isoformat(timespec="milliseconds")
            case "ended":
                self.wait_status = int(words[0])
                self.wall_s = (int(words[1]) - self._spawned_ns) / 1e9
            case "gone":
                self.cpu_user_s, self.cpu_system_s = float(words[0]), float(words[1])
                self.peak_bytes = int(words[2])
                self.left = words[3:]
                self.gone = True

    def _tell(self, word: bytes) -> None:
        with contextlib.suppress(BrokenPipeError):  # the keeper is gone
            self._control.write(word)
