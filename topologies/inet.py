"""INET-3.0, a model of the Internet at the level of autonomous systems.

After J. Winick and S. Jamin, "Inet-3.0: Internet Topology Generator", University of Michigan technical report
CSE-TR-456-02. The degrees follow from the number of nodes alone; the seed decides who is linked to whom and where
the nodes stand. The smallest network is that of November 1997, 3,037 nodes.
"""

import math

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit
from topologies.arguments import generator, integer
from topologies.attributes import network, random_places

__all__ = ["MIN_NODES", "inet", "inet_degrees"]

MIN_NODES = 3_037


def inet_degrees(nodes: int, degree_one_share: float | None = None) -> NDArray[np.int64]:
    """Degrees that INET-3.0 asks of its nodes, in descending order.

    Parameters
    ----------
    nodes : int
        Number of nodes N, at least 3,037.
    degree_one_share : float, optional
        Share of the nodes that have one link only; by default int(0.292 N + 462) nodes have.

    Returns
    -------
    int64 array (N,)
        The generated graph stays below these degrees where stubs could not be matched.

    Notes
    -----
    O(N). The complementary distribution of the degree d is exp(-0.711) d^(0.00324 t - 1.223), t the months since
    November 1997 at which the Internet had N autonomous systems. Every d takes the whole nodes by which the share
    not yet given a degree exceeds that target, when they are more than one. Three largest degrees come from
    their own power law over the rank and replace the three largest found so far.
    """
    nodes = integer("nodes", nodes)
    if nodes < MIN_NODES:
        raise ValueError(
            f"nodes must be at least {MIN_NODES} (the size INET-3.0 starts from), got {nodes}; "
            "use another model for a smaller network"
        )
    if degree_one_share is not None and not 0 <= degree_one_share <= 1:
        raise ValueError(
            f"degree_one_share must be between 0 and 1, got {degree_one_share}; leave it out for the law"
        )
    ones = int(0.292 * nodes + 462) if degree_one_share is None else int(degree_one_share * nodes)
    months = math.log(nodes / MIN_NODES) / 0.0281
    slope = 0.00324 * months - 1.223

    degrees = np.zeros(nodes, dtype=np.int64)
    left = nodes - ones
    degrees[left:] = 1
    degree = 2
    # Beyond N - 1 every degree is cut to N - 1, so there is no need to know which one the law would give; it gives
    # one to all but the last node, whose share never exceeds the target by a whole node.
    while left > 1 and degree < nodes:
        surplus = left - math.exp(-0.711) * degree**slope * nodes
        if surplus > 1:
            degrees[left - int(surplus) : left] = degree
            left -= int(surplus)
        degree += 1
    degrees[1:left] = nodes - 1
    growth = math.exp(6.5285) * (nodes / MIN_NODES) ** (0.0228 / 0.0281)
    degrees[:3] = [int(rank**-0.87 * growth) for rank in (1, 2, 3)]
    degrees[::-1].sort()
    degrees[0] += degrees.sum() % 2
    return np.minimum(degrees, nodes - 1)


def inet(nodes: int, seed: int, degree_one_share: float | None = None) -> "nx.Graph[int]":
    """Generate a connected network by the INET-3.0 model.

    Parameters
    ----------
    nodes : int
        Number of nodes N, at least 3,037. Node 0 has the largest degree.
    seed : int
        Decides places and links; the degrees asked for do not depend on it. Same seed, same graph.
    degree_one_share : float, optional
        Share of the nodes that have one link only; by default int(0.292 N + 462) nodes have.

    Returns
    -------
    networkx.Graph
        Nodes 0..N-1 with `x`, `y`; links with `delay_ms`, `bandwidth_mbps` (see `topologies.attributes`).

    Raises
    ------
    ValueError
        When N is below 3,037, or so many nodes of degree one are asked for that the others cannot link them all.

    Notes
    -----
    A node picks its partner among nodes with a free stub, with the probability in proportion to
    int(j/2 max(1, sqrt(ln²(i/j) + ln²(f_i/f_j)))), i and j the two degrees, f the number of nodes of a degree.
    Three phases: a spanning tree over the nodes of degree two and more, in descending order of degree; the nodes of
    degree one; the stubs that remain, from the highest degree down, to later nodes not yet linked. Stubs without
    a partner are dropped. Partners of equal degree are equally likely, so a draw goes over the distinct degrees only:
    O(E D) time and O(N + E + D²) space for E links and D distinct degrees (N = 20,000: E = 52,600, D = 190).
    """
    degrees = inet_degrees(nodes, degree_one_share)
    inner = int(np.count_nonzero(degrees > 1))
    spare = int(degrees[:inner].sum()) - 2 * (inner - 1)
    if spare < len(degrees) - inner:
        raise ValueError(
            f"degree_one_share must leave stubs for all nodes of degree one, got {degree_one_share}: "
            f"{len(degrees) - inner} of them need one and {spare} are left; give a smaller share"
        )
    rng = generator(seed)
    places = random_places(len(degrees), rng)
    distinct, kind, frequency = np.unique(-degrees, return_inverse=True, return_counts=True)
    start = np.concatenate(([0], np.cumsum(frequency)))
    preference = _preferences(-distinct, frequency)
    links = _wire(degrees, kind.astype(np.int64), start, preference, rng.random(int(degrees.sum()) // 2))
    return network(places, links)


def _preferences(degrees: NDArray[np.int64], frequency: NDArray[np.int64]) -> NDArray[np.int64]:
    """Weight of a target of degree `degrees[b]` for a node of degree `degrees[a]`, at [a, b]."""
    log_degree, log_frequency = np.log(degrees), np.log(frequency)
    distance = np.hypot(
        log_degree[:, np.newaxis] - log_degree[np.newaxis, :],
        log_frequency[:, np.newaxis] - log_frequency[np.newaxis, :],
    )
    weight: NDArray[np.int64] = (degrees / 2 * np.maximum(1.0, distance)).astype(np.int64)
    return weight


@njit
def _offer(v: int, kind: NDArray[np.int64], start: NDArray[np.int64], size: NDArray[np.int64],
           pool: NDArray[np.int64], position: NDArray[np.int64]) -> None:  # fmt: skip
    """Put node v among the possible targets of its degree."""
    position[v] = start[kind[v]] + size[kind[v]]
    pool[position[v]] = v
    size[kind[v]] += 1


@njit
def _withdraw(v: int, kind: NDArray[np.int64], start: NDArray[np.int64], size: NDArray[np.int64],
              pool: NDArray[np.int64], position: NDArray[np.int64]) -> None:  # fmt: skip
    """Take node v from the possible targets; the last of its degree moves to its position."""
    size[kind[v]] -= 1
    last = pool[start[kind[v]] + size[kind[v]]]
    pool[position[v]] = last
    position[last] = position[v]
    position[v] = -1


@njit
def _draw(uniform: float, weight: NDArray[np.int64], start: NDArray[np.int64], size: NDArray[np.int64],
          pool: NDArray[np.int64]) -> int:  # fmt: skip
    """Draw one possible target, each in proportion to the weight of its degree; -1 if there is none."""
    total = 0
    for a in range(len(size)):
        total += weight[a] * size[a]
    if total == 0:
        return -1
    rest = min(int(uniform * total), total - 1)
    a = 0
    while rest >= weight[a] * size[a]:
        rest -= weight[a] * size[a]
        a += 1
    return int(pool[start[a] + rest // weight[a]])


@njit
def _wire(degrees: NDArray[np.int64], kind: NDArray[np.int64], start: NDArray[np.int64],
          preference: NDArray[np.int64], uniforms: NDArray[np.float64]) -> NDArray[np.int64]:  # fmt: skip
    """Link nodes of the given degrees (descending) in the three phases; returns the links, shape (E, 2).

    `kind[v]` numbers the degree of v among the distinct ones; `start[a]` is the first node of degree number a.
    Possible targets of a degree lie at the front of its stretch of `pool`.
    """
    nodes = len(degrees)
    free = degrees.copy()
    size = np.zeros(len(start) - 1, np.int64)
    pool = np.empty(nodes, np.int64)
    position = np.full(nodes, -1, np.int64)
    links = np.empty((len(uniforms), 2), np.int64)
    made = 0

    # Phases 1 and 2: nodes of degree one come last and never become targets themselves.
    _offer(0, kind, start, size, pool, position)
    for v in range(1, nodes):
        target = _draw(uniforms[made], preference[kind[v]], start, size, pool)
        links[made, 0], links[made, 1] = target, v
        made += 1
        free[v] -= 1
        free[target] -= 1
        if free[target] == 0:
            _withdraw(target, kind, start, size, pool, position)
        if free[v] > 0:
            _offer(v, kind, start, size, pool, position)

    # Phase 3: a source leaves the pool for good; its neighbours leave it while the source draws.
    first = np.full(nodes, -1, np.int64)
    following = np.empty(2 * len(uniforms), np.int64)
    for end in range(2 * made):
        following[end] = first[links[end // 2, end % 2]]
        first[links[end // 2, end % 2]] = end
    aside = np.empty(nodes, np.int64)
    for v in range(nodes):
        if free[v] == 0:
            continue
        _withdraw(v, kind, start, size, pool, position)
        waiting = 0
        end = first[v]
        while end >= 0:
            neighbour = links[end // 2, 1 - end % 2]
            if position[neighbour] >= 0:
                _withdraw(neighbour, kind, start, size, pool, position)
                aside[waiting] = neighbour
                waiting += 1
            end = following[end]
        while free[v] > 0:
            target = _draw(uniforms[made] if made < len(uniforms) else 0.0, preference[kind[v]], start, size, pool)
            if target < 0:
                break
            links[made, 0], links[made, 1] = v, target
            following[2 * made + 1] = first[target]
            first[target] = 2 * made + 1
            made += 1
            free[v] -= 1
            free[target] -= 1
            _withdraw(target, kind, start, size, pool, position)
            aside[waiting] = target
            waiting += 1
        for a in range(waiting):
            if free[aside[a]] > 0:
                _offer(aside[a], kind, start, size, pool, position)
    return links[:made].copy()
