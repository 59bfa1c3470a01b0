"""Network files: round trips, and what is said about broken ones."""

import tempfile
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.topologies.networks import connected_networks
from topologies import TopologyError, fill, inet, read_network, write_network
from topologies.errors import DisconnectedError


def same(first: "nx.Graph[int]", second: "nx.Graph[int]") -> bool:
    return dict(first.nodes) == dict(second.nodes) and dict(first.adjacency()) == dict(second.adjacency())


def put(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.parametrize("form", ["graphml", "gml"])
@settings(deadline=None, max_examples=25)
@given(graph=connected_networks())
def test_round_trip_keeps_everything(form: str, graph: "nx.Graph[int]") -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_network(graph, Path(folder) / f"net.{form}")
        assert same(read_network(Path(folder) / f"net.{form}"), graph)


@settings(deadline=None, max_examples=25)
@given(graph=connected_networks(explicit=False))
def test_inet_round_trip(graph: "nx.Graph[int]") -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_network(graph, f"{folder}/net.inet")
        assert same(read_network(f"{folder}/net.inet"), graph)


@settings(deadline=None, max_examples=25)
@given(graph=connected_networks(), delay=st.floats(0, 1e6))
def test_inet_keeps_delays_that_do_not_follow_from_places(graph: "nx.Graph[int]", delay: float) -> None:
    for _, _, link in graph.edges(data=True):
        link["delay_ms"] = delay
    with tempfile.TemporaryDirectory() as folder:
        write_network(graph, f"{folder}/net.inet")
        back = read_network(f"{folder}/net.inet")
    for u, v, link in back.edges(data=True):
        # Weights within 1 of the distance mean the distance, so a delay may move by 1/400 ms, or up to the 0.1 ms
        # below which the rule does not go.
        assert link["delay_ms"] == pytest.approx(graph.edges[u, v]["delay_ms"], rel=1e-12, abs=0.1)


@settings(deadline=None, max_examples=25)
@given(graph=connected_networks().filter(lambda graph: len(graph) > 1))
def test_edge_list_round_trip(graph: "nx.Graph[int]") -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_network(graph, f"{folder}/net.edges")
        assert nx.utils.edges_equal(read_network(f"{folder}/net.edges").edges(data=True), graph.edges(data=True))


def test_inet_model_round_trip(tmp_path: Path) -> None:
    graph = inet(3_037, 1)
    write_network(graph, tmp_path / "net.inet")
    assert same(read_network(tmp_path / "net.inet"), graph)
    assert (tmp_path / "net.inet").read_text().startswith(f"3037 {graph.number_of_edges()}\n0 ")
    assert [file.name for file in tmp_path.iterdir()] == ["net.inet"]


def test_networkx_reads_what_we_write(tmp_path: Path) -> None:
    graph = inet(3_037, 1)
    write_network(graph, tmp_path / "net.graphml")
    assert same(nx.read_graphml(tmp_path / "net.graphml", node_type=int), graph)


def test_caida_list(tmp_path: Path) -> None:
    path = put(tmp_path, "20240101.as-rel.txt", "# inferred\n# more\n3356|174|0\n174|64500|-1\n64500|3356|0|bgp\n")
    graph = read_network(path)
    assert [data["name"] for data in graph.nodes.values()] == ["174", "3356", "64500"]
    assert set(graph.edges) == {(0, 1), (0, 2), (1, 2)}
    assert graph.edges[0, 1].keys() == {"delay_ms", "bandwidth_mbps"}
    write_network(graph, tmp_path / "net.gml")
    assert same(read_network(tmp_path / "net.gml"), graph)


def test_edge_list_forms(tmp_path: Path) -> None:
    graph = read_network(put(tmp_path, "a.csv", "paris,oslo,5\noslo rome # a comment\n\nrome, oslo, 2.5, 40\n"))
    assert [data["name"] for data in graph.nodes.values()] == ["paris", "oslo", "rome"]
    assert graph.edges[0, 1]["delay_ms"] == 5
    assert graph.edges[1, 2] == {"delay_ms": 2.5, "bandwidth_mbps": 40}


def test_seed_places_nodes_without_a_place(tmp_path: Path) -> None:
    path = put(tmp_path, "a.edges", "0 1\n1 2\n")
    assert same(read_network(path, seed=4), read_network(path, seed=4))
    assert not same(read_network(path, seed=4), read_network(path, seed=5))


@pytest.mark.filterwarnings("ignore:passed over")
def test_gml_names_nodes_by_id_when_labels_repeat(tmp_path: Path) -> None:
    text = """Creator "x"
graph [ directed 1
  node [ id 4 label "a &amp; b" graphics [ x 1 ] ] node [ id 2 label "{}" ]
# a comment
  edge [ source 4 target 2 delay_ms 3.5 ]
]
"""
    graph = read_network(put(tmp_path, "a.gml", text.format("c")))
    assert [data["name"] for data in graph.nodes.values()] == ["a & b", "c"]
    assert graph.edges[0, 1]["delay_ms"] == 3.5
    graph = read_network(put(tmp_path, "b.gml", text.format("a &amp; b")))
    assert [data["name"] for data in graph.nodes.values()] == ["2", "4"]


def test_graphml_links_may_come_first(tmp_path: Path) -> None:
    text = '<graphml><graph><edge source="n1" target="n0"/><node id="n0"/><node id="n1"/></graph></graphml>'
    assert set(read_network(put(tmp_path, "a.graphml", text)).edges) == {(0, 1)}


GRAPHML = """<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d0" for="edge" attr.name="delay_ms" attr.type="double"/>
  <graph edgedefault="undirected">
    <node id="0"/>
    <node id="1"/>
    <edge source="0" target="1">
      <data key="d0">2.5</data>
    </edge>
  </graph>
</graphml>
"""

BROKEN = {
    "inet empty": ("a.inet", "", 1, "expected the numbers of nodes and links, got 0 fields"),
    "inet header": ("a.inet", "2 x\n", 1, "must be a whole number, got 'x'"),
    "inet digits": ("a.inet", "9" * 5000 + " 1\n", 1, "must be a whole number, got '9999"),
    "inet short": ("a.inet", "2 1\n0 1 1\n", 2, "the file ends after 1 of 2 nodes"),
    "inet fields": ("a.inet", "2 1\n0 1 1\n1 5\n", 3, "expected a node as `id x y`, got 2 fields"),
    "inet place": ("a.inet", "2 1\n0 1 1\n1 5 north\n0 1 3\n", 3, "y must be a number, got 'north'"),
    "inet nan": ("a.inet", "2 1\n0 1 1\n1 5 nan\n0 1 3\n", 3, "y must be at most 1e.12 in size, got nan"),
    "inet twice": ("a.inet", "2 1\n0 1 1\n0 5 5\n0 1 3\n", 3, "node 0 is declared a second time"),
    "inet unknown": ("a.inet", "2 1\n0 1 1\n1 5 5\n0 7 3\n", 4, "names node 7, which the file does not declare"),
    "inet weight": ("a.inet", "2 1\n0 1 1\n1 5 5\n0 1 w\n", 4, "weight must be a number, got 'w'"),
    "inet negative": ("a.inet", "2 1\n0 1 1\n1 5 5\n0 1 -3\n", 4, "weight must be finite and at least 0, got -3"),
    "inet again": ("a.inet", "2 2\n0 1 1\n1 5 5\n0 1 3\n1 0 3\n", 5, "link 1 - 0 is given a second time"),
    "inet long": ("a.inet", "2 1\n0 1 1\n1 5 5\n0 1 3\n\n0 1 3\n", 6, "goes on after 2 nodes and 1 links"),
    "edges one": ("a.edges", "# two\n0 1\n1\n", 3, "expected two nodes"),
    "edges loop": ("a.edges", "0 1\n1 1\n", 2, "link 1 - 1 joins a node to itself"),
    "edges delay": ("a.edges", "0 1 -5\n", 1, "delay_ms must be at least 0, got -5"),
    "edges bandwidth": ("a.edges", "0 1 5 0\n", 1, "bandwidth_mbps must be positive, got 0"),
    "caida fields": ("a.as-rel", "1|2|0\n1|2\n", 2, r"expected a\|b\|relation, got 2 fields"),
    "caida number": ("a.as-rel", "#\n1|AS2|0\n", 2, "an AS number must be a whole number, got 'AS2'"),
    "caida digits": ("a.as-rel", "1|2|0\n1|" + "9" * 5000 + "|0\n", 2, "must be a whole number, got '9999"),
    "caida relation": ("a.as-rel", "1|2|7\n", 1, "the relation must be -1 .* got '7'"),
    "graphml cut": ("a.graphml", GRAPHML.partition("</edge>")[0], 9, "not well-formed XML"),
    "graphml tag": ("a.graphml", GRAPHML.replace("</edge>", "</egde>"), 9, "mismatched tag"),
    "gml sign": ("a.gml", "graph [\n  node [ id ? ]\n]\n", 2, r"cannot tokenize \? \]$"),
    "gml open": ("a.gml", "graph [\n  node [ id 0 ]\n", 3, "expected ']', found EOF"),
    "gml value": (
        "a.gml",
        "graph [\n  node [ id 0 x ]\n]\n",
        2,
        r"expected an int, float, string or '\[', found ']'",
    ),
    "gml word": ("a.gml", "graph [\n  node [ id 0 x north ]\n]\n", 2, "string or .* found 'north'"),
}


BROKEN |= {
    "header over numbers": (
        "a.csv",
        "# links\nhere,there\n0,1\n1,2\n",
        2,
        "got a header, here there; put # before it",
    ),
    "header over names": ("a.csv", "Source,Target\na,b\nb,c\n", 1, "got a header, Source Target; put # before it"),
    "header of four": ("a.csv", "u,v,delay_ms,bandwidth_mbps\n0,1,1,1\n", 1, "got a header, u v; put # before it"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_files_name_line_and_reason(tmp_path: Path, case: str) -> None:
    name, text, line, reason = BROKEN[case]
    path = put(tmp_path, name, text)
    with pytest.raises(TopologyError, match=reason) as caught:
        read_network(path)
    assert str(caught.value).startswith(f"{path}, line {line}: ")
    assert "\n" not in str(caught.value)


GML = """graph [
  node [ id 0 label "paris" ]
  node [ id 1 label "oslo" ]
  edge [ source 0 target 1 delay_ms 2.5 ]
]
"""

WRONG = {
    "graphml none": ("a.graphml", "<a/>", "no <graph> in the file"),
    "graphml id": (
        "a.graphml",
        GRAPHML.replace('<node id="1"/>', "<node/>"),
        "<node> number 2 lacks the attribute id",
    ),
    "graphml end": (
        "a.graphml",
        GRAPHML.replace(' target="1"', ""),
        "<edge> number 1 lacks the attribute target",
    ),
    "graphml twice": ("a.graphml", GRAPHML.replace('id="1"', 'id="0"'), "node 0 is declared a second time"),
    "graphml target": (
        "a.graphml",
        GRAPHML.replace('target="1"', 'target="2"'),
        "link 0 - 2 names node 2, which the file does not declare",
    ),
    "graphml loop": ("a.graphml", GRAPHML.replace('target="1"', 'target="0"'), "link 0 - 0 joins a node to itself"),
    "graphml key": ("a.graphml", GRAPHML.replace('key="d0"', 'key="d1"'), "Bad GraphML data: no key d1"),
    "graphml value": (
        "a.graphml",
        GRAPHML.replace("2.5", "fast"),
        "link 0 - 1: delay_ms must be a number, got 'fast'",
    ),
    "graphml type": (
        "a.graphml",
        GRAPHML.replace('"double"', '"colour"'),
        "networkx cannot read this GraphML, KeyError('colour'); check its nodes and edges",
    ),
    "gml none": ("a.gml", "Creator 1\n", "input contains no graph"),
    "gml two": ("a.gml", GML + GML, "input contains more than one graph"),
    "gml deep": ("a.gml", "graph [\n" + "a [\n" * 3000, "records are nested too deeply"),
    "gml id": ("a.gml", GML.replace("id 1", ""), "node #1 has no 'id' attribute"),
    "gml ids": (
        "a.gml",
        GML.replace("id 1", "id 1 id 2"),
        "networkx cannot read this GML, TypeError(\"unhashable type: 'list'\"); check its nodes and edges",
    ),
    "gml node": (
        "a.gml",
        "graph [ node 5 ]",
        "networkx cannot read this GML, AttributeError(\"'int' object has no attribute 'pop'\"); "
        "check its nodes and edges",
    ),
    "gml twice": ("a.gml", GML.replace("id 1", "id 0"), "node id 0 is duplicated"),
    "gml end": ("a.gml", GML.replace("target 1", "target 3"), "edge #0 has undefined target 3"),
    "gml loop": ("a.gml", GML.replace("target 1", "target 0"), "link paris - paris joins a node to itself"),
    "gml value": (
        "a.gml",
        GML.replace("2.5", '"fast"'),
        "link paris - oslo: delay_ms must be a number, got 'fast'",
    ),
    "gml negative": ("a.gml", GML.replace("2.5", "-2.5"), "link paris - oslo: delay_ms must be at least 0, got -2.5"),
    "gml place": ("a.gml", GML.replace("id 1", "id 1 x NAN"), "node oslo: x must be at most 1e+12 in size, got nan"),
    "gml pieces": (
        "a.gml",
        GML.replace("id 1", 'id 2 label "rome" ]\n  node [ id 1'),
        "the network falls into 2 components, the largest of 2 nodes, that of node paris; ask for the largest "
        "component to go on without the other 1",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_graphs_name_node_or_link(tmp_path: Path, case: str) -> None:
    name, text, reason = WRONG[case]
    path = put(tmp_path, name, text)
    with pytest.raises(TopologyError) as caught:
        read_network(path)
    assert str(caught.value) == f"{path}: {reason}"


@pytest.mark.filterwarnings("ignore:passed over")
def test_links_of_a_graph_that_come_again_are_merged_and_direction_is_dropped(tmp_path: Path) -> None:
    again = "edge [ source 1 target 0 bandwidth_mbps 40 ]\n  edge [ source 0 target 1 delay_ms 3 ]\n]"
    for header in ("graph [", "graph\n[ directed 1", "graph [ multigraph 1", "graph [ directed 1 multigraph 1"):
        text = GML.replace("graph [", header).replace("\n]\n", f"\n  {again}\n")
        graph = read_network(put(tmp_path, "a.gml", text))
        assert list(graph.edges(data=True)) == [(0, 1, {"delay_ms": 3, "bandwidth_mbps": 40})]
    reverse = '<edge source="1" target="0" directed="{}"><data key="d0">3</data></edge>\n  </graph>'
    for default in ("directed", "undirected"):
        for own in ("true", "false"):
            text = GRAPHML.replace("undirected", default).replace("</graph>", reverse.format(own))
            graph = read_network(put(tmp_path, "a.graphml", text))
            assert [data["delay_ms"] for *_, data in graph.edges(data=True)] == [3]


def test_graphs_of_other_programs(tmp_path: Path) -> None:
    (tmp_path / "bom.gml").write_bytes(b"\xef\xbb\xbf" + GML.replace("oslo", "Östersund").encode())
    graph = read_network(tmp_path / "bom.gml")
    assert [data["name"] for data in graph.nodes.values()] == ["paris", "Östersund"]
    for found, other in (
        (' xmlns="http://graphml.graphdrawing.org/xmlns"', ' version="1.0"'),
        ("org/xmlns", "org/xmlns/graphml"),
        (' attr.type="double"', ""),
        ('"double"', '"string"'),
    ):
        assert found in GRAPHML
        graph = read_network(put(tmp_path, "a.graphml", GRAPHML.replace(found, other)))
        assert graph.edges[0, 1]["delay_ms"] == 2.5


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(TopologyError, match="No such file"):
        read_network(tmp_path / "missing.gml")
    (tmp_path / "a.edges").write_bytes(b"0 1\n\xff 2\n")
    with pytest.raises(TopologyError, match="line 2: no UTF-8 text"):
        read_network(tmp_path / "a.edges")
    with pytest.raises(TopologyError, match="holds no nodes"):
        read_network(put(tmp_path, "b.edges", "# nothing\n"))


def test_pieces_are_refused_or_reduced(tmp_path: Path) -> None:
    path = put(tmp_path, "a.edges", "0 1\n2 3\n3 4\n9 8\n")
    refused = r"a\.edges: .* 3 components, the largest of 3 nodes, that of node 2; .* without the other 4"
    with pytest.raises(DisconnectedError, match=refused):
        read_network(path)
    with pytest.warns(UserWarning, match="of 3 components, that of node 2: 3 nodes, 4 dropped") as caught:
        graph = read_network(path, largest_component=True)
    assert graph.graph["reduced"] == str(caught[0].message)
    assert [data["name"] for data in graph.nodes.values()] == ["2", "3", "4"]
    assert set(graph.edges) == {(0, 1), (1, 2)}
    whole = read_network(put(tmp_path, "b.edges", "0 1\n"), largest_component=True)
    assert "reduced" not in whole.graph
    with pytest.warns(UserWarning, match="that of node b: 2 nodes, 2 dropped"):
        even = read_network(put(tmp_path, "c.edges", "b a\nd c\n"), largest_component=True)
    assert [data["name"] for data in even.nodes.values()] == ["b", "a"]


def test_formats_are_known_by_name(tmp_path: Path) -> None:
    path = put(tmp_path, "net.dat", "0 1\n")
    assert read_network(path, form="edges").number_of_edges() == 1
    with pytest.raises(ValueError, match=r"net\.dat does not follow from its name; give form as one of caida, edges"):
        read_network(path)
    with pytest.raises(ValueError, match=r"form must be one of .* got 'xml'"):
        read_network(path, form="xml")
    with pytest.raises(ValueError, match="edges, gml, graphml, inet, got 'caida'; CAIDA lists are only read"):
        write_network(inet(3_037, 0), tmp_path / "a.as-rel")


def test_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    bare, odd = nx.path_graph(3), nx.path_graph(3)
    odd.nodes[1]["x"] = [1]
    for name, graph, error, words in [
        ("a.inet", bare, TopologyError, "cannot be written: a node or link lacks 'x'; topologies.fill adds"),
        ("a.edges", bare, TopologyError, "a node or link lacks 'delay_ms'; topologies.fill adds"),
        ("a.graphml", odd, Exception, "list"),
    ]:
        path = put(tmp_path, name, "old")
        with pytest.raises(error, match=words):
            write_network(graph, path)
        assert path.read_text() == "old"
        assert [file.name for file in tmp_path.iterdir()] == [name]
        path.unlink()


def test_others_may_read_it_as_any_file(tmp_path: Path) -> None:
    write_network(nx.empty_graph(1), tmp_path / "a.gml")
    assert (tmp_path / "a.gml").stat().st_mode == put(tmp_path, "b.gml", "").stat().st_mode


def test_directories_are_no_files(tmp_path: Path) -> None:
    with pytest.raises(TopologyError, match="is a directory; name a file in it"):
        read_network(tmp_path)
    with pytest.raises(TopologyError, match=r"a\.edges cannot be written: there is no directory .*missing$"):
        write_network(inet(3_037, 0), tmp_path / "missing" / "a.edges")
    (tmp_path / "b.edges").mkdir()
    with pytest.raises(TopologyError, match=r"b\.edges is a directory"):
        write_network(inet(3_037, 0), tmp_path / "b.edges")


def test_one_node_goes_and_comes(tmp_path: Path) -> None:
    graph = nx.empty_graph(1)
    fill(graph)
    for name in ("a.edges", "a.inet", "a.gml", "a.graphml"):
        write_network(graph, tmp_path / name)
        assert list(read_network(tmp_path / name)) == [0]


def test_words_that_are_nodes_are_no_header(tmp_path: Path) -> None:
    assert len(read_network(put(tmp_path, "a.csv", "u,v\n"))) == 2
    assert len(read_network(put(tmp_path, "a.csv", "u,v\nv,w\n"))) == 3
    assert len(read_network(put(tmp_path, "a.csv", "here,1\n1,2\n"))) == 3
