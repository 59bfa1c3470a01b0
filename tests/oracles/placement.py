"""How near neighbours are to each other, zone by zone and pair by pair; shares no code with `cn`."""

from collections.abc import Sequence
from itertools import combinations, permutations
from typing import Any

import networkx as nx


def sum_of_delays(graph: "nx.Graph[int]", brokers: Sequence[int], delay_ms: Any) -> float:
    """Delays between the brokers of all neighbouring zones, both ways, when zone z has the broker `brokers[z]`."""
    pairs = [(brokers[a], brokers[b]) for a, b in graph.edges]
    return float(sum(delay_ms[a][b] + delay_ms[b][a] for a, b in pairs))


def best_change(graph: "nx.Graph[int]", brokers: Sequence[int], delay_ms: Any) -> float:
    """The least sum that two brokers can make by changing places."""
    sums = [sum_of_delays(graph, brokers, delay_ms)]
    for a, b in combinations(range(len(brokers)), 2):
        changed = list(brokers)
        changed[a], changed[b] = brokers[b], brokers[a]
        sums.append(sum_of_delays(graph, changed, delay_ms))
    return min(sums)


def least_sum(graph: "nx.Graph[int]", zones: int, delay_ms: Any) -> float:
    """The least that any placement can reach; n! of them are tried."""
    return min(sum_of_delays(graph, order, delay_ms) for order in permutations(range(zones)))
