"""The ranked charts: verified rows by samples per second, their spread and ties; and why the others are not ranked."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rosetta.report.axes import Axis, fitting
from rosetta.report.results import Entry
from rosetta.statistics import overlap

# A row, its rate, and where the rate's median lies: None for a single run.
Measured = tuple[Entry, float, tuple[float, float] | None]


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
    def hardware(self) -> list[str]:
        """What computed: the GPUs, or the processors."""
        column = "processor" if self.device == "cpu" else "device_name"
        return sorted({place.entry[column] for place in self.places})

    @property
    def confidences(self) -> list[str]:
        return sorted({place.entry["confidence"] for place in self.places if place.low is not None})


@dataclass(frozen=True)
class Unranked:
    """Rows that are not ranked, all for one reason."""

    state: str
    reason: str
    entries: tuple[Entry, ...]


def charts(entries: Sequence[Entry]) -> list[Chart]:
    """A chart for each device, precision and data set of one model's ranked rows, as the table ranks them."""
    groups = _grouped(entry for entry in entries if entry["rank"])
    return [
        _chart(group, [measured(entry) for entry in sorted(members, key=_rank)]) for group, members in groups.items()
    ]


def prediction_charts(entries: Sequence[Entry]) -> list[Chart]:
    """The same of prediction alone: test examples per second.

    Returns:
        One for each group in which a verified row only predicts, and so is in no other chart.
    """
    groups = _grouped(entry for entry in entries if entry.is_verified)
    return [
        _chart(group, sorted(map(_prediction, members), key=lambda one: -one[1]))
        for group, members in groups.items()
        if any(entry.only_predicts for entry in members)
    ]


def unranked(entries: Sequence[Entry]) -> list[Unranked]:
    """One model's rows without a rank, by reason, in the table's order; systems that have no row here are left out."""
    groups: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        if not entry["rank"] and entry.row.bridge:
            groups.setdefault((entry.state, _reason(entry)), []).append(entry)
    return [Unranked(state, reason, tuple(members)) for (state, reason), members in groups.items()]


def _reason(entry: Entry) -> str:
    if entry.is_verified:
        return "only predicts, with a model that others train: see prediction alone"
    return entry["verdict"] if entry.ran else entry["reason"]


def _grouped(entries: Iterable[Entry]) -> dict[tuple[str, str, str], list[Entry]]:
    groups: dict[tuple[str, str, str], list[Entry]] = {}
    for entry in entries:
        groups.setdefault((entry["device"], entry["precision"], entry["data"]), []).append(entry)
    return groups


def measured(entry: Entry) -> Measured:
    """A row that ran with its samples per second: of training, or of prediction where it does nothing else."""
    return _prediction(entry) if entry.only_predicts else (entry, _rate(entry), entry.interval)


def _chart(group: tuple[str, str, str], ordered: Sequence[Measured]) -> Chart:
    """Rows with their rates and intervals, the fastest first."""
    intervals = [interval for _, _, interval in ordered]
    places = []
    for rank, (entry, rate, interval) in enumerate(ordered, 1):
        ties = [other for other, one in enumerate(intervals, 1) if other != rank and overlap(interval, one)]
        low, high = interval or (None, None)
        places.append(Place(entry, rank, rate, low, high, tuple(ties)))
    ends = [value for _, rate, interval in ordered for value in (rate, *(interval or ()))]
    return Chart(ordered[0][0].row.model, *group, tuple(places), fitting(ends))


def _rank(entry: Entry) -> int:
    return int(entry["rank"])


def _rate(entry: Entry) -> float:
    rate = entry.figure("samples_per_s")
    assert rate is not None  # a ranked row has one
    return rate


def _prediction(entry: Entry) -> Measured:
    """A row's test examples per second of prediction, and where their median lies."""
    examples, predict_s = entry.figure("test_examples"), entry.figure("predict_s")
    assert examples is not None  # a row that ran has both
    assert predict_s is not None
    low, high = entry.figure("predict_s_low"), entry.figure("predict_s_high")
    return entry, examples / predict_s, (examples / high, examples / low) if low and high else None
