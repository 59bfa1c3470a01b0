"""What networks over zones have in common: a subscription is at home where its point of S lies."""

from abc import ABC, abstractmethod

import numpy as np
import numpy.typing as npt

from cn.deliveries import Deliveries, End, Hops, link_costs, message_regions, message_starts, one_region
from cn.forwarding import Table, follow_messages, multicast, next_edges
from cn.regions import Corners, Region, Regions
from cn.zones import Ints, Zones

__all__ = ["ZoneNetwork"]


class ZoneNetwork(ABC):
    """Brokers that hold a zone of the subscription space each; how they pass messages on is their table's matter.

    Parameters
    ----------
    zones
        The brokers' zones. When they change, the next decision uses the new tables.
    """

    def __init__(self, zones: Zones) -> None:
        if not isinstance(zones, Zones):
            raise TypeError(f"zones must be Zones, got {zones!r}; make them with Zones(brokers)")
        self.zones = zones

    @property
    def centre(self) -> int:
        """Broker whose zone covers the centre of the zoned area."""
        return self.zones.centre

    @property
    def present(self) -> npt.NDArray[np.bool_]:
        """Which brokers hold a zone, (n,) bool."""
        return self.zones.present

    @property
    @abstractmethod
    def links(self) -> Ints:
        """A broker and one that it may hand messages to, (links, 2) i8, in the order of the table's neighbours."""

    @abstractmethod
    def _table_for(self, *, wide: bool) -> Table:
        """What brokers know; its type chooses the kernels. `wide`: some message has l_in > r_in in an attribute."""

    def __len__(self) -> int:
        return len(self.zones)

    def home(self, l: npt.ArrayLike, r: npt.ArrayLike, nodes: npt.ArrayLike | None = None) -> Ints:  # noqa: ARG002
        """Gateway broker of each subscription: (m,) i8. Where subscriptions are located (`nodes`) does not matter."""
        return self.zones.home(l, r)

    def subscribe(
        self,
        ids: npt.ArrayLike,  # noqa: ARG002
        l: npt.ArrayLike,
        r: npt.ArrayLike,
        nodes: npt.ArrayLike | None = None,
    ) -> Ints:
        """Gateway broker of each newcomer: (m,) i8. Zones forward by place in S alone, so nothing changes."""
        return self.home(l, r, nodes)

    def unsubscribe(self, ids: npt.ArrayLike) -> None:  # noqa: B027 (nothing to do is all there is to do)
        """Let subscriptions go; nothing changes, as in `subscribe`."""

    def leave(self, broker: int) -> Ints:
        """Let a broker leave (or crash); see `Zones.leave`. Returns the brokers that gave a zone away: one or two."""
        takeover = self.zones.leave(broker)
        return np.array([takeover.gone] if takeover.merged < 0 else [takeover.gone, takeover.heir])

    def join(self, broker: int, seed: int | np.random.Generator) -> Ints:
        """Let a broker that left return; see `Zones.join`. Returns the broker that gave half of its zone away."""
        return np.array([self.zones.join(broker, seed).keeper])

    def next_hops(
        self, broker: int, came_from: int, l_in: End, r_in: End, l_out: End, r_out: End
    ) -> tuple[bool, list[int]]:
        """Decide what a broker does with a message: deliver it to its own subscriptions or not, and hand it to whom.

        `came_from` is the broker that sent it, -1 where it starts. O(number of neighbours).
        """
        if broker not in self.zones:
            raise ValueError(f"broker must be a broker that holds a zone, got {broker}")
        return self._decide(broker, came_from, one_region(self.zones.sides, l_in, r_in, l_out, r_out))

    def _decide(self, broker: int, came_from: int, region: Region) -> tuple[bool, list[int]]:
        out = np.empty(len(self.zones), np.int64)
        table = self._table_for(wide=self.zones.sides is None and bool(region[0] > region[1]))
        delivers, count = next_edges(table, broker, came_from, region, out)
        return delivers, table.neighbours[out[:count]].tolist()

    def multicast(
        self, table: npt.NDArray[np.void], sources: npt.ArrayLike, ip_hops: npt.NDArray[np.integer] | None = None
    ) -> Deliveries:
        """Carry a table of messages to every zone they concern; compiled (see `cn.network.Network.multicast`).

        O(hops x neighbours) time for all messages together, O(messages + zones reached) space.
        """
        regions = message_regions(table, self.zones.sides)
        starts = message_starts(sources, len(table), self.zones.present)
        links = self.links
        cost = link_costs(ip_hops, len(self), links[:, 0], links[:, 1])
        columns = multicast(self._table_for(wide=_any_wide(regions)), len(self), regions, starts, cost)
        return Deliveries(*columns[:5], np.column_stack((links, columns[5])))

    def hops(self, table: npt.NDArray[np.void], sources: npt.ArrayLike) -> Hops:
        """Follow a table of messages hop by hop: the same hops as `multicast` counts. O(hops x neighbours)."""
        regions = message_regions(table, self.zones.sides)
        starts = message_starts(sources, len(table), self.zones.present)
        return Hops(*follow_messages(self._table_for(wide=_any_wide(regions)), len(self), regions, starts))

    def _check_ends(self, source: int, target: int) -> None:
        for name, broker in (("source", source), ("target", target)):
            if broker not in self.zones:
                raise ValueError(f"{name} must be a broker that holds a zone, got {broker}")


def _any_wide(regions: Regions) -> bool:
    if not isinstance(regions, Corners):
        return bool(regions.wide.any())
    return bool((regions.l_in > regions.r_in).any())
