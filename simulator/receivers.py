"""Receivers: what subscriptions hold under each kind of approach, brought up to date from an engine's deliveries.

Messages are applied in (event, position) order, as subscribers do whatever the order of arrival (see `cn.Inbox`).
"""

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from cn import RelaxedSubscribers, Subscribers
from matching import Scan

from .approaches import Approach, Outgoing
from .ingredients import Ingredients
from .traffic import Traffic

__all__ = ["Answered", "Receivers", "receivers_of"]


class Answered(NamedTuple):
    """An approach, what it sent and how that travelled."""

    name: str
    approach: Approach
    outgoing: Outgoing
    traffic: Traffic


class Received(NamedTuple):
    """Notifications of one event: subscription and object of each."""

    subscription: NDArray[np.int64]
    object: NDArray[np.int64]


class Receivers(Protocol):
    """The subscriptions that are watched, under one approach."""

    def take(self, event: int) -> Received:
        """Hand over what was delivered for an event; events come in order."""

    def lists(self) -> tuple[NDArray[np.integer], NDArray[np.float64]]:
        """Objects and y-values of every list, best first, -1 and +inf where a list is shorter; shape (watched, k)."""


def receivers_of(ingredients: Ingredients, answered: Answered, watched: NDArray[np.int64]) -> Receivers:
    """Receivers for an approach, holding the right lists for the objects at the start.

    Parameters
    ----------
    watched : int64 array
        The subscriptions to follow; everywhere below they are known by their place in this array.
    """
    if answered.approach.unicast:
        return _UnicastReceivers(ingredients, answered, watched)
    if answered.approach.serverless:
        return _RelaxedReceivers(ingredients, answered, watched)
    return _RegionReceivers(ingredients, answered, watched)


class _Deliveries:
    """Deliveries of region messages to gateways, cut into events and matched with the watched subscriptions."""

    def __init__(self, ingredients: Ingredients, answered: Answered, watched: NDArray[np.int64]) -> None:
        self._outgoing, self._traffic = answered.outgoing, answered.traffic
        self._starts = np.searchsorted(answered.traffic.message, answered.outgoing.offsets)
        load = ingredients.workload
        self._index = Scan(
            load.l[watched], load.r[watched], ingredients.gateways.home[watched], len(ingredients.network)
        )

    def of_event(self, event: int) -> tuple[NDArray[np.void], NDArray[np.int64], NDArray[np.int64]]:
        """Message of each delivery, and in CSR form the subscriptions it reaches."""
        deliveries = slice(self._starts[event], self._starts[event + 1])
        table = self._outgoing.table[self._traffic.message[deliveries]]
        brokers = np.ascontiguousarray(self._traffic.broker[deliveries])
        return table, *self._index.match(table, np.arange(len(table) + 1), brokers)


class _RegionReceivers:
    """Lists kept by the paper's protocol (Section II-A)."""

    def __init__(self, ingredients: Ingredients, answered: Answered, watched: NDArray[np.int64]) -> None:
        load = ingredients.workload
        self._deliveries = _Deliveries(ingredients, answered, watched)
        self._subscribers = Subscribers(load.l[watched], load.r[watched], load.k)
        self._subscribers.start(load.x, load.y)

    def take(self, event: int) -> Received:
        """Apply the messages of an event."""
        table, offsets, subscriptions = self._deliveries.of_event(event)
        self._subscribers.apply(table, offsets, subscriptions)
        return Received(subscriptions, np.repeat(table["object"], np.diff(offsets)))

    def lists(self) -> tuple[NDArray[np.integer], NDArray[np.float64]]:
        """Lists as the subscribers hold them."""
        return self._subscribers.objects, self._subscribers.y


class _UnicastReceivers:
    """Lists kept from messages that name a subscription, what it drops and what it takes in."""

    def __init__(self, ingredients: Ingredients, answered: Answered, watched: NDArray[np.int64]) -> None:
        load = ingredients.workload
        self._outgoing = answered.outgoing
        self._place = np.full(len(load.l), -1, np.int64)
        self._place[watched] = np.arange(len(watched))
        self._subscribers = Subscribers(load.l[watched], load.r[watched], load.k)
        self._subscribers.start(load.x, load.y)

    def take(self, event: int) -> Received:
        """Apply the messages of an event."""
        rows = self._outgoing.table[self._outgoing.offsets[event] : self._outgoing.offsets[event + 1]]
        rows = rows[self._place[rows["subscription"]] >= 0]
        subscriptions, dropped, objects, y = (
            np.ascontiguousarray(column)
            for column in (self._place[rows["subscription"]], rows["dropped"], rows["object"], rows["y"])
        )
        self._subscribers.apply_unicast(subscriptions, dropped, objects, y)
        return Received(subscriptions, objects)

    def lists(self) -> tuple[NDArray[np.integer], NDArray[np.float64]]:
        """Lists as the subscribers hold them."""
        return self._subscribers.objects, self._subscribers.y


class _RelaxedReceivers:
    """Subscribers that keep every object in range and rank them themselves."""

    def __init__(self, ingredients: Ingredients, answered: Answered, watched: NDArray[np.int64]) -> None:
        load = ingredients.workload
        self._events = ingredients.events
        self._x, self._y, self._l, self._r = load.x, load.y.copy(), load.l[watched], load.r[watched]
        self._deliveries = _Deliveries(ingredients, answered, watched)
        self._known = RelaxedSubscribers(self._l, self._r, load.x, load.y)
        self._ranked = Subscribers(self._l, self._r, load.k)
        self._ranked.start(load.x, load.y)

    def take(self, event: int) -> Received:
        """Note who heard of an event and who should have."""
        table, offsets, subscriptions = self._deliveries.of_event(event)
        i, y = int(self._events.object[event]), float(self._events.y[event])
        x = float(self._x[i])
        if y != self._y[i]:
            concerned = np.flatnonzero((self._l <= x) & (x <= self._r))
            self._known.event(event, i, x, y, np.setdiff1d(concerned, subscriptions))
            self._y[i] = y
            self._ranked.start(self._x, self._y)
        return Received(subscriptions, np.repeat(table["object"], np.diff(offsets)))

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
