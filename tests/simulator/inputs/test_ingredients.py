"""Ingredients follow from the scenario, without Spark where arrays are given."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cn import Can
from cn.zones import ZoneTable
from simulator.approaches.registry import parse_approach
from simulator.approaches.server_session import ServerSession
from simulator.inputs.ingredients import Ingredients, assemble, make_graph, network_notes
from simulator.inputs.start import little_to_make
from simulator.scenario.mistakes import ScenarioError
from simulator.scenario.scenario import Scenario
from simulator.workload.workload import Workload
from tests.simulator.small import random_scenario, run_small, small_ingredients
from topologies import TopologyError, barabasi_albert, write_network


def test_bandwidth_is_that_of_every_link_when_given() -> None:
    rng = np.random.default_rng(0)
    l, r = np.sort(rng.random((2, 30)), axis=0)
    workload = Workload(2, rng.random(10), rng.random(10), l, r)
    values = {"name": "x", "k": 2, "approaches": ["unicast"], "objects": {"count": 10}, "network": {"brokers": 5}}
    topology = {"model": "barabasi-albert", "nodes": 60}
    made = {}
    for bandwidth in ({}, {"bandwidth": "2.5Gbps"}):
        scenario = Scenario.model_validate(values | {"topology": topology | bandwidth})
        routes = assemble(scenario, workload, rng.random(30)).routes
        made[bool(bandwidth)] = routes.bandwidth_mbps[~np.eye(5, dtype=bool)]
    assert set(made[True]) == {2500.0}
    assert set(made[False]) <= {100.0, 1_000.0, 10_000.0}


def scenario_of(**tables: dict[str, Any]) -> Scenario:
    values = {"name": "x", "k": 2, "approaches": ["unicast"], "objects": {"count": 10}, "network": {"brokers": 3}}
    return Scenario.model_validate(values | tables)


def test_all_approaches_read_one_index_of_the_subscriptions() -> None:
    """An index that is made once for a run, which takes a second for a million, reaches the servers."""
    rng = np.random.default_rng(1)
    l, r = np.sort(rng.random((2, 30)), axis=0)
    workload = Workload(2, rng.random(10), rng.random(10), l, r)
    made = assemble(scenario_of(), workload._replace(known=workload.made_index()), rng.random(30)).workload
    assert made.known is not None
    for name in ("paint-sparse", "paint-sparse(0.5)", "unicast"):
        approach = parse_approach(name)
        session = approach.open(made, approach)
        assert isinstance(session, ServerSession)
        assert session._server._subscriptions.arrays is made.known.arrays


def test_a_network_from_a_file_is_that_of_the_file(tmp_path: Path) -> None:
    made = barabasi_albert(40, 3)
    for name in ("net.graphml", "net.gml", "net.inet"):
        write_network(made, tmp_path / name)
        read = make_graph(scenario_of(topology={"file": str(tmp_path / name)}))
        assert set(read.edges) == set(made.edges)
        assert read.graph == {}
    faster = make_graph(scenario_of(topology={"file": str(tmp_path / "net.gml"), "bandwidth": "5Gbps"}))
    assert {link["bandwidth_mbps"] for _, _, link in faster.edges(data=True)} == {5000.0}


def test_a_network_in_parts_is_refused_or_reduced(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    file = tmp_path / "net.edges"
    file.write_text("0 1\n5 6\n6 7\n7 8\n", encoding="utf-8")
    with pytest.raises(TopologyError, match=r"net\.edges: .* 2 components, .*: set topology\.largest = true"):
        make_graph(scenario_of(topology={"file": str(file)}))
    graph = make_graph(scenario_of(topology={"file": str(file), "largest": True}))
    assert graph.graph["reduced"] == "kept the largest of 2 components, that of node 5: 4 nodes, 2 dropped"
    assert len(recwarn) == 0
    with pytest.raises(ScenarioError, match=r"network\.brokers = 5: each broker needs a node and .*edges has 4"):
        make_graph(scenario_of(topology={"file": str(file), "largest": True}, network={"brokers": 5}))


def test_what_a_file_says_in_vain_is_noted(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    edges = "edge [ source 0 target 1 kind 3 ]"
    (tmp_path / "net.gml").write_text(f"graph [ directed 1 node [ id 0 ] node [ id 1 ] {edges} ]")
    graph = make_graph(scenario_of(topology={"file": str(tmp_path / "net.gml")}, network={"brokers": 2}))
    assert network_notes(graph) == ["passed over in the file: kind of links; the direction of 1 links"]
    assert len(recwarn) == 0


def test_a_broken_or_changed_file_is_told(tmp_path: Path) -> None:
    file = tmp_path / "net.edges"
    file.write_text("0 1\n1 2 fast\n", encoding="utf-8")
    with pytest.raises(TopologyError, match=r"net\.edges, line 2: delay_ms must be a number, got 'fast'"):
        make_graph(scenario_of(topology={"file": str(file)}))
    file.write_text("0 1\n1 2\n", encoding="utf-8")
    with pytest.raises(TopologyError, match=r"net\.edges: changed since the scenario was read"):
        make_graph(scenario_of(topology={"file": str(file), "sha256": "0" * 64}))


def test_zones_are_balanced_by_the_population_when_asked() -> None:
    rng = np.random.default_rng(2)
    middle, width = rng.normal(0.5, 0.02, 5_000), rng.exponential(0.01, 5_000)
    workload = Workload(2, rng.random(10), rng.random(10), middle - width, middle + width)
    spread = {}
    for zones in ("even", "balanced"):
        network = {"brokers": 32, "zones": zones}
        scenario = scenario_of(topology={"model": "barabasi-albert", "nodes": 60}, network=network)
        made = assemble(scenario, workload, rng.random(5_000))
        assert isinstance(made.network, Can)
        spread[zones] = (np.bincount(made.gateways.home, minlength=32) ** 2).sum()
    assert spread["balanced"] < spread["even"] / 3


def test_balanced_zones_need_subscriptions() -> None:
    nobody = Workload(2, np.arange(10.0), np.arange(10.0), np.empty(0), np.empty(0))
    network = {"brokers": 3, "zones": "balanced"}
    scenario = scenario_of(topology={"model": "barabasi-albert", "nodes": 20}, network=network)
    with pytest.raises(ScenarioError, match=r'^network.zones = "balanced": .* there are none in memory; add some'):
        assemble(scenario, nobody, np.empty(0))


@pytest.mark.parametrize("zones", ["even", "balanced"])
def test_near_brokers_have_the_same_zones_and_shorter_ways(zones: str) -> None:
    extents, hops, delays = [], [], []
    for placement in ("random", "near"):
        network = {"kind": "can", "brokers": 20, "zones": zones, "placement": placement}
        scenario = random_scenario(3, network=network, topology={"model": "waxman", "nodes": 60}, engine="tally")
        ingredients = small_ingredients(scenario)
        records, wrong, _ = run_small(scenario, ingredients, "paint-dense")
        assert not wrong
        table = table_of(ingredients)
        owners = np.repeat(np.arange(20), table.sides[:, 4] - table.sides[:, 0])
        extents.append(np.unique(table.extents, axis=0))
        hops.append(records["overlay_hops"].to_pylist())
        delays.append(ingredients.routes.delay_ms[owners, table.neighbours].sum())
    assert np.array_equal(extents[0], extents[1])
    assert hops[0] == hops[1]
    assert delays[1] < 0.7 * delays[0]


def table_of(ingredients: Ingredients) -> ZoneTable:
    assert isinstance(ingredients.network, Can)
    table = ingredients.network.zones.table
    assert isinstance(table, ZoneTable)
    return table


@pytest.mark.parametrize(
    ("subscriptions", "objects", "little"), [(20_000, 1000, True), (5_000_000, 1000, False), (1000, 5_000_000, False)]
)
def test_only_few_are_made_by_a_brief_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subscriptions: int, objects: int, little: bool
) -> None:
    monkeypatch.setenv("RANGECAST_CACHE", str(tmp_path))
    counts = {"subscriptions": {"count": subscriptions}, "objects": {"count": objects}}
    scenario = Scenario.model_validate({"name": "x", "k": 2, "approaches": ["unicast"], **counts})
    assert little_to_make(scenario) is little
