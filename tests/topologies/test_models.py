"""Every model: connected, seeded, complete attributes; and what each is about."""

import math

import networkx as nx
import numpy as np
import pytest

import topologies
from topologies import MODELS, barabasi_albert, fill, transit_stub, waxman

SIZES = {"inet": 3_037, "barabasi-albert": 500, "transit-stub": 500, "waxman": 500}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("seed", [0, 11])
def test_models_are_connected_and_complete(name: str, seed: int) -> None:
    graph = MODELS[name](SIZES[name], seed)
    assert list(graph) == list(range(SIZES[name]))
    assert nx.is_connected(graph)
    assert nx.number_of_selfloops(graph) == 0
    for u, v, link in graph.edges(data=True):
        a, b = graph.nodes[u], graph.nodes[v]
        kilometres = math.dist((a["x"], a["y"]), (b["x"], b["y"])) / 2
        assert link["delay_ms"] == pytest.approx(max(0.1, kilometres / 200))
        smaller = min(graph.degree[u], graph.degree[v])
        assert link["bandwidth_mbps"] == (100 if smaller < 3 else 1_000 if smaller < 30 else 10_000)
    for place in graph.nodes.values():
        assert 0 <= place["x"] <= 10_000
        assert 0 <= place["y"] <= 10_000


@pytest.mark.parametrize("name", MODELS)
def test_same_seed_same_graph(name: str) -> None:
    first, again, other = (MODELS[name](SIZES[name], seed) for seed in (3, 3, 4))
    assert list(first.edges(data=True)) == list(again.edges(data=True))
    assert list(first.nodes(data=True)) == list(again.nodes(data=True))
    assert list(first.edges) != list(other.edges)


@pytest.mark.parametrize(("nodes", "mean_degree"), [(300, 3.0), (3_000, 8.0)])
def test_waxman_has_the_degree_asked_for(nodes: int, mean_degree: float) -> None:
    links = np.mean([waxman(nodes, seed, mean_degree).number_of_edges() for seed in range(8)])
    assert 2 * links / nodes == pytest.approx(mean_degree, rel=0.1)


def test_waxman_prefers_short_links_at_the_stated_rate() -> None:
    graph = waxman(2_000, 5, mean_degree=40.0, alpha=0.1)
    places = np.asarray([(data["x"], data["y"]) for data in graph.nodes.values()])
    u, v = np.triu_indices(len(places), 1)
    distance = np.hypot(*(places[u] - places[v]).T)
    linked = np.zeros((len(places), len(places)), dtype=bool)
    linked[tuple(np.asarray(graph.edges).T)] = True
    linked |= linked.T
    rate = [linked[u, v][(distance >= low) & (distance < low + 200)].mean() for low in (500, 1_914)]
    assert rate[0] / rate[1] == pytest.approx(math.e, rel=0.1)


@pytest.mark.parametrize("mean_degree", [0.001, 0.5])
def test_waxman_connects_its_pieces(mean_degree: float) -> None:
    assert nx.is_connected(waxman(200, 2, mean_degree))
    assert nx.is_connected(waxman(2, 2))


def test_barabasi_albert_counts() -> None:
    assert barabasi_albert(300, 1, links_per_node=3).number_of_edges() == 3 * 297


def test_transit_stub_structure() -> None:
    graph = transit_stub(400, 9, transit_domains=3, transit_size=4, stubs_per_transit=2)
    backbone = graph.subgraph(range(12))
    assert nx.is_connected(backbone)
    assert all(nx.is_connected(graph.subgraph(range(first, first + 4))) for first in (0, 4, 8))
    stubs = graph.copy()
    stubs.remove_nodes_from(range(12))
    sizes = [len(stub) for stub in nx.connected_components(stubs)]
    assert len(sizes) == 24
    assert max(sizes) - min(sizes) <= 1
    for stub in nx.connected_components(stubs):
        assert len(nx.node_boundary(graph, stub)) == 1


def test_smallest_transit_stub() -> None:
    assert set(transit_stub(2, 0, 1, 1, 1).edges) == {(0, 1)}


def test_wrong_arguments_name_the_rule() -> None:
    for model in topologies.MODELS.values():
        with pytest.raises(TypeError, match=r"nodes must be an integer, got 4000\.5"):
            model(4_000.5, 0)
        with pytest.raises(TypeError, match="seed must be an integer of at least 0 or a numpy Generator, got 'one'"):
            model(4_000, "one")
    with pytest.raises(ValueError, match="nodes must be at least 2, got 1"):
        waxman(1, 0)
    with pytest.raises(ValueError, match="mean_degree must be positive, got 0"):
        waxman(10, 0, mean_degree=0)
    with pytest.raises(ValueError, match="alpha must be positive, got 0"):
        waxman(10, 0, alpha=0)
    with pytest.raises(ValueError, match=r"mean_degree must be at most .* got 100; lower it"):
        waxman(10, 0, mean_degree=100)
    with pytest.raises(ValueError, match="nodes must be at least 4, got 3"):
        barabasi_albert(3, 0, links_per_node=3)
    with pytest.raises(ValueError, match="nodes must be at least 128, got 100"):
        transit_stub(100, 0)
    with pytest.raises(ValueError, match="transit_size must be at least 1, got 0"):
        transit_stub(100, 0, transit_size=0)


def test_fill_keeps_what_is_there() -> None:
    graph = nx.path_graph(3)
    graph.nodes[0].update(x=0, y=0)
    graph.nodes[1].update(x=0, y=4_000)
    graph.edges[1, 2]["delay_ms"] = 7.0
    fill(graph)
    assert (graph.nodes[1]["x"], graph.nodes[1]["y"]) == (0, 4_000)
    assert {"x", "y"} <= set(graph.nodes[2])
    assert graph.edges[0, 1] == {"delay_ms": 10.0, "bandwidth_mbps": 100.0}
    assert graph.edges[1, 2]["delay_ms"] == 7.0
    with pytest.raises(ValueError, match="integers 0 to 1"):
        fill(nx.path_graph(["a", "b"]))


def test_the_namespace_is_all() -> None:
    assert topologies.__all__ == sorted(topologies.__all__)
    assert all(hasattr(topologies, name) for name in topologies.__all__)
