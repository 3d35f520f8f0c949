"""Validation against the JSON schemas in config/schemas, with messages for people."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from rosetta.errors import RosettaError

FOLDER = Path(__file__).resolve().parents[2] / "config" / "schemas"


@cache
def schema(name: str) -> dict[str, Any]:
    """The schema config/schemas/NAME.schema.json."""
    loaded: dict[str, Any] = json.loads((FOLDER / f"{name}.schema.json").read_text(encoding="utf-8"))
    return loaded


def validate(name: str, value: Any, where: str) -> None:
    """Check `value` against a schema.

    Raises:
        RosettaError: it does not fit; the message names `where`, the key and what was expected.
    """
    import jsonschema

    validator = jsonschema.Draft202012Validator(schema(name))
    error = jsonschema.exceptions.best_match(validator.iter_errors(value))
    if error is not None:
        key = ".".join(str(part) for part in error.absolute_path)
        raise RosettaError(f"{where}: {key + ': ' if key else ''}{error.message}")
