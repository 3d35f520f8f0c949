"""Snakemake's locks, which a killed Snakemake leaves behind.

A Snakemake that works here holds a lock of the kernel's on a file of its own, which ends with its process, however that
ends. So who gets that lock for himself knows that locks of Snakemake's are of one that was killed.
"""

import contextlib
import fcntl
import shutil
from io import TextIOWrapper
from pathlib import Path


def take(root: Path) -> TextIOWrapper:
    """Remove the locks of a killed Snakemake, so that the next goes on without `--unlock`; those of a living one stay.

    Args:
        root: the project folder.

    Returns:
        An open file, to be kept open as long as this Snakemake works.
    """
    folder = root / ".snakemake"
    folder.mkdir(exist_ok=True)
    working = (folder / "working").open("w", encoding="utf-8")
    with contextlib.suppress(OSError):  # another one works here, or the file system knows no such locks
        fcntl.flock(working, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder / "locks", ignore_errors=True)
    with contextlib.suppress(OSError):
        fcntl.flock(working, fcntl.LOCK_SH)
    return working
