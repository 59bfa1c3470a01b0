"""The truth: what every list should be, brought from event to event by brute force.

Objects are kept in rank order; a list is the first k of them whose x is in range. That shares nothing with the server
or with what subscribers do about their messages.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit
from simulator.workload.events import EventStream

__all__ = ["Truth", "TruthArrays", "change_object", "fill_lists", "find", "make_truth"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class TruthArrays(NamedTuple):
    """Objects, subscriptions, and the right list of each subscription."""

    x: Floats
    """(objects,) those that are inserted later too."""
    y: Floats
    """(objects,) +inf for those that are not there."""
    order: Ints
    """(objects,) ids, ascending in (y, id)."""
    l: Floats
    r: Floats
    ids: Ints
    """(subscriptions, k) the lists, best first; -1 where one is shorter."""
    values: Floats
    """(subscriptions, k) y of their objects; +inf where one is shorter."""


def make_truth(x: Floats, y: Floats, l: Floats, r: Floats, k: int, room: int) -> TruthArrays:
    """Objects at the start, and empty lists.

    Parameters
    ----------
    room : int
        Number of objects, those that are inserted later counted.
    """
    absent = room - len(x)
    xs, ys = np.append(x, np.zeros(absent)), np.append(y, np.full(absent, np.inf))
    order = np.lexsort((np.arange(room), ys))
    return TruthArrays(xs, ys, order, l, r, np.full((len(l), k), -1, np.int64), np.full((len(l), k), np.inf))


@njit
def change_object(truth: TruthArrays, i: int, x: float, y: float) -> None:
    """Let an object take another x or y, and its place in the order. O(objects)."""
    order, values = truth.order, truth.y
    at = _place(truth, len(order), values[i], i)
    order[at:-1] = order[at + 1 :].copy()
    values[i] = y
    truth.x[i] = x
    at = _place(truth, len(order) - 1, y, i)
    order[at + 1 :] = order[at:-1].copy()
    order[at] = i


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


@njit
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
    """Make the lists of some subscriptions right: the first k objects in rank order whose x is in range."""
    order, x, y, ids, values, k = truth.order, truth.x, truth.y, truth.ids, truth.values, truth.ids.shape[1]
    for s in wanted:
        found, l, r = 0, truth.l[s], truth.r[s]
        for i in order:
            if found == k or y[i] == np.inf:
                break
            if l <= x[i] <= r:
                ids[s, found] = i
                values[s, found] = y[i]
                found += 1
        ids[s, found:] = -1
        values[s, found:] = np.inf


class Truth:
    """The right lists of a set of subscriptions, from event to event.

    Parameters
    ----------
    x, y : (n,) float64 arrays
        Objects at the start.
    l, r : (m,) float64 arrays
        Ends of the subscriptions.
    k : int
        Length of the lists.
    room : int
        Number of objects, those that are inserted later counted.
    """

    def __init__(self, x: Floats, y: Floats, l: Floats, r: Floats, k: int, room: int) -> None:
        self._arrays = make_truth(x, y, l, r, k, room)
        fill_lists(self._arrays, np.arange(len(l)))

    @property
    def ids(self) -> Ints:
        """Objects of every list, (m, k), best first; -1 where one is shorter."""
        return self._arrays.ids

    @property
    def values(self) -> Floats:
        """Their y; +inf where a list is shorter."""
        return self._arrays.values

    def advance(self, events: EventStream) -> tuple[Ints, NDArray[np.bool_]]:
        """Apply events; who has one of their objects in range, before or after, and whose list changed.

        The x of an object in a list counts as a part of it. O(events (n + m)) and what lists take to be made anew.
        """
        truth, holds = self._arrays, np.zeros(len(self._arrays.l), np.bool_)
        places = truth.x[events.object]
        for i, x, y in zip(events.object.tolist(), events.x.tolist(), events.y.tolist(), strict=True):
            for place in {float(truth.x[i]), x}:
                holds |= (truth.l <= place) & (place <= truth.r)
            change_object(truth, i, x, y)
        concerned = np.flatnonzero(holds)
        ids, values = self.ids[concerned], self.values[concerned]
        fill_lists(truth, concerned)
        changed = (ids != self.ids[concerned]).any(axis=1) | (values != self.values[concerned]).any(axis=1)
        moved = events.object[truth.x[events.object] != places]
        return concerned, changed | np.isin(self.ids[concerned], moved).any(axis=1)
