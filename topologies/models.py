"""Three further models of networks, to see how far a result depends on INET: Waxman, Barabási-Albert, transit-stub.

Each takes the number of nodes and a seed, gives a connected graph with the attributes of `topologies.attributes`,
and gives the same graph for the same seed.
"""

import math

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from topologies.arguments import generator, integer
from topologies.attributes import PLANE, network, random_places

__all__ = ["barabasi_albert", "transit_stub", "waxman"]


def waxman(nodes: int, seed: int, mean_degree: float | None = None, alpha: float = 0.15) -> "nx.Graph[int]":
    """Generate a Waxman network: the nearer two nodes, the likelier their link.

    Parameters
    ----------
    nodes : int
        Number of nodes N, at least 2.
    seed : int
        Decides places and links.
    mean_degree : float, optional
        Mean number of links of a node, before the pieces are connected; by default 4, or as many as a network of
        fewer than about 30 nodes allows.
    alpha : float
        Typical length of a link over the diagonal of the square.

    Notes
    -----
    After B. M. Waxman, "Routing of multipoint connections", 1988: a link of length d exists with the probability
    β exp(-d / (α L)), L the diagonal. Here β follows from the mean degree asked for, estimated on 100,000 random
    pairs, because a fixed β makes the degree grow with N. Each smaller component is joined to the largest one by the
    shortest possible link. O(N log N + E/s), s the mean of exp(-d / (α L)): pairs are drawn with probability β, then
    thinned.
    """
    nodes = integer("nodes", nodes, 2)
    if mean_degree is not None and not mean_degree > 0:
        raise ValueError(f"mean_degree must be positive, got {mean_degree}")
    if not alpha > 0:
        raise ValueError(f"alpha must be positive, got {alpha}")
    rng = generator(seed)
    places = random_places(nodes, rng)
    scale = alpha * math.hypot(PLANE, PLANE)
    sample = rng.random((100_000, 4)) * PLANE
    nearness = float(np.exp(-np.hypot(sample[:, 0] - sample[:, 1], sample[:, 2] - sample[:, 3]) / scale).mean())
    reachable = nearness * (nodes - 1)
    if mean_degree is None:
        mean_degree = min(4.0, reachable)
    if mean_degree > reachable:
        raise ValueError(
            f"mean_degree must be at most {reachable:.4g} for {nodes} nodes and alpha {alpha}, "
            f"got {mean_degree}; lower it or raise alpha"
        )
    pairs = _random_pairs(nodes, mean_degree / reachable, rng)
    step = places[pairs[:, 0]] - places[pairs[:, 1]]
    kept = rng.random(len(pairs)) < np.exp(-np.hypot(step[:, 0], step[:, 1]) / scale)
    return network(places, _connect(places, pairs[kept]))


def barabasi_albert(nodes: int, seed: int, links_per_node: int = 2) -> "nx.Graph[int]":
    """Generate a Barabási-Albert network: each new node links to nodes in proportion to their degree.

    Parameters
    ----------
    nodes : int
        Number of nodes N, more than `links_per_node`.
    seed : int
        Decides places and links.
    links_per_node : int
        Links that a new node brings, at least 1.

    Notes
    -----
    After A.-L. Barabási and R. Albert, "Emergence of scaling in random networks", 1999, by
    `networkx.barabasi_albert_graph`; always connected. O(N links_per_node).
    """
    links_per_node = integer("links_per_node", links_per_node, 1)
    nodes = integer("nodes", nodes, links_per_node + 1)
    places = random_places(nodes, generator(seed))
    grown = nx.barabasi_albert_graph(nodes, links_per_node, seed=seed)
    return network(places, np.asarray(list(grown.edges), dtype=np.int64))


def transit_stub(
    nodes: int, seed: int, transit_domains: int = 4, transit_size: int = 8, stubs_per_transit: int = 3
) -> "nx.Graph[int]":
    """Generate a transit-stub network: a backbone of transit domains, and stub domains that hang from its nodes.

    Parameters
    ----------
    nodes : int
        Number of nodes N; at least one for every transit node and every stub domain.
    seed : int
        Decides places and links.
    transit_domains, transit_size, stubs_per_transit : int
        Number of transit domains, nodes in each, and stub domains at each transit node; all at least 1.

    Notes
    -----
    After E. Zegura, K. Calvert and S. Bhattacharjee, "How to model an internetwork", 1996. Transit nodes come first.
    What they leave of N is spread over the stub domains, sizes differing by at most one. A domain is a random tree
    and half as many further random links as it has nodes; the domains of the backbone are connected in the same
    way, each link between random nodes of its two domains; a stub domain has one link to its transit node. Domains
    stand around a random place, a transit domain within 1,000 units and a stub within 300 of its transit node.
    O(N) time and space.
    """
    transit_domains = integer("transit_domains", transit_domains, 1)
    transit_size = integer("transit_size", transit_size, 1)
    stubs_per_transit = integer("stubs_per_transit", stubs_per_transit, 1)
    backbone = transit_domains * transit_size
    stubs = backbone * stubs_per_transit
    nodes = integer("nodes", nodes, backbone + stubs)
    rng = generator(seed)

    centres = random_places(transit_domains, rng)
    places = [_around(np.repeat(centres, transit_size, axis=0), 1_000, rng)]
    domain_links = _domain(transit_domains, rng)
    links = [domain_links * transit_size + rng.integers(0, transit_size, size=domain_links.shape)]
    links += [_domain(transit_size, rng) + first for first in range(0, backbone, transit_size)]

    first = backbone
    for stub, members in enumerate(np.array_split(np.arange(nodes - backbone), stubs)):
        transit = stub // stubs_per_transit
        places.append(_around(np.repeat(places[0][transit : transit + 1], len(members), axis=0), 300, rng))
        links.append(_domain(len(members), rng) + first)
        links.append(np.asarray([[transit, first + rng.integers(len(members))]]))
        first += len(members)
    return network(np.concatenate(places), np.concatenate(links))


def _random_pairs(nodes: int, probability: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw each pair u < v with the given probability, by jumping from one drawn pair to the next."""
    first = np.cumsum(np.concatenate(([0], np.arange(nodes - 1, 0, -1, dtype=np.int64))))
    drawn: list[NDArray[np.int64]] = []
    last = -1
    while last < first[-1]:
        jumps = rng.geometric(probability, size=int(probability * float(first[-1])) + 100)
        drawn.append(last + np.cumsum(jumps))
        last = int(drawn[-1][-1])
    index = np.concatenate(drawn)
    index = index[index < first[-1]]
    u = np.searchsorted(first, index, side="right") - 1
    return np.column_stack((u, index - first[u] + u + 1))


def _connect(places: NDArray[np.int64], links: NDArray[np.int64]) -> NDArray[np.int64]:
    """Join each smaller component to the largest one by the shortest link between the two."""
    nodes = len(places)
    matrix = coo_array((np.ones(len(links)), (links[:, 0], links[:, 1])), shape=(nodes, nodes)).tocsr()
    count, component = connected_components(matrix, directed=False)
    if count == 1:
        return links
    largest = np.flatnonzero(component == np.bincount(component).argmax())
    outside = np.flatnonzero(component != component[largest[0]])
    found = cKDTree(places[largest]).query(places[outside])
    distance, nearest = np.asarray(found[0]), np.asarray(found[1])
    order = np.lexsort((outside, distance))
    _, chosen = np.unique(component[outside[order]], return_index=True)
    bridges = np.column_stack((largest[nearest[order[chosen]]], outside[order[chosen]]))
    return np.concatenate((links, bridges))


def _domain(size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Links of a connected domain of nodes 0..size-1: a random tree and up to size // 2 further links."""
    later = np.arange(1, size)
    tree = np.column_stack((rng.integers(0, later), later)) if size > 1 else np.empty((0, 2), np.int64)
    further = np.sort(rng.integers(0, size, size=(size // 2, 2)), axis=1)
    return np.unique(np.concatenate((tree, further[further[:, 0] < further[:, 1]])), axis=0)


def _around(centres: NDArray[np.int64], reach: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Move each place by up to `reach` units either way in x and y, within the square."""
    moved: NDArray[np.int64] = np.clip(centres + rng.integers(-reach, reach + 1, size=centres.shape), 0, PLANE)
    return moved
