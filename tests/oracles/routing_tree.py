"""Slow and obvious answers about brokers in a tree; shares no code with `cn` and `topologies`."""

from itertools import pairwise

import networkx as nx
import numpy as np
import numpy.typing as npt

from tests.oracles.routes import best_path, path_delay


def distance(graph: "nx.Graph[int]", a: int, b: int) -> tuple[int, float]:
    """Fewest hops between two nodes, and the least delay of the paths that have so many."""
    path = best_path(graph, a, b)
    return len(path) - 1, path_delay(graph, path)


def nearest(graph: "nx.Graph[int]", brokers: dict[int, int], node: int) -> int:
    """Broker (of the mapping to nodes) nearest to a node, ties to the smallest."""
    return min(brokers, key=lambda b: (distance(graph, brokers[b], node), b))


def spanning_tree(graph: "nx.Graph[int]", brokers: dict[int, int]) -> set[tuple[int, int]]:
    """Take pairs from the nearest on, unless they are connected already."""
    pairs = [(distance(graph, brokers[a], brokers[b]), a, b) for a in brokers for b in brokers if a < b]
    tree: nx.Graph[int] = nx.Graph()
    tree.add_nodes_from(brokers)
    for _, a, b in sorted(pairs):
        if not nx.has_path(tree, a, b):
            tree.add_edge(a, b)
    return {(min(e), max(e)) for e in tree.edges}


def links_to(tree: "nx.Graph[int]", source: int, brokers: set[int]) -> set[frozenset[int]]:
    """Links on the tree's paths from the source to some brokers: what no network over this tree can do without."""
    paths = [nx.shortest_path(tree, source, b) for b in brokers]
    return {frozenset(link) for path in paths for link in pairwise(path)}


def inside(inner: npt.NDArray[np.float64], outer: npt.NDArray[np.float64]) -> bool:
    """Whether one closed box (l_lo, l_hi, r_lo, r_hi) lies in another."""
    return bool(outer[0] <= inner[0] and inner[1] <= outer[1] and outer[2] <= inner[2] and inner[3] <= outer[3])
