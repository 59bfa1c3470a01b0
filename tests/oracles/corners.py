"""Which objects an event keeps and exposes, over several attributes, by comparing each with all others.

What matters of two objects, seen from a third, is whether every box that holds one of them and the third holds the
other too. That is asked of the least box around one and the third: does it hold the other?
"""

import math
from bisect import bisect
from typing import Any

import numpy as np

Placed = dict[int, tuple[tuple[float, ...], float]]
Corner = tuple[float, ...]


def corner(x: tuple[float, ...], h: tuple[float, ...], dimensions: float) -> Corner:
    """Ends of the least box around two places: -l and r in turn, without the l of an attribute that has none."""
    ends = [end for a, b in zip(x, h, strict=True) for end in (-min(a, b), max(a, b))]
    if dimensions != math.ceil(dimensions):
        del ends[-2]
    return tuple(ends)


def _under(corners: Any, one: Any) -> int:
    """How many rows of an array of corners are nowhere beyond one of them."""
    return int(np.count_nonzero((corners <= one).all(axis=1)))


def _others(objects: Placed, i: int, dimensions: float) -> tuple[list[tuple[float, int]], list[Corner]]:
    """(y, id) of all objects but i, in rank order, and the corner of each."""
    keys = sorted((y, h) for h, (_, y) in objects.items() if h != i)
    return keys, [corner(objects[i][0], objects[h][0], dimensions) for _, h in keys]


def kept(objects: Placed, i: int, k: int, dimensions: float) -> list[Corner]:
    """Corners of objects better than i with fewer than k others below, sorted; of equal ones the first is below."""
    keys, corners = _others(objects, i, dimensions)
    better = sorted(one for key, one in zip(keys, corners, strict=True) if key < (objects[i][1], i))
    found, every = [], np.array(better)
    for at, one in enumerate(better):
        equal_after = better.count(one) - 1 - (at - better.index(one))
        if _under(every, one) - 1 - equal_after < k:
            found.append(one)
    return found


def exposed(objects: Placed, i: int, y_end: float, k: int, dimensions: float) -> list[int]:
    """Objects that some box around i gets for it, as i sinks to y_end, in rank order.

    That is so if fewer than k others, i apart, rank above one and lie in the least box around it and i.
    """
    keys, found = _others(objects, i, dimensions)
    corners = np.array(found)
    met = range(bisect(keys, (objects[i][1], i)), bisect(keys, (y_end, i)))
    return [keys[at][1] for at in met if _under(corners[:at], corners[at]) < k]
