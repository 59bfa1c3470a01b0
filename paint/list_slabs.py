"""Tiles of the first three sides: the sweep over the third, around the tiles of one dimension (see `paint.slabs`).

This is where the time of an event goes, so it is one kernel: corners passed in the third side join the lists of one
dimension, l1 and r1, and the tiles of these are compared with those of the slab before as both are at hand.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit, njit_inner
from paint.geometry import ALL, Cut, exposed_tiles, influence_tiles
from paint.messages import reserve
from paint.sides import Sides
from paint.skyband import Skyband
from paint.staircase import Columns, cut, gain_boxes, gain_tiles, union_tiles
from paint.sweep import EAST, WEST

__all__ = [
    "BEFORE",
    "LIMITED",
    "NOW",
    "TURN",
    "Region",
    "Slabs",
    "fill_lists",
    "larger_boxes",
    "lists_tiles",
    "near",
    "sweep_lists",
]

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

BEFORE, NOW, TURN, LIMITED = range(4)
"""Columns of `Slabs.state`: tiles of the slab before and of this one, where they are, whether the slab is above the
limit."""


class Slabs(NamedTuple):
    """Scratch memory of the sweep; level s - 3 is that of side s.

    Attributes
    ----------
    state : int64 array of shape (levels, 4)
        See the columns BEFORE to LIMITED.
    passed : int64 array of shape (levels, 2, 2)
        For either band, see POSITION and AT_LOW.
    start : float64 array of levels
        Where the current slab begins.
    xs, counts : float64 array of shape (2, 2, k), int64 array of shape (2, 2)
        The lists of one dimension for the corners of either band passed in all further sides.
    clipped : float64 array of D
        A corner, not below `lo`.
    """

    state: Counts
    passed: Counts
    start: Floats
    xs: Floats
    counts: Counts
    clipped: Floats


class Region(NamedTuple):
    """What is to be tiled, seen from object i.

    Attributes
    ----------
    k : int
        Length of the lists.
    cut : Cut
        Which neighbours in the first two sides are one box.
    exposed : bool
        Whether it is what an exposed object gains, or an influence region; of two bands, whether it is what the
        second region has beyond the first, or both together.
    x, x_h : float
        First attribute of object i, and of the exposed object.
    lo : float64 array of D
        The corner that the region lies above: a(i), or b(h).
    limit : float64 array of D
        The corner that it does not reach above; +inf for none.
    """

    k: int
    cut: Cut
    exposed: bool
    x: float
    x_h: float
    lo: Floats
    limit: Floats


@njit_inner
def near(xs: Floats, counts: Counts, west: bool, x: float, k: int) -> bool:
    """Add an x to its list of the nearest k; whether it is one of them."""
    side = WEST if west else EAST
    row = xs[side]
    count = counts[side]
    at = count
    while at > 0 and (row[at - 1] < x if west else row[at - 1] > x):
        at -= 1
    if at == k:
        return False
    count = min(count, k - 1)
    for to in range(count, at, -1):
        row[to] = row[to - 1]
    row[at] = x
    counts[side] = count + 1
    return True


@njit_inner
def lists_tiles(slabs: Slabs, region: Region, columns: Columns | None, limited: bool, out: Floats, row: int) -> int:
    """Tile the first two sides by the lists; the row after."""
    k = region.k
    if columns is not None:
        count = cut(region.x, slabs.xs[0], slabs.counts[0], slabs.xs[1], slabs.counts[1], k, columns)
        if not region.exposed:
            return union_tiles(region.x, count, columns, region.cut, k, out, row)
        end = gain_tiles(count, columns, out, row)
        if region.cut.groups > 0:
            boxes = gain_boxes(count, columns, region.cut, k, out, end)
            if boxes - end < end - row:
                for at in range(boxes - end):
                    for column in range(4):
                        out[row + at, column] = out[end + at, column]
                return row + boxes - end
        return end
    xs, counts = slabs.xs[0], slabs.counts[0]
    limits = ALL
    if limited:
        # Those that hold the new place are left out: all of them, if it has the same x.
        east = region.limit[1] > region.x
        limits = (-np.inf, region.limit[1]) if east else (-region.limit[0], np.inf)
    if region.exposed:
        return exposed_tiles(region.x_h, region.x, xs, counts, k, region.cut, limits, out, row)
    return influence_tiles(region.x, xs, counts, k, region.cut, limits, out, row)


@njit_inner
def fill_lists(band: Skyband, slabs: Slabs, which: int, k: int) -> None:
    """Make the lists of one dimension from a band of two sides."""
    slabs.counts[which, WEST] = slabs.counts[which, EAST] = 0
    for at in range(band.size[0]):
        west = band.west[0, at]
        x = -band.corner[0, at, 0] if west else band.corner[0, at, 1]
        near(slabs.xs[which], slabs.counts[which], west, x, k)


@njit
def larger_boxes(boxes: Floats, rows: int) -> Floats:
    """Copy the tiles of all levels to where there is room for more."""
    larger = np.empty((boxes.shape[0], 2, 2 * rows, boxes.shape[3]))
    for one in range(boxes.shape[0]):
        for turned in range(2):
            for at in range(boxes.shape[2]):
                for column in range(boxes.shape[3]):
                    larger[one, turned, at, column] = boxes[one, turned, at, column]
    return larger


@njit_inner
def _pass(
    band: Skyband, at: int, low: int, start: float, lo: Floats, xs: Floats, counts: Counts, k: int
) -> tuple[int, int, bool]:
    """Let the corners that a slab begins at join the lists: corners passed, those at `lo`, and whether any joined."""
    corner, size, lo_l, lo_r = band.corner[1], band.size[1], lo[0], lo[1]
    changed = False
    while at < size and corner[at, 2] <= start:
        l, r = corner[at, 0], corner[at, 1]
        if l <= lo_l and r <= lo_r:
            low += 1
        west = band.west[1, at]
        x = -max(l, lo_l) if west else max(r, lo_r)
        changed |= near(xs, counts, west, x, k)
        at += 1
    return at, low, changed


@njit_inner
def _sweep(
    band: Skyband, other: Skyband | None, columns: Columns | None, slabs: Slabs, sides: Sides, boxes: Floats,
    region: Region, within: bool, out: Floats, row: int,
) -> tuple[int, bool]:  # fmt: skip
    """Do what `sweep_lists` does; the row after, or the rows that there must be, and whether there was room."""
    k, lo, limit = region.k, region.lo, region.limit[2]
    top = len(sides.sign) == 3
    d, sign, low_column, high_column = sides.attribute[2] + 1, sides.sign[2], sides.low[2], sides.high[2]
    owner = boxes.shape[3] - 1
    old, new = boxes[0, 0], boxes[0, 1]
    level = 0 if top else 1
    above = boxes[level, 1 - slabs.state[level, TURN]]
    if not top:
        row = slabs.state[1, NOW]
    for which in range(2):
        slabs.counts[which, WEST] = slabs.counts[which, EAST] = 0
    start = lo[2]
    at, low, at_2, low_2 = 0, 0, 0, 0
    before = 0
    changed, limited = True, False
    while True:
        at, low, joined = _pass(band, at, low, start, lo, slabs.xs[0], slabs.counts[0], k)
        changed |= joined
        empty = low >= k
        if other is not None:
            at_2, low_2, joined = _pass(other, at_2, low_2, start, lo, slabs.xs[1], slabs.counts[1], k)
            changed |= joined
            empty = low_2 >= k and (region.exposed or low >= k)
        if within and not limited and limit <= start:
            limited = changed = True
        if changed or empty:
            now = 0
            if not empty:
                now = lists_tiles(slabs, region, columns, limited, new, before * 0)
            if row + now > (len(out) if top else boxes.shape[2]):
                return row + now, False
            place = 0
            for j in range(now):
                l_in, r_in, l_out, r_out = new[j, 0], new[j, 1], new[j, 2], new[j, 3]
                same = False
                while place < before:
                    if l_in < old[place, 0] or (l_in == old[place, 0] and r_in < old[place, 1]):
                        break
                    same = (
                        old[place, 0] == l_in and old[place, 1] == r_in
                        and old[place, 2] == l_out and old[place, 3] == r_out
                    )  # fmt: skip
                    if same:
                        break
                    to = int(old[place, owner])
                    if top:
                        out[to, high_column] = sign * start
                    else:
                        above[to, 5] = start
                    place += 1
                if same:
                    new[j, owner] = old[place, owner]
                    place += 1
                    continue
                new[j, owner] = row
                if top:
                    out[row, 0], out[row, d], out[row, 2 * d], out[row, 3 * d] = l_in, r_in, l_out, r_out
                    out[row, d - 1], out[row, 3 * d - 1] = np.inf, -np.inf
                    out[row, low_column], out[row, high_column] = sign * start, sign * np.inf
                else:
                    above[row, 0], above[row, 1], above[row, 2], above[row, 3] = l_in, r_in, l_out, r_out
                    above[row, 4], above[row, 5] = start, np.inf
                row += 1
            for ended in range(place, before):
                to = int(old[ended, owner])
                if top:
                    out[to, high_column] = sign * start
                else:
                    above[to, 5] = start
            before = now
            old, new = new, old
        following = np.inf
        if not empty:
            if at < band.size[1]:
                following = band.corner[1, at, 2]
            if other is not None and at_2 < other.size[1]:
                following = min(following, other.corner[1, at_2, 2])
            if within and not limited:
                following = min(following, limit)
        if following == np.inf:
            break
        start = following
        changed = False
    if not top:
        slabs.state[1, NOW] = row
    return row, True


@njit
def sweep_lists(
    band: Skyband, other: Skyband | None, columns: Columns | None, slabs: Slabs, sides: Sides, boxes: Floats,
    region: Region, within: bool, out: Floats, row: int,
) -> tuple[Floats, Floats, int]:  # fmt: skip
    """Tile the first three sides for the corners that the band over them holds; the tiles, the table, the row after.

    If there are no more sides, tiles are written as boxes of messages from `row` of `out` on, else as those of the
    current slab of the fourth. `within` tells whether that slab is above the limit. Where there is no room it begins
    again with more: tables double, so that this is rare, and the sweep itself makes no arrays.
    """
    while True:
        end, done = _sweep(band, other, columns, slabs, sides, boxes, region, within, out, row)
        if done:
            return boxes, out, end
        if len(sides.sign) == 3:
            out = reserve(out, row, end - row)
        else:
            boxes = larger_boxes(boxes, end)
