"""Paint-Batch for halfspaces and disks: one round of messages for a window of events, of which the outcome matters.

A subscription's lists before and after the window are the first k of those it holds, in the rank order of before and
of after. The walk of `paint.shape_walk` goes down with both orders at once, each thinned by itself. Where neither has
an object left that the window changes, the two lists are the same and nobody is told. Where all that is left is sure,
all in the node have the same two lists, and from these follows who is told of what, in the order of `paint.batch`,
where the proof stands that lists end right:

1. of an object that was in the list and is gone, or at a place outside of the range: that it is;
2. of one whose y grows, if it was in the list or is: in descending order of the new (y, id);
3. of one that the window does not touch, if it is in the list and was not;
4. of one that moves or whose y falls, and that is in the list.

An object that moves and whose y grows may enter a list in step 2: its turn comes when those yet to be told are shown
too low, but rank above it at the end as well, which is all that the proof asks.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit
from matching.flat_arrays import room_for
from matching.side_tree import SideTree
from paint.algorithm import FIRST_K, Change, Plan, Rows
from paint.holders import corner_of, parts_of, size_of
from paint.messages import EXPOSED, UPDATE
from paint.outcome import put
from paint.ranked_index import RankedIndex
from paint.shape_boxes import paint_apart
from paint.shape_walk import Pairs, are_disks, push_pair, thin
from paint.shapes import CROSSED, DISKS, HALFSPACES, INSIDE, planes_of, relation
from paint.sides import Floats, Sides
from paint.snapped import Boxes

__all__ = ["paint_shape_window"]

Ids = NDArray[np.int64]
UNTOUCHED = -1


class Times(NamedTuple):
    """The objects before and after a window, in rank order.

    Attributes
    ----------
    id_0, id_1 : int64 arrays
        Their ids.
    plane_0, plane_1 : float64 arrays of shape (objects, D)
        Their planes.
    change : int64 array by object id
        Which change an object has, UNTOUCHED for none.
    """

    id_0: Ids
    id_1: Ids
    plane_0: Floats
    plane_1: Floats
    change: Ids


class Turns(NamedTuple):
    """What is told of the objects that a window changes, and when; one entry for each change.

    Attributes
    ----------
    plane : float64 array of shape (changes, D)
        Planes of their places after the window.
    there : bool array
        Whether they are there after it.
    grows : bool array
        Whether their y grows.
    gone, told : int64 arrays
        When those are told that lose it from their range, and when all others.
    others : int
        The turn of object 0 if the window does not touch it, and so on by id.
    """

    plane: Floats
    there: NDArray[np.bool_]
    grows: NDArray[np.bool_]
    gone: Ids
    told: Ids
    others: int


@njit
def _touched(ids: Ids, change: Ids, entries: Ids, start: int, end: int) -> bool:
    """Whether the window changes an object among entries."""
    touched = False
    for at in range(start, end):
        touched = touched or change[ids[entries[at] >> 1]] != UNTOUCHED
    return touched


@njit
def _has(ids: Ids, entries: Ids, start: int, end: int, i: int) -> bool:
    """Whether an object is among entries."""
    found = False
    for at in range(start, end):
        found = found or ids[entries[at] >> 1] == i
    return found


@njit
def _settle(
    times: Times, turns: Turns, entries: Ids, start: int, middle: int, end: int, lo: Floats, hi: Floats, cell: int,
    pairs: Pairs, count: int,
) -> tuple[bool, Pairs, int]:  # fmt: skip
    """Write who is told in a cell with the same two lists: False if it must be cut, the pairs, and how many."""
    first = count
    for at in range(start, middle):
        i = times.id_0[entries[at] >> 1]
        c = times.change[i]
        if c == UNTOUCHED or _has(times.id_1, entries, middle, end, i):
            continue
        found = relation(turns.plane[c], lo, hi)
        if turns.there[c] and found == CROSSED:
            return False, pairs, first
        if not turns.there[c] or found != INSIDE:
            pairs = push_pair(pairs, count, cell, turns.gone[c])
            count += 1
        elif turns.grows[c]:
            pairs = push_pair(pairs, count, cell, turns.told[c])
            count += 1
    for at in range(middle, end):
        i = times.id_1[entries[at] >> 1]
        c = times.change[i]
        if c != UNTOUCHED or not _has(times.id_0, entries, start, middle, i):
            pairs = push_pair(pairs, count, cell, turns.others + i if c == UNTOUCHED else turns.told[c])
            count += 1
    return True, pairs, count


@njit
def _walk(tree: SideTree, times: Times, turns: Turns, k: int) -> Pairs:
    """Find who is told of what: pairs of cells and turns, those of one turn disjoint."""
    lo, hi = np.empty(tree.box.shape[2]), np.empty(tree.box.shape[2])
    n_0, n_1 = len(times.id_0), len(times.id_1)
    entries = np.empty(4 * (n_0 + n_1) + 64, np.int64)
    for at in range(n_0):
        entries[at] = 2 * at
    for at in range(n_1):
        entries[n_0 + at] = 2 * at
    pairs, count = np.empty((64, 2), np.int64), 0
    waiting = [(0, 0, n_0, n_0 + n_1)]
    parts = [0]
    parts.clear()
    while len(waiting) > 0:
        cell, start, middle, end = waiting.pop()
        if size_of(tree, cell) == 0:
            continue
        corner_of(tree, cell, 0, lo)
        corner_of(tree, cell, 1, hi)
        entries = room_for(entries, end, end - start)
        half, sure_0 = thin(times.plane_0, entries, start, middle, lo, hi, end, k)
        top, sure_1 = thin(times.plane_1, entries, middle, end, lo, hi, half, k)
        if not (
            _touched(times.id_0, times.change, entries, end, half)
            or _touched(times.id_1, times.change, entries, half, top)
        ):
            continue
        if sure_0 + sure_1 == top - end:
            done, pairs, count = _settle(times, turns, entries, end, half, top, lo, hi, cell, pairs, count)
            if done:
                continue
        parts_of(tree.link, cell, parts)
        for part in parts:
            waiting.append((part, end, half, top))
        parts.clear()
    return pairs[:count]


def _turns(changes: list[Change], planes: Floats, ids: int) -> Turns:
    """Give every change its turns: the gone first, then those that grow, the untouched, and the others."""
    count = len(changes)
    grown = [c for c in range(count) if changes[c].y_1 > changes[c].y_0]
    grown.sort(key=lambda c: (changes[c].y_1, changes[c].id), reverse=True)
    told = 2 * count + ids + np.arange(count)
    told[grown] = count + np.arange(len(grown))
    y_0, y_1 = np.array([one.y_0 for one in changes]), np.array([one.y_1 for one in changes])
    return Turns(planes, y_1 < np.inf, y_1 > y_0, np.arange(count), told, 2 * count)


def _ranked(index: RankedIndex, shape: str) -> tuple[Ids, Floats]:
    """Ids and planes of the objects in rank order, as they are now."""
    arrays = index.arrays
    ids = arrays.order[: arrays.live[0]].copy()
    return ids, np.ascontiguousarray(planes_of(shape, arrays.x[ids]))


def paint_shape_window(
    index: RankedIndex, plan: Plan, sides: Sides, tree: SideTree, boxes: Boxes, changes: list[Change]
) -> Rows:
    """Apply the changes of distinct objects to the index and give back their messages; rows of their own."""
    attributes = index.arrays.x.shape[1]
    out: Rows = np.empty((64, 4 * len(sides.sign) + attributes + 3))
    if not changes:
        return out[:0]
    shape = DISKS if are_disks(index.arrays, sides) else HALFSPACES
    id_0, plane_0 = _ranked(index, shape)
    for one in changes:
        put(index, one.id, one.x_1, one.y_1)
    id_1, plane_1 = _ranked(index, shape)
    change = np.full(len(index.arrays.y), UNTOUCHED)
    change[[one.id for one in changes]] = np.arange(len(changes))
    turns = _turns(changes, planes_of(shape, [one.x_1 for one in changes]), len(change))
    plan.costs[FIRST_K] += len(changes)
    pairs = _walk(tree, Times(id_0, id_1, plane_0, plane_1, change), turns, plan.k)
    pairs = pairs[np.argsort(pairs[:, 1], kind="stable")]
    whose = {int(turn): one for kind in (turns.gone, turns.told) for turn, one in zip(kind, changes, strict=True)}
    row = 0
    for some in np.split(pairs, np.flatnonzero(np.diff(pairs[:, 1])) + 1)[: len(pairs)]:
        turn = int(some[0, 1])
        i, cause = (whose[turn].id, UPDATE) if turn in whose else (turn - turns.others, EXPOSED)
        x = np.array(whose[turn].x_1) if turn in whose else index.arrays.x[i]
        y = float(index.arrays.y[i])
        out, row = paint_apart(tree, sides, boxes, some, plan.costs, out, row, x, plan.sign * y, i, cause)
    return out[:row]
