"""What every network offers: the rest of the program knows brokers and gateways, not how messages travel."""

from typing import Protocol

import numpy as np
import numpy.typing as npt

from cn.can import Deliveries, Hops

__all__ = ["Network"]


class Network(Protocol):
    """Brokers that carry messages to the gateways of the subscriptions concerned (Section V, network setup)."""

    @property
    def server(self) -> int:
        """Broker that keeps the objects."""

    def __len__(self) -> int:
        """Number of brokers."""

    def home(self, l: npt.ArrayLike, r: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Gateway broker of each subscription."""

    def next_hops(
        self, broker: int, came_from: int, l_in: float, r_in: float, l_out: float, r_out: float
    ) -> tuple[bool, list[int]]:
        """Whether a broker delivers a message to its own subscriptions, and to which brokers it hands it."""

    def multicast(
        self, table: npt.NDArray[np.void], sources: npt.ArrayLike, ip_hops: npt.NDArray[np.integer] | None = None
    ) -> Deliveries:
        """Carry a table of messages to every gateway concerned, by the decisions of `next_hops`."""

    def hops(self, table: npt.NDArray[np.void], sources: npt.ArrayLike) -> Hops:
        """Follow a table of messages hop by hop: the hops that `multicast` counts."""
