"""The content-driven network: zones, routing, multicast, gateways and subscribers."""

from cn.can import Can, Deliveries
from cn.network import Network
from cn.split_tree import Takeover
from cn.zones import Zones, ZonesError

__all__ = ["Can", "Deliveries", "Network", "Takeover", "Zones", "ZonesError"]
