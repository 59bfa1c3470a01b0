"""Audience: whom the gateways hand a delivered message to, all of them counted, those that are watched named."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from matching import Scan
from paint import UNICAST
from simulator.approaches.approach import Approach
from simulator.engine.everybody import Everybody
from simulator.inputs.ingredients import Ingredients

__all__ = ["Audience", "Notified", "gathered", "repeats"]


class Notified(NamedTuple):
    """Notifications as columns: row of the message in its chunk, and the place of the subscription that got it."""

    message: NDArray[np.int64]
    subscription: NDArray[np.int64]
    delivery: NDArray[np.int64]
    """Which delivery of the chunk's traffic it came by."""

    def rows(self, chosen: NDArray[np.bool_] | NDArray[np.int64]) -> "Notified":
        """Some of them, in the order of `chosen`."""
        return Notified._make(column[chosen] for column in self)


def gathered(parts: Sequence[Notified], deliveries: Sequence[int], order: NDArray[np.int64]) -> Notified:
    """All notifications, in the order of messages, subscriptions and time.

    Parameters
    ----------
    deliveries : sequence of int
        How many each part is about.
    order : int64 array
        That of all deliveries, as they are told in the end.
    """
    nothing = Notified(*(np.empty(0, np.int64) for _ in Notified._fields))
    before = np.cumsum([0, *deliveries])
    moved = [part._replace(delivery=part.delivery + at) for part, at in zip(parts, before, strict=False)]
    message, subscription, delivery = (np.concatenate(columns) for columns in zip(nothing, *moved, strict=True))
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    every = Notified(message, subscription, place[delivery])
    return every.rows(np.lexsort((every.delivery, subscription, message)))


def repeats(named: Notified, time_s: NDArray[np.float64]) -> NDArray[np.int64]:
    """How many of the notifications of each delivery, which came at a time, tell a subscription what it was told."""
    named = named.rows(np.lexsort((time_s[named.delivery], named.subscription, named.message)))
    again = (np.diff(named.message) == 0) & (np.diff(named.subscription) == 0)
    return np.bincount(named.delivery[1:][again], minlength=len(time_s))


class Audience:
    """The subscriptions behind the gateways, for one approach.

    Parameters
    ----------
    watched : int64 array
        Subscriptions to name, ascending; everywhere else they are known by their place in this array. Ids that follow
        those of the workload are of subscriptions that come later.
    """

    def __init__(self, ingredients: Ingredients, approach: Approach, watched: NDArray[np.int64]) -> None:
        self._gateways, self._unicast = ingredients.gateways, approach.unicast
        workload = ingredients.workload
        alone = len(ingredients.network) == 1 and workload.known is not None
        self._everybody = Everybody(workload) if alone else None  # quicker than a gateway that scans
        self._place = np.full(int(watched.max(initial=-1)) + 1, -1, np.int64)
        self._place[watched] = np.arange(len(watched))
        self.watches = len(watched) > 0
        first = watched[watched < len(workload.l)]
        home = ingredients.gateways.home[first]
        self._watched = Scan(workload.l[first], workload.r[first], home, len(ingredients.network))

    def count(
        self, table: NDArray[np.void], message: NDArray[np.int64], broker: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Subscriptions that each delivery reaches: of row `message` of the table, at the gateway `broker`."""
        if self._unicast and table.dtype == UNICAST:
            own: NDArray[np.bool_] = self._gateways.home[table["subscription"][message]] == broker
            return own.astype(np.int64)
        if self._everybody is not None:
            return self._everybody.count(table.take(message))
        return self._gateways.index.count(table.take(message), np.arange(len(message) + 1), broker)

    def everyone(self, table: NDArray[np.void], message: NDArray[np.int64], broker: NDArray[np.int64]) -> Notified:
        """Notifications of all subscriptions, by their ids, in the order of the deliveries. 24 bytes each."""
        if self._unicast:
            named = table["subscription"][message]
            delivery = np.flatnonzero(self._gateways.home[named] == broker)
            return Notified(message[delivery], named[delivery], delivery)
        offsets, ids = self._gateways.index.match(table.take(message), np.arange(len(message) + 1), broker)
        delivery = np.repeat(np.arange(len(message)), np.diff(offsets))
        return Notified(message[delivery], ids, delivery)

    def name(self, table: NDArray[np.void], message: NDArray[np.int64], broker: NDArray[np.int64]) -> Notified:
        """Notifications of watched subscriptions, in the order of the deliveries; only its own gateway tells one."""
        if not self.watches:
            nothing = np.empty(0, np.int64)
            return Notified(nothing, nothing, nothing)
        if self._unicast:
            named = table["subscription"][message]
            place = self._places(named)
            delivery = np.flatnonzero((place >= 0) & (self._gateways.home[named] == broker))
            subscriptions = place[delivery]
        else:
            offsets, subscriptions = self._watched.match(table.take(message), np.arange(len(message) + 1), broker)
            delivery = np.repeat(np.arange(len(message)), np.diff(offsets))
        return Notified(message[delivery], subscriptions, delivery)

    def follow(self, moved: NDArray[np.int64]) -> None:
        """Note that subscriptions have other gateways now."""
        places = self._places(moved)
        seen = places >= 0
        self._watched.move(places[seen], self._gateways.home[moved[seen]])

    def join(self, ids: NDArray[np.int64], l: NDArray[np.float64], r: NDArray[np.float64]) -> None:
        """Take in subscriptions that the gateways have taken in."""
        places = self._places(ids)
        seen = places >= 0
        self._watched.add(places[seen], l[seen], r[seen], self._gateways.home[ids[seen]])

    def leave(self, ids: NDArray[np.int64]) -> None:
        """Forget subscriptions."""
        places = self._places(ids)
        self._watched.remove(places[places >= 0])

    def _places(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Place of each subscription among the watched, -1 if it is not; most ids may be beyond the last of these."""
        known = ids < len(self._place)
        places = np.full(len(ids), -1, np.int64)
        places[known] = self._place[ids[known]]
        return places
