"""Relaxed and exact matching over every ranked index, against a scan of all subscriptions."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matching.range_index import StaticIndexError
from matching.ranked import ExactMatching, IRTree, RelaxedMatching
from matching.registry import RANGE_INDEXES
from tests.oracles.ranges import exact, relaxed

RANKED = [name for name, entry in RANGE_INDEXES.items() if entry.ranked]
END = st.one_of(st.integers(0, 5).map(float), st.sampled_from([-np.inf, np.inf, 2.5]))
WEIGHT = st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.7, 1.0, 2.0])
SCORE = st.sampled_from([-1.0, 0.0, 0.5, 0.5, 3.0])


@st.composite
def boxes(
    draw: st.DrawFn,
) -> tuple[list[list[float]], list[list[float]], list[list[float]], list[float], list[float]]:
    d, n = draw(st.integers(1, 4)), draw(st.integers(1, 40))
    l, r, weight = [], [], []
    for _ in range(n):
        ends = [sorted(draw(st.tuples(END, END))) for _ in range(d)]
        l.append([one[0] for one in ends])
        r.append([one[1] for one in ends])
        weight.append([draw(WEIGHT) for _ in range(d)])
    event = [draw(st.one_of(END, st.just(np.nan))) for _ in range(d)]
    return l, r, weight, [draw(SCORE) for _ in range(n)], event


@pytest.mark.parametrize("name", RANKED)
@settings(deadline=None, max_examples=50)
@given(boxes(), st.integers(1, 6))
def test_answers_are_those_of_a_scan(name: str, given_boxes: Any, k: int) -> None:
    l, r, weight, score, event = given_boxes
    kind: Any = RANGE_INDEXES[name].kind
    for matching, expected in (
        (RelaxedMatching(l, r, weight, kind), relaxed(l, r, weight, event)),
        (ExactMatching(l, r, score, kind), exact(l, r, score, event)),
    ):
        for most in (k, 1000):
            assert matching.top(event, most).tolist() == expected[:most]
        offsets, ids = matching.tops([event, event], k)
        assert offsets.tolist() == [0, len(expected[:k]), 2 * len(expected[:k])]
        assert ids.tolist() == 2 * expected[:k]
        matching._check()


def test_answers_are_those_of_a_scan_on_more_subscriptions() -> None:
    rng = np.random.default_rng(5)
    l = rng.random((3000, 3))
    r, weight = l + rng.exponential(0.3, l.shape), rng.integers(0, 50, l.shape) / 50
    score = rng.integers(0, 200, 3000).astype(float)
    for event in rng.random((10, 3)).tolist():
        relaxed_ids = relaxed(l.tolist(), r.tolist(), weight.tolist(), event)
        exact_ids = exact(l.tolist(), r.tolist(), score.tolist(), event)
        assert RelaxedMatching(l, r, weight).top(event, 20).tolist() == relaxed_ids[:20]
        assert ExactMatching(l, r, score).top(event, 20).tolist() == exact_ids[:20]


def test_it_stops_early() -> None:
    rng = np.random.default_rng(5)
    l = np.zeros((20_000, 2))
    matching = RelaxedMatching(l, l + 1, rng.random(l.shape))
    matching.top([0.5, 0.5], 5)
    assert matching.evaluations < 20_000


def test_subscriptions_come_and_go_with_ir_trees() -> None:
    rng = np.random.default_rng(9)
    l = rng.integers(0, 5, (40, 2)).astype(float)
    r, weight, score = l + rng.integers(0, 4, l.shape), rng.integers(0, 4, l.shape) / 2, rng.integers(0, 4, 40) / 2
    some = RelaxedMatching(l[:10], r[:10], weight[:10], IRTree)
    every = ExactMatching(l[:10], r[:10], score[:10], IRTree)
    assert some.insert(l[10], r[10], weight[10]) == every.insert(l[10], r[10], score[10]) == 10
    for matching, scores in ((some, weight), (every, score)):
        ids: Any = matching.insert(l[11:], r[11:], scores[11:])
        assert ids.tolist() == list(range(11, 40))
        matching.delete([0, 20, 39])
        matching._check()
        assert len(matching) == 37
    some.rescore([3, 4], [[5.0, 5.0], [0.0, 0.0]])
    every.rescore(3, 9.0)
    weight[[3, 4]], score[3] = [[5.0, 5.0], [0.0, 0.0]], 9.0
    for event in ([2.0, 2.0], [4.0, np.nan], [1.0, 6.0]):
        expected = [i for i in relaxed(l.tolist(), r.tolist(), weight.tolist(), event) if i not in (0, 20, 39)]
        assert some.top(event, 100).tolist() == expected
        expected = [i for i in exact(l.tolist(), r.tolist(), score.tolist(), event) if i not in (0, 20, 39)]
        assert every.top(event, 100).tolist() == expected


def test_bad_input() -> None:
    one = np.ones((1, 2))
    for weight, text in (
        ([[0.5, -0.1]], "must not be negative or NaN, got -0.1 of subscription 0 in dimension 1"),
        ([[np.nan, 0.1]], "must not be negative or NaN, got nan"),
        ([[1.0]], r"one number per range, shape \(1, 2\)"),
    ):
        with pytest.raises(ValueError, match=text):
            RelaxedMatching(one, one, weight)
    with pytest.raises(ValueError, match=r"one number per subscription \(1\), got \(2,\)"):
        ExactMatching(one, one, [1.0, 2.0])
    with pytest.raises(ValueError, match="NaN, got one at position 0"):
        ExactMatching(one, one, [np.nan])
    with pytest.raises(ValueError, match=r"\[1.0, 0.0\] of subscription 0 in dimension 0"):
        ExactMatching(one, one - 1, [1.0])
    with pytest.raises(ValueError, match="same shape"):
        ExactMatching(one, one[:, :1], [1.0])
    with pytest.raises(TypeError, match="l must hold numbers"):
        ExactMatching([["a"]], [["b"]], [1.0])
    matching = RelaxedMatching(one, one, one)
    with pytest.raises(ValueError, match="2 coordinates, got 3"):
        matching.top([1.0, 1.0, 1.0], 1)
    for event in ([], [[1.0, 1.0], [1.0, 1.0]]):
        with pytest.raises(ValueError, match=r"an event must have 2 coordinates, got .*: take tops for more"):
            matching.top(event, 1)
    with pytest.raises(ValueError, match="at least 1, got 0"):
        matching.top([1.0, 1.0], 0)
    for change in (
        lambda: matching.insert(one, one, one),
        lambda: matching.delete(0),
        lambda: matching.rescore(0, one),
    ):
        with pytest.raises(StaticIndexError, match=r"take matching.ranked.IRTree"):
            change()
    assert matching.top([1.0, 1.0], 3).tolist() == [0]
