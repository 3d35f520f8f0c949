"""Installed packages that ship data: where they lie, without importing them."""

import importlib.metadata
import importlib.util
from pathlib import Path
from typing import NamedTuple

from rosetta.data.examples import NotHere


class Package(NamedTuple):
    """An installed package: its name with the version, and its folder."""

    name: str
    folder: Path


def installed(distribution: str, module: str) -> Package:
    """The package of that name on PyPI, whose top-level module is given.

    Raises:
        NotHere: it is not installed.
    """
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise NotHere(f"{distribution} is not installed (pip install {distribution})")
    return Package(f"{distribution} {importlib.metadata.version(distribution)}", Path(spec.origin).parent)
