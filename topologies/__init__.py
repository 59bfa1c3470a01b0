"""IP networks: models, files and routes; knows no subscriptions."""

from topologies.attributes import fill
from topologies.errors import TopologyError
from topologies.files import read_network, write_network
from topologies.inet import inet, inet_degrees
from topologies.models import barabasi_albert, transit_stub, waxman
from topologies.registry import MODELS
from topologies.routes import PairBytes, Routes

__all__ = [
    "MODELS",
    "PairBytes",
    "Routes",
    "TopologyError",
    "barabasi_albert",
    "fill",
    "inet",
    "inet_degrees",
    "read_network",
    "transit_stub",
    "waxman",
    "write_network",
]
