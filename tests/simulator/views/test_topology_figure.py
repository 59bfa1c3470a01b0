"""The picture of the networks of a scenario: what is thinned, what the axes say, degrees, and where text stands."""

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from simulator.inputs.ingredients import assemble
from simulator.scenario.scenario import Scenario
from simulator.views import topology_figure
from simulator.views.topology_figure import Backbone, backbone_of, degree_shares, draw_topology, overlay_links
from simulator.workload.workload import Workload
from tests.simulator.views.text_boxes import boxes_of, meet, misplaced
from topologies import Routes, barabasi_albert, inet_degrees, read_network, write_network
from topologies.attributes import placed_by_chance


@settings(deadline=None, max_examples=20)
@given(st.integers(3, 40), st.integers(0, 100), st.integers(1, 8))
def test_the_backbone_is_the_fewest_links_that_carry_half(nodes: int, seed: int, brokers: int) -> None:
    graph = barabasi_albert(nodes, seed)
    chosen = np.random.default_rng(seed).choice(nodes, min(brokers, nodes), replace=False)
    routes = Routes.build(graph, chosen)
    bandwidths = np.array([graph.edges[u, v]["bandwidth_mbps"] for u, v in routes.links.tolist()])
    found = backbone_of(routes, bandwidths)
    taken: dict[tuple[int, ...], int] = dict.fromkeys(map(tuple, routes.links.tolist()), 0)
    for i, j in itertools.permutations(range(len(chosen)), 2):
        for ends in itertools.pairwise(routes.path(i, j)):
            taken[tuple(sorted(ends))] += 1
    assert found.load.tolist() == [*taken.values()]
    ranked = [(-taken[tuple(routes.links[link].tolist())], -bandwidths[link], link) for link in found.order.tolist()]
    assert ranked == sorted(ranked)
    loads = sorted(taken.values(), reverse=True)
    fewest = next(size for size in range(len(loads) + 1) if 2 * sum(loads[:size]) >= sum(loads))
    assert found.size == fewest


def test_degrees_are_counted_from_the_top() -> None:
    degrees, shares = degree_shares(np.array([1, 4, 1, 2]))
    assert degrees.tolist() == [1, 2, 4]
    assert shares.tolist() == [1.0, 0.5, 0.25]


def picture_of(topology: dict[str, Any], kind: str = "can") -> Figure:
    scenario = Scenario.model_validate(
        {
            "name": "W" * 100,
            "k": 2,
            "approaches": ["paint-dense"],
            "topology": topology,
            "network": {"brokers": 9, "kind": kind},
            "objects": {"count": 20},
            "subscriptions": {"count": 30},
        }
    )
    rng = np.random.default_rng(1)
    l, r = np.sort(rng.random((2, 30)), axis=0)
    workload = Workload(2, rng.random(20), rng.random(20), l.copy(), r.copy())
    ingredients = assemble(scenario, workload, rng.random(30))
    routes = ingredients.routes
    backbone = backbone_of(routes, np.ones(len(routes.links)))
    check_lines(figure := draw_topology(scenario, ingredients, np.arange(9), backbone), backbone, len(routes.links))
    over = len(overlay_links(ingredients))
    assert len(lines_of(figure)[2]) == over
    return figure


def lines_of(figure: Figure) -> list[list[Any]]:
    """Thin IP links, the backbone, and the overlay."""
    collections = [one for one in figure.axes[0].collections if isinstance(one, LineCollection)]
    return [one.get_segments() for one in collections]


def check_lines(figure: Figure, backbone: Backbone, links: int) -> None:
    thin, thick, _ = lines_of(figure)
    assert len(thick) == backbone.size
    assert len(thin) == min(links, topology_figure._MOST_LINKS) - backbone.size


def test_a_model_is_drawn_in_km_with_its_degrees() -> None:
    figure = picture_of({"model": "inet", "nodes": 3037})
    network, zones, degrees = figure.axes[:3]
    assert (network.get_xlabel(), network.get_ylabel()) == ("x (km)", "y (km)")
    assert network.get_xlim()[1] < 6000
    assert (zones.get_xlabel(), zones.get_ylabel()) == ("l", "r")
    assert (degrees.get_xscale(), degrees.get_yscale()) == ("log", "log")
    found, asked = (np.asarray(line.get_xydata(), np.float64) for line in degrees.get_lines())
    want = inet_degrees(3037)
    assert [share for _, share in asked.tolist()] == [float((want >= d).mean()) for d in np.unique(want).tolist()]
    assert found[0].tolist() == [1.0, 1.0]
    assert misplaced(figure, 130) == []
    areas = [axes.get_window_extent() for axes in (network, zones, degrees)]
    legends = [legend for axes in figure.axes if (legend := axes.get_legend()) is not None]
    assert len(legends) == 2
    assert not any(meet(legend.get_window_extent(), area) for legend in legends for area in areas)


def test_a_tree_and_a_file_without_places_are_drawn_too(tmp_path: Path) -> None:
    write_network(barabasi_albert(60, 1), tmp_path / "net.edges")
    write_network(barabasi_albert(60, 1), tmp_path / "net.graphml")
    figure = picture_of({"file": str(tmp_path / "net.edges")}, "tree")
    network, degrees = figure.axes[:2]
    assert network.get_xlabel() == "x (km; the file has no places, these are drawn)"
    assert degrees.get_xlabel() == "degree (links of a node)"
    assert len(degrees.get_lines()) == 1
    assert misplaced(figure, 130) == []
    placed = picture_of({"file": str(tmp_path / "net.graphml")}, "tree")
    assert placed.axes[0].get_xlabel() == "x (units of the file)"
    title = boxes_of(placed, 100)[0][0]
    assert title.startswith("WWW")
    assert title.endswith("…: messages delivered to each broker, paint-dense")


@pytest.mark.parametrize(("name", "drawn"), [("net.edges", True), ("net.graphml", False)])
def test_places_that_were_drawn_are_known(tmp_path: Path, name: str, drawn: bool) -> None:
    write_network(barabasi_albert(30, 1), tmp_path / name)
    graph = read_network(tmp_path / name, seed=5)
    assert placed_by_chance(graph, 5).all() == drawn
    assert not placed_by_chance(graph, 6).all()
