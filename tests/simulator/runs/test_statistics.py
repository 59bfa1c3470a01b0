"""Intervals against scipy.stats, which the code does not use, and against a worked example."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from simulator.runs.statistics import Estimate, Quotient, estimate, paired, quotient

VALUES = st.lists(st.floats(-1e6, 1e6, allow_nan=False), min_size=2, max_size=30)


def test_by_hand() -> None:
    # 1..5: mean 3, standard deviation sqrt(2.5), t(4; 0.975) = 2.776445 in every printed table.
    mean, half_width, replications = estimate([1.0, 2.0, 3.0, 4.0, 5.0])
    assert (mean, replications) == (3.0, 5)
    assert half_width == pytest.approx(2.776445 * 2.5**0.5 / 5**0.5, rel=1e-6)


@settings(deadline=None, max_examples=100)
@given(VALUES, st.randoms())
def test_against_scipy(values: list[float], rng: random.Random) -> None:
    found = estimate(values)
    assert found.half_width is not None
    scale = stats.sem(values)
    if scale > 0:  # 0 is outside scipy's domain
        low, high = stats.t.interval(0.95, len(values) - 1, loc=np.mean(values), scale=scale)
        assert found.mean == pytest.approx((low + high) / 2, abs=1e-6)
        assert found.half_width == pytest.approx((high - low) / 2, rel=1e-6, abs=1e-6)
    shuffled = list(values)
    rng.shuffle(shuffled)
    assert estimate(shuffled) == found


@settings(deadline=None, max_examples=100)
@given(VALUES)
def test_pairs_cancel_what_they_share(values: list[float]) -> None:
    found = paired([value + 2.0 for value in values], values)
    assert found.mean == pytest.approx(2.0, abs=1e-9)
    assert found.half_width == pytest.approx(0.0, abs=1e-8)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.tuples(st.floats(0.5, 50), st.floats(0.5, 50)), min_size=2, max_size=8))
def test_a_quotient_turned_round_is_its_reciprocal(pairs: list[tuple[float, float]]) -> None:
    these, those = zip(*pairs, strict=True)
    one, other = (np.array(quotient(*both), np.float64) for both in ((these, those), (those, these)))
    assert other[[0, 2, 1]] == pytest.approx(1 / one, rel=1e-6)
    logs = np.log(these) - np.log(those)
    assert np.log(one[0]) == pytest.approx(logs.mean(), abs=1e-9)
    if stats.sem(logs) > 1e-9:  # 0 is outside scipy's domain
        ends = stats.t.interval(0.95, len(logs) - 1, loc=logs.mean(), scale=stats.sem(logs))
        assert np.log(one[1:]) == pytest.approx(ends, rel=1e-6, abs=1e-6)


def test_no_quotient_of_nothing_and_no_interval_of_one() -> None:
    assert quotient([1.0, 2.0], [0.0, 2.0]) == quotient([-1.0, 2.0], [1.0, 2.0]) == Quotient(None, None, None)
    alone = quotient([3.0], [2.0])
    assert alone.ratio == pytest.approx(1.5)
    assert (alone.ratio_low, alone.ratio_high) == (None, None)
    wild = quotient([1e-300, 1e300], [1e300, 1e-300])
    assert (wild.ratio, wild.ratio_low, wild.ratio_high) == (1.0, 0.0, np.inf)


def test_one_replication_has_no_interval() -> None:
    assert estimate([7.0]) == Estimate(7.0, None, 1)


def test_refusals() -> None:
    with pytest.raises(ValueError, match="at least one replication"):
        estimate([])
    with pytest.raises(ValueError, match="as many replications as values, 2, got 1"):
        paired([1.0, 2.0], [1.0])
