"""GraphML and GML, read and written by networkx; what a network needs of them is checked here.

That is nodes, links, and the attributes `x`, `y`, `name`, `delay_ms`, `bandwidth_mbps`; the rest is passed over, and
so are directions, which is noted (`NetworkBuilder.passed_over`). networkx tells the line of what it cannot parse, but
forgets the lines of what it has read: wrong values are named by their node or link.
"""

import re
import warnings
from typing import Any
from xml.etree.ElementTree import Element, ParseError
from xml.parsers import expat

import networkx as nx
from networkx.readwrite.graphml import GraphMLReader

from topologies.errors import TopologyError
from topologies.network_builder import BrokenLineError, NetworkBuilder

__all__ = ["parse_gml", "parse_graphml"]

_ODD = (AttributeError, IndexError, KeyError, TypeError, ValueError)
"""What networkx stumbles over: a number where a record should be, two ids in a node, a string that does not end."""


class _GraphmlReader(GraphMLReader):
    """networkx's reader with any namespace, values left as text, and what it lets pass refused.

    It would make a node of whatever a link names, and merge nodes of the same id.
    """

    NS_GRAPHML = "*"  # type: ignore[misc]

    def __init__(self) -> None:
        super().__init__(force_multigraph=True)
        self.directed = 0
        self.python_type = dict.fromkeys(self.python_type, str)

    def make_graph(self, graph_xml: Element, graphml_keys: Any, defaults: Any, G: Any = None) -> Any:
        undirected = nx.MultiGraph() if G is None else G
        self._directed = graph_xml.get("edgedefault") == "directed"
        return super().make_graph(graph_xml, graphml_keys, defaults, undirected)  # type: ignore[no-untyped-call]

    def add_node(self, G: Any, node_xml: Element, graphml_keys: Any, defaults: Any) -> None:
        label = node_xml.get("id")
        if label is None:
            raise TopologyError(f"<node> number {len(G) + 1} lacks the attribute id")
        if label in G:
            raise TopologyError(f"node {label} is declared a second time")
        super().add_node(G, node_xml, graphml_keys, defaults)

    def add_edge(self, G: Any, edge_element: Element, graphml_keys: Any) -> None:
        ends = [edge_element.get(end) for end in ("source", "target")]
        for name, end in zip(("source", "target"), ends, strict=True):
            if end is None:
                raise TopologyError(f"<edge> number {G.number_of_edges() + 1} lacks the attribute {name}")
            if end not in G:
                raise TopologyError(f"link {ends[0]} - {ends[1]} names node {end}, which the file does not declare")
        self.directed += edge_element.attrib.pop("directed", str(self._directed)).lower() == "true"
        super().add_edge(G, edge_element, graphml_keys)


def parse_graphml(text: str) -> NetworkBuilder:
    """Read GraphML; links may come before their nodes; O(length of the text)."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of ports, and of keys without a type
            reader = _GraphmlReader()
            graph = next(reader(string=text), None)
    except ParseError as error:
        raise BrokenLineError(error.position[0], f"not well-formed XML: {expat.ErrorString(error.code)}") from None
    except nx.NetworkXError as error:
        raise TopologyError(str(error)) from None
    except _ODD as error:
        raise TopologyError(f"networkx cannot read this GraphML, {error!r}; check its nodes and edges") from None
    if graph is None:
        raise TopologyError("no <graph> in the file")
    return _checked(graph, {node: node for node in graph}, {"id"}, reader.directed)


def parse_gml(text: str) -> NetworkBuilder:
    """Read GML; a node is called by its label where all labels differ, otherwise by its id; O(length of the text).

    Where the two directions of a link have different values, those of the node that is declared later count.
    """
    try:
        # Links that come twice are merged, whether or not the file says that there are some.
        graph = nx.parse_gml(re.sub(r"(\bgraph\s*\[)", r"\1 multigraph 1 ", text, count=1), label="id")
    except nx.NetworkXError as error:
        raise _with_line(str(error)) from None
    except RecursionError:
        raise TopologyError("records are nested too deeply") from None
    except _ODD as error:
        raise TopologyError(f"networkx cannot read this GML, {error!r}; check its nodes and edges") from None
    labels = {node: str(data["label"]) for node, data in graph.nodes.items() if "label" in data}
    differ = len(set(labels.values())) == len(graph)
    names = labels if differ else {node: str(node) for node in graph}
    return _checked(graph, names, {"id", "label", "key"}, graph.size() if graph.is_directed() else 0)


def _with_line(complaint: str) -> BrokenLineError | TopologyError:
    """A complaint of networkx as ours: the line first, where it tells one, and one line of text."""
    match = re.fullmatch(r"(.*) at \((\d+), \d+\)", complaint, re.DOTALL)
    return TopologyError(complaint.splitlines()[0]) if match is None else BrokenLineError(int(match[2]), match[1])


def _checked(graph: "nx.Graph[Any]", label_of: dict[Any, str], own: set[str], directed: int) -> NetworkBuilder:
    """Put a network together; `own` are attributes of the format itself, `directed` counts links with a direction."""
    builder = NetworkBuilder()
    of_nodes = {name for data in graph.nodes.values() for name in data} - own - {"x", "y", "name"}
    of_links = {name for *_, data in graph.edges(data=True) for name in data} - own - {"delay_ms", "bandwidth_mbps"}
    for what, names in (("nodes", of_nodes), ("links", of_links)):
        if names:
            builder.passed_over.append(f"{', '.join(sorted(map(str, names)))} of {what}")
    if directed:
        builder.passed_over.append(f"the direction of {directed:,} links")
    for node, data in graph.nodes.items():
        builder.add_node(label_of[node], None, data)
    for u, v, data in graph.edges(data=True):
        builder.add_link(label_of[u], label_of[v], None, data)
    return builder
