"""Keys that order as floats do, and parts of a tree that answer as the whole does."""

import math

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from matching import SubscriptionIndex, SubscriptionSketch
from matching.kdtree import NOWHERE, from_key, to_key
from matching.kdtree_queries import is_empty, narrow, snap, whole

FLOAT = st.floats(allow_nan=False)


@given(FLOAT, FLOAT)
@settings(deadline=None, max_examples=200)
def test_keys_order_as_floats_and_give_them_back(a: float, b: float) -> None:
    assert (to_key(a) < to_key(b)) == (a < b)
    assert (to_key(a) == to_key(b)) == (a == b)
    assert from_key(to_key(a)) == a
    assert -NOWHERE < to_key(a) < NOWHERE


def test_a_negative_zero_is_zero() -> None:
    assert to_key(-0.0) == to_key(0.0) == 0
    index = SubscriptionIndex([-0.0, 1.0], [0.0, 1.0])
    assert index.count((0.0, 0.0, -0.0, -0.0)) == 1
    assert index.snap((-math.inf, -0.0, 0.0, math.inf)) == (0.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("room", [1, 2, 7, 32])
@pytest.mark.parametrize("kind", ["index", "sketch"])
def test_a_part_answers_as_the_whole_for_every_rectangle_inside(kind: str, room: int) -> None:
    rng = np.random.default_rng(room)
    ends = np.sort(rng.normal(0, 1, (3000, 2)).round(2), axis=1)
    if kind == "index":
        tree = SubscriptionIndex(ends[:, 0], ends[:, 1]).arrays
    else:
        tree = SubscriptionSketch(ends[:, 0], ends[:, 1], 200).arrays
    everything = whole(tree)
    found = 0
    for _ in range(200):
        l, r = rng.normal(0, 1, 2)
        width, height = rng.exponential(0.5, 2)
        start = np.zeros(room, np.int32)
        part = narrow(tree, l, l + width, r, r + height, start)
        assert len(part.start) <= room
        for _ in range(5):
            left, right = np.sort(l + width * rng.random(2)), np.sort(r + height * rng.random(2))
            box = (left[0], left[1], right[0], right[1])
            answer = snap(everything, *box)
            assert snap(part, *box) == answer
            assert is_empty(part, *box) == is_empty(everything, *box) == (not answer[0])
            found += answer[0]
    assert 100 < found < 900


def test_a_part_without_subscriptions_is_empty() -> None:
    index = SubscriptionIndex([0.0, 1.0], [2.0, 3.0])
    part = narrow(index.arrays, 5.0, 6.0, 7.0, 8.0, np.zeros(4, np.int32))
    assert len(part.start) == 0
    assert not snap(part, 5.0, 6.0, 7.0, 8.0)[0]
    assert is_empty(part, 5.0, 6.0, 7.0, 8.0)
