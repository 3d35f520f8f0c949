"""A job's log: written by the job itself, straight to the file; read here from behind."""

import os
import re
from pathlib import Path
from types import TracebackType

from rosetta.errors import RosettaError

LIMIT_BYTES = 64 * 2**20
TAIL_BYTES = 64 * 2**10  # what is looked at, at most, for progress or the last words
LINE_CHARACTERS = 300
PROGRESS = "@progress "

# The line of an error, as Python, R, Julia, shells and C++ print it. Such lines are seldom the very last.
ERROR_LINE = re.compile(
    r"([\w.]+(Error|Exception)\b|ERROR\b|Error\b|error:|[Ff]atal|FATAL|terminate called|.*: not found$)"
)
ESCAPE_SEQUENCE = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07]*\x07")


def one_line(text: str, characters: int = LINE_CHARACTERS) -> str:
    """Text as one printable line, shortened in the end to a number of characters."""
    text = ESCAPE_SEQUENCE.sub("", text)
    text = " ".join("".join(mark if mark.isprintable() else " " for mark in text).split())
    return text if len(text) <= characters else text[: characters - 3] + "..."


class Log:
    """The log file of a run, emptied when entered."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> "Log":
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._write_fd = os.open(
                self.path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC, 0o644
            )
            self._read_fd = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise RosettaError(
                f"The log {self.path} cannot be written: {error.strerror}. Make its folder writable."
            ) from None
        self._seen_bytes = 0
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        os.close(self._read_fd)
        os.close(self._write_fd)

    def fileno(self) -> int:
        """The descriptor to write to."""
        return self._write_fd

    def size_bytes(self) -> int:
        """How much has been written."""
        return os.fstat(self._read_fd).st_size

    def cut(self) -> None:
        """Drop what is beyond the limit."""
        if self.size_bytes() > LIMIT_BYTES:
            os.ftruncate(self._write_fd, LIMIT_BYTES)

    def progress(self) -> str | None:
        """The newest progress that the job has reported since the last call; None if there is no news."""
        size_bytes = self.size_bytes()
        start = max(self._seen_bytes, size_bytes - TAIL_BYTES)
        if start >= size_bytes:
            return None
        complete, newline, _ = os.pread(self._read_fd, TAIL_BYTES, start).rpartition(b"\n")
        self._seen_bytes = start + len(complete) + len(newline)
        reports = [line for line in _lines(complete) if line.startswith(PROGRESS)]
        return one_line(reports[-1].removeprefix(PROGRESS)) if reports else None

    def last_words(self) -> str:
        """The line that tells what went wrong: the last that looks like an error, else the last; "" without any."""
        tail = os.pread(self._read_fd, TAIL_BYTES, max(0, self.size_bytes() - TAIL_BYTES))
        lines = [line for line in _lines(tail) if one_line(line) and not line.startswith(PROGRESS)]
        for place in reversed(range(len(lines))):
            if ERROR_LINE.match(lines[place]):
                continues = lines[place].rstrip().endswith(":")  # R puts a long message on the next line
                return one_line(" ".join(lines[place : place + 1 + continues]))
        return one_line(lines[-1]) if lines else ""


def _lines(text: bytes) -> list[str]:
    return text.decode("utf-8", errors="replace").split("\n")
