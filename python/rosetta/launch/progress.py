"""What the person who waits sees: one rewritten line on a terminal, else a line at the start and one at the end."""

import os
import sys
import time
from types import TracebackType


class Progress:
    """The progress of one job on standard error."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._said = ""
        self._shown = ""
        self._started = time.monotonic()
        self._on_terminal = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        if not self._on_terminal:
            self._write(f"{label}: started\n")

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if isinstance(error, KeyboardInterrupt):
            self.finish(str(error))

    def update(self, said: str | None = None) -> None:
        """Show what the job has said last, and the time."""
        if said is not None:
            self._said = said
        if self._on_terminal:
            parts = [self._label, self._said, self._elapsed()]
            line = " - ".join(part for part in parts if part)
            if line != self._shown:
                self._shown = line
                self._write(f"\r\x1b[K{line[: _terminal_columns() - 1]}")

    def finish(self, result: str) -> None:
        """Say how it ended; nothing is shown after that."""
        erase = "\r\x1b[K" if self._on_terminal else ""
        self._write(f"{erase}{self._label}: {result} ({self._elapsed()})\n")

    def _elapsed(self) -> str:
        minutes, seconds = divmod(int(time.monotonic() - self._started), 60)
        return f"{minutes}:{seconds:02}"

    def _write(self, text: str) -> None:
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except OSError:
            pass  # the terminal has gone; the job goes on


def _terminal_columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except OSError:
        return 80
