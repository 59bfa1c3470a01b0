"""Every range index against the plain lists: sound and complete, in the one order, under all that ranges can be."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matching.range_index import RangeIndex, RankedIndex, StaticIndexError
from matching.registry import RANGE_INDEXES
from tests.oracles.ranges import Scored, ScoredRanges

ALL = list(RANGE_INDEXES)
RANKED = [name for name, entry in RANGE_INDEXES.items() if entry.ranked]
STATIC = [name for name, entry in RANGE_INDEXES.items() if not entry.changes]
CHANGING = [name for name, entry in RANGE_INDEXES.items() if entry.changes]

COARSE = st.integers(0, 6).map(float)
FINE = st.floats(-3, 3)
OPEN = st.sampled_from([-np.inf, np.inf])
END = st.one_of(COARSE, COARSE, FINE, OPEN)
RANGE = st.one_of(st.tuples(END, END).map(sorted), END.map(lambda v: [v, v]))
SCORE = st.one_of(st.integers(0, 3).map(float), st.floats(-1, 1), OPEN)
SCORED = st.tuples(RANGE, SCORE).map(lambda one: (one[0][0], one[0][1], one[1]))
POINTS = st.lists(END, min_size=1, max_size=6)


def build(name: str, ranges: list[Scored], **options: Any) -> RangeIndex:
    l, r, score = ([one[field] for one in ranges] for field in range(3))
    index = RANGE_INDEXES[name].kind(l, r, score, **options)
    index._check()
    return index


def compare(index: RangeIndex, oracle: ScoredRanges, points: list[float]) -> None:
    expected = [oracle.stab(x) for x in points]
    assert [index.stab(x).tolist() for x in points] == expected
    assert index.counts(points).tolist() == [len(ids) for ids in expected]
    assert split(index.stabs(points)) == expected


def compare_ranked(index: RankedIndex, oracle: ScoredRanges, points: list[float], k: int) -> None:
    expected = [oracle.stab(x) for x in points]
    assert [list(index.ranked(x)) for x in points] == expected
    for most in (1, k, 10_000):
        best = [ids[:most] for ids in expected]
        assert [index.top(x, most).tolist() for x in points] == best
        assert split(index.tops(points, most)) == best


def split(answer: tuple[Any, Any]) -> list[list[int]]:
    offsets, ids = answer
    assert offsets[0] == 0
    assert offsets[-1] == len(ids)
    return [ids[a:b].tolist() for a, b in pairwise(offsets)]


def compare_all(index: Any, oracle: ScoredRanges, points: list[float], k: int, *, ranked: bool) -> None:
    compare(index, oracle, points)
    if ranked:
        compare_ranked(index, oracle, points, k)


@pytest.mark.parametrize("name", ALL)
@settings(deadline=None, max_examples=80)
@given(st.lists(SCORED, max_size=60), POINTS, st.integers(1, 5))
def test_answers_are_those_of_a_scan(name: str, ranges: list[Scored], points: list[float], k: int) -> None:
    index = build(name, ranges)
    assert len(index) == len(ranges)
    compare_all(index, ScoredRanges(ranges), points, k, ranked=RANGE_INDEXES[name].ranked)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("spread", ["even", "ties", "nested", "long"])
def test_answers_are_those_of_a_scan_on_more_ranges(name: str, spread: str) -> None:
    rng = np.random.default_rng(7)
    n = 700
    l = rng.random(n)
    length = {
        "even": rng.exponential(0.02, n),
        "ties": rng.integers(0, 3, n) / 20,
        "nested": 2 * (1 - l),
        "long": np.where(rng.random(n) < 0.05, 0.5, 0.001),
    }[spread]
    if spread == "ties":
        l = np.round(l * 20) / 20
    if spread == "nested":
        l = 1 - length / 2
    score = rng.integers(0, 40, n) / 4 if spread == "ties" else rng.random(n)
    ranges = list(zip(l.tolist(), (l + length).tolist(), score.tolist(), strict=True))
    points = [*rng.random(20).tolist(), *l[:10].tolist(), *(l + length)[:10].tolist()]
    index = build(name, ranges)
    compare_all(index, ScoredRanges(ranges), points, 20, ranked=RANGE_INDEXES[name].ranked)


@pytest.mark.parametrize("name", ALL)
def test_without_scores_the_order_is_that_of_ids(name: str) -> None:
    index = RANGE_INDEXES[name].kind([0, 0, 5, 1], [9, 3, 9, 2])
    assert index.stab(2).tolist() == [0, 1, 3]
    assert RANGE_INDEXES[name].kind([0, 0], [1, 1], 3.0).stab(0.5).tolist() == [0, 1]


@pytest.mark.parametrize("name", ALL)
def test_an_empty_index_answers(name: str) -> None:
    index: Any = RANGE_INDEXES[name].kind()
    index._check()
    assert len(index) == 0
    compare_all(index, ScoredRanges([]), [0.0, np.inf], 3, ranked=RANGE_INDEXES[name].ranked)
    offsets, ids = index.stabs([])
    assert (offsets.tolist(), ids.tolist(), index.counts([]).tolist()) == ([0], [], [])


@pytest.mark.parametrize("name", ALL)
def test_evaluations_are_counted_and_bytes_too(name: str) -> None:
    index = build(name, [(float(i), float(i + 9), 0.0) for i in range(50)])
    assert index.evaluations == 0
    assert index.nbytes > 50 * 16
    index.stab(20.0)
    one = index.evaluations
    assert one >= 4
    index.stabs([20.0, 20.0])
    assert index.evaluations == 3 * one


@pytest.mark.parametrize("name", RANKED)
def test_a_walk_gives_as_many_as_are_asked_for(name: str) -> None:
    index: Any = build(name, [(0.0, 1.0, float(-i)) for i in range(100)])
    walk = index.ranked(0.5)
    assert next(walk) == 0
    assert next(walk) == 1
    assert walk.take(5).tolist() == [2, 3, 4, 5, 6]
    assert [next(walk), next(walk)] == [7, 8]
    assert walk.take(200).tolist() == list(range(9, 100))
    assert list(walk) == []


@pytest.mark.parametrize("name", sorted(set(ALL) - set(RANKED)))
def test_what_an_index_cannot_do_is_not_there(name: str) -> None:
    for method in ("ranked", "top", "tops"):
        assert not hasattr(RANGE_INDEXES[name].kind, method)


@pytest.mark.parametrize("name", STATIC)
def test_a_static_index_refuses_changes_and_names_another(name: str) -> None:
    index = build(name, [(0.0, 1.0, 1.0)])
    for change in (
        lambda: index.insert(0.0, 1.0, 2.0),
        lambda: index.delete(0),
        lambda: index.rescore(0, 1.0),
    ):
        with pytest.raises(StaticIndexError, match=r"take matching.ranked.IRTree"):
            change()
    assert index.stab(0.5).tolist() == [0]


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    ("l", "r", "score", "kind", "text"),
    [
        ([2.0], [1.0], None, ValueError, r"l <= r.*\[2.0, 1.0\]"),
        ([np.nan], [1.0], None, ValueError, "NaN"),
        ([0.0, 1.0], [1.0], None, ValueError, "same length, got 2 and 1"),
        ([0.0], [1.0], [np.nan], ValueError, "scores must not be NaN.*position 0"),
        ([0.0], [1.0], [1.0, 2.0], ValueError, r"one number per range \(1\), got 2"),
        (["a"], ["b"], None, TypeError, "l must hold numbers"),
        ([0.0], [1.0], ["a"], TypeError, "score must hold numbers"),
        ([[0.0]], [[1.0]], None, ValueError, "one dimension"),
    ],
)
def test_bad_ranges(name: str, l: Any, r: Any, score: Any, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        RANGE_INDEXES[name].kind(l, r, score)


@pytest.mark.parametrize("name", ALL)
def test_bad_questions(name: str) -> None:
    index: Any = build(name, [(0.0, 1.0, 1.0)])
    with pytest.raises(ValueError, match="must not be NaN"):
        index.stab(np.nan)
    with pytest.raises(TypeError, match="must be a number, got '1'"):
        index.stab("1")
    with pytest.raises(ValueError, match="NaN, got one at position 1"):
        index.stabs([0.0, np.nan])
    with pytest.raises(ValueError, match="one dimension"):
        index.counts([[0.0]])
    if RANGE_INDEXES[name].ranked:
        for bad, kind, text in ((0, ValueError, "at least 1, got 0"), (1.5, TypeError, "integer, got 1.5")):
            with pytest.raises(kind, match=text):
                index.top(0.5, bad)
            with pytest.raises(kind, match=text):
                index.tops([0.5], bad)
            with pytest.raises(kind, match=text):
                index.ranked(0.5).take(bad)
        with pytest.raises(ValueError, match="NaN"):
            index.top(np.nan, 1)
        with pytest.raises(ValueError, match="NaN"):
            index.ranked(np.nan)
