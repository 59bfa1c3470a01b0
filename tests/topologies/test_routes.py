"""Routes against networkx, loads against counted paths, and the cache."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from floor.seals import seal
from tests.oracles.routes import best_path, path_bandwidth, path_delay
from tests.topologies.networks import connected_networks
from topologies import Routes, TopologyError, fill, inet, waxman
from topologies import routes as routes_module


@settings(deadline=None, max_examples=60)
@given(graph=connected_networks(), data=st.data())
def test_routes_match_every_path_listed(graph: "nx.Graph[int]", data: st.DataObject) -> None:
    brokers = data.draw(st.lists(st.sampled_from(sorted(graph)), min_size=1, max_size=5))
    routes = Routes.build(graph, brokers)
    for i, source in enumerate(brokers):
        for target in graph:
            path = best_path(graph, source, target)
            assert routes.node_path(i, target) == path
            assert routes.node_hops[i, target] == len(path) - 1
            assert routes.node_delay_ms[i, target] == np.float32(path_delay(graph, path))
        for j, target in enumerate(brokers):
            path = routes.path(i, j)
            assert path == best_path(graph, source, target)
            assert routes.hops[i, j] == len(path) - 1
            assert routes.delay_ms[i, j] == path_delay(graph, path)
            assert routes.bandwidth_mbps[i, j] == path_bandwidth(graph, path)


@settings(deadline=None, max_examples=40)
@given(graph=connected_networks(), data=st.data())
def test_load_is_the_traffic_of_the_paths(graph: "nx.Graph[int]", data: st.DataObject) -> None:
    brokers = data.draw(st.lists(st.sampled_from(sorted(graph)), min_size=1, max_size=4))
    row = st.lists(st.sampled_from([0, 0, 24, 1_000]), min_size=len(brokers), max_size=len(brokers))
    traffic = np.asarray(data.draw(st.lists(row, min_size=len(brokers), max_size=len(brokers))))
    routes = Routes.build(graph, brokers)
    counted = dict.fromkeys(map(tuple, routes.links.tolist()), 0)
    for i in range(len(brokers)):
        for j in range(len(brokers)):
            for u, v in nx.utils.pairwise(routes.path(i, j)):
                counted[min(u, v), max(u, v)] += traffic[i, j]
    load = routes.link_load(traffic)
    assert load.tolist() == list(counted.values())
    assert load.sum() == (traffic * routes.hops).sum()


@pytest.mark.parametrize("graph", [inet(3_037, 2), waxman(400, 2)], ids=["inet", "waxman"])
def test_hops_and_delays_of_larger_networks(graph: "nx.Graph[int]") -> None:
    brokers = np.random.default_rng(1).choice(len(graph), 8, replace=False)
    routes = Routes.build(graph, brokers)
    assert (routes.hops == routes.hops.T).all()
    np.testing.assert_allclose(routes.delay_ms, routes.delay_ms.T)
    for i, source in enumerate(brokers.tolist()):
        lengths = nx.single_source_shortest_path_length(graph, source)
        assert routes.node_hops[i].tolist() == [lengths[v] for v in range(len(graph))]
        for j in range(len(brokers)):
            path = routes.path(i, j)
            assert nx.is_path(graph, path)
            assert routes.delay_ms[i, j] == pytest.approx(path_delay(graph, path))
            assert routes.delay_ms[i, j] == pytest.approx(path_delay(graph, best_path(graph, source, path[-1])))


def test_order_of_links_does_not_matter(tmp_path: Path) -> None:
    graph = waxman(60, 1)
    turned: nx.Graph[int] = nx.Graph()
    turned.add_nodes_from(reversed(list(graph.nodes(data=True))))
    turned.add_edges_from((v, u, data) for u, v, data in reversed(list(graph.edges(data=True))))
    first, second = (Routes.build(network, [3, 9, 30], cache=tmp_path) for network in (graph, turned))
    assert (first.via == second.via).all()
    assert len(list(tmp_path.iterdir())) == 1


def test_cache_is_used_and_keyed_by_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = waxman(50, 1)
    built = Routes.build(graph, [1, 2, 3], cache=tmp_path / "routes")
    monkeypatch.setattr(routes_module, "breadth_first_order", None)
    loaded = Routes.build(graph, [1, 2, 3], cache=tmp_path / "routes")
    for name in ("brokers", "hops", "delay_ms", "bandwidth_mbps", "node_hops", "node_delay_ms", "links", "via"):
        assert (getattr(built, name) == getattr(loaded, name)).all()
    monkeypatch.undo()
    Routes.build(graph, [1, 2, 4], cache=tmp_path / "routes")
    for name in ("delay_ms", "bandwidth_mbps"):
        changed = graph.copy()
        changed.edges[next(iter(changed.edges))][name] *= 2
        Routes.build(changed, [1, 2, 3], cache=tmp_path / "routes")
    names = [file.suffix for file in (tmp_path / "routes").iterdir()]
    assert names == [".npz"] * 4


@pytest.mark.parametrize("damage", ["empty", "cut", "flipped", "other", "shape", "circle", "unsealed", "moved"])
def test_damaged_cache_is_rebuilt(tmp_path: Path, damage: str) -> None:
    graph = waxman(50, 1)
    built = Routes.build(graph, [1, 2, 3], cache=tmp_path)
    file = next(tmp_path.iterdir())
    content = bytearray(file.read_bytes())
    if damage == "empty":
        file.write_bytes(b"")
    elif damage == "cut":
        file.write_bytes(content[: len(content) // 2])
    elif damage == "flipped":
        content[len(content) // 2] ^= 255
        file.write_bytes(content)
    elif damage == "other":
        file.write_text("this is no archive")
    elif damage == "shape":
        np.savez(file, via=built.via[:, :-1], seal=np.array(seal(file.name, built.via)))
    elif damage == "circle":  # the right size and no link that there is not, but ways that lead nowhere
        via = np.zeros_like(built.via)
        via[0, 0] = -1
        np.savez(file, via=via, seal=np.array(seal(file.name, built.via)))
    elif damage == "unsealed":
        np.savez(file, via=built.via)
    else:
        other = Routes.build(graph, [1, 2, 4], cache=tmp_path / "other")
        assert other.via.shape == built.via.shape
        next((tmp_path / "other").iterdir()).replace(file)
        (tmp_path / "other").rmdir()
    damaged = file.read_bytes()
    again = Routes.build(graph, [1, 2, 3], cache=tmp_path)
    assert (again.via == built.via).all()
    assert (again.delay_ms == built.delay_ms).all()
    assert file.read_bytes() != damaged
    assert [entry.name for entry in tmp_path.iterdir()] == [file.name]


def test_failed_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(OSError, match="no space"):
        Routes.build(waxman(20, 1), [0], cache=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_one_node_and_shared_nodes() -> None:
    graph: nx.Graph[int] = nx.empty_graph(1)
    routes = Routes.build(graph, [0, 0])
    assert routes.hops.tolist() == [[0, 0], [0, 0]]
    assert routes.delay_ms.tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert np.isinf(routes.bandwidth_mbps).all()
    assert routes.path(0, 1) == [0]
    assert routes.link_load(np.ones((2, 2))).shape == (0,)


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
    for value in (-1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match=f"pairs_bytes must be finite and not negative, got {value} from 0 to 1"):
            routes.link_load([[0.0, value], [0.0, 0.0]])
    for i, j, words in ((-1, 0, "i must be between 0 and 1, got -1"), (0, 2, "j must be between 0 and 1, got 2")):
        with pytest.raises(ValueError, match=words):
            routes.path(i, j)
    with pytest.raises(ValueError, match="node must be between 0 and 19, got 20"):
        routes.node_path(0, 20)
    with pytest.raises(ValueError, match="integers 0 to 19"):
        Routes.build(nx.relabel_nodes(graph, {0: 99}), [3])
    with pytest.raises(ValueError, match=r"pairs_bytes must have shape \(2, 2\)"):
        Routes.build(graph, [0, 1]).link_load(np.ones((3, 3)))
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
print(sum(u * v for u, v in graph.edges), routes.via.sum(), routes.delay_ms.sum(), routes.node_hops.sum(),
      np.dot(routes.link_load(np.ones((3, 3))), np.arange(len(routes.links))))
"""


def test_interpreted_kernels_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    said = []
    for disabled in ("0", "1"):
        monkeypatch.setenv("NUMBA_DISABLE_JIT", disabled)
        done = subprocess.run([sys.executable, "-c", INTERPRETED], capture_output=True, text=True, check=True)
        said.append(done.stdout)
    assert said[0] == said[1]
    assert said[0]
