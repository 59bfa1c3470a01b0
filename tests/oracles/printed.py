"""The paper's pseudo-code to the letter, where it is wrong: `docs/errata.md` says how; nothing else may use it."""

import math
from collections.abc import Sequence

from tests.oracles.printed_15d import Placed, Slab, tiles
from tests.oracles.topk import Objects, Subscription

Tile = tuple[float, float, float, float]
"""l_in, r_in, l_out, r_out of a message."""


def nearest(objects: Objects, i: int, k: int) -> tuple[list[float], list[float]]:
    """Places of the k nearest better objects west and east of i, as first_k gives them: nearest first, or fewer."""
    x = objects[i][0]
    better = [place for h, (place, y) in objects.items() if (y, h) < (objects[i][1], i)]
    return sorted((one for one in better if one < x), reverse=True)[:k], sorted(one for one in better if one > x)[:k]


def algorithm_3(objects: Objects, i: int, new: float, k: int, *, padded: bool) -> list[int]:
    """Objects that are told of as exposed while i falls to `new`, in order.

    The pseudo-code searches between the outermost of both lists; the text pads these with infinities to k places.
    """
    west, east = nearest(objects, i, k)
    v, told = objects[i][1], list[int]()
    while v < new:
        ends = [*west, *east]
        if padded:
            ends += [-math.inf] * (len(west) < k) + [math.inf] * (len(east) < k)
        found = [(y, h) for h, (x, y) in objects.items() if y > v and ends and min(ends) < x < max(ends)]
        if not found:
            break
        v, h = min(found)
        told.append(h)
        x = objects[h][0]
        if x < objects[i][0]:
            west = sorted([*west, x], reverse=True)[:k]
        else:
            east = sorted([*east, x])[:k]
    return told


def algorithm_4(x: float, west: list[float], east: list[float], k: int) -> list[Tile]:
    """Tiles of the region of the object at x, whose lists are given nearest first; this one is right."""
    l, r, a, b = [x, *west], [x, *east], len(west), len(east)
    if a + b < k:
        return [(x, x, -math.inf, math.inf)]
    tiles = [(x, x, l[k - b], math.inf)] if b < k else []
    tiles += [(l[a], x, -math.inf, r[k - a])] if a < k else []
    return tiles + [(l[z - 1], x, l[z], r[k + 1 - z]) for z in range(k + 1 - b, a + 1)]


def algorithm_5(x_h: float, x: float, west: list[float], east: list[float], k: int) -> list[Tile]:
    """Tiles that the object at x_h > x gains from the one at x, whose lists are given nearest first."""
    l, r, a, b = [x, *west], [x, *east], len(west), len(east)
    if a + b < k:
        return [(x, x_h, -math.inf, math.inf)]
    if a == 0:
        return [(x, x_h, -math.inf, r[k])]
    tiles = []
    if b < k:
        tiles.append((x, x_h, l[k - b], math.inf))
    if a < k:
        tiles.append((l[a], x_h, -math.inf, r[k - a]))
    return tiles + [(l[z - 1], r[k - z], l[z], r[k + 1 - z]) for z in range(k + 1 - b, a + 1)]


def unicast_replacement(objects: Objects, s: Subscription, i: int) -> int | None:
    """Section V: the lowest object of the range above the old y of object i, which is about to fall."""
    left, right = s
    above = [(y, j) for j, (x, y) in objects.items() if left <= x <= right and (y, j) > (objects[i][1], i)]
    return min(above)[1] if above else None


def unicast_candidates(objects: Objects, i: int, new: float, k: int, ranges: Sequence[Subscription]) -> list[int]:
    """Section V: ranges that hold object i and end inside its influence interval before or after, padded."""
    x, sides = objects[i][0], []
    for y in (objects[i][1], new):
        west, east = nearest(objects | {i: (x, y)}, i, k)
        sides.append((west[k - 1] if len(west) == k else -math.inf, east[k - 1] if len(east) == k else math.inf))
    left, right = min(side[0] for side in sides), max(side[1] for side in sides)
    return [s for s, (l, r) in enumerate(ranges) if left < l <= x <= r < right]


class Snaps:
    """Calls of snap for one event of Paint-Sparse, as the text of Section III-B asks for them.

    One for each tile of an object; up to three, here three, for each test whether a tile can be merged with the
    rectangle before it; and one for each strip of the region whenever l* and r* are looked for.
    """

    def __init__(self, ranges: Sequence[Subscription]) -> None:
        self.ranges = ranges
        self.tiles = self.merges = self.strips = 0

    def __call__(self, objects: Objects, i: int, new: float, k: int) -> None:
        """Count the calls of an event in y."""
        x, old = objects[i]
        west, east = nearest(objects | {i: (x, min(old, new))}, i, k)
        self._object(algorithm_4(x, west, east, k))
        v = old
        while v < new:
            strips = algorithm_4(x, west, east, k)
            self.strips += len(strips)
            there = [s for tile in strips for s in self._inside(tile)]
            found = [
                (y, h)
                for h, (place, y) in objects.items()
                if v < y < new and there and min(l for l, _ in there) <= place <= max(r for _, r in there)
            ]
            if not found:
                return
            v, h = min(found)
            place = objects[h][0]
            self._object(tiles(Slab(0.0, west, east), x, (place, place), k))
            if place < x:
                west = sorted([*west, place], reverse=True)[:k]
            else:
                east = sorted([*east, place])[:k]

    def _inside(self, tile: Tile) -> list[Subscription]:
        l_in, r_in, l_out, r_out = tile
        return [(l, r) for l, r in self.ranges if l_out < l <= l_in and r_in <= r < r_out]

    def _object(self, found: list[Tile]) -> None:
        self.tiles += len(found)
        self.merges += 3 * max(0, sum(bool(self._inside(tile)) for tile in found) - 1)


def message_of_box(l_lo: float, l_hi: float, r_lo: float, r_hi: float) -> dict[str, float]:
    """Section III-B: the box that snap returns, which holds its border, as the inner and outer range of a message."""
    return {"l_in": l_hi, "r_in": r_lo, "l_out": l_lo, "r_out": r_hi}


def servers_of_appendix_c(k: int, objects: int, servers: int) -> tuple[float, float]:
    """Neighbours visited by one first_k: as "shown empirically", and where every object is better with chance 1/2."""
    return math.log(k) * servers / objects, 2 * k * servers / objects


def skyband(objects: Placed, i: int, most: int) -> set[int]:
    """Appendix D: objects above i in rank that at most so many others dominate with respect to it."""
    x1, x2, y = objects[i]

    def dominates(g: int, h: int) -> bool:
        low, high = sorted((objects[h][0], x1))
        between = low <= objects[g][0] <= high and objects[g][1] <= max(objects[h][1], x2)
        return between and objects[g][2] < objects[h][2]

    better = {h for h in objects if objects[h][2] < y}
    return {h for h in better if sum(dominates(g, h) for g in better) <= most}


def density(distance: float, deviation: float) -> float:
    """Section V: how much a cluster adds to the weight of a point so far from its centre."""
    return math.exp(-0.5 * distance / deviation**2)
