"""What every node and link carries, and the rules that fill in what a model or a file leaves open.

Nodes are the integers 0..N-1 with a place `x`, `y` on a square of 0..10000. A link has `delay_ms` and
`bandwidth_mbps`. None of the models says how long or how fast a link is, so two plain rules do:

* The square is 5,000 km wide and light in fibre covers 200 km/ms, so one unit of the plane is 0.5 km and 400
  units are 1 ms; no link is faster than 0.1 ms.
* A link is as fast as its smaller end: 100 Mbps when that end has fewer than 3 links, 1,000 Mbps when it has
  fewer than 30, 10,000 Mbps otherwise.
"""

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from topologies.arguments import check_graph, generator

__all__ = [
    "BANDWIDTH_MBPS",
    "BANDWIDTH_STEPS",
    "MIN_DELAY_MS",
    "PLANE",
    "PLANE_KM",
    "UNITS_PER_MS",
    "fill",
    "link_bandwidths",
    "link_delays",
    "network",
    "placed_by_chance",
    "random_places",
]

PLANE = 10_000
PLANE_KM = 5_000
FIBRE_KM_PER_MS = 200
UNITS_PER_MS = FIBRE_KM_PER_MS * PLANE / PLANE_KM
MIN_DELAY_MS = 0.1
BANDWIDTH_STEPS = (3, 30)
BANDWIDTH_MBPS = (100.0, 1_000.0, 10_000.0)


def random_places(nodes: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Place nodes uniformly on the integer points of the square; shape (nodes, 2)."""
    return rng.integers(0, PLANE + 1, size=(nodes, 2), dtype=np.int64)


def link_delays(places: NDArray[np.generic], links: NDArray[np.int64]) -> NDArray[np.float64]:
    """Propagation delay in ms of each link (u, v) from the Euclidean distance of its ends; O(links)."""
    step = places[links[:, 0]].astype(np.float64) - places[links[:, 1]].astype(np.float64)
    return np.maximum(np.hypot(step[:, 0], step[:, 1]) / UNITS_PER_MS, MIN_DELAY_MS)


def link_bandwidths(nodes: int, links: NDArray[np.int64]) -> NDArray[np.float64]:
    """Bandwidth in Mbps of each link (u, v) from the smaller degree of its ends; O(nodes + links)."""
    degree = np.bincount(links.ravel(), minlength=nodes)
    smaller = np.minimum(degree[links[:, 0]], degree[links[:, 1]])
    return np.asarray(BANDWIDTH_MBPS)[np.digitize(smaller, BANDWIDTH_STEPS)]


def network(places: NDArray[np.generic], links: NDArray[np.int64]) -> "nx.Graph[int]":
    """Build the graph of the given places and links, with delays and bandwidths by the rules of this module.

    Parameters
    ----------
    places : array (N, 2)
        Coordinates; node v of the graph stands at ``places[v]``.
    links : int array (E, 2)
        Pairs of distinct nodes, each link once.

    Notes
    -----
    O(N + E) time; networkx takes about 0.5 kB per link.
    """
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from((v, {"x": x, "y": y}) for v, (x, y) in enumerate(places.tolist()))
    delays = link_delays(places, links).tolist()
    bandwidths = link_bandwidths(len(places), links).tolist()
    graph.add_edges_from(
        (u, v, {"delay_ms": delay, "bandwidth_mbps": bandwidth})
        for (u, v), delay, bandwidth in zip(links.tolist(), delays, bandwidths, strict=True)
    )
    return graph


def placed_by_chance(graph: "nx.Graph[int]", seed: int) -> NDArray[np.bool_]:
    """Whether each node of a graph stands where `fill` puts one that has no place; shape (N,)."""
    nodes = check_graph(graph)
    places = np.asarray([(graph.nodes[v]["x"], graph.nodes[v]["y"]) for v in range(nodes)], dtype=np.float64)
    drawn: NDArray[np.bool_] = (places == random_places(nodes, generator(seed))).all(axis=1)
    return drawn


def fill(graph: "nx.Graph[int]", seed: int = 0) -> None:
    """Add, in place, the attributes that nodes and links of a graph lack, by the rules of this module.

    Parameters
    ----------
    graph : networkx.Graph
        Undirected, nodes 0..N-1, no node linked to itself.
    seed : int
        Decides where nodes stand that lack `x` or `y`.

    Notes
    -----
    O(N + E). What a node gets does not depend on which others have a place already.
    """
    nodes = check_graph(graph)
    drawn = random_places(nodes, generator(seed)).tolist()
    for v, attributes in graph.nodes(data=True):
        if "x" not in attributes or "y" not in attributes:
            attributes["x"], attributes["y"] = drawn[v]
    places = np.asarray([(graph.nodes[v]["x"], graph.nodes[v]["y"]) for v in range(nodes)], dtype=np.float64)
    links = np.asarray(list(graph.edges), dtype=np.int64).reshape(-1, 2)
    delays = link_delays(places.reshape(-1, 2), links).tolist()
    bandwidths = link_bandwidths(nodes, links).tolist()
    for (_, _, attributes), delay, bandwidth in zip(graph.edges(data=True), delays, bandwidths, strict=True):
        attributes.setdefault("delay_ms", delay)
        attributes.setdefault("bandwidth_mbps", bandwidth)
