"""The sketch over several sides: a cover at all times, never larger than promised, tight with a box for everyone."""

from typing import Any

import numpy as np
import pytest

from matching.side_sketch import SideSketch, clear_between


def covers(sketch: SideSketch, points: Any, box: Any) -> None:
    """What the sketch answers contains the truth and stays inside the box asked for."""
    inside = points[((box[0] <= points) & (points <= box[1])).all(axis=1)]
    answer = sketch.snap(box)
    if len(inside):
        assert answer is not None
        assert (answer[0] <= inside.min(axis=0)).all()
        assert (inside.max(axis=0) <= answer[1]).all()
    if answer is not None:
        assert ((box[0] <= answer[0]) & (answer[0] <= answer[1]) & (answer[1] <= box[1])).all()


@pytest.mark.parametrize("sides", [2, 3, 4, 6])
def test_a_cover_under_changes(sides: int) -> None:
    rng = np.random.default_rng(sides)
    for boxes in (1, 2, 7, 60):
        points: Any = rng.integers(0, 6, (int(rng.choice([0, 1, 40])), sides)) * 1.0
        sketch = SideSketch(points, boxes)
        for _ in range(8):
            if len(points) and rng.random() < 0.5:
                gone = rng.random(len(points)) < 0.5
                sketch.delete(points[gone])
                points = points[~gone]
            else:
                more: Any = rng.integers(-2, 9, (int(rng.integers(0, 20)), sides)) * 1.0
                sketch.insert(more)
                points = np.concatenate((points, more))
            sketch._check()
            assert len(sketch) == len(points)
            assert len(sketch.rectangles) <= boxes
            for _ in range(10):
                covers(sketch, points, np.sort(rng.integers(-3, 10, (2, sides)) * 1.0, axis=0))
            covers(sketch, points, np.array([[-np.inf] * sides, [np.inf] * sides]))


def test_a_box_for_everyone_is_the_truth() -> None:
    rng = np.random.default_rng(3)
    points = rng.random((50, 3))
    sketch = SideSketch(points, 50)
    assert (sketch.rectangles[:, 0] == sketch.rectangles[:, 1]).all()
    for _ in range(50):
        box = np.sort(rng.random((2, 3)), axis=0)
        inside = points[((box[0] <= points) & (points <= box[1])).all(axis=1)]
        answer = sketch.snap(box)
        assert (answer is None) == (len(inside) == 0)
        if answer is not None:
            assert (answer[0] == inside.min(axis=0)).all()
            assert (answer[1] == inside.max(axis=0)).all()


def test_who_lies_between_two_boxes() -> None:
    points = np.array([[0.0, 0.0, 0.0], [4.0, 4.0, 4.0], [2.0, 1.0, 3.0]])
    low, high = np.zeros((2, 3)), np.full((2, 3), 4.0)
    around = np.array([[0.0] * 3, [4.0] * 3])
    assert not clear_between(SideSketch(points, 3).arrays, around, low, high)
    assert clear_between(SideSketch(points[:2], 2).arrays, around, low, high)
    assert not clear_between(SideSketch(points[:2], 1).arrays, around, low, high)  # anybody may be in its box


def test_bad_input_changes_nothing() -> None:
    points = np.array([[0.0, 1.0, 2.0], [1.0, 2.0, 3.0]])
    sketch = SideSketch(points, 2)
    with pytest.raises(ValueError, match=r"no subscription \[5.0, 1.0, 2.0\] can be in the sketch"):
        sketch.delete(np.array([[0.0, 1.0, 2.0], [5.0, 1.0, 2.0]]))
    sketch._check()
    assert len(sketch) == 2
    with pytest.raises(ValueError, match="rectangles must be at least 1"):
        SideSketch(points, 0)
    with pytest.raises(TypeError, match="rectangles must be an integer"):
        SideSketch(points, 1.5)  # type: ignore[arg-type]
