"""The settings of a run: config/*.yaml, with what the command line changed."""

from typing import Any

import yaml

from rosetta.schemas import schema, validate


def checked(config: dict[str, Any]) -> dict[str, Any]:
    """The settings with each value in its own type, checked against config.schema.json.

    Snakemake hands over list items and booleans of `--config` as strings; they are read as YAML first.

    Raises:
        RosettaError: a key is unknown or missing, or a value is out of range.
    """
    typed: dict[str, Any] = _typed(config, schema("config"))
    validate("config", typed, "config")
    return typed


def _typed(value: Any, described: dict[str, Any]) -> Any:
    if isinstance(value, dict):
        properties = described.get("properties", {})
        return {key: _typed(item, _resolved(properties.get(key, {}))) for key, item in value.items()}
    if isinstance(value, str) and "string" not in described.get("type", ()):
        try:
            return yaml.safe_load(value)
        except yaml.YAMLError:
            return value
    return value


def _resolved(described: dict[str, Any]) -> dict[str, Any]:
    reference = described.get("$ref")
    return schema("config")["$defs"][reference.rsplit("/", 1)[-1]] if reference else described
