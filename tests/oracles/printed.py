"""The paper's pseudo-code to the letter, where it is wrong: `docs/errata.md` says how; nothing else may use it."""

import math

from tests.oracles.topk import Objects, Subscription

Tile = tuple[float, float, float, float]
"""l_in, r_in, l_out, r_out of a message."""


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
