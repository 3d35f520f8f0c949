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


def refusal(error: Exception, job: dict[str, Any]) -> dict[str, Any]:
    """The record of a job that could not be done.

    Args:
        error: what was raised.
        job: the job; empty where it could not be read.
    """
    message = " ".join(f"{type(error).__name__}: {error}".split())[:LONGEST_MESSAGE]
    status = "unavailable" if is_unavailable(error, job.get("packages", [])) else "failed"
    place = where(error, Path(job.get("source", __file__)).resolve().parent)
    return {"contract": CONTRACT, "error": {"status": status, "message": message, "where": place}}


def is_unavailable(error: Exception, packages: list[str]) -> bool:
    """Whether the error says that something is not installed, or that this machine lacks it."""
    if isinstance(error, ModuleNotFoundError):
        return any(version(package) is None for package in packages)
    return isinstance(error, UnavailableError)


def where(error: Exception, implementation_folder: Path) -> str:
    """`file:line` of the deepest frame in the implementation's folder, else in the harness."""
    if isinstance(error, SyntaxError) and error.filename:
        return shown(Path(error.filename), error.lineno)
    frames = [(Path(frame.filename).resolve(), frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    implementation = [frame for frame in frames if implementation_folder in frame[0].parents]
    harness = [frame for frame in frames if HARNESS_FOLDER in frame[0].parents]
    return shown(*(implementation or harness)[-1])


def shown(path: Path, line: int | None) -> str:
    """`file:line`, relative to the language's folder where the file is in it."""
    return f"{path.relative_to(LANGUAGE_FOLDER) if LANGUAGE_FOLDER in path.parents else path}:{line}"
