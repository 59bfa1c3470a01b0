"""The questions of Appendix D by scanning, and how many of them the search by intervals asks, from definitions only.

Objects are (x1, x2, y) by id, all values of each kind distinct. The stops of the plane are the x2 of those better
objects above i in x2 that fewer than k others keep from the plane: objects on the same side of i in x1, nearer to it,
with a smaller x2. Nothing is carried on: stops and candidates are found anew from all objects.
"""

import math
from typing import NamedTuple

Placed = dict[int, tuple[float, float, float]]
Span = tuple[float, float]
"""An interval of x2, from (included) and to (excluded)."""


class Asked(NamedTuple):
    """Calls for the least x2 and for the least y, and the objects exposed."""

    min_x2: int
    min_y: int
    exposed: list[int]


def nearer(objects: Placed, h: int, i: int) -> list[int]:
    """Objects between h and i in x1, whatever their x2."""
    low, high = sorted((objects[h][0], objects[i][0]))
    return [g for g in objects if g not in (h, i) and low < objects[g][0] < high]


def kept(objects: Placed, better: set[int], h: int, i: int, k: int) -> bool:
    """Whether fewer than k better objects are nearer to i and not above h, or i, in x2."""
    top = max(objects[h][1], objects[i][1])
    return sum(g in better and objects[g][1] <= top for g in nearer(objects, h, i)) < k


def spans(objects: Placed, better: set[int], i: int, k: int) -> list[Span]:
    """Intervals between the stops of the plane."""
    stops = sorted(objects[h][1] for h in better if objects[h][1] > objects[i][1] and kept(objects, better, h, i, k))
    return list(zip([-math.inf, *stops], [*stops, math.inf], strict=True))


def inside(objects: Placed, better: set[int], span: Span, h: int, i: int, k: int) -> bool:
    """Whether an object lies in an interval's part of the polygon."""
    top = max(span[0], objects[i][1])
    passed = sum(g in better and objects[g][1] <= top for g in nearer(objects, h, i))
    return span[0] <= objects[h][1] < span[1] and passed < k


def candidate(objects: Placed, better: set[int], span: Span, i: int, new: float, k: int) -> int | None:
    """The best of the objects not passed yet in an interval's part of the polygon."""
    found = [
        (objects[h][2], h)
        for h in objects
        if h != i and h not in better and objects[h][2] < new and inside(objects, better, span, h, i, k)
    ]
    return min(found)[1] if found else None


def asked(objects: Placed, i: int, new: float, k: int, *, nobody: bool = False) -> Asked:
    """Count the calls of one change of y.

    An interval is asked when it is new, by a cut or by joining one that is, and when its candidate is no longer in
    its part of the polygon. Where nobody holds anything, only the first questions find what there is; the best of it
    is looked at, and then the next questions end it.
    """
    old = objects[i][2]
    better = {h for h in objects if objects[h][2] < min(old, new)}
    known: dict[Span, int | None] = dict.fromkeys(spans(objects, better, i, k), -1)
    min_x2, min_y, exposed = len(known), 0, list[int]()
    if new < old:
        return Asked(min_x2, 0, exposed)
    while True:
        for span, held in known.items():
            if held == -1 or (held is not None and not inside(objects, better, span, held, i, k)):
                min_y += 1
                known[span] = None if nobody and exposed else candidate(objects, better, span, i, new, k)
        there = [h for h in known.values() if h is not None]
        if not there or (nobody and exposed):
            return Asked(min_x2, min_y, exposed)
        h = min(there, key=lambda h: objects[h][2])
        exposed.append(h)
        better |= {h}
        before, known = known, {}
        for span in spans(objects, better, i, k):
            over = [one for one in before if one[0] < span[1] and span[0] < one[1]]
            fresh = any(before[one] in (h, -1) for one in over)
            some = [g for one in over if (g := before[one]) is not None]
            known[span] = -1 if fresh else min(some, key=lambda g: objects[g][2], default=None)
