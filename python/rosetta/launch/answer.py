"""The record that a process left: read with care, for it may be anything."""

import json
import math
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rosetta.launch.validation import fault_in_record

LIMIT_BYTES = 64 * 2**20
LARGEST_INTEGER = 2**63


@dataclass(frozen=True)
class Answer:
    """What became of the record.

    Attributes:
        record: an answer or a refusal that fits the schema; None if there is none.
        fault: what the process did wrong, as a sentence without subject; "" if nothing, or if there is no file.
    """

    record: dict[str, Any] | None = None
    fault: str = ""

    @property
    def refusal(self) -> dict[str, Any] | None:
        """The error that the harness reports instead of an answer."""
        return self.record["error"] if self.record and "error" in self.record else None


def read_answer(path: Path) -> Answer:
    """Read and validate the record at `path`."""
    try:
        text = _read(path)
    except FileNotFoundError:
        return Answer()
    except (OSError, ValueError) as error:
        return Answer(fault=f"left a record that cannot be read ({error})")
    try:
        record = json.loads(text, parse_constant=_no_number, parse_float=_float, parse_int=_integer)
        json.dumps(
            record, ensure_ascii=False
        ).encode()  # half a surrogate pair is JSON, but no text that can be written
    except (ValueError, RecursionError) as error:
        return Answer(fault=f"left a record that is not JSON ({error})")
    fault = fault_in_record(record)
    return Answer(fault=f"left a record that breaks the contract: {fault}") if fault else Answer(record)


def _read(path: Path) -> str:
    about = path.lstat()
    if not stat.S_ISREG(about.st_mode):
        raise ValueError("it is no file")
    if about.st_size > LIMIT_BYTES:
        raise ValueError(f"it is larger than {LIMIT_BYTES // 2**20} MB")
    return path.read_text(encoding="utf-8")


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number in JSON")


def _float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"{text} is too large")
    return value


def _integer(text: str) -> int:
    value = int(text)
    if abs(value) >= LARGEST_INTEGER:
        raise ValueError(f"{text[:20]}... is too large")
    return value
