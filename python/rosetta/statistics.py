"""The middle of a row's repeated runs, and how sure it is."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

CONFIDENCE = 0.95
FEWEST_FOR_CONFIDENCE = 6  # runs: the range of five holds the median with 1 - 2 * 0.5 ** 5 = 0.94


@dataclass(frozen=True)
class Interval:
    """Where the median of all runs that could be made lies.

    Attributes:
        low, high: both are runs that were measured.
        confidence: the share of such intervals that hold that median: at least `CONFIDENCE`, less where runs are few.
    """

    low: float
    high: float
    confidence: float


@dataclass(frozen=True)
class Summary:
    """The median of some runs; `interval` is None for one run, which says nothing of others."""

    median: float
    interval: Interval | None


def summarize(values: Sequence[float]) -> Summary:
    """Summarize the same quantity of repeated runs; there must be one at least."""
    return Summary(statistics.median(values), median_interval(values))


def median_interval(values: Sequence[float]) -> Interval | None:
    """The median's interval by order statistics, which holds whatever the distribution of run times is.

    Source: Conover 1999, "Practical Nonparametric Statistics", section 3.2, as in `scipy.stats.quantile_test`.

    Returns:
        The shortest interval of at least `CONFIDENCE`, tails apart; the whole range where there are too few runs
        for it; None for a single run.
    """
    count = len(values)
    if count < 2:
        return None
    if count < FEWEST_FOR_CONFIDENCE:
        return Interval(min(values), max(values), 1 - 2 * 0.5**count)
    from scipy import stats  # slow to import, and a table of single runs needs none

    found = stats.quantile_test(values, p=0.5).confidence_interval(CONFIDENCE)
    return Interval(float(found.low), float(found.high), CONFIDENCE)


def overlap(one: tuple[float, float] | None, other: tuple[float, float] | None) -> bool:
    """Whether two intervals share a value; where one is not known, of a single run, nothing can be said: no."""
    return one is not None and other is not None and one[0] <= other[1] and other[0] <= one[1]


def relative_spread(values: Sequence[float]) -> float:
    """The range of some values as a share of their median; 0 for a single one."""
    return (max(values) - min(values)) / statistics.median(values)
