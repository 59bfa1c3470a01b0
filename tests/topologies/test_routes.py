"""Routes against networkx, loads against counted paths, and what is nearest."""

import itertools
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracles.routes import best_path, path_bandwidth, path_delay, routes_from
from tests.oracles.routing_tree import nearest
from tests.topologies.networks import connected_networks
from tests.uncompiled import run_uncompiled
from topologies import PairBytes, Routes, TopologyError, barabasi_albert, fill, inet, waxman


@settings(deadline=None, max_examples=60)
@given(graph=connected_networks(), data=st.data())
def test_routes_match_every_path_listed(graph: "nx.Graph[int]", data: st.DataObject) -> None:
    brokers = data.draw(st.lists(st.sampled_from(sorted(graph)), min_size=1, max_size=5))
    routes = Routes.build(graph, brokers)
    for i, source in enumerate(brokers):
        row = routes.row(i)
        for target in graph:
            path = best_path(graph, source, target)
            assert routes.node_path(i, target) == path
            assert row.hops[target] == len(path) - 1
            assert row.delay_ms[target] == path_delay(graph, path)
        for j, target in enumerate(brokers):
            path = routes.path(i, j)
            assert path == best_path(graph, source, target)
            assert routes.hops[i, j] == len(path) - 1
            assert routes.delay_ms[i, j] == path_delay(graph, path)
            assert routes.bandwidth_mbps[i, j] == path_bandwidth(graph, path)
    ways = list(itertools.product(range(len(brokers)), graph))[::-1]
    delays = [path_delay(graph, best_path(graph, brokers[i], node)) for i, node in ways]
    assert routes.node_delays(*zip(*ways, strict=True)).tolist() == np.array(delays, np.float32).tolist()


@settings(deadline=None, max_examples=60)
@given(graph=connected_networks(), data=st.data())
def test_the_nearest_broker_is_that_of_the_distances(graph: "nx.Graph[int]", data: st.DataObject) -> None:
    brokers = data.draw(st.lists(st.sampled_from(sorted(graph)), min_size=1, max_size=5))
    present = np.array(data.draw(st.lists(st.booleans(), min_size=len(brokers), max_size=len(brokers))))
    found = Routes.build(graph, brokers).nearest(present).tolist()
    here = {b: node for b, node in enumerate(brokers) if present[b]}
    assert found == [nearest(graph, here, node) if here else -1 for node in graph]


def caterpillar() -> "nx.Graph[int]":
    """A long path with a hub at its end: searches from it go outward, searches at the hub look back."""
    graph: nx.Graph[int] = nx.path_graph(300)
    graph.add_edges_from((299, leaf) for leaf in range(300, 900))
    graph.add_edges_from((leaf, leaf + 1) for leaf in range(300, 899, 2))
    rng = np.random.default_rng(4)
    nx.set_edge_attributes(graph, {link: float(rng.integers(1, 4)) for link in graph.edges}, "delay_ms")
    fill(graph)
    return graph


LARGER: dict[str, Callable[[], "nx.Graph[int]"]] = {
    "inet": lambda: inet(3_037, 2),
    "waxman": lambda: waxman(400, 2),
    "barabasi-albert": lambda: barabasi_albert(2_000, 2),
    "caterpillar": caterpillar,
}


@pytest.mark.parametrize("make", LARGER.values(), ids=LARGER)
def test_routes_of_larger_networks(make: Callable[[], "nx.Graph[int]"]) -> None:
    graph = make()
    brokers = [0, *np.random.default_rng(1).choice(len(graph), 7, replace=False).tolist()]
    routes = Routes.build(graph, brokers)
    assert (routes.hops == routes.hops.T).all()
    np.testing.assert_allclose(routes.delay_ms, routes.delay_ms.T)
    for i, source in enumerate(brokers):
        hops, delay, before = zip(*(told for _, told in sorted(routes_from(graph, source).items())), strict=True)
        row = routes.row(i)
        assert row.hops.tolist() == list(hops)
        assert row.delay_ms.tolist() == list(delay)
        last = [-1 if via < 0 else int(routes.links[via].sum()) - node for node, via in enumerate(row.via.tolist())]
        assert last == list(before)
        assert routes.hops[i].tolist() == [hops[node] for node in brokers]
        assert routes.delay_ms[i].tolist() == [delay[node] for node in brokers]


def test_a_pair_takes_ten_bytes_where_paths_are_short_and_more_where_they_are_not() -> None:
    graph = inet(3_037, 1)
    few, many = (Routes.build(graph, range(count)).nbytes for count in (100, 200))
    assert many - few == 10 * (200**2 - 100**2) + 8 * 100
    far = Routes.build(caterpillar(), [0, 200, 600])
    assert far.hops[0].tolist() == [0, 200, 300]
    assert far.hops.itemsize == 2
    line: nx.Graph[int] = nx.path_graph(400)
    nx.set_edge_attributes(line, {(v, v + 1): {"delay_ms": 1.0, "bandwidth_mbps": 400.0 - v} for v in range(399)})
    narrow = Routes.build(line, [0, 7, 399]).bandwidth_mbps
    assert narrow[0].tolist() == [np.inf, 394.0, 2.0]
    assert narrow[1, 2] == 2.0


@settings(deadline=None, max_examples=40)
@given(graph=connected_networks(), data=st.data())
def test_load_is_the_traffic_of_the_paths(graph: "nx.Graph[int]", data: st.DataObject) -> None:
    brokers = data.draw(st.lists(st.sampled_from(sorted(graph)), min_size=1, max_size=4))
    ends = st.integers(0, len(brokers) - 1)
    rows = st.lists(st.tuples(ends, ends, st.sampled_from([0, 24, 1_000])), max_size=12)
    told = data.draw(st.lists(rows, min_size=1, max_size=3))
    routes = Routes.build(graph, brokers)
    done: list[int] = []
    traffic = [PairBytes(*np.array(sent, np.int64).reshape(-1, 3).T) for sent in told]
    loads = routes.link_loads(traffic, done.append)
    assert sum(done) == len(brokers)
    for sent, load in zip(told, loads, strict=True):
        counted = dict.fromkeys(map(tuple, routes.links.tolist()), 0)
        for i, j, size in sent:
            for u, v in nx.utils.pairwise(best_path(graph, brokers[i], brokers[j])):
                counted[min(u, v), max(u, v)] += size
        assert load.tolist() == list(counted.values())


def test_crossings_are_the_load_of_a_byte_from_each_to_each() -> None:
    routes = Routes.build(waxman(60, 3), [3, 9, 9, 30, 41])
    sender, receiver = np.indices((5, 5)).reshape(2, -1)
    every = routes.link_loads([PairBytes(sender, receiver, np.ones(25, np.int64))])
    assert routes.crossings().tolist() == every[0].tolist()
    assert routes.crossings().sum() == routes.hops.astype(int).sum() > 0


def test_order_of_links_does_not_matter() -> None:
    graph = waxman(60, 1)
    turned: nx.Graph[int] = nx.Graph()
    turned.add_nodes_from(reversed(list(graph.nodes(data=True))))
    turned.add_edges_from((v, u, data) for u, v, data in reversed(list(graph.edges(data=True))))
    first, second = (Routes.build(network, [3, 9, 30]) for network in (graph, turned))
    for i in range(3):
        assert first.row(i).via.tolist() == second.row(i).via.tolist()


def test_one_node_and_shared_nodes() -> None:
    graph: nx.Graph[int] = nx.empty_graph(1)
    routes = Routes.build(graph, [0, 0])
    assert routes.hops.tolist() == [[0, 0], [0, 0]]
    assert routes.delay_ms.tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert np.isinf(routes.bandwidth_mbps[:]).all()
    assert routes.path(0, 1) == [0]
    assert routes.crossings().shape == (0,)


def test_wrong_arguments_name_the_rule() -> None:
    graph = waxman(20, 1)
    with pytest.raises(ValueError, match="brokers must be nodes between 0 and 19, got 20"):
        Routes.build(graph, [3, 20])
    with pytest.raises(ValueError, match="at least one node"):
        Routes.build(graph, [])
    with pytest.raises(TypeError, match=r"every broker must be an integer, got 0\.5"):
        Routes.build(graph, [0.5])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="brokers must be a sequence of nodes, got 5"):
        Routes.build(graph, 5)  # type: ignore[arg-type]
    routes = Routes.build(graph, [0, 1])
    for row, words in (
        ((0, 1, -1), "size_bytes must not be negative, got -1"),
        ((2, 1, 5), "sender must be a broker between 0 and 1, got 2"),
        ((0, -1, 5), "receiver must be a broker between 0 and 1, got -1"),
    ):
        with pytest.raises(ValueError, match=words):
            routes.link_loads([PairBytes(*(np.array([value]) for value in row))])
    for i, j, words in ((-1, 0, "i must be between 0 and 1, got -1"), (0, 2, "j must be between 0 and 1, got 2")):
        with pytest.raises(ValueError, match=words):
            routes.path(i, j)
    with pytest.raises(ValueError, match="node must be between 0 and 19, got 20"):
        routes.node_path(0, 20)
    with pytest.raises(ValueError, match="integers 0 to 19"):
        Routes.build(nx.relabel_nodes(graph, {0: 99}), [3])
    with pytest.raises(TopologyError, match="delay_ms of every link must be finite and at least 0"):
        Routes.build(nx.path_graph(3), [0])
    pieces = graph.copy()
    pieces.remove_edges_from(list(graph.edges(0)))
    with pytest.raises(TopologyError, match="not connected: node 0 reaches 1 of 20 nodes"):
        Routes.build(pieces, [0])


@pytest.mark.parametrize("take", [fill, lambda graph: Routes.build(graph, [0])])
def test_graphs_of_other_kinds_are_refused(take: Callable[[Any], object]) -> None:
    loop = waxman(20, 1)
    loop.add_edge(3, 3)
    for graph, error, words in [
        (nx.DiGraph([(0, 1)]), ValueError, "undirected with single links, got a DiGraph; take networkx.Graph"),
        (nx.MultiGraph([(0, 1), (0, 1)]), ValueError, "single links, got a MultiGraph; take networkx.Graph"),
        (loop, ValueError, "must not link a node to itself, got 3 - 3; remove what networkx.selfloop_edges names"),
        ([(0, 1)], TypeError, "graph must be a networkx.Graph, got list"),
    ]:
        with pytest.raises(error, match=words):
            take(graph)


@pytest.mark.parametrize(
    ("name", "value"), [("delay_ms", -1.0), ("delay_ms", float("nan")), ("delay_ms", "slow"), ("bandwidth_mbps", 0.0)]
)
def test_meaningless_attributes_are_refused(name: str, value: object) -> None:
    graph = waxman(20, 1)
    graph.edges[next(iter(graph.edges))][name] = value
    with pytest.raises(TopologyError, match=f"{name} of every link must be finite"):
        Routes.build(graph, [0])


INTERPRETED = """
import numpy as np
from topologies import Routes, inet
graph = inet(3_037, 5)
routes = Routes.build(graph, [0, 17, 3_000])
rows = [routes.row(i) for i in range(3)]
print(sum(u * v for u, v in graph.edges), *(row.via.sum() for row in rows), *(row.hops.sum() for row in rows),
      routes.delay_ms.sum(), np.dot(routes.crossings(), np.arange(len(routes.links))),
      routes.nearest(np.array([True, False, True])).sum())
"""


def test_interpreted_kernels_agree(capsys: pytest.CaptureFixture[str]) -> None:
    exec(INTERPRETED, {})
    assert capsys.readouterr().out == run_uncompiled(INTERPRETED) != ""
