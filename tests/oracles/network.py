"""Slow and obvious answers about zones, routes and lists; shares no code with `cn`."""

import math

import networkx as nx
import numpy as np
import numpy.typing as npt


def holds(extent: npt.NDArray[np.float64], left: float, right: float) -> bool:
    l_lo, l_hi, r_lo, r_hi = extent
    return bool(l_lo < left <= l_hi and r_lo <= right < r_hi)


def zones_meeting(extents: npt.NDArray[np.float64], l_in: float, r_in: float, l_out: float, r_out: float) -> set[int]:
    """Zones with a point of the rectangle: the common part's upper left ends are in both or it is empty."""
    found = set()
    for zone, (l_lo, l_hi, r_lo, r_hi) in enumerate(extents):
        l, r = min(l_hi, l_in), max(r_lo, r_in)  # noqa: E741
        if l > max(l_lo, l_out) and r < min(r_hi, r_out):
            found.add(zone)
    return found


def neighbour_graph(extents: npt.NDArray[np.float64], *, triangle: bool) -> "nx.Graph[int]":
    """Zones with a common boundary segment of positive length, within l <= r when `triangle`."""
    graph: nx.Graph[int] = nx.Graph()
    for a, (a_l, a_lh, a_r, a_rh) in enumerate(extents):
        if a_l >= a_lh:
            continue
        graph.add_node(a)
        for b, (b_l, b_lh, b_r, b_rh) in enumerate(extents):
            if a_lh == b_l:  # a is left of b: a vertical segment at l = b_l
                low = max(a_r, b_r, b_l) if triangle else max(a_r, b_r)
                if low < min(a_rh, b_rh):
                    graph.add_edge(a, b)
            if a_rh == b_r:  # a is below b: a horizontal segment at r = b_r
                high = min(a_lh, b_lh, b_r) if triangle else min(a_lh, b_lh)
                if max(a_l, b_l) < high:
                    graph.add_edge(a, b)
    return graph


def top_k(
    left: float, right: float, x: npt.NDArray[np.float64], y: npt.NDArray[np.float64], k: int
) -> list[tuple[float, int]]:
    """The k lowest (y, id) with x in the range; objects with y = inf do not exist."""
    inside = [(float(y[i]), i) for i in range(len(x)) if left <= x[i] <= right and y[i] < math.inf]
    return sorted(inside)[:k]
