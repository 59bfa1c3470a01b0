"""What Paint-Sparse asks while it answers one event, counted at every subscription; shares no code with `paint`."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def region_tiles(x: Floats, y: Floats, k: int, i: int, value: float) -> int:
    """Tiles of the influence region of object i at y = value, if every subscription existed.

    The region is a staircase: to every l belongs the place of the k-th object below from there on, which r must not
    reach. As many tiles as there are different such places east of the object. No object may have another's y.
    """
    below = np.sort(np.delete(x, i)[np.delete(y, i) < value])
    lefts = [-np.inf, x[i], *below[below <= x[i]]]
    ends = [below[below >= left][k - 1 :] for left in lefts]
    return len({float(end[0]) if len(end) else np.inf for end in ends if not len(end) or end[0] > x[i]})


def min_y_calls(x: Floats, y: Floats, ranges: Floats, k: int, i: int, value: float) -> int:
    """Questions for the next exposed object as object i, at (x, y), goes up to `value`.

    There is one as long as a subscription holds object i at the height reached, between the outermost ends of those
    that do; the last may find nobody. No object may have another's y.
    """
    x, y, here, height = np.delete(x, i), np.delete(y, i), x[i], y[i]
    around = ranges[(ranges[:, 0] <= here) & (here <= ranges[:, 1])]
    calls = 0
    while True:
        below = np.sort(x[y <= height])
        inside = np.searchsorted(below, around[:, 1], "right") - np.searchsorted(below, around[:, 0], "left")
        around = around[inside < k]
        if not len(around):
            return calls
        calls += 1
        left, right = around[:, 0].min(), around[:, 1].max()
        exposed = y[(height < y) & (y < value) & (left <= x) & (x <= right)]
        if not len(exposed):
            return calls
        height = exposed.min()
