"""Files that are written whole or not at all."""

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rosetta.errors import RosettaError


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; move it there when the block ends well, remove it otherwise."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.partial")  # one left by a killed process is written over
    partial.write_bytes(b"")
    try:
        yield partial
        with partial.open("rb") as written:
            os.fsync(written.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write `text` (UTF-8) to `path`, whole or not at all."""
    with whole_file(path) as partial:
        partial.write_text(text, encoding="utf-8")


def write_json(path: Path, value: Any) -> None:
    """Write `value` as JSON to `path`, whole or not at all. NaN and infinity are refused (ValueError)."""
    write_text(path, json.dumps(value, indent=1, allow_nan=False, ensure_ascii=False) + "\n")


def read_json(path: Path) -> Any:
    """Read a JSON file that the runner itself wrote.

    Raises:
        RosettaError: the file is missing or no JSON; the message names it.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RosettaError(f"{path} does not exist. Run snakemake again to make it.") from None
    except (ValueError, OSError) as error:
        raise RosettaError(f"{path} cannot be read ({error}). Delete it and run snakemake again.") from None
