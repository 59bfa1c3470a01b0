"""What the IR-tree promises beyond the suite of all range indexes: changes, balance, and no holes inside a node."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matching.range_index import UnknownRangeError
from matching.ranked import IRTree
from matching.ranked import ir_arrays as at
from tests.matching.test_range_indexes import POINTS, SCORE, SCORED, compare_all
from tests.oracles.ranges import Scored, ScoredRanges
from tests.some_cases import some

PICKS = st.lists(st.integers(0, 200), max_size=12)
CHANGE = st.one_of(
    st.tuples(st.just("insert"), st.lists(SCORED, max_size=12)),
    st.tuples(st.just("delete"), PICKS),
    st.tuples(st.just("rescore"), st.lists(st.tuples(st.integers(0, 200), SCORE), max_size=12)),
)


def columns(ranges: list[Scored]) -> list[list[float]]:
    return [[one[field] for one in ranges] for field in range(3)]


def picked(oracle: ScoredRanges, picks: list[int]) -> list[int]:
    alive = oracle.alive()
    return list(dict.fromkeys(alive[pick % len(alive)] for pick in picks)) if alive else []


def change(index: IRTree, oracle: ScoredRanges, kind: str, given_values: Any) -> None:
    if kind == "insert":
        ids: Any = index.insert(*columns(given_values))
        assert ids.tolist() == oracle.insert(given_values)
    elif kind == "delete":
        gone = picked(oracle, given_values)
        index.delete(np.array(gone, int))
        oracle.delete(gone)
    else:
        some = picked(oracle, [pick for pick, _ in given_values])
        scores = [score for _, score in given_values][: len(some)]
        index.rescore(np.array(some, int), scores)
        oracle.rescore(some, scores)


def assert_no_holes(index: IRTree) -> None:
    """Every point of a block's extent is held by one of the ranges below it."""
    t = index.arrays

    def ranges_below(block: int) -> list[tuple[float, float]]:
        start, count, level = (int(t.block[block, column]) for column in (at.START, at.COUNT, at.LEVEL))
        here = range(start, start + count)
        if level == 0:
            return [(float(t.l[i]), float(t.r[i])) for i in here]
        below = []
        for i in here:
            inside = ranges_below(int(t.ref[i]))
            reach = float(t.l[i])
            for l, r in sorted(inside):
                assert l <= reach
                reach = max(reach, r)
            assert reach == t.r[i]
            below += inside
        return below

    for node in range(t.state[at.NODES_USED]):
        root = int(t.link[node, at.ROOT])
        if root >= 0 and t.block[root, at.PARENT] == ~node:
            ranges_below(root)


@settings(deadline=None, max_examples=120)
@given(st.lists(SCORED, max_size=40), st.lists(CHANGE, max_size=10), POINTS, st.sampled_from([4, 5, 32]))
def test_answers_stay_those_of_a_scan_while_ranges_come_and_go(
    ranges: list[Scored], changes: list[tuple[str, Any]], points: list[float], b: int
) -> None:
    l, r, score = columns(ranges)
    index, oracle = IRTree(l, r, score, b), ScoredRanges(ranges)
    for kind, given_values in changes:
        change(index, oracle, kind, given_values)
        index._check()
        assert_no_holes(index)
        assert len(index) == len(oracle.alive())
    compare_all(index, oracle, points, 3, ranked=True)


@pytest.mark.parametrize("b", [4, 7])
@pytest.mark.parametrize("coarse", [True, False])
def test_many_changes(b: int, coarse: bool) -> None:
    rng = np.random.default_rng(11)

    def draw(count: int) -> list[Scored]:
        l = rng.integers(0, 30, count).astype(float) if coarse else rng.random(count)
        r = l + (rng.integers(0, 9, count) if coarse else rng.exponential(0.1, count))
        score = rng.integers(0, 6, count).astype(float)
        return list(zip(l.tolist(), r.tolist(), score.tolist(), strict=True))

    index, oracle = IRTree(b=b), ScoredRanges([])
    for step in range(60):
        kind = ("insert", "delete", "rescore", "delete" if step > 30 else "insert")[step % 4]
        count = int(rng.integers(1, 60))
        picks = rng.integers(0, 10_000, count).tolist()
        given_values: Any = draw(count) if kind == "insert" else picks
        if kind == "rescore":
            given_values = [(pick, float(rng.integers(0, 6))) for pick in picks]
        change(index, oracle, kind, given_values)
        index._check()
        assert_no_holes(index)
        compare_all(index, oracle, [one[0] for one in draw(3)], 5, ranked=True)
    index.delete(oracle.alive())
    index._check()
    assert len(index) == 0
    assert index.stab(0.5).tolist() == []
    assert index.insert(0.0, 1.0, 2.0) == len(oracle.held)


@pytest.mark.parametrize("order", some(["up", "down", "inwards"], lambda order: order != "down"))
def test_the_skeleton_keeps_its_balance(order: str) -> None:
    n = 3000
    place = {
        "up": np.arange(n),
        "down": -np.arange(n),
        "inwards": np.where(np.arange(n) % 2, 1, -1) * (n - np.arange(n)),
    }
    index = IRTree()
    for first in range(0, n, 100):
        for x in place[order][first : first + 100].tolist():
            index.insert(float(x), x + 0.5, 0.0)
        index._check()
        depth, level = 0, [int(index.arrays.state[at.TOP])]
        while level:
            depth += 1
            below = index.arrays.link[level][:, [at.BELOW, at.ABOVE]].ravel()
            level = below[below >= 0].tolist()
        assert depth <= 2 * np.log2(len(index)) + 6


def test_memory_is_given_back() -> None:
    rng = np.random.default_rng(2)
    l = rng.random(20_000)
    index = IRTree(l, l + 1e-4, rng.random(20_000))
    full = index.nbytes
    assert full < 70 * 20_000
    index.delete(np.arange(19_900))
    assert index.nbytes < full / 8
    index._check()


def test_unknown_ids_and_ids_given_twice_change_nothing() -> None:
    index = IRTree([0, 0], [1, 1], [1.0, 2.0])
    index.delete(0)
    before = index.stab(0.5).tolist()
    for bad, kind, text in (
        (0, UnknownRangeError, "no range has the id 0"),
        ([1, 7], UnknownRangeError, r"no range has the id 7 \(1 unknown ids\)"),
        (-1, UnknownRangeError, "no range has the id -1"),
        ([1, 1], ValueError, "distinct"),
        (1.5, TypeError, "integers"),
    ):
        with pytest.raises(kind, match=text):
            index.delete(bad)
        with pytest.raises(kind, match=text):
            index.rescore(bad, 0.0)
    with pytest.raises(ValueError, match="NaN"):
        index.rescore(1, np.nan)
    with pytest.raises(ValueError, match=r"one number per range \(1\), got 2"):
        index.rescore(1, [1.0, 2.0])
    with pytest.raises(ValueError, match="l <= r"):
        index.insert([0.0, 2.0], [1.0, 1.0], [0.0, 0.0])
    with pytest.raises(ValueError, match="b must be between 4 and 1024, got 3"):
        IRTree(b=3)
    index._check()
    assert index.stab(0.5).tolist() == before == [1]
    assert index.insert(0.0, 1.0, 0.0) == 2


def test_a_walk_ends_when_the_index_changes() -> None:
    index = IRTree([0, 0], [1, 1])
    walk = index.ranked(0.5)
    index.insert(0.0, 1.0, 5.0)
    with pytest.raises(RuntimeError, match="changed since the walk began"):
        next(walk)
