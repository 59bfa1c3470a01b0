"""Algorithms 7 and 11 of the paper, ranges in 1.5 dimensions, with all slips mended but at most one.

A range is [l, r] in x1 and everything up to `top` in x2. The plane of the sweep cuts x2 into slabs [u_z, u_z+1), the
first of which begins at the x2 of the object that changes. In a slab the lists of better objects on either side of
it, nearest first, are those of one dimension. `docs/errata.md` lists the slips; nothing else may use this.
"""

import math
from collections.abc import Iterable, Iterator
from itertools import combinations_with_replacement, pairwise
from typing import Any, Literal, NamedTuple

import numpy as np

from tests.oracles.boxes import LARGEST, Objects, Subscribers

Slip = Literal[
    "no lower bound",
    "never cleared",
    "t stays",
    "new y",
    "beyond equal x2",
    "from u_0",
    "hull of short lists",
    "not clipped",
]
Placed = dict[int, tuple[float, float, float]]
"""Objects by id: x1, x2, y."""
Range15 = tuple[float, float, float]
"""l, r and top."""


class Box(NamedTuple):
    """A message: l in (l_out, l_in], r in [r_in, r_out), top in [low, high) are told of an object."""

    l_in: float
    r_in: float
    l_out: float
    r_out: float
    low: float
    high: float
    object: int
    y: float

    def row(self, objects: Objects) -> dict[str, Any]:
        """It as any message over two attributes, the second of which has an upper bound only."""
        ends = {"l_in": (self.l_in, math.inf), "l_out": (self.l_out, -math.inf)}
        ends |= {"r_in": (self.r_in, self.low), "r_out": (self.r_out, self.high)}
        told = {name: np.array(pair) for name, pair in ends.items()}
        return told | {"object": self.object, "x": objects[self.object][0], "y": self.y}


class Slab(NamedTuple):
    """Between two stops of the plane: x1 of the better objects west and east, nearest first, at most k each."""

    low: float
    west: list[float]
    east: list[float]


def update(objects: Placed, i: int, new: float, k: int, slip: Slip | None = None) -> list[Box]:
    """Messages of one change of y, in the order in which they are sent.

    Raises
    ------
    RecursionError
        The sweep takes an object for the second time: it would not end.
    """
    old = objects[i][2]
    slabs = polygon(objects, i, min(old, new), new, k, slip)
    boxes = [
        Box(*tile, *extent, i, new) for slab, extent in extents(slabs) for tile in tiles(slab, objects[i][0], None, k)
    ]
    return boxes if new < old else boxes + exposed(objects, i, new, k, slabs, slip)


def polygon(objects: Placed, i: int, y: float, new: float, k: int, slip: Slip | None) -> list[Slab]:
    """Algorithm 7: the slabs, each with its lists; line 8 of the slip asks for objects below the new y.

    Objects that share an x2 make slabs of no height, all but the last of them; boxes of these reach nobody.
    """
    x1, x2, _ = objects[i]
    slabs = [Slab(x2, [], [])]
    for h in sorted(objects, key=lambda h: objects[h][1]):
        if slip == "beyond equal x2" and x2 < objects[h][1] == slabs[-1].low:
            continue
        if h == i or objects[h][2] >= (new if slip == "new y" and objects[h][1] > x2 else y):
            continue
        last = slabs[-1]
        if objects[h][1] <= x2:
            slabs = [with_object(last, x2, x1, objects[h][0], k)]
        elif holds(last, objects[h][0], x1, k, slip):
            slabs.append(with_object(last, objects[h][1], x1, objects[h][0], k))
    return slabs


def exposed(objects: Placed, i: int, new: float, k: int, slabs: list[Slab], slip: Slip | None) -> list[Box]:
    """The rest of Algorithm 11: objects that the lowered one passes, each where it enters a list."""
    x1, x2, v = objects[i]
    boxes: list[Box] = []
    seen: set[int] = set()
    intervals = len(slabs)
    while True:
        again = {"no lower bound": set(objects) - {i}, "never cleared": seen}.get(slip or "", set())
        found = [
            (objects[h][2], h)
            for slab, (low, high) in list(extents(slabs))[: intervals if slip == "t stays" else None]
            for h in objects
            if (v < objects[h][2] < new or (h in again and objects[h][2] < new))
            and (low <= objects[h][1] or (low == x2 and slip != "from u_0"))
            and objects[h][1] < high
            and holds(slab, objects[h][0], x1, k, slip)
        ]
        if not found:
            return boxes
        v, h = min(found)
        if h in seen:
            raise RecursionError(f"object {h} is taken again")
        seen.add(h)
        slabs = split(slabs, objects[h][1])
        after: list[Slab] = []
        for slab, extent in extents(slabs):
            if extent[0] < objects[h][1] or not holds(slab, objects[h][0], x1, k, slip):
                after.append(slab)
                continue
            clip = x1 if slip == "not clipped" else objects[h][0]
            boxes += [Box(*tile, *extent, h, v) for tile in tiles(slab, x1, (objects[h][0], clip), k)]
            after.append(with_object(slab, slab.low, x1, objects[h][0], k))
        slabs = after


def extents(slabs: list[Slab]) -> Iterator[tuple[Slab, tuple[float, float]]]:
    """Slabs with their extents in x2."""
    for slab, high in zip(slabs, [*(slab.low for slab in slabs[1:]), math.inf], strict=True):
        yield slab, (slab.low, high)


def split(slabs: list[Slab], at: float) -> list[Slab]:
    """The slabs with a stop of the plane at `at`, unless that lies before the first or is one."""
    lows = [slab.low for slab in slabs]
    if at < lows[0] or at in lows:
        return slabs
    before = [slab for slab in slabs if slab.low < at]
    return [*before, before[-1]._replace(low=at), *slabs[len(before) :]]


def with_object(slab: Slab, low: float, x: float, x_h: float, k: int) -> Slab:
    """Algorithm 6: the lists with one more object."""
    if x_h < x:
        return Slab(low, sorted([*slab.west, x_h], reverse=True)[:k], slab.east)
    return Slab(low, slab.west, sorted([*slab.east, x_h])[:k])


def holds(slab: Slab, x_h: float, x: float, k: int, slip: Slip | None) -> bool:
    """Whether a place lies between the k-th better objects on both sides, where there are as many."""
    if slip == "hull of short lists":
        hull = [*slab.west, *slab.east]
        return bool(hull) and min(hull) < x_h < max(hull)
    west = slab.west[k - 1] if len(slab.west) == k else -math.inf
    east = slab.east[k - 1] if len(slab.east) == k else math.inf
    return west < x_h < east


def tiles(
    slab: Slab, x: float, gained: tuple[float, float] | None, k: int
) -> list[tuple[float, float, float, float]]:
    """Tiles of one dimension by their definition: p better objects to the west and q to the east are in range.

    Without `gained` those of fewer than k, as few tiles as there are values of p; with it those of k - 1 that also
    hold the place x_h of the object gained, where the second value is what the tiles are clipped at.
    """
    if gained is not None and gained[0] < x:
        mirrored = Slab(slab.low, [-one for one in slab.east], [-one for one in slab.west])
        found = tiles(mirrored, -x, (-gained[0], -gained[1]), k)
        return [(-r_in, -l_in, -r_out, -l_out) for l_in, r_in, l_out, r_out in found]
    l, r = [x, *slab.west, -math.inf], [x, *slab.east, math.inf]
    found = []
    for p in range(min(len(slab.west), k - 1) + 1):
        q = k - 1 - p
        if gained is None:
            found.append((l[p], x, l[p + 1], r[min(q, len(slab.east)) + 1]))
        elif q <= len(slab.east):
            found.append((l[p], max(r[q], gained[1]), l[p + 1], r[q + 1]))
    return [tile for tile in found if tile[2] < tile[0] and tile[1] < tile[3]]


def ranges(objects: Placed) -> Iterator[Range15]:
    """A range for every set of objects that one can hold, with ends at and between their values."""
    x1, x2 = (values(objects[h][side] for h in objects) for side in (0, 1))
    for l, r in combinations_with_replacement(x1, 2):
        for top in x2:
            yield l, r, top


def values(given: Iterable[float]) -> list[float]:
    """All ends that differ: every value, one between any two neighbours, and one on either side."""
    there = sorted(set(given))
    return sorted([there[0] - 1, *there, *((a + b) / 2 for a, b in pairwise(there)), there[-1] + 1])


def wrong_lists(objects: Placed, i: int, new: float, k: int, boxes: list[Box]) -> tuple[int, int]:
    """How many ranges end with another list than they should, by acting on what reaches them, and of how many."""
    before: Objects = {h: ((x1, x2), y) for h, (x1, x2, y) in objects.items()}
    ends = np.array([((l, -LARGEST), (r, top)) for l, r, top in ranges(objects)])
    everybody = Subscribers(before, k, (ends[:, 0], ends[:, 1]))
    for box in boxes:
        everybody.deliver(box.row(before), believed=True)
    return len(everybody.wrong(before | {i: (before[i][0], new)})), len(ends)
