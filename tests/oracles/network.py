"""Slow and obvious answers about zones, routes and lists; shares no code with `cn`."""

import math
from typing import NamedTuple

import networkx as nx
import numpy as np
import numpy.typing as npt

from tests.oracles.topk import Objects, Subscription, top_k


def holds(extent: npt.NDArray[np.float64], left: float, right: float) -> bool:
    l_lo, l_hi, r_lo, r_hi = extent
    return bool(l_lo < left <= l_hi and r_lo <= right < r_hi)


def zones_meeting(extents: npt.NDArray[np.float64], l_in: float, r_in: float, l_out: float, r_out: float) -> set[int]:
    """Zones with a point of the rectangle: the common part's upper left ends are in both or it is empty."""
    found = set()
    for zone, (l_lo, l_hi, r_lo, r_hi) in enumerate(extents):
        l, r = min(l_hi, l_in), max(r_lo, r_in)
        if l > max(l_lo, l_out) and r < min(r_hi, r_out):
            found.add(zone)
    return found


def zones_with_a_range(extents: npt.NDArray[np.float64], row: tuple[float, ...], cuts: list[float]) -> set[int]:
    """Zones that hold a range l <= r of the message, found by trying ranges in, on and beside every edge."""
    l_in, r_in, l_out, r_out = row
    beside = [near for cut in cuts for near in (np.nextafter(cut, -np.inf), cut, np.nextafter(cut, np.inf))]
    ends = [float(end) for end in beside if np.isfinite(end)]
    found = set()
    for zone, (l_lo, l_hi, r_lo, r_hi) in enumerate(extents.tolist()):
        lows = [l for l in ends if l_lo < l <= l_hi and l_out < l <= l_in]
        highs = [r for r in ends if r_lo <= r < r_hi and r_in <= r < r_out]
        if lows and highs and min(lows) <= max(highs):
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


class Event(NamedTuple):
    """One object's change; y = inf deletes it. A new x is told as a deletion and an insertion."""

    number: int
    obj: int
    x: float
    y: float


class Delivery(NamedTuple):
    """One message to one subscription."""

    subscription: int
    event: int
    position: int
    obj: int
    x: float
    y: float


def right_deliveries(ranges: list[Subscription], objects: Objects, k: int, event: Event) -> list[Delivery]:
    """Tell subscriptions whose list the event changes: the object first, then what replaces it. Changes `objects`."""
    before = [top_k(objects, ends, k) for ends in ranges]
    objects[event.obj] = (event.x, event.y)
    told = []
    for s, ends in enumerate(ranges):
        old, new = before[s], top_k(objects, ends, k)
        if old != new:
            told.append(Delivery(s, event.number, 0, event.obj, event.x, event.y))
            entered = [i for i in new if i not in old and i != event.obj]
            told += [Delivery(s, event.number, 1 + p, i, *objects[i]) for p, i in enumerate(entered)]
    return told


class Matrix:
    """What every subscription of cn-relax knows of every object, in full: the newest (event, y) it was told."""

    def __init__(self, ranges: list[Subscription], objects: Objects) -> None:
        self.known = [{i: (-1, y) for i, (x, y) in objects.items() if low <= x <= high} for low, high in ranges]

    def join(self, subscription: int, ends: Subscription, objects: Objects, event: int) -> None:
        """A newcomer, perhaps under an id that was in use, knows the objects as they are after `event`."""
        known = {i: (event, y if ends[0] <= x <= ends[1] else math.inf) for i, (x, y) in objects.items()}
        self.known[subscription:] = [known, *self.known[subscription + 1 :]]

    def tell(self, subscription: int, event: Event) -> None:
        if self.known[subscription].get(event.obj, (-1, 0.0))[0] < event.number:
            self.known[subscription][event.obj] = (event.number, event.y)

    def top(self, subscription: int, k: int) -> list[tuple[float, int]]:
        return sorted((y, i) for i, (_, y) in self.known[subscription].items() if y < math.inf)[:k]
