"""Queries of a kd-tree over any number of sides: the smallest box around those in a box, their number, their ids.

Boxes are closed, rows of D least and D greatest coordinates; a message, lo <= u < hi, is the closed box up to the
float before hi.
"""

import numpy as np
import numpy.typing as npt

from floor.kernels import njit, njit_inner
from matching.blocks import BLOCK, CHILD, PARENT, SIZE, Floats, following
from matching.side_tree import SideTree

__all__ = ["count", "count_up_to", "counts", "report", "snap", "somebody_else"]

OUTSIDE, CROSSED, INSIDE = range(3)
ALL = np.iinfo(np.int64).max


@njit_inner
def _relation(tree: SideTree, node: int, lo: Floats, hi: Floats) -> int:
    """Whether a node's box lies outside of a box, inside it, or neither."""
    relation = INSIDE
    for side in range(len(lo)):
        least, most = tree.box[node, 0, side], tree.box[node, 1, side]
        if least > hi[side] or most < lo[side]:
            return OUTSIDE
        if least < lo[side] or most > hi[side]:
            relation = CROSSED
    return relation


@njit_inner
def _holds(tree: SideTree, block: int, at: int, lo: Floats, hi: Floats) -> bool:
    """Whether a box holds the subscription at a place of a block."""
    for side in range(len(lo)):
        value = tree.ends[block, side, at]
        if value < lo[side] or value > hi[side]:
            return False
    return True


@njit_inner
def count_up_to(tree: SideTree, lo: Floats, hi: Floats, most: int) -> int:
    """Number of subscriptions inside a closed box, or some number above `most` if there are more."""
    total = 0
    node = 0
    while node >= 0 and total <= most:
        met, inside = True, True
        for side in range(len(lo)):
            lower, upper = tree.box[node, 0, side], tree.box[node, 1, side]
            met &= (lower <= hi[side]) & (upper >= lo[side])
            inside &= (lower >= lo[side]) & (upper <= hi[side])
        child = tree.link[node, CHILD]
        if met and inside:
            total += tree.link[node, SIZE]
        elif met and child > 0:
            node = child
            continue
        elif met:
            for at in range(tree.link[node, SIZE]):
                held = 1
                for side in range(len(lo)):
                    value = tree.ends[~child, side, at]
                    held &= (value >= lo[side]) & (value <= hi[side])
                total += held
        while node != 0 and node & 1:
            node = tree.link[node, PARENT]
        node = node + 1 if node != 0 else -1
    return total


@njit_inner
def somebody_else(tree: SideTree, around: Floats, one: Floats, others: Floats, at: int, where: Floats) -> bool:
    """Whether a closed box, (2, D), holds somebody who is in neither of two boxes in it; stops at the first.

    The two are `one`, (2, D), and others[at]. A box with such subscriptions only, and at least one, is written to
    `where`, (2, D). O(m^(1 - 1/D)) at worst, and mostly as long as it takes to go down to one of them.
    """
    sides = around.shape[1]
    node = 0
    while node >= 0:
        met, inside, in_one, in_other, off_one, off_other = True, True, True, True, False, False
        for side in range(sides):
            least, most = tree.box[node, 0, side], tree.box[node, 1, side]
            lower, upper = max(least, around[0, side]), min(most, around[1, side])
            met &= lower <= upper
            inside &= (least == lower) & (most == upper)
            in_one &= (lower >= one[0, side]) & (upper <= one[1, side])
            in_other &= (lower >= others[at, 0, side]) & (upper <= others[at, 1, side])
            off_one |= (lower > one[1, side]) | (upper < one[0, side])
            off_other |= (lower > others[at, 1, side]) | (upper < others[at, 0, side])
        child = tree.link[node, CHILD]
        if met and not in_one and not in_other:
            if inside and off_one and off_other:
                for side in range(sides):
                    where[0, side], where[1, side] = tree.box[node, 0, side], tree.box[node, 1, side]
                return True
            if child > 0:
                node = child
                continue
            for place in range(tree.link[node, SIZE]):
                held, in_one, in_other = True, True, True
                for side in range(sides):
                    value = tree.ends[~child, side, place]
                    held &= (value >= around[0, side]) & (value <= around[1, side])
                    in_one &= (value >= one[0, side]) & (value <= one[1, side])
                    in_other &= (value >= others[at, 0, side]) & (value <= others[at, 1, side])
                if held and not in_one and not in_other:
                    for side in range(sides):
                        where[0, side] = where[1, side] = tree.ends[~child, side, place]
                    return True
        while node != 0 and node & 1:
            node = tree.link[node, PARENT]
        node = node + 1 if node != 0 else -1
    return False


@njit
def count(tree: SideTree, lo: Floats, hi: Floats) -> int:
    """Number of subscriptions inside a closed box; O(m^(1 - 1/D)) at worst."""
    return count_up_to(tree, lo, hi, ALL)


@njit
def counts(tree: SideTree, boxes: Floats) -> npt.NDArray[np.int64]:
    """Number of subscriptions inside each of many closed boxes, shape (boxes, 2, D)."""
    totals = np.empty(len(boxes), np.int64)
    for at in range(len(boxes)):
        totals[at] = count(tree, boxes[at, 0], boxes[at, 1])
    return totals


@njit_inner
def snap(tree: SideTree, lo: Floats, hi: Floats, out_lo: Floats, out_hi: Floats) -> int:
    """Write the smallest closed box around the subscriptions inside a box; whether there are any, 0 or 1.

    A node is entered only if what it shares with the box sticks out of the answer so far.
    """
    sides = len(lo)
    for side in range(sides):
        out_lo[side], out_hi[side] = np.inf, -np.inf
    found = 0
    node = 0
    while node >= 0:
        relation = _relation(tree, node, lo, hi)
        if relation != OUTSIDE:
            news = False
            for side in range(sides):
                least, most = max(tree.box[node, 0, side], lo[side]), min(tree.box[node, 1, side], hi[side])
                news = news or least < out_lo[side] or most > out_hi[side]
            child = tree.link[node, CHILD]
            if news and relation == INSIDE and tree.link[node, SIZE] > 0:
                found = 1
                for side in range(sides):
                    out_lo[side] = min(out_lo[side], tree.box[node, 0, side])
                    out_hi[side] = max(out_hi[side], tree.box[node, 1, side])
            elif news and child > 0:
                node = child
                continue
            elif news:
                for at in range(tree.link[node, SIZE]):
                    if _holds(tree, ~child, at, lo, hi):
                        found = 1
                        for side in range(sides):
                            out_lo[side] = min(out_lo[side], tree.ends[~child, side, at])
                            out_hi[side] = max(out_hi[side], tree.ends[~child, side, at])
        node = following(tree.link, node, 0)
    return found


@njit
def report(tree: SideTree, lo: Floats, hi: Floats) -> npt.NDArray[np.int64]:
    """Ids of the subscriptions inside a closed box, in no particular order; `count` plus O(1) per id."""
    found = np.empty(count(tree, lo, hi), np.int64)
    total = 0
    node = 0
    while node >= 0 and total < found.size:
        if _relation(tree, node, lo, hi) != OUTSIDE:
            child = tree.link[node, CHILD]
            if child > 0:
                node = child
                continue
            for at in range(tree.link[node, SIZE]):
                if _holds(tree, ~child, at, lo, hi):
                    found[total] = tree.id[~child * BLOCK + at]
                    total += 1
        node = following(tree.link, node, 0)
    return found
