"""The truth: what every list should be, brought from event to event by brute force.

Objects are kept in rank order; a list is the first k of them that lie in range. That shares nothing with the server
or with what subscribers do about their messages, but what it means that a range holds a place (`cn.holding`).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cn.holding import holds
from floor.kernels import njit, njit_inner
from simulator.workload.places import more_places

__all__ = ["TruthArrays", "change_object", "fill_lists", "find", "make_truth"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class TruthArrays(NamedTuple):
    """Objects, subscriptions, and the right list of each subscription."""

    x: Floats
    """(objects,) or (objects, d) those that are inserted later too."""
    y: Floats
    """(objects,) +inf for those that are not there."""
    order: Ints
    """(objects,) ids, ascending in (y, id)."""
    ranges: Any
    """The subscriptions, of a kind of `cn.holding`: ends (subscriptions,) or (subscriptions, d) each."""
    ids: Ints
    """(subscriptions, k) the lists, best first; -1 where one is shorter."""
    values: Floats
    """(subscriptions, k) y of their objects; +inf where one is shorter."""


def make_truth(x: Floats, y: Floats, ranges: Any, k: int, room: int) -> TruthArrays:
    """Objects at the start, and empty lists.

    Parameters
    ----------
    room : int
        Number of objects, those that are inserted later counted.
    """
    absent = room - len(x)
    xs, ys = more_places(x, absent), np.append(y, np.full(absent, np.inf))
    order = np.lexsort((np.arange(room), ys))
    shape = (len(ranges.l), k)
    return TruthArrays(xs, ys, order, ranges, np.full(shape, -1, np.int64), np.full(shape, np.inf))


@njit
def change_object(truth: TruthArrays, i: int, x: Any, y: float) -> None:
    """Let an object take another x or y, and its place in the order. O(objects)."""
    order, values = truth.order, truth.y
    at = _place(truth, len(order), values[i], i)
    end = _place(truth, len(order), y, i)  # one too many if the object itself comes before: it is still in its place
    while at + 1 < end:
        order[at] = order[at + 1]
        at += 1
    while at > end:
        order[at] = order[at - 1]
        at -= 1
    order[at] = i
    values[i] = y
    truth.x[i] = x


@njit
def _place(truth: TruthArrays, count: int, y: float, i: int) -> int:
    """How many of the first objects in the order come before (y, i)."""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        other = truth.order[middle]
        if truth.y[other] < y or (truth.y[other] == y and other < i):
            low = middle + 1
        else:
            high = middle
    return low


@njit_inner
def find(ids: Ints, s: int, i: int) -> int:
    """Place of an object in list s; -1 if it is not in it."""
    if i < 0:
        return -1
    for p in range(ids.shape[1]):
        if ids[s, p] == i:
            return p
    return -1


@njit
def fill_lists(truth: TruthArrays, wanted: Ints) -> None:
    """Make the lists of some subscriptions right: the first k objects in rank order that are in range."""
    order, x, y, ids, values, k = truth.order, truth.x, truth.y, truth.ids, truth.values, truth.ids.shape[1]
    ranges = truth.ranges
    for s in wanted:
        found = 0
        for i in order:
            if found == k or y[i] == np.inf:
                break
            if holds(ranges, s, x, i):
                ids[s, found] = i
                values[s, found] = y[i]
                found += 1
        ids[s, found:] = -1
        values[s, found:] = np.inf
