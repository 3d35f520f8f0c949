"""The settings of a run: config/*.yaml, with what the command line changed."""

import math
from typing import Any

import yaml

from rosetta.errors import RosettaError
from rosetta.schemas import schema, validate


def checked(config: dict[str, Any]) -> dict[str, Any]:
    """The settings with each value in its own type, checked against config.schema.json.

    Snakemake hands over list items and booleans of `--config` as strings; they are read as YAML first.

    Raises:
        RosettaError: a key is unknown or missing, or a value is out of range.
    """
    typed: dict[str, Any] = _typed(config, schema("config"))
    validate("config", typed, "config")
    for name, limit in typed["limits"].items():
        if not math.isfinite(limit):
            raise RosettaError(f"config: limits.{name}: {limit} is no limit. Give a number.")
    return typed


def _typed(value: Any, described: dict[str, Any]) -> Any:
    if isinstance(value, dict):
        properties = described.get("properties", {})
        return {key: _typed(item, _resolved(properties.get(key, {}))) for key, item in value.items()}
    if isinstance(value, str):
        value = _parsed(value, described.get("type", ()))
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _parsed(text: str, types: Any) -> Any:
    if "string" in types:
        return None if "null" in types and text in ("", "~", "null") else text
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        return text


def _resolved(described: dict[str, Any]) -> dict[str, Any]:
    reference = described.get("$ref")
    return schema("config")["$defs"][reference.rsplit("/", 1)[-1]] if reference else described
