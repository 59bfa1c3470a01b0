"""Slow and obvious answers about zones over several attributes; shares no code with `cn`.

A zone is given as it stands in a table: of each side, in the order of `sides`, the least u and the first u beyond,
where u is minus the left end or the right end. Here that is turned back into ends. Attributes are independent of each
other, so whether there is a subscription with some property is asked of each attribute, by trying ends in, on and
beside every edge.
"""

from itertools import pairwise
from typing import NamedTuple

import networkx as nx
import numpy as np
import numpy.typing as npt

LARGEST = float(np.finfo(np.float64).max)
Floats = npt.NDArray[np.float64]


class Attribute(NamedTuple):
    """Where an attribute's sides stand among all sides; `left` is -1 if it has an upper bound only."""

    left: int
    right: int


def attributes_of(kind: float | str) -> list[Attribute]:
    """The attributes of 1, 1.5, ... dimensions; `u3` is three with an upper bound only."""
    if isinstance(kind, str):
        return [Attribute(-1, side) for side in range(int(kind[1:]))]
    whole = [Attribute(2 * j, 2 * j + 1) for j in range(int(kind))]
    return whole if kind == int(kind) else [*whole, Attribute(-1, 2 * len(whole))]


def ends_beside(edges: Floats) -> list[float]:
    """Ends on edges, beside them, between them and far out."""
    finite = np.unique(edges[np.abs(edges) < LARGEST])
    between = [a / 2 + b / 2 for a, b in pairwise([-LARGEST, *finite.tolist(), LARGEST])]
    beside = [float(near) for cut in finite for near in (np.nextafter(cut, -np.inf), cut, np.nextafter(cut, np.inf))]
    return sorted({-LARGEST, *between, *beside, LARGEST})


def zone_ends(zone: Floats, attribute: Attribute, ends: list[float]) -> tuple[list[float], list[float]]:
    """Left ends and right ends of an attribute, of those given, that a zone holds."""
    lefts = [-LARGEST]
    if attribute.left >= 0:
        lefts = [l for l in ends if zone[0, attribute.left] <= -l < zone[1, attribute.left]]
    return lefts, [r for r in ends if zone[0, attribute.right] <= r < zone[1, attribute.right]]


def zone_holds(zone: Floats, attributes: list[Attribute], l: Floats, r: Floats) -> bool:
    """Whether a zone holds a subscription, a row of ends each."""
    for j, attribute in enumerate(attributes):
        if attribute.left >= 0 and not zone[0, attribute.left] <= -l[j] < zone[1, attribute.left]:
            return False
        if not zone[0, attribute.right] <= r[j] < zone[1, attribute.right]:
            return False
    return True


def concerned(extents: Floats, attributes: list[Attribute], row: np.void) -> set[int]:
    """Zones with a subscription that a message reaches."""
    l_in, r_in, l_out, r_out = (np.atleast_1d(row[name]) for name in ("l_in", "r_in", "l_out", "r_out"))
    found = set(range(len(extents)))
    for j, attribute in enumerate(attributes):
        edges = [r_in[j], r_out[j], *extents[:, :, attribute.right].ravel()]
        if attribute.left >= 0:
            edges += [l_in[j], l_out[j], *-extents[:, :, attribute.left].ravel()]
        ends = ends_beside(np.array(edges))
        for zone in sorted(found):
            lefts, rights = zone_ends(extents[zone], attribute, ends)
            lefts = [l for l in lefts if l_out[j] < l <= l_in[j]]
            rights = [r for r in rights if r_in[j] <= r < r_out[j]]
            if not lefts or not rights or (attribute.left >= 0 and min(lefts) > max(rights)):
                found.discard(zone)
    return found


def neighbour_graph(extents: Floats, attributes: list[Attribute], *, triangle: bool) -> "nx.Graph[int]":
    """Zones that share a part of a face of positive size, within l <= r in every attribute when `triangle`."""
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(zone for zone in range(len(extents)) if extents[zone, 0, 0] < extents[zone, 1, 0])
    for a in graph:
        for b in graph:
            lo, hi = np.maximum(extents[a, 0], extents[b, 0]), np.minimum(extents[a, 1], extents[b, 1])
            if a != b and (lo <= hi).all() and np.count_nonzero(lo == hi) == 1:
                pairs = [one for one in attributes if one.left >= 0 and triangle]
                # The largest u of both sides: the widest range that the common part comes near.
                if all(-hi[one.left] < hi[one.right] for one in pairs):
                    graph.add_edge(a, b)
    return graph
