"""A bar on a terminal, and nothing elsewhere."""

import fcntl
import os
import struct
import subprocess
import sys
import termios
from pathlib import Path

PYTHON = Path(__file__).resolve().parents[2] / "python"
SCRIPT = "from rosetta.data.progress import progress; print(sum(progress([1, 2], 'reading', 'file')))"


def run(stderr: int) -> str:
    environment = {**os.environ, "PYTHONPATH": str(PYTHON)}
    command = [sys.executable, "-c", SCRIPT]
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=stderr, text=True, check=True).stdout


def test_a_terminal_shows_a_bar() -> None:
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    assert run(theirs) == "3\n"
    shown = os.read(ours, 10_000).decode()
    os.close(ours)
    os.close(theirs)
    assert "reading" in shown
    assert "file/s" in shown


def test_a_file_gets_none(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with log.open("w") as file:
        assert run(file.fileno()) == "3\n"
    assert log.read_text() == ""
