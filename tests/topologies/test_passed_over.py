"""What a network's file says and a network does not hold is told, in one line."""

import warnings
from pathlib import Path

import networkx as nx
import pytest

from topologies import TopologyError, read_network, waxman, write_network

DIRECTED = """<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="c" for="node" attr.name="country" attr.type="string"/>
<key id="s" for="edge" attr.name="LinkSpeed" attr.type="string"/>
<key id="d" for="edge" attr.name="delay_ms" attr.type="double"/>
<graph edgedefault="directed">
<node id="a"><data key="c">NL</data></node><node id="b"/><node id="c"/>
<edge id="e1" source="a" target="b"><data key="s">10</data><data key="d">2.5</data></edge>
<edge source="b" target="c" directed="false"/>
<edge source="c" target="b"/>
</graph></graphml>"""
SAID = "passed over in the file: country of nodes; LinkSpeed of links; the direction of 2 links"


def test_graphml_says_what_it_passes_over(tmp_path: Path) -> None:
    (tmp_path / "net.graphml").write_text(DIRECTED)
    with pytest.warns(UserWarning, match=f"^{SAID}$"):
        graph = read_network(tmp_path / "net.graphml")
    assert graph.graph == {"passed_over": SAID}
    assert graph.edges[0, 1]["delay_ms"] == 2.5


def test_gml_does_too(tmp_path: Path) -> None:
    text = (
        'graph [ directed 1 node [ id 0 label "a" asn 7 ] node [ id 1 label "b" ] edge [ source 0 target 1 kind 3 ] ]'
    )
    (tmp_path / "net.gml").write_text(text)
    with pytest.warns(UserWarning, match="file: asn of nodes; kind of links; the direction of 1 links$"):
        read_network(tmp_path / "net.gml")


@pytest.mark.parametrize("suffix", ["graphml", "gml", "edges", "inet"])
def test_what_we_write_holds_nothing_more(tmp_path: Path, suffix: str) -> None:
    graph = waxman(20, 1)
    nx.set_node_attributes(graph, {0: "first"}, "name")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        write_network(graph, tmp_path / f"net.{suffix}")
        assert read_network(tmp_path / f"net.{suffix}").graph == {}


def test_a_device_is_not_read() -> None:
    with pytest.raises(TopologyError, match="/dev/zero is a device or pipe, which may have no end; name a file"):
        read_network("/dev/zero", "edges")
