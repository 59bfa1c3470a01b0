"""Paint-Sparse for halfspaces and disks (Section IV-C): messages for the subscriptions there are, in boxes of S.

An object is a halfspace of S, so influence regions are no unions of boxes, and there is no Paint-Dense; nor are there
tiles to cut sublists of, as the approximate version does. The subscriptions there are can be told apart by boxes. The
walk of `paint.shape_walk` finds who holds the object and whom each exchanges it for, `paint.shape_boxes` the boxes
around them. What is told, and in which order, is as ever: all that hold the object of its new y, then, of an object
that sinks, those that lose it of what takes its place.

Counts one first_k per event, one min_y per object that is told in its place, one snap per cell that a box is made of.
"""

from typing import ClassVar

import numpy as np

from floor.kernels import njit
from matching.side_tree import SideTree
from paint.algorithm import MIN_Y, Change, Plan, Rows
from paint.corner_halves import Spot, replay_of
from paint.corner_painting import CornerPainting
from paint.messages import EXPOSED, UPDATE
from paint.ranked_index import Ranked, update
from paint.shape_batch import paint_shape_window
from paint.shape_boxes import paint_apart
from paint.shape_walk import outcomes, rivals_of
from paint.sides import Floats, Sides
from paint.snapped import Boxes, make_boxes

__all__ = ["ShapeSparse"]


@njit
def half(
    arrays: Ranked, plan: Plan, sides: Sides, tree: SideTree, boxes: Boxes, i: int,
    rises: bool, told: Spot, y_far: float, place: Floats, out: Rows, row: int,
) -> tuple[Rows, int]:  # fmt: skip
    """Tell those who hold object i of the spot told, then, unless it rises, of what takes its place up to y_far."""
    rivals = rivals_of(arrays, plan, sides, i, -np.inf if rises else y_far, place, rises)
    served, serving, exchanged, exchanging = outcomes(tree, rivals, plan.k, not rises)
    out, row = paint_apart(
        tree, sides, boxes, served[:serving], plan.costs, out, row, told[0], plan.sign * told[1], i, UPDATE
    )
    pairs = exchanged[:exchanging]
    pairs = pairs[np.argsort(pairs[:, 1], kind="mergesort")]
    start = 0
    while start < exchanging:
        rival, end = pairs[start, 1], start
        while end < exchanging and pairs[end, 1] == rival:
            end += 1
        if rival >= 0:
            plan.costs[MIN_Y] += 1
            h = rivals.id[rival]
            out, row = paint_apart(
                tree, sides, boxes, pairs[start:end], plan.costs, out, row, arrays.x[h], plan.sign * arrays.y[h], h,
                EXPOSED,
            )  # fmt: skip
        start = end
    return out, row


class ShapeSparse(CornerPainting):
    """Paint-Sparse over ranked objects and halfspaces or disks, as a server drives it."""

    takes: ClassVar = frozenset({"subscriptions"})
    tell: ClassVar = half
    stream: ClassVar = replay_of(half, update)
    _boxes: Boxes | None = None

    def _parts(self) -> tuple[Ranked, Plan, Sides, SideTree, Boxes]:
        if self._boxes is None:
            self._boxes = make_boxes(len(self._sides.sign))
        return self._index.arrays, self._plan, self._sides, self._subscriptions.arrays, self._boxes

    def _rows(self, events: int) -> int:
        return max(1024, 8 * events)

    def window(self, changes: list[Change]) -> Rows:
        """Change distinct objects, which may enter, leave and move, by Paint-Batch; rows of their own."""
        _, plan, sides, tree, boxes = self._parts()
        return paint_shape_window(self._index, plan, sides, tree, boxes, changes)
