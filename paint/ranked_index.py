"""The object index of halfspaces and disks: the objects in rank order.

An event about object i asks for those that rank above a (y, id), in their order (`paint.shape_walk`); what of them a
subscription holds depends on all attributes at once, and the walk over the subscriptions drops them as it goes.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit
from paint.corner_tree import below

__all__ = ["Ranked", "RankedIndex", "position", "update"]

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]


class Ranked(NamedTuple):
    """Objects in rank order, in flat arrays.

    Attributes
    ----------
    x : float64 array of shape (n, d)
        Attributes by object id.
    y : float64 array of n
        +inf for an object that is not live.
    order : int64 array of n
        The live objects, ascending in (y, id).
    live : int64 array of 1
        How many they are.
    """

    x: Floats
    y: Floats
    order: Ids
    live: Ids


@njit
def position(arrays: Ranked, y: float, i: int) -> int:
    """Number of live objects that rank above (y, i); O(log n)."""
    low, high = 0, arrays.live[0]
    while low < high:
        middle = (low + high) >> 1
        h = arrays.order[middle]
        if below(arrays.y[h], h, y, i):
            low = middle + 1
        else:
            high = middle
    return int(low)


@njit
def update(arrays: Ranked, i: int, y: float) -> None:
    """Give an object a new y; +inf takes it out of the index, a finite one puts it in. O(n), by moving ids."""
    order, live = arrays.order, arrays.live[0]
    if arrays.y[i] < np.inf:
        live -= 1
        for at in range(position(arrays, arrays.y[i], i), live):
            order[at] = order[at + 1]
    arrays.live[0] = live
    arrays.y[i] = y
    if y < np.inf:
        to = position(arrays, y, i)
        for at in range(live, to, -1):
            order[at] = order[at - 1]
        order[to] = i
        arrays.live[0] = live + 1


class RankedIndex:
    """Objects over d attributes in rank order; O(nd) space, O(n log n) to build.

    Parameters
    ----------
    x : float64 array of shape (n, d)
        Attributes of the objects 0 to n - 1.
    y : float64 array of n
        What they rank by.

    Attributes
    ----------
    arrays : Ranked
        The arrays, for kernels; an insertion may replace them.
    """

    arrays: Ranked

    def __init__(self, x: Floats, y: Floats) -> None:
        self._load(x, y, max(len(x), 1))

    def _load(self, x: Floats, y: Floats, capacity: int) -> None:
        """Order the live objects, with room for `capacity` ids."""
        xs, ys = np.zeros((capacity, x.shape[1])), np.full(capacity, np.inf)
        xs[: len(x)], ys[: len(y)] = x, y
        order = np.argsort(ys, kind="stable")
        self.arrays = Ranked(xs, ys, order, np.array([np.count_nonzero(ys < np.inf)]))

    def update(self, i: int, y: float) -> None:
        """Give object i a new finite y; O(n)."""
        update(self.arrays, i, y)

    def insert(self, i: int, x: Floats, y: float) -> None:
        """Add an object, new or deleted before; O(n)."""
        arrays = self.arrays
        if i >= len(arrays.y):
            self._load(arrays.x, arrays.y, max(i + 1, 2 * len(arrays.y)))
        self.arrays.x[i] = x
        update(self.arrays, i, y)

    def delete(self, i: int) -> None:
        """Take an object out; O(n)."""
        update(self.arrays, i, np.inf)

    def _check(self) -> None:
        """Raise AssertionError unless every invariant of the arrays holds."""
        arrays, live = self.arrays, int(self.arrays.live[0])
        order = arrays.order[:live].tolist()
        assert order == sorted(np.flatnonzero(arrays.y < np.inf).tolist(), key=lambda h: (arrays.y[h], h))
