"""What every network offers: the rest of the program knows brokers and gateways, not how messages travel."""

from typing import Protocol

import numpy as np
import numpy.typing as npt

from cn.deliveries import Deliveries, End, Hops, Ints

__all__ = ["Network"]


class Network(Protocol):
    """Brokers that carry messages to the gateways of the subscriptions concerned (Section V, network setup).

    A subscription has an id, the ends l <= r of its range and a node, where it is located. Over several attributes l
    and r of m subscriptions have the shape (m, attributes), and those of a message are vectors.
    """

    @property
    def centre(self) -> int:
        """Broker in the middle of those present: a place for a server, of which the network itself knows nothing."""

    @property
    def present(self) -> npt.NDArray[np.bool_]:
        """Which brokers have not left, (n,) bool."""

    def __len__(self) -> int:
        """Number of brokers, those that left included."""

    def home(self, l: npt.ArrayLike, r: npt.ArrayLike, nodes: npt.ArrayLike) -> Ints:
        """Gateway broker of each subscription."""

    def subscribe(self, ids: npt.ArrayLike, l: npt.ArrayLike, r: npt.ArrayLike, nodes: npt.ArrayLike) -> Ints:
        """Take in subscriptions under ids not in use, so that messages reach their gateways; returns these."""

    def unsubscribe(self, ids: npt.ArrayLike) -> None:
        """Forget subscriptions."""

    def leave(self, broker: int) -> Ints:
        """Let a broker leave or crash; some subscriptions then have another `home`, and messages go there.

        Returns the brokers from which subscriptions may have moved; all others' stay.
        """

    def join(self, broker: int, seed: int | np.random.Generator) -> Ints:
        """Let a broker that left return; `seed` decides what is random about it. Returns the same as `leave`."""

    def next_hops(
        self, broker: int, came_from: int, l_in: End, r_in: End, l_out: End, r_out: End
    ) -> tuple[bool, list[int]]:
        """Whether a broker delivers a message to its own subscriptions, and to which brokers it hands it."""

    def multicast(
        self, table: npt.NDArray[np.void], sources: npt.ArrayLike, ip_hops: npt.NDArray[np.integer] | None = None
    ) -> Deliveries:
        """Carry a table of messages to every gateway concerned, by the decisions of `next_hops`.

        Parameters
        ----------
        table
            Messages with fields l_in, r_in, l_out, r_out.
        sources
            Broker at which each message starts, or one for all.
        ip_hops
            IP hops between brokers, (n, n). Without it `ip_hops` of the answer equals the overlay hops.
        """

    def hops(self, table: npt.NDArray[np.void], sources: npt.ArrayLike) -> Hops:
        """Follow a table of messages hop by hop: the hops that `multicast` counts."""

    def path(self, source: int, target: int) -> list[int]:
        """Brokers from one to another along the overlay, both included."""
