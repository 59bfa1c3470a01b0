"""What is left of the subscriptions in IR^z during a sweep: a few closed boxes that surely hold them all.

Paint-Sparse needs two things of the subscriptions still in IR^z(i): which tiles an exposed object takes them from,
and the corner (l*, r*) of the smallest quadrant around them, beyond which exposed objects are inessential (Section
III-B). `Cells` keeps a box per strip of the staircase. A box is *exact* when it is the smallest around its
subscriptions; cutting a tile away leaves parts that are only bounds. A bound is sharpened by a snap only when it
decides l* or r*; a tile that misses every box is empty without asking the subscription index.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit, njit_inner
from matching.kdtree_queries import Part, snap
from paint.algorithm import SNAP, SNAP_APART

__all__ = ["Cells", "add_cell", "enclosing_quadrant", "lose", "make_cells"]

Box = tuple[float, float, float, float]


class Cells(NamedTuple):
    """Boxes of a sweep, in no particular order.

    Attributes
    ----------
    box : float64 array of shape (room, 4)
        l_min, l_max, r_min, r_max, closed; never empty.
    exact : bool array
        Whether a box is the smallest around its subscriptions.
    used : int64 array of 1
        Number of boxes in use.
    """

    box: NDArray[np.float64]
    exact: NDArray[np.bool_]
    used: NDArray[np.int64]


def make_cells(k: int) -> Cells:
    """Allocate boxes for lists of k: borders are values of the west list, and a tile cuts two more; O(k) space."""
    return Cells(np.zeros((2 * k + 4, 4)), np.zeros(2 * k + 4, np.bool_), np.zeros(1, np.int64))


@njit_inner
def add_cell(cells: Cells, l_min: float, l_max: float, r_min: float, r_max: float, exact: bool) -> None:
    """Add a box unless it is empty."""
    if l_min > l_max or r_min > r_max:
        return
    at = cells.used[0]
    cells.box[at, 0] = l_min
    cells.box[at, 1] = l_max
    cells.box[at, 2] = r_min
    cells.box[at, 3] = r_max
    cells.exact[at] = exact
    cells.used[0] = at + 1


@njit_inner
def _drop(cells: Cells, at: int) -> None:
    last = cells.used[0] - 1
    for side in range(4):
        cells.box[at, side] = cells.box[last, side]
    cells.exact[at] = cells.exact[last]
    cells.used[0] = last


@njit
def lose(cells: Cells, l_lo: float, l_hi: float, r_lo: float, r_hi: float) -> tuple[bool, bool, Box]:
    """Cut a tile, a closed box that reaches the top of IR^z, out of the boxes.

    Returns
    -------
    (bool, bool, Box)
        Whether the tile may hold subscriptions, whether the box given is the smallest around them, and that box.
        O(k) time.
    """
    found, exact = False, True
    lost = (np.inf, -np.inf, np.inf, -np.inf)
    at = cells.used[0] - 1
    while at >= 0:
        l_min, l_max, r_min, r_max = cells.box[at, 0], cells.box[at, 1], cells.box[at, 2], cells.box[at, 3]
        if l_min <= l_hi and l_max >= l_lo and r_max >= r_lo and r_min <= r_hi:
            whole = l_min >= l_lo and l_max <= l_hi and r_min >= r_lo
            exact = exact and whole and cells.exact[at]
            found = True
            low, high, bottom = max(l_min, l_lo), min(l_max, l_hi), max(r_min, r_lo)
            lost = (min(lost[0], low), max(lost[1], high), min(lost[2], bottom), max(lost[3], min(r_max, r_hi)))
            _drop(cells, at)
            if not whole:
                add_cell(cells, l_min, np.nextafter(low, -np.inf) if low > l_min else -np.inf, r_min, r_max, False)
                add_cell(cells, low, high, r_min, np.nextafter(bottom, -np.inf) if bottom > r_min else -np.inf, False)
                add_cell(cells, np.nextafter(high, np.inf) if high < l_max else np.inf, l_max, r_min, r_max, False)
        at -= 1
    return found, found and exact, lost


@njit_inner
def _sharpen(cells: Cells, part: Part, at: int, costs: NDArray[np.int64]) -> None:
    """Make a box exact by one snap, or drop it when it holds no subscription."""
    costs[SNAP] += 1
    costs[SNAP_APART] += -1
    box = cells.box[at]
    found, l_min, l_max, r_min, r_max = snap(part, box[0], box[1], box[2], box[3])
    if not found:
        _drop(cells, at)
        return
    box[0], box[1], box[2], box[3] = l_min, l_max, r_min, r_max
    cells.exact[at] = True


@njit_inner
def enclosing_quadrant(cells: Cells, part: Part, costs: NDArray[np.int64]) -> tuple[bool, float, float]:
    """Corner (l*, r*) of the smallest quadrant around the subscriptions in the boxes; False when there are none."""
    while cells.used[0] > 0:
        west, north = 0, 0
        for at in range(1, cells.used[0]):
            if cells.box[at, 0] < cells.box[west, 0]:
                west = at
            if cells.box[at, 3] > cells.box[north, 3]:
                north = at
        if not cells.exact[west]:
            _sharpen(cells, part, west, costs)
        elif not cells.exact[north]:
            _sharpen(cells, part, north, costs)
        else:
            return True, cells.box[west, 0], cells.box[north, 3]
    return False, np.inf, -np.inf
