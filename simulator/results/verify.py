"""Verification: every list, after every window, against a brute-force top-k; every notification against need.

The brute force shares nothing with the server or the subscribers' protocol: it walks the objects in rank order
and takes the first k inside the range. A subscription is looked at after a window if its range holds an object of it,
before or after, or if it was notified; nothing else can have changed, neither what is right nor what it holds.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit
from simulator.approaches.approach import Approach
from simulator.approaches.receivers import News, receivers_of
from simulator.approaches.registry import parse_approach
from simulator.engine.audience import Notified
from simulator.engine.carried import Carried
from simulator.inputs.fault_plan import Churn, plan_faults
from simulator.inputs.ingredients import Ingredients
from simulator.inputs.watched import watched_of
from simulator.scenario.scenario import Scenario
from simulator.workload.events import EventStream
from simulator.workload.workload import Workload

__all__ = ["Mismatch", "Truth", "Verifier", "verifier_of"]

_KINDS = (
    "holds a wrong list",
    "was not notified although its list changed",
    "was notified although nothing changed",
    "was told of the same object twice",
)


class Mismatch(NamedTuple):
    """A list or a notification that is wrong."""

    event: int
    subscription: int
    kind: int
    right: tuple[int, ...]
    held: tuple[int, ...]

    def __str__(self) -> str:
        text = f"event {self.event}: subscription {self.subscription} {_KINDS[self.kind]}"
        return f"{text}: holds objects {list(self.held)}, right is {list(self.right)}" if self.kind == 0 else text


class Verifier:
    """Follows the lists of some subscriptions through the stream, under one approach.

    Parameters
    ----------
    workload : Workload
        With all subscriptions.
    watched : int64 array
        Those to verify.
    events : EventStream
        The whole stream, whose insertions tell how many objects there will be.
    churn : Churn
        Who comes and goes; those that come are in `watched`, behind all others.

    Attributes
    ----------
    watched : int64 array
        Those that are verified.
    mismatch : Mismatch or None
        The first thing that was wrong; nothing is verified after it.

    Notes
    -----
    Memory: 28 k bytes per watched subscription.
    """

    def __init__(
        self,
        approach: Approach,
        workload: Workload,
        watched: NDArray[np.int64],
        events: EventStream,
        churn: Churn,
    ) -> None:
        l, r = np.append(workload.l, churn.l), np.append(workload.r, churn.r)
        followed = workload._replace(l=l[watched], r=r[watched])
        room = max(len(followed.x), int(events.object.max(initial=-1)) + 1)
        self.mismatch: Mismatch | None = None
        self.watched = watched
        self._exact = approach.exact
        self._joined, self._left = churn.joined[watched], churn.left[watched]
        self._truth = Truth(followed.x, followed.y, followed.l, followed.r, followed.k, room)
        self._receivers = receivers_of(approach, followed, room)
        self._let_in(self._joined < 0)

    def take(self, carried: Carried) -> None:
        """Verify the windows of a chunk."""
        chunk, (table, offsets, _) = carried.chunk, carried.outgoing
        if (self._joined == chunk.first).any() or (self._left == chunk.first).any():
            self._let_in((self._joined <= chunk.first) & (chunk.first < self._left))
        here = self._truth.present[carried.notified.subscription]
        notified = Notified(carried.notified.message[here], carried.notified.subscription[here], None)
        ends = np.searchsorted(notified.message, offsets)
        for at in range(chunk.windows):
            if self.mismatch is not None:
                return
            news = News(
                chunk.first + int(chunk.starts[at]),
                chunk.window(at),
                table[notified.message[ends[at] : ends[at + 1]]],
                notified.subscription[ends[at] : ends[at + 1]],
            )
            concerned, affected = self._truth.advance(news.events)
            self._receivers.take(news)
            told = np.column_stack((news.subscriptions, news.rows["object"]))
            lists = self._receivers.lists()
            found = self._truth.check(news.event, concerned, affected, told, *lists, exact=self._exact)
            self.mismatch = found and found._replace(subscription=int(self.watched[found.subscription]))

    def _let_in(self, present: NDArray[np.bool_]) -> None:
        """Give newcomers their lists as they are right now, and forget those that are gone."""
        new = np.flatnonzero(present & ~self._truth.present)
        self._truth.let_in(present)
        self._receivers.let_in(present, new, self._truth.ids[new], self._truth.values[new])


def verifier_of(scenario: Scenario, ingredients: Ingredients, name: str) -> Verifier | None:
    """Follows the lists that the scenario wants verified under an approach; None if it wants none."""
    if scenario.verify == "none":
        return None
    churn, watched = plan_faults(scenario, ingredients).churn, watched_of(scenario, ingredients)
    return Verifier(parse_approach(name), ingredients.workload, watched, ingredients.events, churn)


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
    room : int
        Number of objects, those that are inserted later counted.
    """

    def __init__(
        self,
        x: NDArray[np.float64],
        y: NDArray[np.float64],
        l: NDArray[np.float64],
        r: NDArray[np.float64],
        k: int,
        room: int,
    ) -> None:
        absent = room - len(x)
        self._x, self._y = np.append(x, np.zeros(absent)), np.append(y, np.full(absent, np.inf))
        self._l, self._r = l, r
        self.present = np.zeros(len(l), np.bool_)
        self.ids = np.full((len(l), k), -1, np.int64)
        self.values = np.full((len(l), k), np.inf)

    def let_in(self, present: NDArray[np.bool_]) -> None:
        """Follow other subscriptions from now on."""
        new = np.flatnonzero(present & ~self.present)
        self.present = present.copy()
        self._fill(new)

    def advance(self, events: EventStream) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Apply a window; O(n log n) plus, per subscription that holds one of its objects, those above its k-th.

        Returns
        -------
        concerned, affected
            Subscriptions whose range holds an object of the window, and whether the list of each changed; the x of
            an object in it counts.
        """
        holds = np.zeros(len(self._l), np.bool_)
        places = self._x[events.object]
        for i, x, y in zip(events.object.tolist(), events.x.tolist(), events.y.tolist(), strict=True):
            for place in {float(self._x[i]), x}:
                holds |= (self._l <= place) & (place <= self._r)
            self._x[i], self._y[i] = x, y
        concerned = np.flatnonzero(holds & self.present)
        ids, values = self.ids[concerned], self.values[concerned]
        self._fill(concerned)
        affected = (ids != self.ids[concerned]).any(axis=1) | (values != self.values[concerned]).any(axis=1)
        moved = events.object[self._x[events.object] != places]
        affected |= np.isin(self.ids[concerned], moved).any(axis=1)
        return concerned, affected

    def _fill(self, subscriptions: NDArray[np.int64]) -> None:
        order = np.lexsort((np.arange(len(self._y)), self._y))
        _top_k(self._x, self._y, order, self._l, self._r, subscriptions, self.ids, self.values)

    def check(
        self,
        event: int,
        concerned: NDArray[np.int64],
        affected: NDArray[np.bool_],
        told: NDArray[np.int64],
        ids: NDArray[np.integer],
        values: NDArray[np.float64],
        *,
        exact: bool,
    ) -> Mismatch | None:
        """Compare the lists that an approach's subscribers hold, and whom it notified, with what is right.

        Parameters
        ----------
        concerned, affected
            As `advance` returned them.
        told : (notifications, 2) int64 array
            Subscription and object of each notification of this window.
        ids, values : (m, k) arrays
            Lists as the subscribers hold them, best first, missing entries -1 and +inf.
        exact : bool
            Whether a notification that changes nothing is a mismatch.
        """
        notified = np.unique(told[:, 0])
        needed = concerned[affected]
        missed = np.setdiff1d(needed, notified)
        if len(missed):
            return self._mismatch(event, int(missed[0]), 1, ids)
        idle = np.setdiff1d(notified, needed)
        if exact and len(idle):
            return self._mismatch(event, int(idle[0]), 2, ids)
        pairs, times = np.unique(told, axis=0, return_counts=True)
        if (times > 1).any():
            return self._mismatch(event, int(pairs[np.argmax(times), 0]), 3, ids)
        touched = np.union1d(concerned, notified)
        right = (ids[touched] == self.ids[touched]).all(axis=1) & (values[touched] == self.values[touched]).all(
            axis=1
        )
        if not right.all():
            return self._mismatch(event, int(touched[np.argmin(right)]), 0, ids)
        return None

    def _mismatch(self, event: int, subscription: int, kind: int, ids: NDArray[np.integer]) -> Mismatch:
        right, held = self.ids[subscription], ids[subscription]
        return Mismatch(event, subscription, kind, tuple(right[right >= 0].tolist()), tuple(held[held >= 0].tolist()))


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
