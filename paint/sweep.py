"""The state of one sweep: the lists of nearest objects above rank and the position in y (Section III-A).

`Sweep` is scratch memory that a server allocates once. The object index fills it (`paint.index.open_sweep`), the
algorithms read the lists and add each exposed object to them.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit_inner

__all__ = ["EAST", "WEST", "Sweep", "expose", "influence_interval", "make_sweep"]

WEST = 0
EAST = 1


class Sweep(NamedTuple):
    """Lists and position of a sweep of object i from its old y to its new one.

    Attributes
    ----------
    ids, xs : int64 and float64 arrays of shape (2, k)
        Row WEST: the first k objects west of i that rank above it, nearest first, and their x; row EAST likewise.
    counts : int64 array of 5
        Length of the WEST and of the EAST list, the id of the last exposed object (i at first), the id of i, and a
        number the index may use.
    ys : float64 array of 3
        The y of the last exposed object (that of i at first), the y at which the sweep ends, and the x of the last
        exposed object. An index that meets objects in x order knows these without a look at arrays by object id.
    """

    ids: NDArray[np.int64]
    xs: NDArray[np.float64]
    counts: NDArray[np.int64]
    ys: NDArray[np.float64]


def make_sweep(k: int) -> Sweep:
    """Allocate the scratch memory of sweeps for lists of k; O(k) space."""
    return Sweep(np.zeros((2, k), np.int64), np.zeros((2, k)), np.zeros(5, np.int64), np.zeros(3))


@njit_inner
def influence_interval(sweep: Sweep, k: int) -> tuple[float, float]:
    """Ends of the open interval II(i) outside of which no object can be exposed (Section II-C); O(1)."""
    left = sweep.xs[WEST, k - 1]
    right = sweep.xs[EAST, k - 1]
    return left if sweep.counts[WEST] == k else -np.inf, right if sweep.counts[EAST] == k else np.inf


@njit_inner
def expose(sweep: Sweep, h: int, x_h: float, x: float, k: int) -> None:
    """Add the exposed object h to the list of its side of object i, which lies at x; O(k)."""
    side = WEST if x_h < x or (x_h == x and h < sweep.counts[3]) else EAST
    _insert_near(sweep.ids[side], sweep.xs[side], sweep.counts, side, h, x_h, k)


@njit_inner
def _insert_near(
    ids: NDArray[np.int64], xs: NDArray[np.float64], counts: NDArray[np.int64], side: int, h: int, x_h: float, k: int
) -> None:
    count = counts[side]
    at = count
    searching = at > 0
    while searching:
        if _nearer(side, x_h, h, xs[at - 1], ids[at - 1]):
            if at < k:
                ids[at] = ids[at - 1]
                xs[at] = xs[at - 1]
            at -= 1
            searching = at > 0
        else:
            searching = False
    if at < k:
        ids[at] = h
        xs[at] = x_h
        counts[side] = min(count + 1, k)


@njit_inner
def _nearer(side: int, x_1: float, id_1: int, x_2: float, id_2: int) -> bool:
    if side == WEST:
        return x_1 > x_2 or (x_1 == x_2 and id_1 > id_2)
    return x_1 < x_2 or (x_1 == x_2 and id_1 < id_2)
