"""Networks in files: one function to read and one to write, the format taken from the name or given.

| format | suffixes | keeps |
|---|---|---|
| inet | .inet | places, links, delays |
| graphml | .graphml | everything |
| gml | .gml | everything |
| edges | .edges .csv .txt | links, delays, bandwidths |
| caida | .as-rel .as-rel.txt .as-rel2.txt | links; read only |
"""

from collections.abc import Callable, Iterable
from pathlib import Path

import networkx as nx

from floor.files import whole
from topologies.arguments import check_graph
from topologies.errors import TopologyError
from topologies.graph_files import parse_gml, parse_graphml
from topologies.network_builder import BrokenLineError, NetworkBuilder
from topologies.text_files import format_edges, format_inet, parse_caida, parse_edges, parse_inet

__all__ = ["READERS", "WRITERS", "format_of", "read_network", "write_network"]

READERS: dict[str, Callable[[str], NetworkBuilder]] = {
    "caida": parse_caida,
    "edges": parse_edges,
    "gml": parse_gml,
    "graphml": parse_graphml,
    "inet": parse_inet,
}
WRITERS: dict[str, Callable[["nx.Graph[int]"], Iterable[str]]] = {
    "edges": format_edges,
    "gml": nx.generate_gml,
    "graphml": nx.generate_graphml,
    "inet": format_inet,
}
_SUFFIXES = {
    ".as-rel": "caida",
    ".as-rel.txt": "caida",
    ".as-rel2.txt": "caida",
    ".csv": "edges",
    ".edges": "edges",
    ".gml": "gml",
    ".graphml": "graphml",
    ".inet": "inet",
    ".txt": "edges",
}


def read_network(
    path: str | Path, form: str | None = None, largest_component: bool = False, seed: int = 0
) -> "nx.Graph[int]":
    """Read a network from a file.

    Parameters
    ----------
    path : str or Path
        The file, in UTF-8.
    form : str, optional
        One of `READERS`; by default the suffix decides.
    largest_component : bool
        What to do with a network in several pieces: keep the largest, with a warning that says which it is and
        how many nodes are dropped (also in ``graph.graph["reduced"]``), or raise a DisconnectedError.
    seed : int
        Decides where nodes stand that have no place in the file.

    Returns
    -------
    networkx.Graph
        Connected, with all attributes; what a network does not hold is passed over with a warning (also in
        ``graph.graph["passed_over"]``). What the file lacks is filled in by the rules of `topologies.attributes`.
        Nodes are 0..N-1: integer labels in ascending order, others in the order of the file; a label that differs
        from its number stays as the node attribute `name`.

    Raises
    ------
    TopologyError
        When the file cannot be read, something in it is wrong (named with its line or, in a graph's file, its node or
        link), or the network is in several pieces.

    Notes
    -----
    Linear in the size of the file; the text is held in memory.
    """
    path = Path(path)
    if path.is_dir():
        raise TopologyError(f"{path} is a directory; name a file in it")
    if path.exists() and not path.is_file():
        raise TopologyError(f"{path} is a device or pipe, which may have no end; name a file")
    parse = READERS[_check_format(path, form, READERS)]
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise TopologyError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise TopologyError(f"{path}, line {line}: no UTF-8 text") from None
    try:
        return parse(text).finish(largest_component, seed)
    except BrokenLineError as error:
        raise TopologyError(f"{path}, {error}") from None
    except TopologyError as error:
        raise type(error)(f"{path}: {error}") from None


def write_network(graph: "nx.Graph[int]", path: str | Path, form: str | None = None) -> None:
    """Write a network to a file, which appears whole or not at all.

    Parameters
    ----------
    graph : networkx.Graph
        With the attributes of `topologies.attributes`.
    path : str or Path
        The file; replaced if it exists.
    form : str, optional
        One of `WRITERS`; by default the suffix decides.

    Notes
    -----
    Linear in the size of the graph. CAIDA lists hold relations that a graph does not keep: they are only read.

    Raises
    ------
    TopologyError
        When there is no such directory, or a node or link lacks an attribute that the format needs.
    """
    path = Path(path)
    form = _check_format(path, form, WRITERS)
    if form in ("edges", "inet"):
        check_graph(graph)
    if path.is_dir() or not path.parent.is_dir():
        problem = "is a directory" if path.is_dir() else f"cannot be written: there is no directory {path.parent}"
        raise TopologyError(f"{path} {problem}")
    lines = WRITERS[form](graph)
    try:
        with whole(path) as partial, partial.open("w", encoding="utf-8", newline="\n") as stream:
            stream.writelines(f"{line}\n" for line in lines)
    except KeyError as missing:
        raise TopologyError(
            f"{path} cannot be written: a node or link lacks {missing}; topologies.fill adds what is missing"
        ) from None


def format_of(path: str | Path) -> str | None:
    """Format that follows from a file's name, by the longest suffix that is known; None when none is."""
    parts = Path(path).suffixes
    suffixes = ["".join(parts[start:]).lower() for start in range(len(parts))]
    return next((_SUFFIXES[suffix] for suffix in suffixes if suffix in _SUFFIXES), None)


def _check_format(path: Path, form: str | None, known: Iterable[str]) -> str:
    """Return the format given, or else the one of the name, if it is among the known ones."""
    if form is None:
        form = format_of(path)
        if form is None:
            raise ValueError(
                f"the format of {path} does not follow from its name; give form as one of {', '.join(known)}"
            )
    if form not in known:
        hint = "; CAIDA lists are only read" if form == "caida" else ""
        raise ValueError(f"form must be one of {', '.join(known)}, got {form!r}{hint}")
    return form
