"""The subscription index over any number of sides against a scan: sound and complete, whatever comes and goes."""

from typing import Any

import numpy as np
import pytest

from matching.side_index import SideIndex
from matching.side_queries import somebody_else
from matching.subscriptions import UnknownSubscriptionError


def inside(points: dict[int, list[float]], box: Any) -> set[int]:
    return {i for i, u in points.items() if all(a <= v <= b for a, v, b in zip(box[0], u, box[1], strict=True))}


def drawn_box(rng: np.random.Generator, sides: int, most: float) -> Any:
    return np.sort(rng.integers(-1, int(most) + 1, (2, sides)) * 1.0, axis=0)


def compare(index: SideIndex, points: dict[int, list[float]], box: Any) -> None:
    right = inside(points, box)
    assert set(index.report(box).tolist()) == right
    assert index.count(box) == len(right) == index.counts(np.array([box]))[0]
    snapped = index.snap(box)
    if not right:
        assert snapped is None
        return
    assert snapped is not None
    every = np.array([points[i] for i in sorted(right)])
    assert (snapped[0] == every.min(axis=0)).all()
    assert (snapped[1] == every.max(axis=0)).all()


@pytest.mark.parametrize("sides", [1, 2, 3, 4, 6])
@pytest.mark.parametrize("most", [3, 1000])
def test_answers_are_those_of_a_scan(sides: int, most: int) -> None:
    rng = np.random.default_rng([sides, most])
    first = rng.integers(0, most, (40, sides)) * 1.0
    index = SideIndex(first, sides)
    points = dict(enumerate(first.tolist()))
    for step in range(60):
        if rng.random() < 0.6:
            new = rng.integers(0, most, (int(rng.integers(1, 9)), sides)) * 1.0
            points |= dict(zip(index.insert(new).tolist(), new.tolist(), strict=True))
        else:
            gone = rng.choice(sorted(points), min(len(points), int(rng.integers(1, 20))), replace=False)
            index.delete(gone)
            for i in gone.tolist():
                del points[i]
        assert len(index) == len(points)
        if step % 6 == 0:
            index._check()
        compare(index, points, drawn_box(rng, sides, most))
    kept = sorted(points)
    assert index.points(kept).tolist() == [points[i] for i in kept]


@pytest.mark.parametrize("sides", [2, 3, 5])
@pytest.mark.parametrize("most", [5, 40])
def test_somebody_in_the_box_around_two_who_is_in_neither(sides: int, most: int) -> None:
    rng = np.random.default_rng([sides, most])
    first = rng.integers(0, most, (150, sides)) * 1.0
    index, points = SideIndex(first, sides), dict(enumerate(first.tolist()))
    index.delete(range(0, 150, 4))
    points = {i: u for i, u in points.items() if i % 4}
    answers = []
    for _ in range(200):
        one, other = (drawn_box(rng, sides, most) for _ in range(2))
        around = np.array([np.minimum(one[0], other[0]), np.maximum(one[1], other[1])])
        where = np.empty((2, sides))
        right = inside(points, around) - inside(points, one) - inside(points, other)
        found = somebody_else(index.arrays, around, one, np.array([one, other]), 1, where)
        assert found == (len(right) > 0)
        if found:
            there = inside(points, where)
            assert there
            assert there <= right
        answers.append(found)
    assert set(answers) == {False, True}


def test_an_index_of_nobody() -> None:
    index = SideIndex(sides=3)
    index._check()
    assert len(index) == 0
    assert index.snap(([0.0] * 3, [1.0] * 3)) is None
    assert index.insert([[1.0, np.inf, -np.inf]]).tolist() == [0]
    assert index.count(([0.0, 0.0, -1e308], [1.0, 1e308, 0.0])) == 0
    assert index.count(([0.0, 0.0, -np.inf], [1.0, np.inf, 0.0])) == 1
    index.delete(0)
    index._check()


@pytest.mark.parametrize(
    ("task", "error", "words"),
    [
        (lambda: SideIndex(), ValueError, r"points must have the shape \(m, sides\)"),
        (lambda: SideIndex([[1.0], [1.0, 2.0]], 2), ValueError, "unequal lengths|inhomogeneous"),
        (lambda: SideIndex([[1.0, np.nan]]), ValueError, "must not hold NaN, got some in row 0"),
        (lambda: SideIndex([["a", "b"]]), TypeError, "points must be numbers"),
        (lambda: SideIndex([[1.0, 2.0]]).insert([[1.0]]), ValueError, r"shape \(m, 2\)"),
        (lambda: SideIndex([[1.0, 2.0]]).count(([0.0], [1.0])), ValueError, "a box must be 2 least and 2 greatest"),
        (lambda: SideIndex([[1.0, 2.0]]).delete(1), UnknownSubscriptionError, "no subscription has the id 1"),
        (lambda: SideIndex([[1.0, 2.0]]).delete([0, 0]), ValueError, "distinct"),
    ],
)
def test_bad_input(task: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        task()
