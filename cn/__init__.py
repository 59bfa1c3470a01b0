"""The content-driven network: zones, routing, multicast, gateways and subscribers."""

from cn.can import Can
from cn.deliveries import Deliveries
from cn.network import Network
from cn.split_tree import Takeover
from cn.tree import RoutingTree, TreeError
from cn.zones import Zones, ZonesError

__all__ = ["Can", "Deliveries", "Network", "RoutingTree", "Takeover", "TreeError", "Zones", "ZonesError"]
