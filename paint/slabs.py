"""Tiles over any number of sides: a sweep for every side beyond two, around the tiles of one dimension.

A region is what lies above a corner `lo` and has fewer than k (an influence region) or exactly k - 1 (what an exposed
object gains) of the kept corners below (`paint.skyband`). Between two neighbouring coordinates of its corners in the
last side, a *slab*, a region is the same all along: the region of one side less for the corners passed so far. So the
tiles of a slab are those of the other sides, down to the first two, l1 and r1, which are `paint.geometry`'s; a tile
equal to one of the slab before goes on, others end. With distinct coordinates these are the fewest boxes possible:
every one is as large as its corner allows, and no box holds two of those corners. On two sides there is no sweep and
the tiles are those of one dimension, row for row.

Every level of the sweep has the tiles of its current slab and of the one before, both in order of where they begin:
by their last side first, by l from west to east in the end (and by r, where tiles of a difference lie over each
other). A tile is given its row in the level above when it begins, so that this order holds there too, and two sorted
lists are all that is ever compared.

Paint-Batch looks at a region before and after a batch (`paint.corner_batch`): then two bands of corners are swept at
once, and within a slab the union or the difference of two staircases is tiled (`paint.staircase`).

An object that moves from one place to another leaves those lists only whose range does not hold the new place.
`limit` is the corner of those that hold both; in slabs above it, the first two sides have the `limits` of
`paint.geometry`.
"""

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit, njit_inner
from paint.list_slabs import (
    BEFORE,
    LIMITED,
    NOW,
    TURN,
    Region,
    Slabs,
    fill_lists,
    larger_boxes,
    lists_tiles,
    sweep_lists,
)
from paint.messages import reserve
from paint.sides import Sides
from paint.skyband import Skyband, add
from paint.staircase import Columns

__all__ = ["Region", "Slabs", "make_slabs", "tile_region"]

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

POSITION, AT_LOW = range(2)
"""Last index of `Slabs.passed`: corners passed, and those of them that lie at `lo` in the other sides."""


def make_slabs(sides: int, k: int) -> tuple[Slabs, Floats]:
    """Allocate scratch memory, and tiles of every level: two slabs of rows (l_in, r_in, l_out, r_out, then lo and hi
    of further sides, and last the row that the tile has in the level above).
    """
    levels = max(sides - 2, 0)
    slabs = Slabs(
        np.zeros((levels, 4), np.int64), np.zeros((levels, 2, 2), np.int64), np.zeros(levels), np.zeros((2, 2, k)),
        np.zeros((2, 2), np.int64), np.zeros(sides),
    )  # fmt: skip
    return slabs, np.empty((max(levels, 1), 2, max(6 * k + 3, 512), 2 * sides + 1))


@njit_inner
def _take(band: Skyband, slabs: Slabs, region: Region, sides: int, which: int) -> bool:
    """Let the corners that the slab of a side begins at join the band of the sides before; whether any did."""
    level = sides - 3
    passed, start = slabs.passed[level, which], slabs.start[level]
    lo, clipped = region.lo, slabs.clipped
    corner = band.corner[level + 1]
    size = band.size[level + 1]
    at = passed[POSITION]
    changed = False
    while at < size and corner[at, sides - 1] <= start:
        low = True
        for side in range(sides - 1):
            clipped[side] = max(corner[at, side], lo[side])
            low = low and corner[at, side] <= lo[side]
        if low:
            passed[AT_LOW] += 1
        changed |= add(band, sides - 1, clipped, band.west[level + 1, at], region.k)
        at += 1
    passed[POSITION] = at
    return changed


@njit_inner
def _begins_before(one: Floats, j: int, other: Floats, at: int, sides: int) -> bool:
    """Whether a tile over so many sides comes before another in the order of a slab."""
    for side in range(sides - 1, 1, -1):
        if one[j, 2 * side] != other[at, 2 * side]:
            return bool(one[j, 2 * side] < other[at, 2 * side])
    return bool(one[j, 0] < other[at, 0] or (one[j, 0] == other[at, 0] and one[j, 1] < other[at, 1]))


@njit_inner
def _same(one: Floats, j: int, other: Floats, at: int, columns: int) -> bool:
    for column in range(columns):  # noqa: SIM110
        if one[j, column] != other[at, column]:
            return False
    return True


@njit_inner
def _put(out: Floats, row: int, sides: Sides, tiles: Floats, j: int, start: float) -> None:
    """Write a tile that begins in the last side as a message's box, open there."""
    count = len(sides.sign)
    d = sides.attribute[count - 1] + 1
    for column in range(4):
        out[row, column * d] = tiles[j, column]
    if count & 1:
        out[row, d - 1], out[row, 3 * d - 1] = np.inf, -np.inf
    for side in range(2, count):
        lo, hi = tiles[j, 2 * side], tiles[j, 2 * side + 1]
        if side == count - 1:
            lo, hi = start, np.inf
        out[row, sides.low[side]] = sides.sign[side] * lo
        out[row, sides.high[side]] = sides.sign[side] * hi


@njit_inner
def _go_on(slabs: Slabs, sides: Sides, boxes: Floats, level: int, out: Floats, row: int) -> int:
    """Do what `_match` does where there is room; the row after."""
    state, start = slabs.state[level], slabs.start[level]
    width = level + 2
    top = level == len(slabs.start) - 1
    side = len(sides.sign) - 1
    turn, before, now = state[TURN], state[BEFORE], state[NOW]
    above = boxes[level if top else level + 1, 1 - slabs.state[level if top else level + 1, TURN]]
    old, new = boxes[level, turn], boxes[level, 1 - turn]
    owner = boxes.shape[3] - 1
    at = 0
    for j in range(now + 1):
        same = False
        while at < before and (j == now or not _begins_before(new, j, old, at, width)):
            same = j < now and _same(new, j, old, at, 2 * width)
            if same:
                break
            to = int(old[at, owner])
            if top:
                out[to, sides.high[side]] = sides.sign[side] * start
            else:
                above[to, 2 * width + 1] = start
            at += 1
        if j == now:
            break
        if same:
            new[j, owner] = old[at, owner]
            at += 1
            continue
        new[j, owner] = row
        if top:
            _put(out, row, sides, new, j, start)
        else:
            for column in range(2 * width):
                above[row, column] = new[j, column]
            above[row, 2 * width] = start
            above[row, 2 * width + 1] = np.inf
        row += 1
    state[TURN] = 1 - turn
    state[BEFORE] = now
    if not top:
        slabs.state[level + 1, NOW] = row
    return row


@njit
def _match(
    slabs: Slabs, sides: Sides, boxes: Floats, level: int, out: Floats, row: int
) -> tuple[Floats, Floats, int]:
    """Go on with the tiles of the slab before that are also in this one, end the others, begin the new ones."""
    now = slabs.state[level, NOW]
    if level == len(slabs.start) - 1:
        out = reserve(out, row, now)
    else:
        row = slabs.state[level + 1, NOW]
        if row + now > boxes.shape[2]:
            boxes = larger_boxes(boxes, row + now)
    return boxes, out, _go_on(slabs, sides, boxes, level, out, row)


@njit_inner
def _open(band: Skyband, other: Skyband | None, slabs: Slabs, region: Region, level: int) -> None:
    """Start the sweep of a side: at `lo`, nothing passed."""
    for column in (BEFORE, NOW, LIMITED):
        slabs.state[level, column] = 0
    for which in range(2):
        for column in range(2):
            slabs.passed[level, which, column] = 0
    slabs.start[level] = region.lo[level + 2]
    band.size[level] = 0
    if other is not None:
        other.size[level] = 0


@njit_inner
def _following(band: Skyband, slabs: Slabs, level: int, which: int) -> float:
    """Where the next corner of a band is in the side of a level."""
    at = slabs.passed[level, which, POSITION]
    return float(band.corner[level + 1, at, level + 2]) if at < band.size[level + 1] else np.inf


@njit
def tile_region(
    band: Skyband, other: Skyband | None, columns: Columns | None, slabs: Slabs, sides: Sides, boxes: Floats,
    region: Region, out: Floats, row: int,
) -> tuple[Floats, Floats, int]:  # fmt: skip
    """Tile a region from `row` of `out` on, as boxes of messages; the scratch tiles, the table, and the row after.

    With another band, and scratch memory for two staircases, it is two regions: see `Region.exposed`. O(t k) on three
    sides for t corners in the bands, and a factor of at most t more for every further side.
    """
    count = len(sides.sign)
    k, limit = region.k, region.limit
    if count == 2:
        fill_lists(band, slabs, 0, k)
        if other is not None:
            fill_lists(other, slabs, 1, k)
        out = reserve(out, row, 6 * k + 3)
        return boxes, out, lists_tiles(slabs, region, columns, limit[0] < np.inf, out, row)
    if count == 3:
        return sweep_lists(band, other, columns, slabs, sides, boxes, region, True, out, row)
    top = count - 3
    level = top
    _open(band, other, slabs, region, level)
    changed, returned = True, False
    while level <= top:
        state, passed = slabs.state[level], slabs.passed[level]
        within = level == top or slabs.state[level + 1, LIMITED] == 1
        empty = False
        if not returned:
            changed |= _take(band, slabs, region, level + 3, 0)
            if other is not None:
                changed |= _take(other, slabs, region, level + 3, 1)
            if within and state[LIMITED] == 0 and limit[level + 2] <= slabs.start[level]:
                state[LIMITED] = 1
                changed = True
        if other is None:
            empty = passed[0, AT_LOW] >= k
        else:
            empty = passed[1, AT_LOW] >= k and (region.exposed or passed[0, AT_LOW] >= k)
        if not returned and (empty or changed):
            state[NOW] = 0
            if not empty and level > 1:
                level -= 1
                _open(band, other, slabs, region, level)
                continue
            if not empty:
                boxes, out, _ = sweep_lists(
                    band, other, columns, slabs, sides, boxes, region, state[LIMITED] == 1, out, row
                )
        if changed or returned or empty:
            if level == top:
                boxes, out, row = _match(slabs, sides, boxes, level, out, row)
            else:
                boxes, out, _ = _match(slabs, sides, boxes, level, out, row)
        changed, returned = False, False
        following = np.inf
        if not empty:
            following = _following(band, slabs, level, 0)
            if other is not None:
                following = min(following, _following(other, slabs, level, 1))
            if state[LIMITED] == 0 and within:
                following = min(following, limit[level + 2])
        if following < np.inf:
            slabs.start[level] = following
        else:
            level += 1
            returned = True
    return boxes, out, row
