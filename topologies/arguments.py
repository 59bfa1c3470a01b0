"""Checks of what networks are made from: the value as it is wanted, or an error that names it and says the rule."""

import operator

import networkx as nx
import numpy as np

__all__ = ["check_graph", "generator", "integer"]


def integer(name: str, value: object, least: int | None = None, most: int | None = None) -> int:
    """Give an integer between two bounds."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{name} must be an integer, got {value!r}") from None
    if most is not None and not (least or 0) <= number <= most:
        raise ValueError(f"{name} must be between {least or 0} and {most}, got {number}")
    if least is not None and number < least:
        raise ValueError(f"{name} must be at least {least}, got {number}")
    return number


def generator(seed: int | np.random.Generator) -> np.random.Generator:
    """Give the generator of a seed."""
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError) as error:
        raise type(error)(f"seed must be an integer of at least 0 or a numpy Generator, got {seed!r}") from None


def check_graph(graph: "nx.Graph[int]") -> int:
    """Refuse what is not an undirected graph over the nodes 0..N-1 with single links between two; gives N. O(N)."""
    if not isinstance(graph, nx.Graph):
        raise TypeError(f"graph must be a networkx.Graph, got {type(graph).__name__}")
    if graph.is_directed() or graph.is_multigraph():
        kind = type(graph).__name__
        raise ValueError(f"graph must be undirected with single links, got a {kind}; take networkx.Graph(graph)")
    nodes = graph.number_of_nodes()
    if any(v not in graph for v in range(nodes)):
        raise ValueError(
            f"the nodes of graph must be the integers 0 to {nodes - 1}; use networkx.convert_node_labels_to_integers"
        )
    loop = next((v for v in range(nodes) if v in graph.adj[v]), None)
    if loop is not None:
        raise ValueError(
            f"graph must not link a node to itself, got {loop} - {loop}; remove what networkx.selfloop_edges names"
        )
    return nodes
