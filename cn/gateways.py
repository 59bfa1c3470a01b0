"""Gateways: the brokers in their other part, finding which of their own subscriptions a message concerns.

How a gateway searches is the business of an index of `matching`; here is only who is whose, and what happens when
brokers leave and join.
"""

from collections.abc import Callable
from typing import Protocol

import numpy as np
import numpy.typing as npt

from cn.deliveries import Deliveries, finite_ends
from cn.network import Network
from cn.zones import Ints
from matching.scan import Scan
from topologies.arguments import integer

__all__ = ["Gateways", "LocalIndex"]


class LocalIndex(Protocol):
    """What a gateway needs of an index: subscriptions in groups, one per broker, as in `matching.Scan`."""

    def match(self, table: npt.NDArray[np.void], offsets: Ints, groups: Ints) -> tuple[Ints, Ints]:
        """Subscriptions that each message concerns in the groups it reached."""

    def count(self, table: npt.NDArray[np.void], offsets: Ints, groups: Ints) -> Ints:
        """How many they are."""

    def add(self, ids: npt.ArrayLike, l: npt.ArrayLike, r: npt.ArrayLike, group: npt.ArrayLike) -> None:
        """Take in subscriptions."""

    def remove(self, ids: npt.ArrayLike) -> None:
        """Forget subscriptions."""

    def move(self, ids: npt.ArrayLike, group: npt.ArrayLike, groups: int | None = None) -> None:
        """Put subscriptions into other groups."""


class Gateways:
    """The subscriptions of every broker of a network.

    Parameters
    ----------
    network
        Tells the gateway of each subscription.
    l, r
        Ends of the subscriptions, (m,) f8 each, or (m, attributes); the row number is the id.
    index
        Makes the index from (l, r, gateway of each, number of brokers).
    nodes
        Node of each subscription, (m,) i8. May be left out for a network to which it makes no difference.
    """

    def __init__(
        self,
        network: Network,
        l: npt.ArrayLike,
        r: npt.ArrayLike,
        index: Callable[[npt.ArrayLike, npt.ArrayLike, Ints, int], LocalIndex] = Scan,
        nodes: npt.ArrayLike | None = None,
    ) -> None:
        self._network = network
        self._l, self._r = finite_ends(l), finite_ends(r)
        self._nodes = _places(nodes, len(self._l))
        self.home = network.subscribe(np.arange(len(self._l)), self._l, self._r, self._nodes)
        self.index = index(self._l, self._r, self.home, len(network))

    def match(self, table: npt.NDArray[np.void], deliveries: Deliveries) -> tuple[Ints, Ints]:
        """(offsets, subscriptions) that each message is handed to by the gateways it reached."""
        return self.index.match(table, deliveries.offsets, deliveries.zones)

    def count(self, table: npt.NDArray[np.void], deliveries: Deliveries) -> Ints:
        """Number of subscriptions that each message is handed to, (messages,) i8."""
        return self.index.count(table, deliveries.offsets, deliveries.zones)

    def local(self, broker: int, message: npt.NDArray[np.void]) -> Ints:
        """Subscriptions of one broker that one message, a table of one row, concerns."""
        group = integer("broker", broker, 0, len(self._network) - 1)
        return self.index.match(message, np.array([0, 1]), np.array([group]))[1]

    def join(
        self,
        ids: npt.ArrayLike,
        l: npt.ArrayLike,
        r: npt.ArrayLike,
        nodes: npt.ArrayLike | None = None,
    ) -> Ints:
        """Take in subscriptions under ids not in use; returns their gateways."""
        rows = np.atleast_1d(np.asarray(ids, np.int64))
        lows, highs = np.atleast_1d(finite_ends(l)), np.atleast_1d(finite_ends(r))
        where = _places(nodes, len(rows))
        home = self._network.subscribe(rows, lows, highs, where)
        self.index.add(rows, lows, highs, home)
        more = int(rows.max(initial=-1)) + 1 - len(self.home)
        if more > 0:
            room = np.zeros((more, *self._l.shape[1:]))
            self._l, self._r = np.concatenate((self._l, room)), np.concatenate((self._r, room))
            self._nodes = np.append(self._nodes, np.zeros(more, np.int64))
            self.home = np.append(self.home, np.full(more, -1))
        self._l[rows], self._r[rows], self._nodes[rows], self.home[rows] = lows, highs, where, home
        return home

    def leave(self, ids: npt.ArrayLike) -> None:
        """Forget subscriptions; their `home` becomes -1."""
        rows = np.atleast_1d(np.asarray(ids, np.int64))
        self._network.unsubscribe(rows)
        self.index.remove(rows)
        self.home[rows] = -1

    def rehome(self, brokers: npt.ArrayLike) -> Ints:
        """Hand subscriptions over after brokers left or joined; returns the ids that have a new gateway, ascending.

        Parameters
        ----------
        brokers
            From which subscriptions may have moved, as the network's `leave` and `join` say.

        Notes
        -----
        One look at every subscription for its gateway, `home` for those of the brokers given, and what `move` of the
        index takes for those that moved. `Scan` is built anew when a gateway outgrows its room: then 0.4 s in all for
        two million subscriptions.
        """
        giving = np.zeros(len(self._network) + 1, np.bool_)  # a place more, for the -1 of those not here
        giving[np.asarray(brokers, np.int64)] = True
        asked = np.flatnonzero(giving[self.home])
        home = self._network.home(self._l[asked], self._r[asked], self._nodes[asked])
        new = home != self.home[asked]
        moved: Ints = asked[new]
        self.home[moved] = home[new]
        self.index.move(moved, home[new], len(self._network))
        return moved


def _places(nodes: npt.ArrayLike | None, count: int) -> Ints:
    """Nodes of subscriptions as an array; -1, which networks that ask for nodes refuse, where none are given."""
    return np.full(count, -1) if nodes is None else np.atleast_1d(np.asarray(nodes, np.int64))
