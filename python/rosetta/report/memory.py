"""Peak memory of the rows that ran."""

from collections.abc import Sequence
from dataclasses import dataclass

from rosetta.report.axes import Axis, linear
from rosetta.report.results import Entry


@dataclass(frozen=True)
class Chart:
    """One model's rows, the smallest first; the axis is in millions of bytes."""

    rows: tuple[tuple[Entry, float], ...]
    axis: Axis


def chart(entries: Sequence[Entry]) -> Chart | None:
    """The chart of one model's rows; None if none ran."""
    peaks = [(entry, peak / 1e6) for entry in entries if entry.ran and (peak := entry.figure("peak_rss_bytes"))]
    if not peaks:
        return None
    return Chart(tuple(sorted(peaks, key=lambda one: one[1])), linear([peak for _, peak in peaks]))
