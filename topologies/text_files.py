"""Line-by-line formats: INET-3.0's own, plain edge lists, and CAIDA's lists of relationships between AS.

INET: a line with the numbers of nodes and links, a line `id x y` for each node, a line `u v weight` for each link,
the weight being the Euclidean distance. INET rounds it; a weight within 1 of the distance of the two places therefore
means that distance, and any other weight is taken as the length of the link. The format has no bandwidths.

Edge list: `u v`, `u v delay_ms` or `u v delay_ms bandwidth_mbps`, parted by blanks or commas, without a line of
column names; a network of one node is a line with its label.

CAIDA (serial-1): `a|b|relation`, -1 for provider and customer, 0 for peers; a fourth field (serial-2) is the source.
The relation is checked and not kept: routes here follow hops, not contracts.

In all three `#` starts a comment and empty lines do not count.
"""

from collections.abc import Iterable, Iterator

import networkx as nx
import numpy as np

from topologies.attributes import UNITS_PER_MS, link_delays
from topologies.network_builder import BrokenLineError, NetworkBuilder

__all__ = ["format_edges", "format_inet", "parse_caida", "parse_edges", "parse_inet"]

_DIGITS = 18

INET_ROUNDING = 1.0
HEADER_WORDS = {"source", "target", "src", "dst", "from", "to", "u", "v", "node1", "node2"}


def parse_inet(text: str) -> NetworkBuilder:
    """Read the INET format; O(lines)."""
    rows = _rows(text, None)
    line, header = next(rows, (1, []))
    if len(header) != 2:
        raise BrokenLineError(line, f"expected the numbers of nodes and links, got {len(header)} fields")
    node_count, link_count = (_count(field, line) for field in header)
    builder = NetworkBuilder()
    last = line
    for line, (label, x, y) in _take(rows, node_count, 3, "node", "id x y", last):
        builder.add_node(label, line, {"x": x, "y": y})
    last = line
    for line, (u, v, weight) in _take(rows, link_count, 3, "link", "u v weight", last):
        if (u, v) in builder.links or (v, u) in builder.links:
            raise BrokenLineError(line, f"link {u} - {v} is given a second time")
        builder.add_link(u, v, line, {})
        length = _length(weight, line)
        a, b = builder.nodes[u], builder.nodes[v]
        if abs(np.hypot(a["x"] - b["x"], a["y"] - b["y"]) - length) > INET_ROUNDING:
            builder.links[u, v]["delay_ms"] = length / UNITS_PER_MS
    for line, _ in rows:
        raise BrokenLineError(line, f"the file goes on after {node_count} nodes and {link_count} links")
    return builder


def format_inet(graph: "nx.Graph[int]") -> Iterator[str]:
    """Write the INET format, line by line; a delay that does not follow from the places becomes the weight."""
    nodes = graph.number_of_nodes()
    yield f"{nodes} {graph.number_of_edges()}"
    for v, attributes in graph.nodes(data=True):
        yield f"{v} {attributes['x']!r} {attributes['y']!r}"
    places = np.asarray([(graph.nodes[v]["x"], graph.nodes[v]["y"]) for v in range(nodes)], dtype=np.float64)
    links = np.asarray(list(graph.edges), dtype=np.int64).reshape(-1, 2)
    delays = link_delays(places, links).tolist()
    steps = places[links[:, 0]] - places[links[:, 1]]
    distances = np.hypot(steps[:, 0], steps[:, 1]).tolist()
    for (u, v, attributes), by_rule, distance in zip(graph.edges(data=True), delays, distances, strict=True):
        delay = attributes["delay_ms"]
        yield f"{u} {v} {round(distance) if delay == by_rule else repr(delay * UNITS_PER_MS)}"


def parse_edges(text: str) -> NetworkBuilder:
    """Read an edge list; nodes are numbered as `NetworkBuilder.finish` says; O(lines)."""
    builder = NetworkBuilder()
    rows = list(_rows(text, ","))
    if len(rows) == 1 and len(rows[0][1]) == 1:
        builder.add_node(rows[0][1][0], rows[0][0], {})
        return builder
    _refuse_header(rows)
    for line, fields in rows:
        if not 2 <= len(fields) <= 4:
            raise BrokenLineError(
                line, f"expected two nodes, then at most delay_ms and bandwidth_mbps, got {len(fields)} fields"
            )
        builder.add_link(
            fields[0], fields[1], line, dict(zip(("delay_ms", "bandwidth_mbps"), fields[2:], strict=False)), False
        )
    return builder


def _refuse_header(rows: list[tuple[int, list[str]]]) -> None:
    """Complain when the first line names columns: words that no later line has, usual ones or before numbers only."""
    if len(rows) < 2:
        return
    (line, first), *later = rows
    words = {field.lower() for field in first[:2]}
    labels = {label for _, fields in later for label in fields[:2]}
    above_numbers = not any(_is_number(word) for word in words) and all(_is_number(label) for label in labels)
    if len(words) == 2 and labels.isdisjoint(first[:2]) and (above_numbers or words <= HEADER_WORDS):
        raise BrokenLineError(line, f"expected two nodes, got a header, {first[0]} {first[1]}; put # before it")


def _is_number(label: str) -> bool:
    return label.isascii() and label.removeprefix("-").isdigit()


def format_edges(graph: "nx.Graph[int]") -> Iterator[str]:
    """Write an edge list with delays and bandwidths; it keeps no places. A network of one node is its label."""
    yield "# u v delay_ms bandwidth_mbps"
    if len(graph) == 1:
        yield from map(str, graph)
    for u, v, attributes in graph.edges(data=True):
        yield f"{u} {v} {attributes['delay_ms']!r} {attributes['bandwidth_mbps']!r}"


def parse_caida(text: str) -> NetworkBuilder:
    """Read a list of AS relationships; O(lines)."""
    builder = NetworkBuilder()
    for line, fields in _rows(text, "|"):
        if len(fields) not in (3, 4):
            raise BrokenLineError(line, f"expected a|b|relation, got {len(fields)} fields")
        for field in fields[:2]:
            if not (field.isascii() and field.isdigit() and len(field) <= _DIGITS):
                raise BrokenLineError(line, f"an AS number must be a whole number, got {field[: _DIGITS + 1]!r}")
        if fields[2] not in ("-1", "0"):
            raise BrokenLineError(
                line, f"the relation must be -1 (provider, customer) or 0 (peers), got {fields[2]!r}"
            )
        builder.add_link(str(int(fields[0])), str(int(fields[1])), line, {}, False)
    return builder


def _rows(text: str, separator: str | None) -> Iterator[tuple[int, list[str]]]:
    """Fields of each line that holds any, with its number; a comma counts like a blank, a bar does not."""
    for number, content in enumerate(text.split("\n"), start=1):
        content = content.partition("#")[0].strip()
        if not content:
            continue
        if separator == "|":
            yield number, [field.strip() for field in content.split("|")]
        else:
            yield number, content.replace(separator, " ").split() if separator else content.split()


def _take(
    rows: Iterable[tuple[int, list[str]]], count: int, width: int, what: str, form: str, line: int
) -> Iterator[tuple[int, list[str]]]:
    """Pass on the next `count` rows and complain when there are fewer, or one has not `width` fields."""
    source = iter(rows)
    for taken in range(count):
        line, fields = next(source, (line, []))
        if not fields:
            raise BrokenLineError(line, f"the file ends after {taken} of {count} {what}s")
        if len(fields) != width:
            raise BrokenLineError(line, f"expected a {what} as `{form}`, got {len(fields)} fields")
        yield line, fields


def _count(field: str, line: int) -> int:
    """Read a number of nodes or links."""
    if not (field.isascii() and field.isdigit() and len(field) <= _DIGITS):
        raise BrokenLineError(
            line, f"the number of nodes or links must be a whole number, got {field[: _DIGITS + 1]!r}"
        )
    return int(field)


def _length(field: str, line: int) -> float:
    """Read the weight of a link."""
    try:
        length = float(field)
    except ValueError:
        raise BrokenLineError(line, f"weight must be a number, got {field!r}") from None
    if not 0 <= length < np.inf:
        raise BrokenLineError(line, f"weight must be finite and at least 0, got {field}")
    return length
