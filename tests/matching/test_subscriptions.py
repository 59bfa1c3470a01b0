"""The subscription index against numpy masks, under streams of insertions and deletions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matching import SubscriptionIndex, UnknownSubscriptionError, closed_box, half_open
from matching.kdtree import CHILD, SIZE
from matching.kdtree_queries import is_empty, whole
from tests.oracles.points import Points
from tests.uncompiled import run_uncompiled

END = st.one_of(st.integers(0, 6).map(float), st.floats(-3, 3), st.sampled_from([-np.inf, np.inf]))
RANGE = st.tuples(END, END).map(lambda ends: (min(ends), max(ends)))
BOX = st.tuples(END, END, END, END)


def compare(index: SubscriptionIndex, points: Points, box: tuple[float, float, float, float]) -> None:
    inside = points.report(box)
    assert sorted(index.report(box).tolist()) == inside
    assert index.count(box) == len(inside)
    assert index.counts([box, box]).tolist() == [len(inside)] * 2
    assert index.snap(box) == points.snap(box)
    assert is_empty(whole(index.arrays), *box) == (not inside)


@settings(deadline=None, max_examples=150)
@given(st.lists(RANGE, max_size=120), st.lists(BOX, min_size=1, max_size=8))
def test_a_built_index_answers_as_the_masks(
    ranges: list[tuple[float, float]], boxes: list[tuple[float, ...]]
) -> None:
    points = Points()
    left, right = [a for a, _ in ranges], [b for _, b in ranges]
    points.insert(left, right)
    index = SubscriptionIndex(left, right)
    index._check()
    assert len(index) == len(ranges)
    for a, b, c, d in boxes:
        compare(index, points, (a, b, c, d))
    compare(index, points, (-np.inf, np.inf, -np.inf, np.inf))


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_streams_of_changes(data: st.DataObject) -> None:
    points, index = Points(), SubscriptionIndex()
    for _ in range(data.draw(st.integers(1, 12))):
        alive = np.flatnonzero(points.alive).tolist()
        if alive and data.draw(st.sampled_from(["insert", "delete"])) == "delete":
            gone = data.draw(st.lists(st.sampled_from(alive), unique=True, max_size=len(alive)))
            points.delete(gone)
            if len(gone) == 1:
                index.delete(gone[0])
            else:
                index.delete(gone)
        else:
            ranges = data.draw(st.lists(RANGE, min_size=1, max_size=70))
            left, right = [a for a, _ in ranges], [b for _, b in ranges]
            expected = points.insert(left, right)
            if len(ranges) == 1:
                assert index.insert(left[0], right[0]) == expected[0]
            else:
                assert np.array_equal(index.insert(left, right), expected)
        index._check()
        compare(index, points, data.draw(BOX))


@pytest.mark.parametrize("spread", [0.0, 1e-9, 1.0])
@pytest.mark.parametrize("seed", [1, 2])
def test_long_streams_at_one_spot_or_everywhere(seed: int, spread: float) -> None:
    rng = np.random.default_rng(seed)
    points = Points()
    left, right = np.sort(rng.random((2000, 2)), axis=1).T
    points.insert(left.tolist(), right.tolist())
    index = SubscriptionIndex(left, right)
    for _ in range(60):
        new = np.sort(0.5 + spread * (rng.random((rng.integers(1, 150), 2)) - 0.5), axis=1)
        for a, b in new[:3].tolist():
            assert [index.insert(a, b)] == points.insert([a], [b])
        assert np.array_equal(index.insert(*new[3:].T), points.insert(*new[3:].T.tolist()))
        alive = np.flatnonzero(points.alive)
        gone = rng.choice(alive, rng.integers(0, 80), replace=False)
        index.delete(gone)
        points.delete(gone.tolist())
        index._check()
        a, c = rng.random(2)
        compare(index, points, (a - 0.1, a, c, c + 0.1))
        compare(index, points, (0.5, 0.5 + spread / 3, 0.5 - spread / 3, 0.5))
    depth, node = 0, 0
    while index.arrays.link[node, CHILD] > 0:
        node = int(
            max(index.arrays.link[node, CHILD] + np.arange(2), key=lambda child: index.arrays.link[child, SIZE])
        )
        depth += 1
    assert depth < 20


def test_deleting_everything_leaves_an_empty_index_that_can_grow_again() -> None:
    rng = np.random.default_rng(3)
    left, right = np.sort(rng.random((5000, 2)), axis=1).T
    index = SubscriptionIndex(left, right)
    for some in np.array_split(rng.permutation(5000), 50):
        index.delete(some)
        index._check()
    assert len(index) == 0
    assert index.snap((-np.inf, np.inf, -np.inf, np.inf)) is None
    assert index.insert(0.25, 0.5) == 5000
    assert index.snap((0.0, 1.0, 0.0, 1.0)) == (0.25, 0.25, 0.5, 0.5)
    assert np.array_equal(index.ranges([5000]), [[0.25, 0.5]])


def test_messages_and_closed_boxes_hold_the_same_subscriptions() -> None:
    index = SubscriptionIndex([1.0, 1.0, 2.0, -np.inf], [3.0, 4.0, 5.0, np.inf])
    assert index.report(closed_box(1.0, 3.0, 0.0, 4.0)).tolist() == [0]
    assert sorted(index.report(closed_box(2.0, 3.0, 1.0, np.inf)).tolist()) == [2]
    assert sorted(index.report(closed_box(2.0, 3.0, -np.inf, np.inf)).tolist()) == [0, 1, 2, 3]
    box = index.snap((-np.inf, np.inf, -np.inf, np.inf))
    assert box is not None
    l_in, r_in, l_out, r_out = half_open(*box)
    assert (l_in, r_in, l_out, r_out) == (2.0, 3.0, -np.inf, np.inf)
    assert closed_box(l_in, r_in, l_out, r_out) == box


def test_memory_and_ids() -> None:
    rng = np.random.default_rng(4)
    left, right = np.sort(rng.random((100_000, 2)), axis=1).T
    index = SubscriptionIndex(left, right)
    assert index.nbytes <= 64 * len(index)
    assert index.insert([0.5, 0.5], [0.5, 0.5]).tolist() == [100_000, 100_001]  # type: ignore[union-attr]
    index.delete(100_001)
    assert index.insert(0.5, 0.5) == 100_002
    assert index.nbytes <= 64 * len(index)


@pytest.mark.parametrize(
    ("l", "r", "kind", "text"),
    [
        (2.0, 1.0, ValueError, r"l <= r.*\[2.0, 1.0\]"),
        (np.nan, 1.0, ValueError, "NaN"),
        ([0.0, 1.0], [1.0, np.nan], ValueError, "position 1"),
        ([0.0, 1.0], [1.0], ValueError, "same length, got 2 and 1"),
        ("a", "b", TypeError, "l must hold numbers"),
        ([[0.0]], [[1.0]], ValueError, "one dimension"),
    ],
)
def test_bad_ranges_change_nothing(l: object, r: object, kind: type[Exception], text: str) -> None:
    index = SubscriptionIndex([0.0, 1.0], [1.0, 2.0])
    with pytest.raises(kind, match=text):
        index.insert(l, r)  # type: ignore[arg-type]
    index._check()
    assert len(index) == 2
    assert index.insert(0.0, 1.0) == 2


@pytest.mark.parametrize(
    ("ids", "kind", "text"),
    [
        (7, UnknownSubscriptionError, "no subscription has the id 7"),
        (-1, UnknownSubscriptionError, "id -1"),
        (2, UnknownSubscriptionError, "id 2"),
        ([0, 9], UnknownSubscriptionError, "id 9"),
        ([0, 0], ValueError, "distinct"),
        (0.5, TypeError, "integers"),
    ],
)
def test_bad_ids_change_nothing(ids: object, kind: type[Exception], text: str) -> None:
    index = SubscriptionIndex([0.0, 1.0, 0.0], [1.0, 2.0, 0.0])
    index.delete(2)
    with pytest.raises(kind, match=text):
        index.delete(ids)  # type: ignore[arg-type]
    index._check()
    assert len(index) == 2


def test_bad_rectangles() -> None:
    index = SubscriptionIndex([0.0], [1.0])
    with pytest.raises(ValueError, match="NaN"):
        index.snap((0.0, 1.0, np.nan, 1.0))
    with pytest.raises(TypeError, match="four numbers"):
        index.count((0.0, 1.0))  # type: ignore[arg-type]
    assert index.report((1.0, 0.0, 0.0, 1.0)).tolist() == []
    with pytest.raises(ValueError, match="shape"):
        index.counts([0.0, 1.0])
    with pytest.raises(ValueError, match="NaN, got some in row 1"):
        index.counts([[0.0, 1.0, 0.0, 1.0], [0.0, 1.0, 0.0, np.nan]])


def test_the_kernels_run_without_the_compiler() -> None:
    program = """
import numpy as np
from matching import SubscriptionIndex, SubscriptionSketch
rng = np.random.default_rng(5)
l, r = np.sort(rng.random((300, 2)), axis=1).T
index = SubscriptionIndex(l[:200], r[:200])
ids = index.insert(l[200:], r[200:])
index.delete(ids[::2])
index._check()
kept = np.r_[0:200, 201:300:2]
inside = kept[(l[kept] <= 0.5) & (r[kept] >= 0.5)]
assert sorted(index.report((0.0, 0.5, 0.5, 1.0)).tolist()) == inside.tolist()
sketch = SubscriptionSketch(l[:200], r[:200], rectangles=16)
sketch.insert(l[200:], r[200:])
sketch.delete(l[:200], r[:200])
sketch._check()
assert sketch.snap((0.0, 1.0, 0.0, 1.0)) is not None
"""
    run_uncompiled(program)
