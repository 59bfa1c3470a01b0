"""Receivers: what subscriptions hold under each kind of approach, brought up to date from an engine's deliveries.

Messages are applied in (event, position) order, as subscribers do whatever the order of arrival (see `cn.Inbox`).
"""

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from cn import RelaxedSubscribers, Subscribers
from simulator.approaches.approach import Approach
from simulator.workload.events import MOVE, EventStream
from simulator.workload.workload import Workload

__all__ = ["News", "Receivers", "receivers_of"]


class News(NamedTuple):
    """What was delivered for one window, to those that are watched."""

    event: int
    """Number of the window's first event."""
    events: EventStream
    """Events of the window."""
    rows: NDArray[np.void]
    """Message of each notification, in the order of the messages: rows of paint.MESSAGE or paint.UNICAST."""
    subscriptions: NDArray[np.int64]
    """Whom it reached."""


class Receivers(Protocol):
    """The subscriptions that are watched, under one approach."""

    def let_in(
        self,
        present: NDArray[np.bool_],
        new: NDArray[np.int64],
        ids: NDArray[np.int64],
        values: NDArray[np.float64],
    ) -> None:
        """Follow the subscriptions that are `present` from now on; those that are new are given their lists."""

    def take(self, news: News) -> None:
        """Hand over what was delivered for a window; windows come in order."""

    def lists(self) -> tuple[NDArray[np.integer], NDArray[np.float64]]:
        """Objects and y-values of every list, best first, -1 and +inf where a list is shorter; shape (watched, k)."""


def receivers_of(approach: Approach, workload: Workload, room: int) -> Receivers:
    """Receivers for an approach, nobody present yet.

    Parameters
    ----------
    workload : Workload
        With the subscriptions to follow; everywhere below they are known by their place in it.
    room : int
        Number of objects, those that are inserted later counted.
    """
    if approach.unicast:
        return _UnicastReceivers(workload)
    if approach.serverless:
        return _RelaxedReceivers(workload, room)
    return _RegionReceivers(workload)


class _ListReceivers:
    """Lists that are kept from messages."""

    def __init__(self, workload: Workload) -> None:
        self._subscribers = Subscribers(workload.l, workload.r, workload.k)

    def let_in(
        self,
        present: NDArray[np.bool_],  # noqa: ARG002 - who is gone gets nothing more
        new: NDArray[np.int64],
        ids: NDArray[np.int64],
        values: NDArray[np.float64],
    ) -> None:
        """Give newcomers their lists."""
        self._subscribers.objects[new], self._subscribers.y[new] = ids, values

    def lists(self) -> tuple[NDArray[np.integer], NDArray[np.float64]]:
        """Lists as the subscribers hold them."""
        return self._subscribers.objects, self._subscribers.y


class _RegionReceivers(_ListReceivers):
    """Lists kept by the paper's protocol (Section II-A)."""

    def take(self, news: News) -> None:
        """Apply the messages of a window."""
        objects, x, y = (np.ascontiguousarray(news.rows[name]) for name in ("object", "x", "y"))
        self._subscribers.apply_each(news.subscriptions, objects, x, y)


class _UnicastReceivers(_ListReceivers):
    """Lists kept from messages that name a subscription, what it drops and what it takes in."""

    def take(self, news: News) -> None:
        """Apply the messages of a window."""
        dropped, objects, y = (np.ascontiguousarray(news.rows[name]) for name in ("dropped", "object", "y"))
        self._subscribers.apply_unicast(news.subscriptions, dropped, objects, y)


class _RelaxedReceivers:
    """Subscribers that keep every object in range and rank them themselves."""

    def __init__(self, workload: Workload, room: int) -> None:
        self._l, self._r = workload.l, workload.r
        absent = room - len(workload.x)
        self._x, self._y = np.append(workload.x, np.zeros(absent)), np.append(workload.y, np.full(absent, np.inf))
        self._known = RelaxedSubscribers(self._l, self._r, self._x, self._y)
        self._ranked = Subscribers(self._l, self._r, workload.k)
        self._present = np.zeros(len(self._l), np.bool_)

    def let_in(
        self,
        present: NDArray[np.bool_],
        new: NDArray[np.int64],
        ids: NDArray[np.int64],
        values: NDArray[np.float64],
    ) -> None:
        """Expect messages to reach those that are present; a newcomer knows all objects in its range as they are."""
        self._present = present.copy()
        self._ranked.objects[new], self._ranked.y[new] = ids, values

    def take(self, news: News) -> None:
        """Note who heard of each event and who should have."""
        events = news.events
        columns = (events.object, events.x, events.y, events.kind)
        for event, (i, x, y, kind) in enumerate(zip(*(one.tolist() for one in columns), strict=True), news.event):
            if x == self._x[i] and y == self._y[i]:
                continue
            told = news.subscriptions[news.rows["object"] == i]
            if kind == MOVE:  # a departure from the old x, then an arrival at the new one
                self._note(2 * event, i, float(self._x[i]), np.inf, told)
            self._note(2 * event + 1, i, x, y, told)
            self._x[i], self._y[i] = x, y
        self._ranked.start(self._x, self._y)

    def _note(self, event: int, i: int, x: float, y: float, told: NDArray[np.int64]) -> None:
        concerned = np.flatnonzero((self._l <= x) & (x <= self._r) & self._present)
        self._known.event(event, i, x, y, np.setdiff1d(concerned, told))

    def lists(self) -> tuple[NDArray[np.integer], NDArray[np.float64]]:
        """Lists ranked from what each subscriber knows: the objects as they are, but for the stale pairs."""
        objects, y = self._ranked.objects, self._ranked.y
        ignorant = {subscription for subscription, _ in self._known.stale}
        if ignorant:
            objects, y = objects.copy(), y.copy()
        for subscription in ignorant:
            top = self._known.top(subscription, objects.shape[1])
            objects[subscription], y[subscription] = -1, np.inf
            objects[subscription, : len(top)] = [i for _, i in top]
            y[subscription, : len(top)] = [value for value, _ in top]
        return objects, y
