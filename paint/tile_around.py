"""The tile around one subscription, without the others (the tiles of `paint.slabs`, with distinct coordinates).

The sweep makes tiles as long as they can be in r1 first, then in l1, then in one further side after the other. So the
tile around u can be read off the kept corners. In r1 it ends at the k-th corner among those below u in all other
sides (what an exposed object gains begins at the one before). In a further side it goes on, downwards and upwards, as
long as no corner comes or goes that the sides before depend on: one that is below u in the sides to come, and before
the tile's end in those done. An influence region that is open in all sides so far does not depend on any corner
below, and goes on until the k-th.

Equal coordinates are told apart by the order of the corners: as if each were moved by a hair, so that the tiles
around all subscriptions are still a partition. O(t D) for t corners.
"""

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit
from paint.sides import Floats

__all__ = ["tile_around"]


@njit
def _turn(place: int) -> int:
    """The side at a place of the order r1, l1, then further sides."""
    return 1 - place if place < 2 else place


@njit
def _kth(kept: Floats, size: int, floor: Floats, u: Floats, place: int, k: int, best: NDArray[np.int64]) -> int:
    """Find the first k of the corners below u in all sides after a place, by the side at it; how many there are."""
    side = _turn(place)
    found = 0
    for at in range(size):
        below = True
        for later in range(place + 1, len(u)):
            t = _turn(later)
            if max(kept[at, t], floor[t]) > u[t]:
                below = False
                break
        if not below:
            continue
        value = max(kept[at, side], floor[side])
        to = found
        while to > 0 and max(kept[best[to - 1], side], floor[side]) > value:
            if to < k:
                best[to] = best[to - 1]
            to -= 1
        if to < k:
            best[to] = at
            found = min(found + 1, k)
    return found


@njit
def _concerned(
    kept: Floats, floor: Floats, u: Floats, place: int, at: int, hi: Floats, end: NDArray[np.int64]
) -> int:
    """Whether the sides before a place depend on a corner: 0 no, 1 only where the tile begins, 2 yes."""
    for later in range(place + 1, len(u)):
        t = _turn(later)
        if max(kept[at, t], floor[t]) > u[t]:
            return 0
    how = 2
    for before in range(place):
        t = _turn(before)
        value = max(kept[at, t], floor[t])
        if value > hi[t] or (value == hi[t] and at > end[t]):
            return 0
        if at == end[t]:
            how = 1
    return how


@njit
def tile_around(
    kept: Floats, size: int, floor: Floats, u: Floats, exposed: bool, k: int, lo: Floats, hi: Floats,
    best: NDArray[np.int64], end: NDArray[np.int64],
) -> None:  # fmt: skip
    """Write the tile lo <= u < hi around u, which must be in the region above `floor`.

    Parameters
    ----------
    kept : float64 array of shape (size or more, D)
        The kept corners; those of an influence region, or before the exposed object is kept.
    best, end : int64 arrays of k and D
        Scratch memory.
    """
    opened = not exposed
    for place in range(len(u)):
        side = _turn(place)
        lo[side], hi[side], end[side] = floor[side], np.inf, size
        if place == 0 or opened:
            found = _kth(kept, size, floor, u, place, k, best)
            if found == k:
                hi[side], end[side] = max(kept[best[k - 1], side], floor[side]), best[k - 1]
                opened = False
            if exposed and k > 1:
                lo[side] = max(kept[best[k - 2], side], floor[side])
            continue
        for at in range(size):
            how = _concerned(kept, floor, u, place, at, hi, end)
            if how == 0:
                continue
            value = max(kept[at, side], floor[side])
            if value <= u[side]:
                lo[side] = max(lo[side], value)
            elif how == 2 and (value < hi[side] or (value == hi[side] and at < end[side])):
                hi[side], end[side] = value, at
