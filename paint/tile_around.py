"""The tile around one subscription, without the others (the tiles of `paint.slabs`, with distinct coordinates).

The sweep makes tiles as long as they can be in r1 first, then in l1, then in one further side after the other. So the
tile around u can be read off the kept corners. In r1 it ends at the k-th corner among those below u in all other
sides (what an exposed object gains begins at the one before). In a further side it goes on, downwards and upwards, as
long as no corner comes or goes that the sides before depend on: one that is below u in the sides to come, and before
the tile's end in those done. An influence region that is open in all sides so far does not depend on any corner
below, and goes on until the k-th.

Corners are put in order once for all tiles of an object, in every side, and then compared by their ranks. Equal
coordinates are told apart by the order of the corners: as if each were moved by a hair, so that the tiles around all
subscriptions are still a partition. Corners that are not above the tile's floor need no order among each other: all
are below u. O(t D) for t corners at worst; a search ends at the first corner that counts.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit, njit_inner
from paint.sides import Floats

__all__ = ["Ordered", "in_order", "tile_around"]


class Ordered(NamedTuple):
    """Kept corners in the order of every side; sides go by their place in the order r1, l1, then further ones.

    Attributes
    ----------
    value : float64 array of shape (D, corners)
        Coordinates, ascending.
    corner : int64 array of shape (D, corners)
        Whose they are.
    rank : int64 array of shape (corners, D)
        Where a corner is in each order.
    """

    value: Floats
    corner: NDArray[np.int64]
    rank: NDArray[np.int64]


@njit_inner
def _turn(place: int) -> int:
    """The side at a place of the order r1, l1, then further sides."""
    return 1 - place if place < 2 else place


@njit
def in_order(kept: Floats, size: int) -> Ordered:
    """Order the first `size` corners in every side, by (coordinate, position)."""
    sides = kept.shape[1]
    value, corner = np.empty((sides, size)), np.empty((sides, size), np.int64)
    rank = np.empty((size, sides), np.int64)
    _order(kept, size, value, corner, rank)
    return Ordered(value, corner, rank)


@njit_inner
def _order(kept: Floats, size: int, value: Floats, corner: NDArray[np.int64], rank: NDArray[np.int64]) -> None:
    for place in range(kept.shape[1]):
        side = _turn(place)
        for at in range(size):
            first = _passed(value, place, at, kept[at, side])
            for to in range(at, first, -1):
                value[place, to], corner[place, to] = value[place, to - 1], corner[place, to - 1]
            value[place, first], corner[place, first] = kept[at, side], at
        for at in range(size):
            rank[corner[place, at], place] = at


@njit_inner
def _passed(value: Floats, place: int, end: int, u: float) -> int:
    """Number of corners at or below a coordinate, of the first `end`."""
    first = 0
    while first < end:
        middle = (first + end) >> 1
        if value[place, middle] <= u:
            first = middle + 1
        else:
            end = middle
    return first


@njit_inner
def _concerned(
    rank: NDArray[np.int64], at: int, place: int, passed: NDArray[np.int64], end: NDArray[np.int64]
) -> int:
    """Whether the sides before a place depend on a corner: 0 no, 1 only where the tile begins, 2 yes."""
    for later in range(place + 1, len(passed)):
        if rank[at, later] >= passed[later]:
            return 0
    how = 2
    for before in range(place):
        if rank[at, before] > end[before]:
            return 0
        if rank[at, before] == end[before]:
            how = 1
    return how


@njit_inner
def tile_around(
    corners: Ordered, floor: Floats, u: Floats, exposed: bool, k: int, tile: Floats, passed: NDArray[np.int64],
    end: NDArray[np.int64],
) -> None:  # fmt: skip
    """Write the tile around u, which must be in the region above `floor`, as tile[0] <= u < tile[1].

    Parameters
    ----------
    corners : Ordered
        The kept corners; those of an influence region, or before the exposed object is kept.
    passed, end : int64 arrays of D
        Scratch memory: by place, the number of corners below u, and the rank of the one at which the tile ends.
    """
    value, corner, rank = corners
    size = value.shape[1]
    for place in range(len(u)):
        passed[place] = _passed(value, place, value.shape[1], u[_turn(place)])
    opened = not exposed
    for place in range(len(u)):
        side = _turn(place)
        lo, hi = floor[side], np.inf
        end[place] = size
        if place == 0 or opened:
            found = 0
            for at in range(size):
                if _concerned(rank, corner[place, at], place, passed, end) == 0:
                    continue
                found += 1
                if exposed and found == k - 1:
                    lo = max(lo, value[place, at])
                if found == k:
                    hi, end[place] = value[place, at], at
                    opened = False
                    break
        else:
            for at in range(passed[place] - 1, -1, -1):
                if value[place, at] <= lo:
                    break
                if _concerned(rank, corner[place, at], place, passed, end) > 0:
                    lo = value[place, at]
                    break
            for at in range(passed[place], size):
                if _concerned(rank, corner[place, at], place, passed, end) == 2:
                    hi, end[place] = value[place, at], at
                    break
        tile[0, side], tile[1, side] = lo, hi
