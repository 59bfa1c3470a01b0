"""A network while a file is being read: labels as the file has them, attributes checked where they stand.

What is wrong is told with its line or, where the reader knows none, with the node or link.
"""

import math
import warnings
from typing import Any

import networkx as nx

from topologies.attributes import fill
from topologies.errors import DisconnectedError, TopologyError

__all__ = ["BrokenLineError", "NetworkBuilder"]

LARGEST = 1e12


class BrokenLineError(Exception):
    """Something wrong on one line of a file; the caller adds the path."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")


class NetworkBuilder:
    """Nodes and links in the order of the file; `finish` makes the graph of them."""

    def __init__(self) -> None:
        self.nodes: dict[str, dict[str, Any]] = {}
        self.links: dict[tuple[str, str], dict[str, float]] = {}
        self.passed_over: list[str] = []
        """What the file says and a network does not hold."""

    def add_node(self, label: str, line: int | None, attributes: dict[str, Any]) -> None:
        """Add a node that the file declares; each label once."""
        if label in self.nodes:
            raise _wrong(line, f"node {label} is declared a second time")
        self.nodes[label] = _numbers(attributes, {"x": -math.inf, "y": -math.inf}, line, f"node {label}")
        if "name" in attributes:
            self.nodes[label]["name"] = str(attributes["name"])

    def add_link(self, u: str, v: str, line: int | None, attributes: dict[str, Any], declared: bool = True) -> None:
        """Add a link; the same link again, in either direction, only adds or replaces attributes.

        With `declared`, both ends must be nodes already; otherwise they become nodes where they first appear.
        """
        for end in (u, v):
            if end not in self.nodes:
                if declared:
                    raise _wrong(line, f"link {u} - {v} names node {end}, which the file does not declare")
                self.nodes[end] = {}
        if u == v:
            raise _wrong(line, f"link {u} - {v} joins a node to itself")
        key = (v, u) if (v, u) in self.links else (u, v)
        least = {"delay_ms": 0.0, "bandwidth_mbps": math.ulp(0.0)}
        self.links.setdefault(key, {}).update(_numbers(attributes, least, line, f"link {u} - {v}"))

    def finish(self, largest_component: bool, seed: int) -> "nx.Graph[int]":
        """Number the nodes, check that the network is in one piece, and fill in the attributes that are missing.

        Labels that are all integers are numbered in ascending order, others in the order of the file. A label that
        differs from its number stays as the attribute `name`, unless the file gives the node another name.
        """
        graph: nx.Graph[str] = nx.Graph()
        graph.add_nodes_from((label, dict(attributes)) for label, attributes in self.nodes.items())
        graph.add_edges_from((u, v, dict(attributes)) for (u, v), attributes in self.links.items())
        if not self.nodes:
            raise TopologyError("the file holds no nodes")
        reduced = _reduce(graph, largest_component)
        labels = [label for label in self.nodes if label in graph]
        if all(_is_integer(label) for label in labels):
            labels.sort(key=int)
        result: nx.Graph[int] = nx.Graph()
        for number, label in enumerate(labels):
            name = {} if label == str(number) else {"name": label}
            result.add_node(number, **{**name, **graph.nodes[label]})
        number_of = {label: number for number, label in enumerate(labels)}
        result.add_edges_from((number_of[u], number_of[v], data) for u, v, data in graph.edges(data=True))
        if reduced:
            result.graph["reduced"] = reduced
        if self.passed_over:
            result.graph["passed_over"] = f"passed over in the file: {'; '.join(self.passed_over)}"
            warnings.warn(result.graph["passed_over"], stacklevel=3)
        fill(result, seed)
        return result


def _reduce(graph: "nx.Graph[str]", largest_component: bool) -> str:
    """Refuse a graph in several pieces, or cut it to the largest and say which that is; empty for one in one piece.

    Of several that are largest it is the one that the file names first.
    """
    components = list(nx.connected_components(graph))
    if len(components) == 1:
        return ""
    largest = max(components, key=len)
    dropped = graph.number_of_nodes() - len(largest)
    first = next(label for label in graph if label in largest)
    if not largest_component:
        raise DisconnectedError(
            f"the network falls into {len(components)} components, the largest of {len(largest)} nodes, that of node "
            f"{first}; ask for the largest component to go on without the other {dropped}"
        )
    reduced = (
        f"kept the largest of {len(components)} components, that of node {first}: "
        f"{len(largest)} nodes, {dropped} dropped"
    )
    warnings.warn(reduced, stacklevel=4)
    graph.remove_nodes_from([label for label in graph if label not in largest])
    return reduced


def _is_integer(label: str) -> bool:
    """Whether a label is an integer written the usual way, so that no two labels mean the same one."""
    digits = label.removeprefix("-")
    return digits.isascii() and digits.isdigit() and len(digits) < 20 and str(int(label)) == label


def _wrong(line: int | None, reason: str, owner: str | None = None) -> Exception:
    """What to raise: with the line or, without one, the node or link that a value belongs to."""
    if line is not None:
        return BrokenLineError(line, reason)
    return TopologyError(reason if owner is None else f"{owner}: {reason}")


def _numbers(attributes: dict[str, Any], least: dict[str, float], line: int | None, owner: str) -> dict[str, float]:
    """Keep the attributes that are known, as finite numbers no less than their least value."""
    numbers: dict[str, float] = {}
    for name, bound in least.items():
        if attributes.get(name) is None:
            continue
        text = str(attributes[name]).strip()
        try:
            value = int(text) if _is_integer(text) else float(text)
        except ValueError:
            raise _wrong(line, f"{name} must be a number, got {text!r}", owner) from None
        if not abs(value) <= LARGEST:
            raise _wrong(line, f"{name} must be at most {LARGEST:g} in size, got {text}", owner)
        if value < bound:
            raise _wrong(line, f"{name} must be {'positive' if bound else 'at least 0'}, got {text}", owner)
        numbers[name] = value
    return numbers
