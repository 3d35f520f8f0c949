"""Being told to stop: signals, and the end of the process that started the launcher."""

import os
import signal
from types import FrameType, TracebackType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PARENT = os.getppid()  # as early as can be: a parent that dies from here on is noticed


class Interrupted(KeyboardInterrupt):
    """The launcher was told to stop; no process of the job is left, and there is no outcome.

    Attributes:
        signal: what told it; SIGHUP also stands for the end of the parent process.
    """

    def __init__(self, number: int) -> None:
        self.signal = signal.Signals(number)
        super().__init__(f"interrupted by {self.signal.name}")


class Interruption:
    """While entered, notes signals instead of letting them end this process. In the main thread only.

    A signal that is ignored stays so: `nohup` means it.
    """

    def __init__(self) -> None:
        self._received: int | None = None
        self._previous_handlers: dict[signal.Signals, object] = {}

    def __enter__(self) -> "Interruption":
        self._woken_fd, self._wake_fd = os.pipe()
        os.set_blocking(self._wake_fd, False)
        self._previous_wake_fd = signal.set_wakeup_fd(self._wake_fd, warn_on_full_buffer=False)
        for number in SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._previous_handlers[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for number, handler in self._previous_handlers.items():
            signal.signal(number, handler)  # type: ignore[arg-type]
        signal.set_wakeup_fd(self._previous_wake_fd)
        os.close(self._woken_fd)
        os.close(self._wake_fd)
        if error is None:
            self.check()  # nothing that arrived in the last moment is lost

    def fileno(self) -> int:
        """A descriptor that becomes readable when a signal arrives."""
        return self._woken_fd

    def check(self) -> None:
        """Raise `Interrupted` if a signal has arrived or the parent has ended."""
        if self._received is None and os.getppid() != PARENT:
            self._received = signal.SIGHUP
        if self._received is not None:
            raise Interrupted(self._received)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._received = self._received or number
