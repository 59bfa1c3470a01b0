"""The models by the names that scenarios use."""

from collections.abc import Callable

import networkx as nx

from topologies.inet import inet
from topologies.models import barabasi_albert, transit_stub, waxman

__all__ = ["MODELS"]

MODELS: "dict[str, Callable[..., nx.Graph[int]]]" = {
    "barabasi-albert": barabasi_albert,
    "inet": inet,
    "transit-stub": transit_stub,
    "waxman": waxman,
}
"""Each takes (nodes, seed) and then options of its own by keyword."""
