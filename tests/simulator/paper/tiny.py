"""A description of one figure over a tiny grid of four points, and values as if they had been measured there."""

from pipeline import SUMMARY
from simulator.results.summary import Row

TINY_GRID = """
replications = 2

[scenario]
name = "tiny"
approaches = ["paint-dense", "unicast", "cn-relax"]
topology = { model = "barabasi-albert", nodes = 20 }
network = { brokers = 4 }
objects = { count = 30 }
events = { count = 40 }

[grid]
k = [1, 2]
subscriptions.count = [100, 400]
"""
TINY_VIEW = """
title = "Figure 11: tiny"
sweeps = ["tiny"]
account = "It is tiny."

[[numbers]]
row = "first_k"
approach = "paint-dense"
metric = "first_k"
along = "k"
at = [1, 2]
paper = [2, 2]
tolerance = 0.0
small = true

[[numbers]]
row = "messages"
approach = "paint-dense"
metric = "messages"
along = "k"
at = [1, 3]
paper = [1000, 3]
tolerance = 0.5
cause = { whose = "the paper's", why = "it is not tiny" }

[[growths]]
claim = "Paint-Dense does not depend on m"
approach = "paint-dense"
metric = "bytes_out"
along = "subscriptions.count"
least = 0.0
most = 0.0
small = true

[[panels]]
title = "(a)"
metric = "bytes_out"
approaches = ["paint-dense", "unicast"]
along = "subscriptions.count"
split = "k"
xlabel = "m"
ylabel = "bytes"
log = true
"""

# Points in the order of the grid: k = 1 with m = 100 and 400, then k = 2.
SQUARES = {0: 1.0, 1: 4.0, 2: 2.0, 3: 8.0}
"""Grows linearly with m, and linearly with k."""


def rows(**values: float) -> list[Row]:
    """One replication of an approach "paint-dense" and of "unicast", which has ten times as much of everything."""
    empty: Row = dict.fromkeys(SUMMARY.names)
    return [
        empty | {"approach": "paint-dense"} | values,
        empty | {"approach": "unicast"} | {name: 10 * value for name, value in values.items()},
    ]
