"""Writes the record: an answer, or a refusal that says what went wrong and where."""

from __future__ import annotations

import json
import traceback
from pathlib import Path
from typing import Any

from harness.errors import UnavailableError
from harness.job import CONTRACT
from harness.probe import version

HARNESS_FOLDER = Path(__file__).resolve().parent
LANGUAGE_FOLDER = HARNESS_FOLDER.parent
LONGEST_MESSAGE = 1000  # characters: a compiler's message can be a book


def write_record(path: Path, record: dict[str, Any]) -> None:
    """Write the record, whole or not at all."""
    partial = path.with_name(f".{path.name}.partial")
    partial.write_text(json.dumps(record, allow_nan=False) + "\n", encoding="utf-8")
    partial.replace(path)


def refusal(error: Exception, packages: list[str]) -> dict[str, Any]:
    """The record of a job that could not be done.

    Args:
        error: what was raised.
        packages: the framework's packages; one that is missing makes the row `unavailable`.
    """
    message = " ".join(f"{type(error).__name__}: {error}".split())[:LONGEST_MESSAGE]
    status = "unavailable" if is_unavailable(error, packages) else "failed"
    return {"contract": CONTRACT, "error": {"status": status, "message": message, "where": where(error)}}


def is_unavailable(error: Exception, packages: list[str]) -> bool:
    """Whether the error says that something is not installed, or that this machine lacks it."""
    if isinstance(error, ModuleNotFoundError):
        return any(version(package) is None for package in packages)
    return isinstance(error, UnavailableError)


def where(error: Exception) -> str:
    """`file:line` of the deepest frame in the implementation's folder, else in the harness."""
    if isinstance(error, SyntaxError) and error.filename:
        return place(Path(error.filename), error.lineno)
    frames = [(Path(frame.filename).resolve(), frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    ours = [frame for frame in frames if LANGUAGE_FOLDER in frame[0].parents]
    outside_harness = [frame for frame in ours if HARNESS_FOLDER not in frame[0].parents]
    return place(*(outside_harness or ours)[-1])


def place(path: Path, line: int | None) -> str:
    """`file:line`, relative to the language's folder where the file is in it."""
    shown = path.relative_to(LANGUAGE_FOLDER) if LANGUAGE_FOLDER in path.parents else path
    return f"{shown}:{line}"
