"""The tile around one subscription, made without the others, is the one that the sweep makes there."""

from itertools import product
from typing import Any

import numpy as np

from paint.algorithm import COUNTERS, Plan
from paint.corner_index import CornerIndex
from paint.corner_sweep import keep, kept_corners, make_corner_sweep, meet, open_sweep
from paint.geometry import EACH
from paint.sides import Floats, sides_of
from paint.slabs import Region, tile_region
from paint.tile_around import in_order, tile_around
from tests.uncompiled import run_uncompiled


def check_region(swept: Any, kept: Floats, floor: Floats, exposed: bool, k: int, points: Floats, apart: bool) -> int:
    """Compare tiles around the points of a region with the swept ones, or, where there are ties, with each other."""
    below = (kept <= points[:, None]).all(axis=2).sum(axis=1)
    inside = points[(floor <= points).all(axis=1) & ((below == k - 1) if exposed else (below < k))]
    ordered, sides = in_order(kept, len(kept)), len(floor)
    tiles = np.zeros((len(inside), 2, sides))
    for tile, u in zip(tiles, inside, strict=True):
        tile_around(ordered, floor, u, exposed, k, tile, np.zeros(sides, np.int64), np.zeros(sides, np.int64))
        assert (tile[0] <= u).all()
        assert (u < tile[1]).all()
        if apart:
            (right,) = swept[:, (swept[0] <= u).all(axis=1) & (u < swept[1]).all(axis=1)].swapaxes(0, 1)
            assert (tile == right).all()
    held = (tiles[:, None, 0] <= inside).all(axis=2) & (inside < tiles[:, None, 1]).all(axis=2)
    for one, other in np.argwhere(held).tolist():
        assert (tiles[one] == tiles[other]).all()
    if apart:
        assert len({tile.tobytes() for tile in tiles}) == swept.shape[1]
    return len(inside)


def compare(seed: int, dimensions: float, k: int, n: int, apart: bool) -> int:
    """Sweep the middle object up among the others, and compare the tiles of every region on the way."""
    rng = np.random.default_rng(seed)
    shape = n, int(np.ceil(dimensions))
    x: Any = np.argsort(rng.random(shape), axis=0) * 1.0 if apart else rng.integers(0, 3, shape) * 1.0
    y: Any = rng.permutation(n) * 1.0
    i = int(np.argmin(np.abs(x - x.mean(axis=0)).max(axis=1)))
    y[i] = n / 2 - 0.5
    sides, plan = sides_of(dimensions), Plan(k, EACH, 1.0, np.zeros(COUNTERS, np.int64))
    arrays = CornerIndex(x, y).arrays
    sweep = make_corner_sweep(sides, k, n)
    axes = [np.unique(sign * x[:, j]) for j, sign in zip(sides.attribute, sides.sign, strict=True)]
    points = np.array(list(product(*axes)))
    open_sweep(arrays, plan, sweep, i, n + 1.0, np.full(shape[1], np.nan), True)
    h, found = i, 0
    while h >= 0:
        kept, size = kept_corners(sweep, k)
        floor = sweep.search.point.copy()
        region = Region(k, EACH, h != i, x[i, 0], x[h, 0], floor, sweep.limit)
        _, rows, end = tile_region(
            sweep.band, None, None, sweep.slabs, sides, sweep.boxes, region, np.zeros((64, 5 * shape[1] + 3)), 0
        )
        swept = np.array([sides.sign * rows[:end][:, column] for column in (sides.low, sides.high)])
        found += check_region(swept, kept[:size].copy(), floor, h != i, k, points, apart)
        sweep.search.point[:] = floor
        if h != i:
            keep(arrays, plan, sweep, i, h)
        h = meet(arrays, plan, sweep)
    return found


def compare_all() -> None:
    for dimensions, n in ((1, 9), (1.5, 9), (2, 6)):
        for apart in (True, False):
            found = [compare(seed, dimensions, k, n, apart) for seed in range(4) for k in (1, 2, 3)]
            assert np.count_nonzero(found) > 8, found


def test_tiles_around_subscriptions_are_those_of_the_sweep() -> None:
    run_uncompiled("from tests.paint.test_tile_around import compare_all; compare_all()")
