"""Hypothesis strategies of small connected networks."""

import networkx as nx
from hypothesis import strategies as st

from topologies import fill


@st.composite
def connected_networks(draw: st.DrawFn, explicit: bool = True) -> "nx.Graph[int]":
    """A tree and some further links over up to 12 nodes; delays repeat often, so that paths tie.

    Without `explicit`, delays and bandwidths follow from places and degrees.
    """
    nodes = draw(st.integers(1, 12))
    graph: nx.Graph[int] = nx.Graph()
    coordinate = st.integers(0, 10_000)
    for v in range(nodes):
        graph.add_node(v, x=draw(coordinate), y=draw(coordinate))
    links = {(draw(st.integers(0, v - 1)), v) for v in range(1, nodes)}
    pairs = st.tuples(st.integers(0, nodes - 1), st.integers(0, nodes - 1))
    links |= {(min(u, v), max(u, v)) for u, v in draw(st.lists(pairs, max_size=20)) if u != v}
    for u, v in draw(st.permutations(sorted(links))):
        graph.add_edge(u, v)
        if explicit:
            graph.edges[u, v]["delay_ms"] = draw(st.sampled_from([0.25, 0.5, 1.0, 4.0]))
            graph.edges[u, v]["bandwidth_mbps"] = draw(st.sampled_from([10.0, 100.0, 1000.0]))
    fill(graph)
    return graph
