"""Populations of seed 004 have the shares of its Table 1, and a seed gives the same one again."""

import numpy as np
import pytest

from matching.conjunctions import LinearScan
from simulator.workload.conjunctions import (
    Conjunctive,
    closed_profiles,
    make_conjunctions,
    make_fixed_conjunctions,
    make_point_events,
)

COUNT = 20_000


def test_table_one() -> None:
    spec = Conjunctive(subscriptions=COUNT)
    made = make_conjunctions(spec, 1)
    use = np.bincount(made.attribute, minlength=16) / COUNT
    assert use == pytest.approx([1.0] * 3 + [0.7] * 5 + [0.01] * 8, abs=0.015)
    equal, half = made.low == made.high, np.isinf(made.low) | np.isinf(made.high)
    # An interval between two drawn values is a point for one in eight.
    assert equal.mean() == pytest.approx(0.8 + 0.1 / 8, abs=0.005)
    assert half.mean() == pytest.approx(0.1, abs=0.005)
    events = make_point_events(spec, 100, 2)
    offsets, _ = LinearScan(made).matches(events)
    assert offsets[-1] / 100 / COUNT == pytest.approx(1.3e-4, rel=0.25)
    again = make_conjunctions(spec, 1)
    assert (again.low == made.low).all()
    assert (again.attribute == made.attribute).all()
    assert not np.array_equal(make_conjunctions(spec, 3).attribute, made.attribute)


def test_fixed_attributes() -> None:
    made = make_fixed_conjunctions(8, 1, subscriptions=500)
    assert made.subscriptions == 500
    assert np.bincount(made.subscription).tolist() == [9] * 500
    use = np.bincount(made.attribute, minlength=32)
    assert use[:8].tolist() == [500] * 8
    assert use[8:].sum() == 500
    equal = made.low == made.high
    assert equal[np.isin(made.attribute, [0, 1]) | (made.attribute >= 8)].all()
    assert equal[(made.attribute >= 2) & (made.attribute < 8)].mean() < 0.01


def test_closed_profiles() -> None:
    l, r = closed_profiles(300, 10.0, 1000.0, 1)
    assert l.shape == (300, 2)
    assert np.allclose(r - l, 10.0)
    assert l.min() >= 0
    assert r.max() <= 1000
