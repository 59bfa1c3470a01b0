"""The kept objects of an event: corners with fewer than k others below, the k-skyband (Section IV-C, Appendix D).

Seen from object i, a better object h is its corner b(h) (`paint.sides`). A corner with k others below it in every
side decides nothing: min(count of corners below u, k) is the same without it. What is left is all that tiles depend
on; in one dimension it is the lists L and R of `paint.sweep`. (Footnote 10 of the paper keeps those with at most k
below: it is fewer than k.) Of equal corners the first to come is below the others.

Corners are kept in order of their last side, so that those below one come before it. The sweep of `paint.slabs` holds
such a band for every number of sides: when it passes a corner in side s, the corner joins the band of the sides
before. Adding never has to mend the counts of those dropped: what lies above a dropped corner is dropped with it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit_inner

__all__ = ["Skyband", "add", "full_below", "make_skyband"]

Floats = NDArray[np.float64]


class Skyband(NamedTuple):
    """Bands of corners over the first 2, 3, ..., D sides; level s - 2 is that over s sides.

    Attributes
    ----------
    corner : float64 array of shape (D - 1, room, D)
        The corners of each level, ascending in its last side.
    below : int64 array of shape (D - 1, room)
        How many others of the level lie below each.
    west : bool array of shape (D - 1, room)
        Whether the object lies west of i in the first attribute.
    size : int64 array of D - 1
        Number of corners of each level.
    """

    corner: Floats
    below: NDArray[np.int64]
    west: NDArray[np.bool_]
    size: NDArray[np.int64]


def make_skyband(sides: int, room: int) -> Skyband:
    """Allocate bands with room for so many corners each; memory that no event touches costs nothing."""
    levels = sides - 1
    return Skyband(
        np.empty((levels, room, sides)),
        np.empty((levels, room), np.int64),
        np.empty((levels, room), np.bool_),
        np.zeros(levels, np.int64),
    )


@njit_inner
def full_below(corner: Floats, level: int, size: int, point: Floats, k: int) -> bool:
    """Whether k of the corners of a level, that of all sides, lie below a point; O(size) at worst."""
    last = len(point) - 1
    count = 0
    for at in range(size):
        if corner[level, at, last] > point[last]:
            return False
        under = True
        for side in range(last):
            if corner[level, at, side] > point[side]:
                under = False
                break
        if under:
            count += 1
            if count == k:
                return True
    return False


@njit_inner
def add(band: Skyband, sides: int, b: Floats, west: bool, k: int) -> bool:
    """Add a corner to the band over the first `sides`, unless k lie below it; drop those that then have k below.

    Whether it was added. O(size).
    """
    level, last = sides - 2, sides - 1
    corner, below, size = band.corner[level], band.below[level], band.size[level]
    count, first, place = 0, 0, 0
    while place < size and corner[place, last] <= b[last]:
        under = True
        for side in range(last):
            if corner[place, side] > b[side]:
                under = False
                break
        if under:
            count += 1
            if count == k:
                return False
        if corner[place, last] < b[last]:
            first = place + 1
        place += 1
    end, dropped = first, 0
    for at in range(first, size):
        over, equal = True, corner[at, last] == b[last]
        for side in range(last):
            if corner[at, side] < b[side]:
                over = False
                break
            equal = equal and corner[at, side] == b[side]
        if over and not equal:
            below[at] += 1
            if below[at] >= k:
                if at < place:
                    dropped += 1
                continue
        if end < at:
            for side in range(sides):
                corner[end, side] = corner[at, side]
            below[end] = below[at]
            band.west[level, end] = band.west[level, at]
        end += 1
    place -= dropped
    for at in range(end, place, -1):
        for side in range(sides):
            corner[at, side] = corner[at - 1, side]
        below[at] = below[at - 1]
        band.west[level, at] = band.west[level, at - 1]
    for side in range(sides):
        corner[place, side] = b[side]
    below[place] = count
    band.west[level, place] = west
    band.size[level] = end + 1
    return True
