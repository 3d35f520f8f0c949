"""Snakemake's provenance: which settings each file was made with, which it keeps in `.snakemake/` and nowhere else."""

from pathlib import Path

from rosetta.errors import RosettaError

PREPARED = (".", "weights", "batches", "reference")


def require(root: Path) -> None:
    """Refuse prepared data whose provenance was deleted: Snakemake takes them for up to date under any settings.

    Args:
        root: the project folder.

    Raises:
        RosettaError: there are prepared data, and neither a finished nor a started step is on record.
    """
    prepared = any(any((root / "shared_data" / name).glob("*.json")) for name in PREPARED)
    recorded = any(any((root / ".snakemake" / name).glob("*")) for name in ("metadata", "incomplete"))
    if prepared and not recorded:
        raise RosettaError(
            "shared_data/ holds prepared data, but .snakemake/, where Snakemake keeps the settings they were made with,"
            " was deleted: changed settings would go unseen. Mend it: make clean (downloads stay)"
        )
