"""The sketch: a cover at all times, never larger than promised, tight with a rectangle per subscription."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matching import SubscriptionSketch
from matching.kdtree_queries import is_empty, whole
from tests.oracles.points import Box, Points

END = st.one_of(st.integers(0, 6).map(float), st.floats(-3, 3), st.sampled_from([-np.inf, np.inf]))
RANGES = st.lists(st.tuples(END, END).map(lambda ends: (min(ends), max(ends))), max_size=60)
BOX = st.tuples(END, END, END, END)


def covers(sketch: SubscriptionSketch, points: Points, box: Box) -> None:
    """What the sketch answers contains the truth and stays inside the rectangle asked for."""
    truth, answer = points.snap(box), sketch.snap(box)
    assert is_empty(whole(sketch.arrays), *box) == (answer is None)
    if truth is not None:
        assert answer is not None
        assert answer[0] <= truth[0] <= truth[1] <= answer[1]
        assert answer[2] <= truth[2] <= truth[3] <= answer[3]
    if answer is not None:
        assert box[0] <= answer[0] <= answer[1] <= box[1]
        assert box[2] <= answer[2] <= answer[3] <= box[3]


@settings(deadline=None, max_examples=120)
@given(RANGES, st.integers(1, 20), st.data())
def test_a_cover_under_changes(ranges: list[tuple[float, float]], rectangles: int, data: st.DataObject) -> None:
    points = Points()
    left, right = [a for a, _ in ranges], [b for _, b in ranges]
    points.insert(left, right)
    sketch = SubscriptionSketch(left, right, rectangles)
    for _ in range(data.draw(st.integers(0, 6))):
        alive = np.flatnonzero(points.alive).tolist()
        if alive and data.draw(st.sampled_from(["insert", "delete"])) == "delete":
            gone = data.draw(st.lists(st.sampled_from(alive), unique=True, max_size=len(alive)))
            points.delete(gone)
            sketch.delete(points.l[gone], points.r[gone])
        else:
            more = data.draw(RANGES)
            points.insert([a for a, _ in more], [b for _, b in more])
            sketch.insert([a for a, _ in more], [b for _, b in more])
        sketch._check()
        assert len(sketch) == points.alive.sum()
        assert len(sketch.rectangles) <= rectangles
        covers(sketch, points, data.draw(BOX))
        covers(sketch, points, (-np.inf, np.inf, -np.inf, np.inf))


def test_more_rectangles_cover_less() -> None:
    rng = np.random.default_rng(6)
    left, right = np.sort(rng.random((4000, 2)), axis=1).T
    areas = []
    for rectangles in (1, 16, 256, 4000):
        sketch = SubscriptionSketch(left, right, rectangles)
        boxes = sketch.rectangles
        assert len(boxes) == rectangles
        areas.append(((boxes[:, 1] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 2])).sum())
    assert areas[0] > areas[1] > areas[2] > areas[3]
    assert areas[3] == 0.0


def test_bad_input_changes_nothing() -> None:
    sketch = SubscriptionSketch([0.0, 1.0], [1.0, 2.0], rectangles=2)
    with pytest.raises(ValueError, match=r"no subscription \[5.0, 6.0\]"):
        sketch.delete([0.0, 5.0], [1.0, 6.0])
    with pytest.raises(ValueError, match="can be in the sketch"):
        sketch.delete([0.0, 0.0], [1.0, 1.0])
    with pytest.raises(ValueError, match="NaN"):
        sketch.insert(np.nan, 1.0)
    sketch._check()
    assert len(sketch) == 2
    with pytest.raises(ValueError, match="rectangles must be at least 1"):
        SubscriptionSketch([], [], rectangles=0)
    with pytest.raises(TypeError, match="rectangles must be an integer"):
        SubscriptionSketch([], [], rectangles=1.5)  # type: ignore[arg-type]
