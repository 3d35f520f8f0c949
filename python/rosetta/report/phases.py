"""Where the time goes: what a row costs before its first result, and after."""

from collections.abc import Sequence
from dataclasses import dataclass

from rosetta.report.axes import Axis, linear
from rosetta.report.results import Entry

BEFORE = ("start", "import", "load", "build", "first step")
AFTER = ("epochs", "predict")


@dataclass(frozen=True)
class Part:
    """One phase of a bar, its length in percent of the axis."""

    phase: str
    seconds: float
    length: float


@dataclass(frozen=True)
class Bar:
    """Phases on end, in seconds."""

    parts: tuple[Part, ...]
    seconds: float


@dataclass(frozen=True)
class Times:
    """A row's two bars."""

    entry: Entry
    before: Bar
    after: Bar


@dataclass(frozen=True)
class Chart:
    """One model's rows that ran, each bar with an axis of its own."""

    model: str
    rows: tuple[Times, ...]
    before: Axis
    after: Axis

    @property
    def epochs(self) -> str:
        """How many epochs the bars hold; "" where nothing is trained or rows differ."""
        counts = {times.entry["epochs"] for times in self.rows}
        return counts.pop() if len(counts) == 1 else ""


def seconds_before(entry: Entry) -> float | None:
    """What a row costs before its first result; None if it did not run."""
    phases = _seconds(entry, BEFORE)
    return sum(phases.values()) if len(phases) == len(BEFORE) else None


def chart(model: str, entries: Sequence[Entry]) -> Chart | None:
    """The chart of one model's rows; None if none ran."""
    ran = [entry for entry in entries if entry.ran]
    if not ran:
        return None
    before = {entry.number: _seconds(entry, BEFORE) for entry in ran}
    after = {entry.number: _seconds(entry, AFTER) for entry in ran}
    axes = [linear([sum(phases.values()) for phases in side.values()]) for side in (before, after)]
    rows = [
        Times(entry, *(_bar(side[entry.number], axis) for side, axis in zip((before, after), axes, strict=True)))
        for entry in ran
    ]
    return Chart(model, tuple(rows), *axes)


def _seconds(entry: Entry, phases: Sequence[str]) -> dict[str, float]:
    """Seconds by phase; all epochs together, each as long as the median one."""
    found: dict[str, float] = {}
    for phase in phases:
        if phase == "epochs":
            epoch_s = entry.figure("epoch_s")
            value = None if epoch_s is None else epoch_s * int(entry["epochs"])
        else:
            value = entry.figure(f"{phase.replace(' ', '_')}_s")
        if value is not None:
            found[phase] = value
    return found


def _bar(phases: dict[str, float], axis: Axis) -> Bar:
    parts = [Part(phase, value, round(100 * value / axis.high, 3)) for phase, value in phases.items()]
    return Bar(tuple(parts), sum(phases.values()))
