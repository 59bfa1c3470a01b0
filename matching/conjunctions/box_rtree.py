"""The R-tree over subscriptions as boxes, in the coded space of their attributes. Static.

Seed 004, Sections 3 and 6, which finds "the original R-tree much faster than the R-tree with dimension transform" and
compares with the former. A subscription is the box of its intervals, an event a point that boxes may hold. A box is
kept as the codes of its starts and ends (`codes`); a node has the least start and the largest end of each attribute
below it. The tree is packed: subscriptions are split at the median of the dimension in which they differ most, until
FANOUT are left, and every FANOUT nodes in this order have a parent.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.conjunctions.asked import Asked, Checks, keep_if_passing
from matching.conjunctions.codes import Codes, Points, coded, encode_event, find_codes, merged_checks, split_checks
from matching.conjunctions.conjunction_index import StaticConjunctionIndex
from matching.flat_arrays import room_for
from matching.range_index import Floats, Ids, Ints

__all__ = ["FANOUT", "BoxRTree", "Boxes"]

FANOUT = 16
SAMPLE = 256
"""Subscriptions by which the dimension to split is chosen."""


class Boxes(NamedTuple):
    """The arrays of a packed R-tree; level 0 are the subscriptions."""

    codes: Codes
    level: npt.NDArray[np.int64]
    """(levels + 1,): first row of a level; row i of it has rows FANOUT i to FANOUT (i + 1) of the level below."""
    box: npt.NDArray[np.uint16]
    """(rows, 2 attributes): starts and ends alternately."""
    id: npt.NDArray[np.int32]
    """(n,): ids of level 0."""


@njit
def _widest(points: Points, rows: Ints) -> int:
    """The dimension in which some rows vary most."""
    best, most = 0, -1.0
    step = max(len(rows) // SAMPLE, 1)
    for j in range(points.shape[1]):
        count, total, squares = 0, 0.0, 0.0
        for at in range(0, len(rows), step):
            x = float(points[rows[at], j])
            count, total, squares = count + 1, total + x, squares + x * x
        spread = squares / count - (total / count) ** 2
        if spread > most:
            best, most = j, spread
    return best


@njit
def _packed_order(points: Points) -> Ints:
    """Rows in the order of leaves: O(n log^2 n)."""
    order = np.arange(len(points))
    stack = [(0, len(points))]
    while len(stack) > 0:
        first, behind = stack.pop()
        if behind - first <= FANOUT or points.shape[1] == 0:
            continue
        rows = order[first:behind].copy()
        j = _widest(points, rows)
        values = np.empty(len(rows), np.uint16)
        for at in range(len(rows)):
            values[at] = points[rows[at], j]
        order[first:behind] = rows[np.argsort(values, kind="mergesort")]
        leaves = (behind - first + FANOUT - 1) // FANOUT
        middle = first + (leaves + 1) // 2 * FANOUT
        stack.append((first, middle))
        stack.append((middle, behind))
    return order


@njit
def _fill_levels(level: Ints, box: Points) -> None:
    """Write the nodes above the subscriptions."""
    for above in range(1, len(level) - 1):
        for i in range(level[above + 1] - level[above]):
            node = box[level[above] + i]
            first = level[above - 1] + i * FANOUT
            node[:] = box[first]
            for child in range(first + 1, min(first + FANOUT, level[above])):
                for j in range(0, box.shape[1], 2):
                    node[j] = min(node[j], box[child, j])
                    node[j + 1] = max(node[j + 1], box[child, j + 1])


def boxes_of(codes: Codes, points: Points, ids: Ids) -> Boxes:
    """Pack subscriptions."""
    order = _packed_order(points)
    sizes = [ids.size]
    while sizes[-1] > 1:
        sizes.append(-(-sizes[-1] // FANOUT))
    level = np.cumsum([0, *sizes])
    box = np.empty((level[-1], points.shape[1]), np.uint16)
    box[: ids.size] = points[order]
    _fill_levels(level, box)
    return Boxes(codes, level, box, ids[order])


@njit
def match_all(tree: Boxes, checks: Checks, events: Floats) -> tuple[Ints, Ints, int]:
    """Kernel of `matching.conjunctions.conjunction_index`."""
    level, box, id_of = tree.level, tree.box, tree.id
    dimensions, top = box.shape[1], len(level) - 2
    low, high = np.empty(dimensions, np.uint16), np.empty(dimensions, np.uint16)
    waiting = np.empty((top + 1) * FANOUT + 1, np.int64)
    waiting_level = np.empty((top + 1) * FANOUT + 1, np.int64)
    offsets = np.zeros(len(events) + 1, np.int64)
    ids = np.empty(64, np.int64)
    found, made = 0, 0
    for i in range(len(events)):
        encode_event(tree.codes, events[i], low, high)
        count = min(level[top + 1] - level[top], 1)
        waiting[0], waiting_level[0] = 0, top
        while count > 0:
            count -= 1
            row, above = waiting[count], waiting_level[count]
            here = level[above] + row
            j = 0
            while j < dimensions and box[here, j] <= high[j] and box[here, j + 1] >= low[j + 1]:
                j += 2
            made += (j >> 1) + 1
            if j < dimensions:
                continue
            if above > 0:
                below = level[above] - level[above - 1]
                for child in range(row * FANOUT, min((row + 1) * FANOUT, below)):
                    waiting[count], waiting_level[count] = child, above - 1
                    count += 1
                continue
            if found == len(ids):
                ids = room_for(ids, found, 1)
            found, tests = keep_if_passing(checks, id_of[row], events[i], ids, found)
            made += tests
        offsets[i + 1] = found
    return offsets, ids[:found], made


class BoxRTree(StaticConjunctionIndex):
    """All subscriptions that an event matches, from the boxes that hold it.

    Building takes O(n log^2 n); 4 bytes per attribute and subscription and a fifteenth of that for nodes.
    """

    arrays: Boxes

    def _build(self, asked: Asked, ids: Ids) -> None:
        codes = find_codes(asked, self.attributes)
        points, undecided = coded(codes, asked)
        self._checks = merged_checks(self._checks, split_checks(asked, ids, undecided))
        self.arrays = boxes_of(codes, points, ids)
        self._place[:] = ids

    def _match_all(self, events: Floats) -> tuple[Ints, Ints, int]:
        return match_all(self.arrays, self._checks, events)

    def _check(self) -> None:
        """Raise AssertionError unless every invariant holds: O(n) in interpreted Python."""
        self._check_places()
        tree = self.arrays
        assert sorted(tree.id.tolist()) == list(range(len(self)))
        assert tree.level[-1] == len(tree.box)
        for above in range(1, tree.level.size - 1):
            for row in range(tree.level[above + 1] - tree.level[above]):
                first = tree.level[above - 1] + row * FANOUT
                children = tree.box[first : min(first + FANOUT, tree.level[above])]
                node = tree.box[tree.level[above] + row]
                assert (node[0::2] == children[:, 0::2].min(axis=0)).all()
                assert (node[1::2] == children[:, 1::2].max(axis=0)).all()
