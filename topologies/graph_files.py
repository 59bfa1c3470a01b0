"""GraphML and GML, read so that whatever is wrong can be named with its line.

networkx reads both formats, but forgets the lines. These readers take what a network needs (nodes, links, and the
attributes `x`, `y`, `name`, `delay_ms`, `bandwidth_mbps`) and pass over the rest. Direction is dropped. Writing is
left to networkx.
"""

import html
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple
from xml.parsers import expat

from topologies.network_builder import BrokenLineError, NetworkBuilder

__all__ = ["parse_gml", "parse_graphml"]

_DEEPEST = 50


class _GraphmlReader:
    """Handlers of the XML parser: an element under way, its data, and the names behind the keys."""

    def __init__(self) -> None:
        self.builder = NetworkBuilder()
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.names: dict[str, str] = {}
        self.links: list[tuple[str, str, int, dict[str, Any]]] = []
        self.open: list[tuple[str, dict[str, str], int, dict[str, Any]]] = []
        self.key: str | None = None
        self.found_graph = False

    def _attribute(self, tag: str, attributes: dict[str, str], name: str) -> str:
        if name not in attributes:
            raise BrokenLineError(self.parser.CurrentLineNumber, f"<{tag}> lacks the attribute {name}")
        return attributes[name]

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        tag = tag.rpartition(":")[2]
        if tag == "graph":
            self.found_graph = True
        elif tag == "key":
            identifier = self._attribute(tag, attributes, "id")
            self.names[identifier] = attributes.get("attr.name", identifier)
        elif tag in ("node", "edge"):
            for name in ("id",) if tag == "node" else ("source", "target"):
                self._attribute(tag, attributes, name)
            self.open.append((tag, attributes, self.parser.CurrentLineNumber, {}))
        elif tag == "data" and self.open:
            key = self._attribute(tag, attributes, "key")
            if key not in self.names:
                raise BrokenLineError(self.parser.CurrentLineNumber, f"<data> names the key {key}, never declared")
            self.key = self.names[key]
            self.open[-1][3][self.key] = ""

    def _text(self, text: str) -> None:
        if self.key is not None:
            self.open[-1][3][self.key] += text

    def _end(self, tag: str) -> None:
        tag = tag.rpartition(":")[2]
        if tag == "data":
            self.key = None
        elif tag in ("node", "edge"):
            _, attributes, line, data = self.open.pop()
            if tag == "node":
                self.builder.add_node(attributes["id"], line, data)
            else:
                self.links.append((attributes["source"], attributes["target"], line, data))


def parse_graphml(text: str) -> NetworkBuilder:
    """Read GraphML; links may come before their nodes; O(length of the text)."""
    reader = _GraphmlReader()
    try:
        reader.parser.Parse(text, True)
    except expat.ExpatError as error:
        raise BrokenLineError(error.lineno, f"not well-formed XML: {expat.ErrorString(error.code)}") from None
    if not reader.found_graph:
        raise BrokenLineError(1, "no <graph> in the file")
    for source, target, line, data in reader.links:
        reader.builder.add_link(source, target, line, data)
    return reader.builder


class _Token(NamedTuple):
    kind: str
    text: str
    line: int


_GML = re.compile(
    r"""(?P<blank>\s+|^\#[^\n]*)|(?P<key>[A-Za-z][\w.]*)|(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"""
    r"""|(?P<string>"[^"]*")|(?P<open>\[)|(?P<close>\])""",
    re.MULTILINE,
)


def _tokens(text: str) -> Iterator[_Token]:
    """Cut GML into tokens; the last one has the kind `end`."""
    place, line = 0, 1
    while place < len(text):
        match = _GML.match(text, place)
        if match is None:
            raise BrokenLineError(line, f"cannot read {text[place : place + 20].splitlines()[0]!r}")
        kind = str(match.lastgroup)
        if kind != "blank":
            yield _Token(kind, match.group(), line)
        line += match.group().count("\n")
        place = match.end()
    yield _Token("end", "the end of the file", max(1, line - text.endswith("\n")))


class _Record(NamedTuple):
    line: int
    values: dict[str, str]
    inner: list[tuple[str, "_Record"]]


def _records(tokens: Iterator[_Token], line: int, closing: str, depth: int = 0) -> _Record:
    """Read `key value` pairs and `key [ ... ]` records up to the closing token."""
    if depth > _DEEPEST:
        raise BrokenLineError(line, f"records are nested more than {_DEEPEST} deep")
    record = _Record(line, {}, [])
    while True:
        key = next(tokens)
        if key.kind == closing:
            return record
        if key.kind != "key":
            opened = f"; the record of line {line} is not closed" if key.kind == "end" else ""
            raise BrokenLineError(key.line, f"expected a key, got {key.text}{opened}")
        value = next(tokens)
        if value.kind == "open":
            record.inner.append((key.text, _records(tokens, key.line, "close", depth + 1)))
        elif value.kind == "string":
            record.values[key.text] = html.unescape(value.text[1:-1])
        elif value.kind in ("number", "key"):
            record.values[key.text] = value.text
        else:
            raise BrokenLineError(value.line, f"expected a value of {key.text}, got {value.text}")


def parse_gml(text: str) -> NetworkBuilder:
    """Read GML; a node is called by its label where all labels differ, otherwise by its id; O(length of the text)."""
    graph = next((inner for key, inner in _records(_tokens(text), 1, "end").inner if key == "graph"), None)
    if graph is None:
        raise BrokenLineError(1, "no graph in the file")
    nodes = [record for key, record in graph.inner if key == "node"]
    for record in nodes:
        if "id" not in record.values:
            raise BrokenLineError(record.line, "the node has no id")
    labels = Counter(record.values.get("label") for record in nodes)
    called = "label" if None not in labels and all(count == 1 for count in labels.values()) else "id"
    builder = NetworkBuilder()
    label_of: dict[str, str] = {}
    for record in nodes:
        if record.values["id"] in label_of:
            raise BrokenLineError(record.line, f"node id {record.values['id']} is declared a second time")
        label_of[record.values["id"]] = record.values[called]
        builder.add_node(record.values[called], record.line, dict(record.values))
    for key, record in graph.inner:
        if key != "edge":
            continue
        for end in ("source", "target"):
            if record.values.get(end) not in label_of:
                raise BrokenLineError(
                    record.line, f"the {end} of the edge must be the id of a node, got {record.values.get(end)}"
                )
        ends = [label_of[record.values[end]] for end in ("source", "target")]
        builder.add_link(ends[0], ends[1], record.line, dict(record.values))
    return builder
