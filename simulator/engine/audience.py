"""Audience: whom the gateways hand a delivered message to, all of them counted, those that are watched named."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from matching import Scan
from paint import UNICAST
from simulator.approaches.approach import Approach
from simulator.inputs.ingredients import Ingredients

__all__ = ["Audience", "Notified"]


class Notified(NamedTuple):
    """Notifications as columns: row of the message in its chunk, and the place of the subscription that got it."""

    message: NDArray[np.int64]
    subscription: NDArray[np.int64]
    time_s: NDArray[np.float64] | None
    """When; None without a clock."""


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
        load = ingredients.workload
        self._place = np.full(max(len(load.l), int(watched.max(initial=-1)) + 1), -1, np.int64)
        self._place[watched] = np.arange(len(watched))
        self.watches = len(watched) > 0
        first = watched[watched < len(load.l)]
        home = ingredients.gateways.home[first]
        self._watched = Scan(load.l[first], load.r[first], home, len(ingredients.network))

    def count(
        self, table: NDArray[np.void], message: NDArray[np.int64], broker: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Subscriptions that each delivery reaches: of row `message` of the table, at the gateway `broker`."""
        if self._unicast and table.dtype == UNICAST:
            return np.ones(len(message), np.int64)
        return self._gateways.index.count(table[message], np.arange(len(message) + 1), broker)

    def name(
        self,
        table: NDArray[np.void],
        message: NDArray[np.int64],
        broker: NDArray[np.int64],
        time_s: NDArray[np.float64] | None,
    ) -> Notified:
        """Notifications of watched subscriptions, in the order of the deliveries."""
        if not self.watches:
            nothing = np.empty(0, np.int64)
            return Notified(nothing, nothing, None if time_s is None else np.empty(0))
        if self._unicast:
            place = self._place[table["subscription"][message]]
            delivery = np.flatnonzero(place >= 0)
            subscriptions = place[delivery]
        else:
            offsets, subscriptions = self._watched.match(table[message], np.arange(len(message) + 1), broker)
            delivery = np.repeat(np.arange(len(message)), np.diff(offsets))
        return Notified(message[delivery], subscriptions, None if time_s is None else time_s[delivery])

    def follow(self, moved: NDArray[np.int64]) -> None:
        """Note that subscriptions have other gateways now."""
        moved = moved[self._place[moved] >= 0]
        self._watched.move(self._place[moved], self._gateways.home[moved])

    def join(self, ids: NDArray[np.int64], l: NDArray[np.float64], r: NDArray[np.float64]) -> None:
        """Take in subscriptions that the gateways have taken in."""
        seen = self._place[ids] >= 0
        self._watched.add(self._place[ids[seen]], l[seen], r[seen], self._gateways.home[ids[seen]])

    def leave(self, ids: NDArray[np.int64]) -> None:
        """Forget subscriptions."""
        self._watched.remove(self._place[ids[self._place[ids] >= 0]])
