"""Who holds an object, and whom it is exchanged for, among halfspaces or disks: a walk over their tree.

What matters of an event about object i are its *rivals*: the objects that rank above the upper of its two (y, id), in
rank order, of which the first `cut` rank above the lower one too. A subscription that holds i's place has i in its
list at the lower y iff it holds fewer than k of those before the cut, and exchanges it for the k-th rival that it
holds, if there are k; so raising and lowering are the same walk.

The walk goes down from the root with the rivals that some subscription of the node may hold, each marked as *sure* if
all do (`paint.shapes.relation`, which decides for the predicate itself); those after the k-th sure one cannot matter
to anybody in the node and are left out. So lists get short where nodes get small. Nobody in a node has i if none may
hold its place, or if k rivals before the cut are sure; all do if its place is sure and fewer than k rivals before the
cut are left; and all exchange it for the same one if all rivals left are sure. Else the children tell, in the end
single subscriptions, of which everything is sure. O(rivals) at the root, and what is left of them in each node.

A small node of which only some may hold the place of i hands its rivals down as they are: few subscriptions, if any,
will ask, and each stops at the k-th that it holds. That matters for disks: the third number of one depends on where
it lies more than on its radius, so boxes of S tell little of disks until there are very few in them.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit, njit_inner
from matching.flat_arrays import room_for
from matching.side_tree import SideTree
from paint.algorithm import FIRST_K, Plan
from paint.holders import corner_of, parts_of, size_of
from paint.ranked_index import Ranked, position
from paint.shapes import CROSSED, INSIDE, OUTSIDE, plane_of, relation
from paint.sides import Floats, Sides

__all__ = ["NOBODY", "Pairs", "Rivals", "are_disks", "outcomes", "push_pair", "rivals_of", "thin"]

Ids = NDArray[np.int64]
Pairs = NDArray[np.int64]
"""Rows (node or ~slot, number): what is true of a cell of the tree."""

NOBODY = -1
"""In place of a rival: there are fewer than k."""

FEW = 32
"""Subscriptions in a node that is small."""

OPEN, HELD, SERVED = range(3)
"""What is known of a node: nothing, that all hold the place of i, that all have i in their list."""


class Rivals(NamedTuple):
    """The objects that matter in an event about object i, in rank order.

    Attributes
    ----------
    id : int64 array
        Their ids.
    plane : float64 array of shape (rivals, D)
        Their planes.
    cut : int
        How many rank above the lower (y, id) of i.
    own : float64 array of shape (2, D)
        Planes of the place of i, and of the one that it moves to.
    moves : bool
        Whether those that hold the second one are left out.
    """

    id: Ids
    plane: Floats
    cut: int
    own: Floats
    moves: bool


@njit
def are_disks(arrays: Ranked, sides: Sides) -> bool:
    """Whether subscriptions are disks, with one side more than there are attributes; halfspaces have as many."""
    return bool(len(sides.sign) > arrays.x.shape[1])


@njit
def rivals_of(
    arrays: Ranked, plan: Plan, sides: Sides, i: int, y_far: float, place: Floats, all_told: bool
) -> Rivals:
    """List the rivals of object i between its y in the index and y_far; those above it only if that is less.

    Those that hold `place` are left out, unless it is NaN or all are told.
    """
    plan.costs[FIRST_K] += 1
    cut = position(arrays, arrays.y[i], i)
    far = max(position(arrays, y_far, i), cut)
    ids = np.empty(far, np.int64)
    count = 0
    for at in range(far):
        if arrays.order[at] != i:
            ids[count] = arrays.order[at]
            count += 1
    disks = are_disks(arrays, sides)
    planes = np.empty((count, len(sides.sign)))
    for at in range(count):
        plane_of(disks, arrays.x[ids[at]], planes[at])
    own = np.empty((2, len(sides.sign)))
    plane_of(disks, arrays.x[i], own[0])
    plane_of(disks, place, own[1])
    return Rivals(ids[:count], planes, cut, own, not (all_told or np.isnan(place[0])))


@njit
def push_pair(pairs: Pairs, count: int, cell: int, number: int) -> Pairs:
    """Write a pair at `count`; the pairs, or a larger copy."""
    if count == len(pairs):
        larger = np.empty((2 * count, 2), np.int64)
        for at in range(count):
            larger[at, 0], larger[at, 1] = pairs[at, 0], pairs[at, 1]
        pairs = larger
    pairs[count, 0], pairs[count, 1] = cell, number
    return pairs


@njit_inner
def thin(
    plane: Floats, entries: Ids, start: int, end: int, lo: Floats, hi: Floats, to: int, k: int
) -> tuple[int, int]:
    """Write at `to` what of entries[start:end] matters in a box: where it ends, and how many of it are sure.

    An entry is twice the position of a plane, plus one if all in the box hold it; after k of these nothing matters.
    """
    sure = 0
    for at in range(start, end):
        entry = entries[at]
        if entry & 1 == 0:
            found = relation(plane[entry >> 1], lo, hi)
            if found == OUTSIDE:
                continue
            entry += found == INSIDE
        entries[to] = entry
        to += 1
        sure += entry & 1
        if sure == k:
            break
    return to, sure


@njit_inner
def _places(rivals: Rivals, lo: Floats, hi: Floats) -> int:
    """Whether none, some or all of a box hold the place of i, and not the one it moves to."""
    found = relation(rivals.own[0], lo, hi)
    if rivals.moves and found != OUTSIDE:
        found = min(found, INSIDE - relation(rivals.own[1], lo, hi))
    return found


@njit_inner
def _held_by(tree: SideTree, rivals: Rivals, cell: int, point: Floats) -> bool:
    """Whether one subscription holds the place of i, and not the one it moves to; writes its point."""
    corner_of(tree, cell, 0, point)
    return _places(rivals, point, point) == INSIDE


@njit_inner
def _before(entries: Ids, start: int, end: int, cut: int) -> int:
    """Number of entries, which ascend, before the cut."""
    while start < end and entries[end - 1] >> 1 >= cut:
        end -= 1
    return end - start


@njit
def outcomes(tree: SideTree, rivals: Rivals, k: int, exchanges: bool) -> tuple[Pairs, int, Pairs, int]:
    """Find those that have object i in their lists, and, if exchanges are asked for, what each exchanges it for.

    Pairs of cells that have it (and 0), and how many; pairs of cells and positions of rivals, NOBODY for none, and
    how many. Cells of either kind are disjoint and hold them all.
    """
    lo, hi = np.empty(tree.box.shape[2]), np.empty(tree.box.shape[2])
    entries = 2 * np.arange(max(4 * len(rivals.id), 64))
    served, serving = np.empty((64, 2), np.int64), 0
    exchanged, exchanging = np.empty((64, 2), np.int64), 0
    waiting = [(0, 0, len(rivals.id), OPEN)]
    parts = [0]
    parts.clear()
    while len(waiting) > 0:
        cell, start, end, known = waiting.pop()
        if size_of(tree, cell) == 0:
            continue
        corner_of(tree, cell, 0, lo)
        corner_of(tree, cell, 1, hi)
        if known == OPEN:
            found = _places(rivals, lo, hi)
            if found == OUTSIDE:
                continue
            known = OPEN if found == CROSSED else HELD
        if known == OPEN and size_of(tree, cell) <= FEW:
            parts_of(tree.link, cell, parts)
            for part in parts:
                if part >= 0:
                    waiting.append((part, start, end, OPEN))
                elif _held_by(tree, rivals, part, lo):
                    waiting.append((part, start, end, HELD))
            parts.clear()
            continue
        # Siblings come one after the other, each with all below it: what is beyond the list they share is free.
        entries = room_for(entries, end, end - start)
        top, sure = thin(rivals.plane, entries, start, end, lo, hi, end, k)
        better = _before(entries, end, top, rivals.cut)
        if better == top - end and sure == k:
            continue
        if known == HELD and better < k:
            served = push_pair(served, serving, cell, 0)
            serving += 1
            known = SERVED
        if known == SERVED:
            if not exchanges:
                continue
            if top - end < k or sure == top - end:
                rival = NOBODY if top - end < k else entries[top - 1] >> 1
                exchanged = push_pair(exchanged, exchanging, cell, rival)
                exchanging += 1
                continue
        parts_of(tree.link, cell, parts)
        for part in parts:
            waiting.append((part, end, top, known))
        parts.clear()
    return served, serving, exchanged, exchanging
