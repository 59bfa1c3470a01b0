"""Union and gain of two staircases: exactly the region, each point once, and no fewer rectangles would do."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from paint.geometry import EACH
from paint.staircase import cut, gain_tiles, make_columns, union_tiles
from tests.oracles.topk import reaches, smallest_tiling

Lists = tuple[list[float], list[float]]
NAMES = ("l_in", "r_in", "l_out", "r_out")

X = 0.0
LEFT = [-4.0, -3.0, -2.0, -1.0, 0.0]
RIGHT = [0.0, 1.0, 2.0, 3.0, 4.0]
# One subscription for each cell that ends in the lists can tell apart.
ENDS_LEFT = [-5.0, *LEFT]
ENDS_RIGHT = [*RIGHT, 5.0]
GRID = {(i, j) for i in range(len(ENDS_LEFT)) for j in range(len(ENDS_RIGHT))}


def holds(lists: Lists, k: int, left: float, right: float) -> bool:
    """Whether [left, right] has fewer than k of the listed objects in range."""
    west, east = lists
    return sum(left <= x for x in west) + sum(x <= right for x in east) < k


def rows(lists: Lists, k: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The lists as kernels take them: x values, west and east, and how many there are."""
    xs = np.array([[*side, *[0.0] * (k - len(side))] for side in lists])
    return xs, np.array([len(side) for side in lists])


def tiles(before: Lists, after: Lists, k: int, minus: bool) -> list[tuple[float, ...]]:
    out = np.empty((4 * k + 4, 8))
    columns = make_columns(k)
    count = cut(X, *rows(before, k), *rows(after, k), k, columns)
    end = gain_tiles(count, columns, out, 0) if minus else union_tiles(X, count, columns, EACH, k, out, 0)
    return [tuple(row[:4]) for row in out[:end].tolist()]


def check(before: Lists, after: Lists, k: int, minus: bool) -> None:
    found = tiles(before, after, k, minus)
    cells = set()
    for i, left in enumerate(ENDS_LEFT):
        for j, right in enumerate(ENDS_RIGHT):
            old, new = holds(before, k, left, right), holds(after, k, left, right)
            wanted = new and not old if minus else old or new
            assert sum(reaches(dict(zip(NAMES, row, strict=True)), left, right) for row in found) == wanted
            if wanted:
                cells.add((i, j))
    assert all(row[2] < row[0] and row[1] < row[3] for row in found)
    assert len(found) == smallest_tiling(cells, GRID)


@st.composite
def two_lists(draw: st.DrawFn) -> tuple[Lists, Lists, int]:
    k = draw(st.integers(1, 5))

    def one() -> Lists:
        west = draw(st.lists(st.sampled_from(LEFT), max_size=k))
        east = draw(st.lists(st.sampled_from(RIGHT), max_size=k))
        return sorted(west, reverse=True), sorted(east)

    return one(), one(), k


@settings(deadline=None, max_examples=150)
@given(two_lists())
def test_union_is_exact_and_minimal(case: tuple[Lists, Lists, int]) -> None:
    check(*case, minus=False)


@settings(deadline=None, max_examples=250)
@given(two_lists())
def test_gain_is_exact_and_minimal(case: tuple[Lists, Lists, int]) -> None:
    check(*case, minus=True)


def test_gain_over_nothing_is_the_whole_region() -> None:
    """Before, k objects at the same place hid it from everyone."""
    assert tiles(([0.0, 0.0], []), ([], []), 2, minus=True) == [(0.0, 0.0, -math.inf, math.inf)]


def test_horizontal_chord_saves_a_tile() -> None:
    """The upper stair turns at r = 2 and so does the lower one, further east."""
    before, after = ([-1.0], [1.0, 2.0]), ([-2.0], [2.0, 3.0])
    assert len(tiles(before, after, 2, minus=True)) == 2
