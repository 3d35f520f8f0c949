"""Medians of repeated runs and their intervals."""

import numpy as np
import pytest
from rosetta.statistics import Interval, median_interval, relative_spread, summarize


def test_one_run_has_no_interval() -> None:
    assert median_interval([3.0]) is None
    assert summarize([3.0]).median == 3.0


def test_few_runs_give_their_range_with_its_true_confidence() -> None:
    assert median_interval([1.0, 5.0, 2.0, 4.0, 3.0]) == Interval(1.0, 5.0, 0.9375)


def test_six_runs_are_the_first_that_give_the_full_confidence() -> None:
    assert median_interval([6.0, 1.0, 5.0, 2.0, 4.0, 3.0]) == Interval(1.0, 6.0, 0.95)


def test_more_runs_narrow_the_interval() -> None:
    # Conover's table A3: of 20 the 6th and the 15th.
    assert median_interval([float(value) for value in range(1, 21)]) == Interval(6.0, 15.0, 0.95)


def test_an_outlier_moves_neither_median_nor_interval_far() -> None:
    calm = summarize([10.0, 10.1, 10.2, 10.3, 10.4, 10.5, 10.6, 10.7, 10.8])
    disturbed = summarize([10.0, 10.1, 10.2, 10.3, 10.4, 10.5, 10.6, 10.7, 99.0])
    assert calm == disturbed


@pytest.mark.parametrize("runs", [5, 9])
def test_the_interval_holds_the_median_as_often_as_it_says(runs: int) -> None:
    random = np.random.default_rng(0)
    found = [median_interval(random.exponential(size=runs).tolist()) for _ in range(1000)]
    held = np.mean([interval.low <= np.log(2) <= interval.high for interval in found if interval])
    assert held >= 0.92


def test_relative_spread() -> None:
    assert relative_spread([9.0, 10.0, 11.0]) == pytest.approx(0.2)
    assert relative_spread([9.0]) == 0
