"""Messages reach every zone they concern exactly once, and touch nothing else but the way there."""

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paint
from cn import Can, Gateways, Zones, fewest_hops
from tests.cn.drawing import RECTANGLE, SPACES, draw_rectangles, seeds, spaces
from tests.cn.walking import Carried
from tests.oracles.network import neighbour_graph, zones_meeting
from tests.oracles.topk import reaches


def check_messages(zones: Zones, rng: np.random.Generator, count: int) -> None:
    table = draw_rectangles(zones, rng, count)
    carried = Carried(Can(zones), table, rng)
    graph = neighbour_graph(zones.table.extents, triangle=zones.space == "triangle")
    for i, row in enumerate(table):
        meeting = zones_meeting(zones.table.extents, *row[["l_in", "r_in", "l_out", "r_out"]])
        delivered, hops = carried.follow(i)
        route = [a for a, _ in hops if a not in meeting]
        assert sorted(delivered) == sorted(meeting)
        assert all(graph.has_edge(a, b) for a, b in hops)
        assert len(hops) == len(route) + len(meeting) - 1
        assert len(set(route)) == len(route)
        assert {b for _, b in hops} <= meeting | set(route)
    carried.check_sums()


@settings(deadline=None, max_examples=25)
@given(brokers=st.integers(1, 40), seed=seeds, space=spaces)
def test_every_zone_concerned_is_reached_once(brokers: int, seed: int, space: str) -> None:
    zones = Zones(brokers, seed=seed, space=space)  # type: ignore[arg-type]
    check_messages(zones, np.random.default_rng(seed), 25)


@settings(deadline=None, max_examples=12)
@given(brokers=st.integers(2, 30), seed=seeds, space=spaces)
def test_nothing_is_lost_after_departures(brokers: int, seed: int, space: str) -> None:
    zones = Zones(brokers, seed=seed, space=space)  # type: ignore[arg-type]
    rng = np.random.default_rng(seed)
    for _ in range(rng.integers(1, brokers)):
        zones.leave(int(rng.choice(np.flatnonzero(zones.present))))
    check_messages(zones, rng, 20)
    zones.join()
    check_messages(zones, rng, 10)
    for broker in rng.permutation(np.flatnonzero(~zones.present)).tolist():
        zones.join(broker, seed=rng)
    check_messages(zones, rng, 10)


@pytest.mark.slow
@pytest.mark.parametrize("space", ["triangle", "square"])
def test_many_larger_networks_with_departures(space: str) -> None:
    for seed in range(60):
        rng = np.random.default_rng(seed)
        zones = Zones(80, seed=seed, space=space)  # type: ignore[arg-type]
        for _ in range(30):
            zones.leave(int(rng.choice(np.flatnonzero(zones.present))))
            zones.leave(int(rng.choice(np.flatnonzero(zones.present))))
            zones.join(int(rng.choice(np.flatnonzero(~zones.present))))
        check_messages(zones, rng, 100)


@pytest.mark.parametrize("space", ["triangle", "square"])
@pytest.mark.parametrize("seed", range(3))
def test_routes_arrive_from_every_zone_to_every_rectangle_between_edges(space: str, seed: int) -> None:
    zones = Zones(14, seed=seed, space=space)  # type: ignore[arg-type]
    extents = zones.table.extents
    edges = np.unique(extents[np.isfinite(extents)])
    cuts = np.concatenate([[-np.inf], edges, [np.inf]])
    rows = [
        (l_in, r_in, l_out, r_out)
        for i, l_out in enumerate(cuts)
        for j, l_in in enumerate(cuts[1:-1], 1)
        for p, r_in in enumerate(cuts[1:-1], 1)
        for q, r_out in enumerate(cuts)
        if i < j <= p < q
    ]
    table = np.repeat(np.array(rows, RECTANGLE), len(zones))
    sources = np.tile(np.arange(len(zones)), len(rows))
    got = Can(zones).multicast(table, sources)
    meeting = [sorted(zones_meeting(extents, *row)) for row in rows]
    for i in range(len(table)):
        assert sorted(got.zones[got.offsets[i] : got.offsets[i + 1]].tolist()) == meeting[i // len(zones)]


@pytest.mark.parametrize("space", ["triangle", "square"])
def test_a_subscription_in_the_rectangle_has_its_home_reached(space: str) -> None:
    zones = Zones(60, seed=8, space=space)  # type: ignore[arg-type]
    rng = np.random.default_rng(8)
    l, r = np.sort(rng.integers(0, 33, (2, 400)) / 32, axis=0)
    homes = zones.home(l, r)
    table = draw_rectangles(zones, rng, 300)
    got = Can(zones).multicast(table, zones.centre)
    for i, row in enumerate(table):
        assert set(homes[reaches(row, l, r)]) <= set(got.zones[got.offsets[i] : got.offsets[i + 1]])


def test_routes_are_close_to_the_shortest() -> None:
    zones = Zones(300, seed=2)
    table = draw_rectangles(zones, np.random.default_rng(2), 300)
    got = Can(zones).multicast(table, zones.centre)
    away = nx.single_source_shortest_path_length(neighbour_graph(zones.table.extents, triangle=True), zones.centre)
    least = [
        min(away[z] for z in got.zones[got.offsets[i] : got.offsets[i + 1]]) + got.zones_reached[i] - 1
        for i in range(len(table))
    ]
    assert fewest_hops(Can(zones), got.offsets, got.zones, zones.centre).tolist() == least
    assert (got.overlay_hops >= least).all()
    assert got.overlay_hops.sum() < 1.25 * sum(least)


def test_the_fewest_hops_are_counted_from_every_source() -> None:
    zones = Zones(30, seed=5)
    zones.leave(4)
    rng = np.random.default_rng(5)
    table = draw_rectangles(zones, rng, 60)
    sources = rng.choice(np.flatnonzero(zones.present), len(table))
    got = Can(zones).multicast(table, sources)
    away = dict(nx.all_pairs_shortest_path_length(neighbour_graph(zones.table.extents, triangle=True)))
    reached = [got.zones[got.offsets[i] : got.offsets[i + 1]].tolist() for i in range(len(table))]
    least = [min(away[s][z] for z in met) + len(met) - 1 for s, met in zip(sources.tolist(), reached, strict=True)]
    assert fewest_hops(Can(zones), got.offsets, got.zones, sources).tolist() == least
    assert fewest_hops(Can(zones), got.offsets[:1], got.zones[:0], 0).tolist() == []


@pytest.mark.parametrize("space", ["triangle", "square"])
def test_a_path_goes_from_neighbour_to_neighbour_and_ends_at_the_target(space: str) -> None:
    zones = Zones(40, seed=6, space=space)  # type: ignore[arg-type]
    zones.leave(7)
    can = Can(zones)
    graph = neighbour_graph(zones.table.extents, triangle=space == "triangle")
    away = nx.single_source_shortest_path_length(graph, 3)
    for target in np.flatnonzero(zones.present).tolist():
        path = can.path(3, target)
        assert (path[0], path[-1], len(set(path))) == (3, target, len(path))
        assert all(graph.has_edge(a, b) for a, b in pairwise(path))
        assert len(path) - 1 >= away[target]


def test_refusals() -> None:
    can = Can(Zones(4, seed=1))
    good = np.array([(0.4, 0.5, 0.3, 0.6)], RECTANGLE)
    for bad in [(0.6, 0.5, 0.55, 0.55), (0.4, 0.5, 0.4, 0.6), (0.4, 0.5, 0.3, 0.5), (np.nan, 0.5, 0.3, 0.6)]:
        with pytest.raises(ValueError, match=r"a range l <= r that it reaches, got .* at row 1"):
            can.multicast(np.array([good[0], bad], RECTANGLE), 0)
    with pytest.raises(ValueError, match=r"sources must be brokers that are present \(4 of 4 are\), got 4$"):
        can.multicast(good, 4)
    with pytest.raises(TypeError, match="sources must be integers, got an array of float64"):
        can.multicast(good, 1.5)
    with pytest.raises(ValueError, match=r"one broker or one per message \(1\), got shape \(2,\)"):
        can.hops(good, [0, 1])
    messages = paint.Server([0.2, 0.6], [1.0, 2.0], k=1).update(1, 0.5)
    for carry in (can.multicast, can.hops):
        with pytest.raises(TypeError, match=r"table must be an array with the fields l_in, .*, got Messages"):
            carry(messages, 0)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="table must be an array with the fields l_in"):
            carry(np.zeros(1, paint.UNICAST), 0)
    assert can.multicast(messages.table, 0).offsets[-1] > 0
    with pytest.raises(TypeError, match=r"zones must be Zones, got 5; make them with Zones\(brokers\)"):
        Can(5)  # type: ignore[arg-type]
    for broker in (4, -1):
        with pytest.raises(ValueError, match=f"broker must be between 0 and 3, got {broker}"):
            Gateways(can, [0.1], [0.2]).local(broker, good)
    with pytest.raises(ValueError, match="source must be a broker that holds a zone, got 4"):
        can.path(4, 0)
    with pytest.raises(ValueError, match="broker must be a broker that holds a zone, got 4"):
        can.next_hops(4, -1, 0.4, 0.5, 0.3, 0.6)
    with pytest.raises(ValueError, match=r"a row per broker \(4\), got \(3, 3\)"):
        can.multicast(good, 0, np.ones((3, 3), np.int64))
    assert len(can.multicast(good[:0], 0).zones) == 0


def run_interpreted() -> None:
    rng = np.random.default_rng(1)
    for space in SPACES:
        check_messages(Zones(9, seed=3, space=space), rng, 8)


def test_a_path_needs_brokers_that_are_there() -> None:
    can = Can(Zones(6, seed=1))
    can.leave(2)
    for source, target in ((0, 2), (0, -6), (0, 99), (2, 0)):
        with pytest.raises(ValueError, match="must be a broker that holds a zone"):
            can.path(source, target)
