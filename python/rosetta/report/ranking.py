"""The ranked charts: verified rows by samples per second, their spread and ties; and why the others are not ranked."""

from collections.abc import Sequence
from dataclasses import dataclass

from rosetta.report.axes import Axis, fitting
from rosetta.report.results import Entry
from rosetta.statistics import overlap


@dataclass(frozen=True)
class Place:
    """A ranked row.

    Attributes:
        low, high: where its median lies; None for a single run.
        ties: the ranks of the rows whose intervals overlap with its own.
    """

    entry: Entry
    rank: int
    rate: float
    low: float | None
    high: float | None
    ties: tuple[int, ...]

    @property
    def tied(self) -> str:
        """The ties' ranks as people write them: 2–4, 6."""
        spans: list[list[int]] = []
        for rank in self.ties:
            if spans and rank == spans[-1][1] + 1:
                spans[-1][1] = rank
            else:
                spans.append([rank, rank])
        return ", ".join(str(low) if low == high else f"{low}–{high}" for low, high in spans)


@dataclass(frozen=True)
class Chart:
    """The rows that are ranked together: same model, device, precision and data set."""

    model: str
    device: str
    precision: str
    data: str
    places: tuple[Place, ...]
    axis: Axis

    @property
    def name(self) -> str:
        return f"{self.model}-{self.device}-{self.precision}-{self.data}"

    @property
    def hardware(self) -> list[str]:
        """What computed: the GPUs, or the processors."""
        column = "processor" if self.device == "cpu" else "device_name"
        return sorted({place.entry[column] for place in self.places})

    @property
    def confidences(self) -> list[str]:
        return sorted({place.entry["confidence"] for place in self.places if place.entry["confidence"]})


@dataclass(frozen=True)
class Unranked:
    """Rows that are not ranked, all for one reason."""

    state: str
    reason: str
    entries: tuple[Entry, ...]


def charts(entries: Sequence[Entry]) -> list[Chart]:
    """A chart for each device, precision and data set of one model's rows."""
    groups: dict[tuple[str, str, str], list[Entry]] = {}
    for entry in entries:
        if entry["rank"]:
            groups.setdefault((entry["device"], entry["precision"], entry["data"]), []).append(entry)
    return [_chart(group, members) for group, members in groups.items()]


def unranked(entries: Sequence[Entry]) -> list[Unranked]:
    """One model's rows without a rank, by reason, in the table's order; systems that have no row here are left out."""
    groups: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        if not entry["rank"] and entry.row.bridge:
            reason = entry["verdict"] if entry.ran else entry["reason"]
            groups.setdefault((entry.state, reason), []).append(entry)
    return [Unranked(state, reason, tuple(members)) for (state, reason), members in groups.items()]


def _chart(group: tuple[str, str, str], entries: list[Entry]) -> Chart:
    ordered = sorted(entries, key=lambda entry: int(entry["rank"]))
    places = tuple(_place(entry, ordered) for entry in ordered)
    ends = [value for place in places for value in (place.rate, place.low, place.high) if value is not None]
    return Chart(ordered[0].row.model, *group, places, fitting(ends))


def _place(entry: Entry, others: Sequence[Entry]) -> Place:
    interval = entry.interval
    ties = [int(other["rank"]) for other in others if other is not entry and overlap(interval, other.interval)]
    low, high = interval or (None, None)
    rate = entry.figure("samples_per_s")
    assert rate is not None  # a ranked row has one
    return Place(entry, int(entry["rank"]), rate, low, high, tuple(ties))
