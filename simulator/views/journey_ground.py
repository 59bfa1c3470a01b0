"""The ground that messages travel on: the IP network thinned to what can be seen, and ways through it.

Thousands of nodes are no picture. Shown are the backbone, which is the links that most routes between brokers
cross, and every link that a message of the journey takes.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.inputs.ingredients import Ingredients

__all__ = ["Ground", "Way", "Ways", "survey"]

_BACKBONE = 180
"""Links of it, at most."""


class Way(NamedTuple):
    """The IP path between two brokers."""

    brokers: tuple[int, int]
    nodes: tuple[int, ...]
    shares: tuple[float, ...]
    """Share of the time that it takes from the first node to each; from 0 to 1."""

    def at(self, share: float, places: NDArray[np.float64]) -> tuple[float, float]:
        """Where something is that has come so far, given the places of all nodes."""
        spots = places[list(self.nodes)]
        return float(np.interp(share, self.shares, spots[:, 0])), float(np.interp(share, self.shares, spots[:, 1]))


class Ways:
    """Ways between brokers, each found once and numbered in the order in which they were asked for."""

    def __init__(self, ingredients: Ingredients) -> None:
        self._routes = ingredients.routes
        self._numbers: dict[tuple[int, int], int] = {}
        self.found: list[Way] = []

    def number(self, sender: int, receiver: int) -> int:
        """Number of a way."""
        if (sender, receiver) not in self._numbers:
            self._numbers[sender, receiver] = len(self.found)
            self.found.append(self._find(sender, receiver))
        return self._numbers[sender, receiver]

    def _find(self, sender: int, receiver: int) -> Way:
        nodes = self._routes.path(sender, receiver)
        delays = self._routes.node_delays([sender] * len(nodes), nodes).astype(np.float64)
        shares = delays / delays[-1] if delays[-1] > 0 else np.linspace(0.0, 1.0, len(nodes))
        return Way((sender, receiver), tuple(nodes), tuple(shares.tolist()))


class Ground(NamedTuple):
    """Where things are in the drawing, from 0 to 1 from left to right and from top to bottom."""

    places: NDArray[np.float64]
    """(nodes, 2); those of nodes that are not shown may lie outside."""
    brokers: NDArray[np.int64]
    """Node of each broker."""
    backbone: NDArray[np.int64]
    """(links, 2) nodes at the ends, the most used link last."""
    weight: NDArray[np.float64]
    """(links,) use of each as a share of the most used one's."""
    nodes: int
    """Of the whole IP network, as are links."""
    links: int

    def of_broker(self, broker: int) -> tuple[float, float]:
        """Place of a broker."""
        x, y = self.places[self.brokers[broker]].tolist()
        return x, y


def survey(ingredients: Ingredients, ways: Iterable[Way]) -> Ground:
    """Choose what is shown of the IP network of some ways, and fit it into the drawing; a search per broker."""
    graph, routes = ingredients.graph, ingredients.routes
    crossings = routes.crossings()
    order = np.argsort(crossings, kind="stable")[-_BACKBONE:]
    order = order[crossings[order] > 0]
    backbone = routes.links[order].astype(np.int64)
    places = np.array([(graph.nodes[node]["x"], -graph.nodes[node]["y"]) for node in range(len(graph))], np.float64)
    used = [node for way in ways for node in way.nodes]
    shown = places[np.concatenate((backbone.ravel(), routes.brokers, np.array(used, np.int64)))]
    low, high = shown.min(axis=0), shown.max(axis=0)
    span = max(float((high - low).max()), np.finfo(float).tiny)
    places = 0.5 + (places - (low + high) / 2) / span
    weight = crossings[order] / max(float(crossings.max(initial=0)), 1.0)
    return Ground(places, routes.brokers, backbone, weight, len(graph), graph.number_of_edges())
