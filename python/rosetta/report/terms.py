"""The table of terms: each concept, how each framework spells it, and the trap in it. It is data: docs/terms.yaml."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from rosetta.errors import RosettaError
from rosetta.schemas import validate

FILE = Path("docs/terms.yaml")


@dataclass(frozen=True)
class Spelling:
    """How an implementation says it.

    Attributes:
        code: pieces of code, each as it stands in the implementation's files; none where it has no such thing.
        note: what a reader must know, or why there is none; code in backticks.
    """

    code: tuple[str, ...]
    note: str


@dataclass(frozen=True)
class Term:
    """A concept.

    Attributes:
        trap: what costs people days; code in backticks.
        spellings: by implementation, such as `python/keras`.
    """

    name: str
    concept: str
    trap: str
    spellings: Mapping[str, Spelling]


def read_terms(root: Path) -> list[Term]:
    """All terms, in the file's order.

    Raises:
        RosettaError: the file is missing or broken.
    """
    path = root / FILE
    try:
        declared = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RosettaError(f"{path} cannot be read: {error}") from None
    except yaml.YAMLError as error:
        raise RosettaError(f"{path}: not YAML: {' '.join(str(error).split())}") from None
    validate("terms", declared, str(path))
    return [
        Term(
            name=name,
            concept=term["concept"],
            trap=term["trap"],
            spellings={
                implementation: Spelling(tuple(spelling.get("code", ())), spelling.get("note", ""))
                for implementation, spelling in term["spelled"].items()
            },
        )
        for name, term in declared.items()
    ]


def quoted(text: str) -> list[str]:
    """The pieces of code in a sentence: what stands in backticks."""
    return re.findall(r"`([^`]+)`", text)
