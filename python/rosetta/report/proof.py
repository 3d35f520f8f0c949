"""The proof: losses that lie together, accuracy, and how far each row is from the reference."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rosetta.models import MODELS
from rosetta.report.axes import Axis, logarithmic
from rosetta.report.results import Entry, Results


@dataclass(frozen=True)
class Curve:
    """A row's losses of one run, by step."""

    entry: Entry
    losses: np.ndarray


@dataclass(frozen=True)
class Proof:
    """One model's rows that ran.

    Attributes:
        curves: of the rows whose losses are there; empty where nothing is trained.
        apart: by how much the verified rows' losses differ, at most, at the first and at the last step; None where
            there are no two.
        excesses: the axis of distances as shares of what is allowed; None where no row has one.
    """

    model: str
    entries: tuple[Entry, ...]
    curves: tuple[Curve, ...]
    apart: tuple[float, float] | None
    excesses: Axis | None


def proof(model: str, results: Results) -> Proof | None:
    """One model's proof; None if none of its rows ran."""
    entries = [entry for entry in results.of(model) if entry.ran]
    if not entries:
        return None
    curves = _curves(entries, results.files) if MODELS[model].trains else []
    excesses = [excess for entry in entries if (excess := entry.excess) is not None]
    # The tolerance itself, 1, is on the axis too.
    axis = logarithmic([*excesses, 1]) if excesses else None
    return Proof(model, tuple(entries), tuple(curves), _apart(curves), axis)


def _curves(entries: Sequence[Entry], files: Mapping[int, Mapping]) -> list[Curve]:
    found = []
    for entry in entries:
        losses = ((files.get(entry.number) or {}).get("record") or {}).get("losses")
        if losses:
            found.append(Curve(entry, np.concatenate([[losses["first_step"]], *losses["epochs"]])))
    return found


def _apart(curves: Sequence[Curve]) -> tuple[float, float] | None:
    verified = [curve.losses for curve in curves if curve.entry.is_verified]
    if len(verified) < 2 or len({len(losses) for losses in verified}) > 1:
        return None
    return tuple(float(np.ptp([losses[step] for losses in verified])) for step in (0, -1))  # type: ignore[return-value]
