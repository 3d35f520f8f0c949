"""The figures published in 2018, beside what today's rows would need for the same work."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rosetta import published
from rosetta.report.axes import Axis, logarithmic
from rosetta.report.results import Entry

# Examples behind a published figure: 10 epochs of CIFAR-10, 1,000 photographs, 3 epochs of IMDB.
WORK = {"cnn": 10 * 50_000, "resnet50": 1_000, "gru": 3 * 25_000}


@dataclass(frozen=True)
class System:
    """A system of 2018.

    Attributes:
        seconds: as published, by GPU.
        today: the fastest verified row of the same language and framework here; None where there is none.
        today_s: what the same work takes at that row's samples per second.
    """

    label: str
    language_title: str
    seconds: dict[str, float]
    today: Entry | None
    today_s: float | None


@dataclass(frozen=True)
class Comparison:
    """One model's systems, by what was timed."""

    model: str
    metric: str
    systems: tuple[System, ...]
    axis: Axis


def comparison(root: Path, model: str, entries: Sequence[Entry]) -> Comparison | None:
    """One model's systems of 2018 that have a figure; None if there are none."""
    systems = [system for system in published.read(root) if system.model == model and system.seconds]
    if not systems:
        return None
    compared = sorted((_compared(system, entries) for system in systems), key=lambda one: min(one.seconds.values()))
    values = [value for one in compared for value in (*one.seconds.values(), one.today_s) if value]
    return Comparison(model, systems[0].metric, tuple(compared), logarithmic(values))


def _compared(system: published.Published, entries: Sequence[Entry]) -> System:
    own = [
        entry for entry in entries if (entry.row.language, entry.row.framework) == (system.language, system.framework)
    ]
    rates = {entry.number: rate for entry in own if entry.is_verified and (rate := entry.figure("samples_per_s"))}
    today = max((entry for entry in own if entry.number in rates), key=lambda entry: rates[entry.number], default=None)
    return System(
        label=system.label,
        language_title=own[0].language_title if own else system.language.capitalize(),
        seconds=system.seconds,
        today=today,
        today_s=WORK[system.model] / rates[today.number] if today else None,
    )
