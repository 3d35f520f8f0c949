"""Two tables: which rows became faster or slower beyond their spread, and which changed status (docs/report.md)."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rosetta.errors import RosettaError
from rosetta.languages import Row
from rosetta.models import MODELS
from rosetta.statistics import overlap
from rosetta.table import INTERVALS, ROW_COLUMNS, read_table, state

Line = Mapping[str, str]

THRESHOLD = 0.1  # of the first figure: what counts as a change where a row's spread is not known
RATE = "samples_per_s"  # more is better; of the phases, in seconds, less is
MEASURES = tuple(sorted(INTERVALS, key=lambda column: column != RATE))

# From worst to best: what makes `check` go red, what did not run, what ran and computed the right thing.
STATES = ("failed", "unverified", "unavailable", "deviates", "verified")
# The kinds of change, in the order in which people want to see them; the first three are for the worse.
WORSE = ("worse", "gone", "slower")
KINDS = (*WORSE, "better", "new", "faster", "same", "not compared")

# What may differ between the tables and explain a change.
CIRCUMSTANCES = (
    "processor",
    "device",
    "device_name",
    "precision",
    "compile",
    "threads",
    "data",
    "weights",
    "epochs",
    "steps",
)


@dataclass(frozen=True)
class Figure:
    """A measured value, and where its median lies: from low to high; None for a single run."""

    value: float
    spread: tuple[float, float] | None


@dataclass(frozen=True)
class Change:
    """What became of a row.

    Attributes:
        kind: one of `KINDS`.
        before, after: its state in the two tables; "" where it is not there.
        a, b: its figures; None where it did not run.
        speed: how many times as fast it is in the second table, more than 1 is better; None where it is not compared.
        by_spread: whether both rows' spreads decided, not the threshold.
    """

    row: Row
    kind: str
    before: str
    after: str
    a: Figure | None
    b: Figure | None
    speed: float | None
    by_spread: bool


@dataclass(frozen=True)
class Comparison:
    """All changes, and what else differs between the two tables, as sentences."""

    measure: str
    threshold: float
    changes: tuple[Change, ...]
    circumstances: tuple[str, ...]

    @property
    def is_worse(self) -> bool:
        return any(change.kind in WORSE for change in self.changes)

    def of(self, kind: str) -> list[Change]:
        return [change for change in self.changes if change.kind == kind]


def compare(a: Path, b: Path, measure: str = RATE, threshold: float = THRESHOLD) -> Comparison:
    """Compare two table.csv row by row.

    Args:
        measure: one of `MEASURES`.
        threshold: the least change that counts where one of a row's figures is of a single run, as a share.

    Raises:
        RosettaError: a table cannot be read, or names a row twice.
    """
    before, after = _by_row(a), _by_row(b)
    order = list(MODELS)
    rows = sorted(
        {*before, *after}, key=lambda row: (order.index(row.model) if row.model in order else len(order), row)
    )
    changes = [_change(row, before.get(row), after.get(row), measure, threshold) for row in rows]
    both = [(before[row], after[row]) for row in rows if row in before and row in after]
    return Comparison(
        measure, threshold, tuple(sorted(changes, key=lambda one: KINDS.index(one.kind))), tuple(_circumstances(both))
    )


def _by_row(path: Path) -> dict[Row, Line]:
    found: dict[Row, Line] = {}
    for line in read_table(path):
        row = Row(*(line[column] for column in ROW_COLUMNS))
        if row in found:
            raise RosettaError(f"{path} has two lines for {row}. Compare tables as the workflow makes them.")
        if row.bridge:  # not a system of 2018 without a row
            found[row] = line
    return found


def _change(row: Row, before: Line | None, after: Line | None, measure: str, threshold: float) -> Change:
    if before is None or after is None:
        present = before or after
        assert present is not None
        kind = ("gone" if before else "new") if present["status"] == "ok" else "not compared"
        figures = (_figure(before, measure), _figure(after, measure))
        return Change(row, kind, state(before) if before else "", state(after) if after else "", *figures, None, False)
    states = state(before), state(after)
    a, b = _figure(before, measure), _figure(after, measure)
    if states[0] != states[1]:
        kind = "worse" if STATES.index(states[1]) < STATES.index(states[0]) else "better"
        return Change(row, kind, *states, a, b, None, False)
    if states[0] not in ("verified", "deviates") or a is None or b is None:
        return Change(row, "not compared", *states, a, b, None, False)
    speed = b.value / a.value if measure == RATE else a.value / b.value
    by_spread = a.spread is not None and b.spread is not None
    is_same = overlap(a.spread, b.spread) if by_spread else abs(b.value - a.value) <= threshold * a.value
    kind = "same" if is_same else "faster" if speed > 1 else "slower"
    return Change(row, kind, *states, a, b, speed, by_spread)


def _figure(line: Line | None, measure: str) -> Figure | None:
    if line is None or not line[measure]:
        return None
    low, high = line[f"{measure}_low"], line[f"{measure}_high"]
    return Figure(float(line[measure]), (float(low), float(high)) if low and high else None)


def _circumstances(both: Sequence[tuple[Line, Line]]) -> list[str]:
    """What differs in rows that ran in both tables: `threads: 2 -> 4 (12 rows)`."""
    ran = [(a, b) for a, b in both if a["status"] == b["status"] == "ok"]
    found: dict[str, int] = {}
    for a, b in ran:
        for column in CIRCUMSTANCES:
            if a[column] != b[column]:
                said = f"{column}: {a[column] or 'none'} -> {b[column] or 'none'}"
                found[said] = found.get(said, 0) + 1
        old, new = (dict(part.rpartition(" ")[::2] for part in line["versions"].split("; ")) for line in (a, b))
        for name in old:
            if name in new and old[name] != new[name]:
                said = f"{name}: {old[name]} -> {new[name]}"
                found[said] = found.get(said, 0) + 1
    return [f"{said} ({count} row{'s' if count > 1 else ''})" for said, count in found.items()]


def as_text(comparison: Comparison, a: Path, b: Path) -> str:
    """The changes, for a terminal; rows that are the same are only counted."""
    lines = [f"A: {a}", f"B: {b}", *(f"differs: {said}" for said in comparison.circumstances)]
    shown = [change for change in comparison.changes if change.kind not in ("same", "not compared")]
    width = max((len(str(change.row)) for change in shown), default=0)
    for kind in KINDS:
        changes = [change for change in shown if change.kind == kind]
        if changes:
            lines += ["", f"{kind} ({len(changes)})"]
            lines += [f"  {change.row!s:<{width}}  {_told(change, comparison.measure)}" for change in changes]
    same = comparison.of("same")
    lines += ["", f"{len(same)} rows are as fast as they were, {len(comparison.of('not compared'))} are not compared"]
    return "\n".join(lines) + "\n"


def _told(change: Change, measure: str) -> str:
    if change.speed is None:
        return f"{change.before or 'not there'} -> {change.after or 'not there'}"
    sure = "" if change.by_spread else ", spread unknown"
    return f"{_range(change.a)} -> {_range(change.b)} {measure}, {change.speed:.2f} times as fast{sure}"


def _range(figure: Figure | None) -> str:
    if figure is None:
        return ""
    return f"{figure.value:.4g}" + (f" ({figure.spread[0]:.4g} to {figure.spread[1]:.4g})" if figure.spread else "")


def as_csv(comparison: Comparison) -> str:
    """All rows, with empty cells for what is not there."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    figures = [f"{side}_{part}" for side in "ab" for part in ("value", "low", "high")]
    writer.writerow([*ROW_COLUMNS, "change", "state_a", "state_b", "measure", *figures, "speed", "by_spread"])
    for change in comparison.changes:
        writer.writerow(
            [
                *(getattr(change.row, column) for column in ROW_COLUMNS),
                *(change.kind, change.before, change.after, comparison.measure),
                *_cells(change.a),
                *_cells(change.b),
                "" if change.speed is None else f"{change.speed:.6g}",
                "" if change.speed is None else "yes" if change.by_spread else "no",
            ]
        )
    return text.getvalue()


def _cells(figure: Figure | None) -> list[str]:
    values = () if figure is None else (figure.value, *(figure.spread or ()))
    return [*(f"{value:.6g}" for value in values), *[""] * (3 - len(values))]
