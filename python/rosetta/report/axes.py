"""Axes: where a value stands, and which marks are drawn. Matplotlib chooses the marks."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.ticker import MaxNLocator

from rosetta.report.numbers import tick

# From this ratio on, the shorter bars of a linear axis are slivers.
LOGARITHMIC_FROM = 50
MARKS = 5


@dataclass(frozen=True)
class Mark:
    """A labelled place on an axis, in percent of its length."""

    label: str
    at: float


@dataclass(frozen=True)
class Axis:
    """A linear axis from `low`, or a logarithmic one.

    Attributes:
        low, high: its ends, in the quantity's own unit.
        log: whether it is logarithmic. There a bar's length means nothing, so values are dots.
    """

    low: float
    high: float
    log: bool
    marks: tuple[Mark, ...]

    def at(self, value: float) -> float:
        """Where a value stands, in percent; what lies outside stands at the end."""
        return round(100 * min(1.0, max(0.0, _share(value, self.low, self.high, self.log))), 2)


def fitting(values: Sequence[float]) -> Axis:
    """An axis for values that are compared by their ratios: from zero, or logarithmic where they differ too much."""
    positive = [value for value in values if value > 0]
    if positive and max(positive) / min(positive) > LOGARITHMIC_FROM:
        return logarithmic(positive)
    return linear(values)


def linear(values: Sequence[float]) -> Axis:
    """An axis from 0 to the largest value."""
    high = max([*values, 0]) or 1.0
    marks = [mark for mark in MaxNLocator(MARKS, steps=[1, 2, 2.5, 5, 10]).tick_values(0, high) if 0 <= mark <= high]
    return Axis(0.0, high, False, tuple(Mark(tick(mark), round(100 * mark / high, 2)) for mark in marks))


def logarithmic(values: Sequence[float]) -> Axis:
    """An axis of whole decades around the values above 0; there must be one at least."""
    positive = [value for value in values if value > 0]
    first, last = math.floor(math.log10(min(positive))), math.ceil(math.log10(max(positive)))
    last = max(last, first + 1)
    step = math.ceil((last - first) / MARKS)
    marks = [10.0**exponent for exponent in range(first, last + 1, step)]
    low, high = 10.0**first, 10.0**last
    return Axis(
        low, high, True, tuple(Mark(tick(mark), round(100 * _share(mark, low, high, True), 2)) for mark in marks)
    )


def ratios(values: Sequence[float]) -> Axis:
    """A logarithmic axis with 1 in its middle."""
    furthest = max([1.1, *values, *(1 / value for value in values)])
    steps = (1.05, 1.1, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0, 100.0, 1000.0)
    inside = [step for step in steps if step <= furthest][-2:]
    marks = sorted([1.0, *inside, *(1 / step for step in inside)])
    high = 1.03 * furthest  # so that no dot is half outside
    low = 1 / high
    return Axis(
        low, high, True, tuple(Mark(f"{mark:.3g} ×", round(100 * _share(mark, low, high, True), 2)) for mark in marks)
    )


def _share(value: float, low: float, high: float, log: bool) -> float:
    if not log:
        return (value - low) / (high - low)
    return math.log(value / low) / math.log(high / low) if value > 0 else 0.0
