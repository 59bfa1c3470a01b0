"""Verification: every list, after every event, against a brute-force top-k; every notification against need.

The brute force shares nothing with the server or the subscribers' protocol: it walks the objects in rank order
and takes the first k inside the range. A subscription is looked at after an event if its range holds the object or
if it was notified; nothing else can have changed, neither what is right nor what it holds.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rangecast import njit

from .ingredients import Ingredients
from .receivers import Answered, Received, receivers_of

__all__ = ["Fault", "Truth", "verify"]

_KINDS = (
    "holds a wrong list",
    "was not notified although its list changed",
    "was notified although nothing changed",
    "was told of the same object twice",
)


class Fault(NamedTuple):
    """A list or a notification that is wrong."""

    event: int
    subscription: int
    kind: int
    right: tuple[int, ...]
    held: tuple[int, ...]

    def __str__(self) -> str:
        text = f"event {self.event}: subscription {self.subscription} {_KINDS[self.kind]}"
        return f"{text}: holds objects {list(self.held)}, right is {list(self.right)}" if self.kind == 0 else text


def verify(
    ingredients: Ingredients,
    answered: Sequence[Answered],
    watched: NDArray[np.int64],
    advance: Callable[[int], object] = lambda _: None,
) -> dict[str, Fault | None]:
    """Follow the lists of the watched subscriptions through all events, under every approach.

    Parameters
    ----------
    watched : int64 array
        Subscriptions to verify.
    advance : callable
        Told how many events were verified.

    Returns
    -------
    dict
        First fault of each approach, or None.

    Memory: 16 k bytes per watched subscription for the truth, and 12 k for each approach.
    """
    load, events = ingredients.workload, ingredients.events
    truth = Truth(load.x, load.y, load.l[watched], load.r[watched], load.k)
    receivers = {one.name: receivers_of(ingredients, one, watched) for one in answered}
    faults: dict[str, Fault | None] = dict.fromkeys(receivers)
    for event, (changed, y) in enumerate(zip(events.object, events.y, strict=True)):
        concerned, affected = truth.advance(int(changed), float(y))
        for one in answered:
            if faults[one.name] is None:
                received = receivers[one.name].take(event)
                lists = receivers[one.name].lists()
                fault = truth.check(event, concerned, affected, received, *lists, exact=one.approach.exact)
                faults[one.name] = fault and fault._replace(subscription=int(watched[fault.subscription]))
        advance(1)
    return faults


class Truth:
    """The right lists of a set of subscriptions, brought from event to event by brute force.

    Parameters
    ----------
    x, y : (n,) float64 arrays
        Objects at the start.
    l, r : (m,) float64 arrays
        Ends of the subscriptions that are verified.
    k : int
        Length of the lists.
    """

    def __init__(
        self, x: NDArray[np.float64], y: NDArray[np.float64], l: NDArray[np.float64], r: NDArray[np.float64], k: int
    ) -> None:
        self._x, self._y, self._l, self._r = x, y.copy(), l, r
        self.ids = np.full((len(l), k), -1, np.int64)
        self.values = np.full((len(l), k), np.inf)
        _top_k(x, self._y, np.lexsort((np.arange(len(y)), y)), l, r, np.arange(len(l)), self.ids, self.values)

    def advance(self, changed: int, y: float) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Apply an event; cost O(n log n) plus, per subscription that holds the object, the objects above its k-th.

        Returns
        -------
        concerned, affected
            Subscriptions whose range holds the object, and whether the list of each changed.
        """
        self._y[changed] = y
        concerned = np.flatnonzero((self._l <= self._x[changed]) & (self._x[changed] <= self._r))
        ids, values = self.ids[concerned], self.values[concerned]
        order = np.lexsort((np.arange(len(self._y)), self._y))
        _top_k(self._x, self._y, order, self._l, self._r, concerned, self.ids, self.values)
        affected = (ids != self.ids[concerned]).any(axis=1) | (values != self.values[concerned]).any(axis=1)
        return concerned, affected

    def check(
        self,
        event: int,
        concerned: NDArray[np.int64],
        affected: NDArray[np.bool_],
        received: Received,
        ids: NDArray[np.integer],
        values: NDArray[np.float64],
        *,
        exact: bool,
    ) -> Fault | None:
        """Compare the lists that an approach's subscribers hold, and whom it notified, with what is right.

        Parameters
        ----------
        concerned, affected
            As `advance` returned them.
        received : Received
            Who was told of which object for this event.
        ids, values : (m, k) arrays
            Lists as the subscribers hold them, best first, missing entries -1 and +inf.
        exact : bool
            Whether a notification that changes nothing is a fault.
        """
        notified = np.unique(received.subscription)
        needed = concerned[affected]
        missed = np.setdiff1d(needed, notified)
        if len(missed):
            return self._fault(event, int(missed[0]), 1, ids)
        idle = np.setdiff1d(notified, needed)
        if exact and len(idle):
            return self._fault(event, int(idle[0]), 2, ids)
        told, times = np.unique(np.column_stack(received), axis=0, return_counts=True)
        if (times > 1).any():
            return self._fault(event, int(told[np.argmax(times), 0]), 3, ids)
        touched = np.union1d(concerned, notified)
        right = (ids[touched] == self.ids[touched]).all(axis=1) & (values[touched] == self.values[touched]).all(
            axis=1
        )
        if not right.all():
            return self._fault(event, int(touched[np.argmin(right)]), 0, ids)
        return None

    def _fault(self, event: int, subscription: int, kind: int, ids: NDArray[np.integer]) -> Fault:
        right, held = self.ids[subscription], ids[subscription]
        return Fault(event, subscription, kind, tuple(right[right >= 0].tolist()), tuple(held[held >= 0].tolist()))


@njit
def _top_k(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    order: NDArray[np.int64],
    l: NDArray[np.float64],
    r: NDArray[np.float64],
    wanted: NDArray[np.int64],
    ids: NDArray[np.int64],
    values: NDArray[np.float64],
) -> None:
    """Fill the lists of the wanted subscriptions: the first k objects in rank order whose x is in range."""
    k = ids.shape[1]
    for s in wanted:
        found = 0
        for i in order:
            if found == k or y[i] == np.inf:
                break
            if l[s] <= x[i] <= r[s]:
                ids[s, found] = i
                values[s, found] = y[i]
                found += 1
        ids[s, found:] = -1
        values[s, found:] = np.inf
