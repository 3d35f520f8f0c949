"""What a bridge costs: the same row inside Python, and by the language's own interpreter."""

from collections.abc import Sequence
from dataclasses import dataclass

from rosetta.report.phases import seconds_before
from rosetta.report.ranking import measured
from rosetta.report.results import Entry
from rosetta.statistics import overlap

NATIVE = "native"


@dataclass(frozen=True)
class Cost:
    """A row through a bridge beside the native one.

    Attributes:
        start_s: how much longer until the first result, in seconds.
        rate: samples per second through the bridge as a share of the native row's.
        is_within_spread: whether the two rates' intervals overlap; None where one has a single run.
        memory_bytes: how much more memory at the peak.
    """

    bridged: Entry
    native: Entry
    start_s: float
    rate: float
    is_within_spread: bool | None
    memory_bytes: float


def costs(entries: Sequence[Entry]) -> list[Cost]:
    """The cost of each bridged row that ran, where the native one ran too."""
    native = {_key(entry): entry for entry in entries if entry.ran and entry.row.bridge == NATIVE}
    return [
        _cost(entry, native[_key(entry)])
        for entry in entries
        if entry.ran and entry.row.bridge != NATIVE and _key(entry) in native
    ]


def _key(entry: Entry) -> tuple[str, ...]:
    return (entry.row.language, entry.row.framework, entry.row.model, entry["device"], entry["precision"])


def _cost(bridged: Entry, native: Entry) -> Cost:
    (_, rate, interval), (_, native_rate, native_interval) = measured(bridged), measured(native)
    memory = [entry.figure("peak_rss_bytes") or 0 for entry in (bridged, native)]
    return Cost(
        bridged=bridged,
        native=native,
        start_s=(seconds_before(bridged) or 0) - (seconds_before(native) or 0),
        rate=rate / native_rate,
        is_within_spread=overlap(interval, native_interval) if interval and native_interval else None,
        memory_bytes=memory[0] - memory[1],
    )
