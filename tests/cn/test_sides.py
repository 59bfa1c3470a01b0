"""Zones and messages over several attributes: every zone concerned is reached once, on every network over zones."""

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cn import Can, PrefixNetwork, ZoneNetwork, Zones
from tests.cn.drawing import seeds, spaces
from tests.cn.side_drawing import KINDS, Kind, draw_messages, draw_ranges, kinds, make_zones
from tests.cn.walking import Carried
from tests.oracles.side_network import attributes_of, concerned, neighbour_graph, zone_holds


def check_tables(kind: Kind, zones: Zones) -> None:
    zones._check()
    graph = neighbour_graph(zones.table.extents, attributes_of(kind), triangle=zones.space == "triangle")
    starts = zones.table.sides
    for b in range(len(zones)):
        known = zones.table.neighbours[starts[b, 0] : starts[b, -1]].tolist()
        assert sorted(known) == sorted(nx.neighbors(graph, b) if zones.present[b] else [])


def check_messages(kind: Kind, network: ZoneNetwork, rng: np.random.Generator, count: int, *, wide: bool) -> None:
    zones = network.zones
    table = draw_messages(kind, zones, rng, count, wide=wide)
    carried = Carried(network, table, rng)
    graph = nx.Graph(network.links.tolist())
    for i, row in enumerate(table):
        meeting = concerned(zones.table.extents, attributes_of(kind), row)
        delivered, hops = carried.follow(i)
        assert sorted(delivered) == sorted(meeting)
        assert all(graph.has_edge(a, b) for a, b in hops)
        got = [b for _, b in hops]
        assert len(set(got)) == len(got), "no broker gets it twice"
        if isinstance(network, Can):
            route = [a for a, _ in hops if a not in meeting]
            assert len(hops) == len(route) + len(meeting) - 1
            assert set(got) <= meeting | set(route)
    carried.check_sums()


def networks(zones: Zones, seed: int) -> list[ZoneNetwork]:
    return [Can(zones), PrefixNetwork(zones, contacts="random", base=4, seed=seed % 1000)]


@settings(deadline=None, max_examples=40)
@given(kind=kinds, brokers=st.integers(1, 30), seed=seeds, space=spaces)
def test_zones_tile_and_every_subscription_has_its_home(kind: Kind, brokers: int, seed: int, space: str) -> None:
    zones = make_zones(kind, brokers, seed, space)
    check_tables(kind, zones)
    l, r = draw_ranges(kind, zones, np.random.default_rng(seed), 40)
    for home, left, right in zip(zones.home(l, r), l, r, strict=True):
        holders = [b for b in range(brokers) if zone_holds(zones.table.extents[b], attributes_of(kind), left, right)]
        assert holders == [home]


@settings(deadline=None, max_examples=40)
@given(kind=kinds, brokers=st.integers(1, 30), seed=seeds, space=spaces, wide=st.booleans())
def test_every_zone_concerned_is_reached_once(kind: Kind, brokers: int, seed: int, space: str, wide: bool) -> None:
    zones = make_zones(kind, brokers, seed, space)
    for network in networks(zones, seed):
        check_messages(kind, network, np.random.default_rng(seed), 12, wide=wide and kind != "u3")


@settings(deadline=None, max_examples=15)
@given(kind=kinds, brokers=st.integers(2, 25), seed=seeds, space=spaces)
def test_nothing_is_lost_after_departures_and_joins(kind: Kind, brokers: int, seed: int, space: str) -> None:
    zones = make_zones(kind, brokers, seed, space)
    rng = np.random.default_rng(seed)
    known = networks(zones, seed)
    for step in range(3):
        for _ in range(rng.integers(1, brokers)):
            before = zones.table.extents.copy()
            if zones.present.sum() > 1:
                gone, heir, merged = zones.leave(int(rng.choice(np.flatnonzero(zones.present))))
                changed = np.flatnonzero((before != zones.table.extents).any(axis=(1, 2))).tolist()
                assert sorted(changed) == sorted({gone, heir, merged} - {-1})
                assert gone not in zones
        for network in known:
            check_messages(kind, network, rng, 6, wide=kind != "u3" and step == 0)
        for broker in rng.permutation(np.flatnonzero(~zones.present)).tolist():
            zones.join(broker, seed=rng)
        check_tables(kind, zones)
        for network in known:
            check_messages(kind, network, rng, 6, wide=kind != "u3" and step == 1)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("space", ["triangle", "square"])
def test_many_larger_networks_with_departures(kind: Kind, space: str) -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        zones = make_zones(kind, 200, seed, space)
        for _ in range(60):
            zones.leave(int(rng.choice(np.flatnonzero(zones.present))))
        for network in networks(zones, seed):
            check_messages(kind, network, rng, 40, wide=False)
            if kind != "u3":
                check_messages(kind, network, rng, 40, wide=True)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("space", ["triangle", "square"])
def test_paths_end_at_the_target(kind: Kind, space: str) -> None:
    zones = make_zones(kind, 30, 6, space)
    zones.leave(7)
    for network in networks(zones, 1):
        links = set(map(tuple, network.links.tolist()))
        for target in np.flatnonzero(zones.present).tolist():
            path = network.path(3, target)
            assert (path[0], path[-1], len(set(path))) == (3, target, len(path))
            assert set(pairwise(path)) <= links
