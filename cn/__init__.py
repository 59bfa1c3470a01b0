"""The content-driven network: zones, routing, multicast, gateways and subscribers."""

from cn.bound import fewest_hops
from cn.can import Can
from cn.deliveries import Deliveries, Hops
from cn.gateways import Gateways, LocalIndex
from cn.inbox import Inbox
from cn.network import Network
from cn.placement import near_brokers
from cn.prefix import PrefixError, PrefixNetwork
from cn.relaxed import RelaxedSubscribers
from cn.split_tree import Split, Takeover
from cn.subscribers import Subscribers
from cn.tree import RoutingTree, TreeError
from cn.zone_network import ZoneNetwork
from cn.zones import Zones, ZonesError

__all__ = [
    "Can",
    "Deliveries",
    "Gateways",
    "Hops",
    "Inbox",
    "LocalIndex",
    "Network",
    "PrefixError",
    "PrefixNetwork",
    "RelaxedSubscribers",
    "RoutingTree",
    "Split",
    "Subscribers",
    "Takeover",
    "TreeError",
    "ZoneNetwork",
    "Zones",
    "ZonesError",
    "fewest_hops",
    "near_brokers",
]
