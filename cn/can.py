"""The content-addressable network: brokers are zones, and messages go from neighbour to neighbour.

How a broker decides, and why every message arrives at each zone that it concerns once, is told and shown in
`cn.zone_forwarding` and, of messages across the diagonal of S, in `cn.wide_forwarding`; over several attributes in
`cn.side_forwarding`.
"""

import numpy as np

from cn.plane import ZoneTable
from cn.regions import corner_region
from cn.side_space import SideTable
from cn.wide_forwarding import WideTable
from cn.zone_network import ZoneNetwork
from cn.zones import Ints

__all__ = ["Can"]


class Can(ZoneNetwork):
    """The content-addressable network of Section V: brokers are zones, and messages go from neighbour to neighbour.

    Parameters
    ----------
    zones
        The brokers' zones. When they change, the next decision uses the new tables.
    """

    @property
    def links(self) -> Ints:
        """A broker and a neighbour of it, (links, 2) i8."""
        table = self.zones.table
        owners = np.repeat(np.arange(len(self)), table.sides[:, -1] - table.sides[:, 0])
        return np.column_stack((owners, table.neighbours))

    def path(self, source: int, target: int) -> list[int]:
        """Brokers from one to another along the zones, both included: for unicast over the overlay.

        O(route x neighbours): the way of a message to one point of the target's zone.
        """
        self._check_ends(source, target)
        region = corner_region(self.zones.table.extents[target])
        way = [source]
        while way[-1] != target:
            came_from = way[-2] if len(way) > 1 else -1
            _, onward = self._decide(way[-1], came_from, region)
            way += onward
        return way

    def _table_for(self, *, wide: bool) -> ZoneTable | WideTable | SideTable:
        table = self.zones.table
        return WideTable(*table) if wide and isinstance(table, ZoneTable) else table
