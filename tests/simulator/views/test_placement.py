"""Places of labels, against every pair of boxes and every line walked point by point."""

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.views.placement import Home, Label, Placed, place_labels

AREA = Home(0.0, 0.0, 200.0, 160.0)
TOUCH = 1e-6


def box_of(label: Label, placed: Placed) -> tuple[float, float, float, float]:
    x, y = label.width / 2, label.height / 2
    return placed.x - x, placed.y - y, placed.x + x, placed.y + y


def overlap(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return all(max(one[at], other[at]) < min(one[at + 2], other[at + 2]) - TOUCH for at in (0, 1))


def walks_into(line: tuple[float, float, float, float], box: tuple[float, ...]) -> bool:
    for share in np.linspace(0, 1, 200).tolist():
        x, y = line[0] + share * (line[2] - line[0]), line[1] + share * (line[3] - line[1])
        if box[0] + TOUCH < x < box[2] - TOUCH and box[1] + TOUCH < y < box[3] - TOUCH:
            return True
    return False


@st.composite
def drawings(draw: st.DrawFn) -> tuple[list[Label], np.ndarray]:
    """Rectangles and points, many of them close together or the same, and some spots to keep off."""
    value, size = st.integers(0, 20).map(lambda at: at * 10.0), st.sampled_from([0.0, 5.0, 30.0, 90.0])
    labels = []
    for _ in range(draw(st.integers(1, 14))):
        x, y, width, height = draw(value), draw(value), draw(size), draw(size)
        home = Home(x, y, min(x + width, 200.0), min(y + height, 160.0))
        if home.y_lo > home.y_hi:
            home = home._replace(y_lo=home.y_hi)
        labels.append(Label(draw(st.sampled_from([12.0, 25.0])), 14.0, home, draw(st.booleans()), 4.0))
    spots = np.array(draw(st.lists(st.tuples(value, value), max_size=4)), np.float64).reshape(-1, 2)
    return labels, np.concatenate((spots - 4, spots + 4), axis=1)


@settings(deadline=None, max_examples=80)
@given(drawings())
def test_nothing_that_is_placed_collides(drawing: tuple[list[Label], np.ndarray]) -> None:
    labels, hard = drawing
    places = place_labels(labels, AREA, hard)
    assert places == place_labels(labels, AREA, hard), "the same labels get the same places"
    found = [(label, placed, box_of(label, placed)) for label, placed in zip(labels, places, strict=True) if placed]
    for label, placed, box in found:
        assert all(box[at] >= AREA[at] - TOUCH and box[at + 2] <= AREA[at + 2] + TOUCH for at in (0, 1))
        assert not any(overlap(box, tuple(spot)) for spot in hard.tolist())
        home, inside = (
            label.home,
            all(box[at] >= label.home[at] - TOUCH and box[at + 2] <= label.home[at + 2] + TOUCH for at in (0, 1)),
        )
        assert inside or not label.only_inside
        if placed.line is not None:
            assert not inside
            assert home.x_lo <= placed.line[0] <= home.x_hi
            assert home.y_lo <= placed.line[1] <= home.y_hi
    for (_, one, box), (_, other, beside) in itertools.combinations(found, 2):
        assert not overlap(box, beside)
        assert one.line is None or not walks_into(one.line, beside)
        assert other.line is None or not walks_into(other.line, box)


def test_a_label_stands_in_the_middle_of_what_it_names_if_nothing_is_there() -> None:
    assert place_labels([Label(20, 10, Home(50, 50, 90, 80))], AREA) == [Placed(70, 65, None)]
    (corner,) = place_labels([Label(20, 10, Home(50, 50, 90, 80), prefers=(-0.5, -0.5))], AREA)
    assert corner == Placed(60, 55, None)
    (seen,) = place_labels([Label(20, 10, Home(50, 50, 90, 80))], AREA, soft=np.array([[69.0, 64, 71, 66]]))
    assert seen is not None
    assert seen != Placed(70, 65, None), "a mark had better be seen"


def test_what_is_too_small_is_named_beside_it_with_a_line() -> None:
    small = Home(100, 80, 103, 83)
    (placed,) = place_labels([Label(20, 10, small)], AREA)
    assert placed is not None
    assert placed.line is not None
    assert placed.line[:2] == (101.5, 81.5)
    assert place_labels([Label(20, 10, small, only_inside=True)], AREA) == [None]


def test_one_that_is_in_the_way_moves_over() -> None:
    """The first takes the only place that the second has, and finds another."""
    area = Home(0, 0, 40, 10)
    wide, narrow = Home(0, 0, 40, 10), Home(10, 0, 30, 10)
    first = Label(20, 10, wide, only_inside=True)
    second = Label(20, 10, Home(0, 0, 20, 10), only_inside=True)
    assert place_labels([first, second], area) == [Placed(30, 5, None), Placed(10, 5, None)]
    blocked = place_labels([first, Label(20, 10, narrow, only_inside=True)], area)
    assert sum(place is not None for place in blocked) == 1, "two of this size overlap wherever the first stands"


def test_many_labels_of_one_spot_find_as_many_places_as_there_are() -> None:
    labels = [Label(12, 10, Home(100, 80, 100, 80), clear=4.0) for _ in range(12)]
    assert all(place_labels(labels, AREA))
