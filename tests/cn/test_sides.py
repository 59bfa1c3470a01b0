"""Zones and messages over several attributes: every zone concerned is reached once, on every network over zones."""

from itertools import pairwise, product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cn import Can, PrefixNetwork, Zones, ZonesError, near_brokers
from paint.messages import message_of
from tests.cn.drawing import seeds, spaces
from tests.cn.side_drawing import KINDS, Kind, draw_messages, draw_ranges, kinds, make_zones
from tests.cn.walking import Carried
from tests.oracles.side_network import LARGEST, attributes_of, concerned, neighbour_graph, zone_holds


def check_tables(kind: Kind, zones: Zones) -> None:
    zones._check()
    graph = neighbour_graph(zones.table.extents, attributes_of(kind), triangle=zones.space == "triangle")
    starts = zones.table.sides
    for b in range(len(zones)):
        known = zones.table.neighbours[starts[b, 0] : starts[b, -1]].tolist()
        assert sorted(known) == sorted(nx.neighbors(graph, b) if zones.present[b] else [])


def check_messages(
    kind: Kind, network: Can | PrefixNetwork, rng: np.random.Generator, count: int, *, wide: bool
) -> None:
    zones = network.zones
    table = draw_messages(kind, zones, rng, count, wide=wide)
    carried = Carried(network, table, rng)
    graph: nx.Graph[int] = nx.Graph(network.links.tolist())
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


def networks(zones: Zones, seed: int) -> list[Can | PrefixNetwork]:
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


@pytest.mark.parametrize("kind", KINDS)
def test_a_population_balances_the_zones(kind: Kind) -> None:
    rng = np.random.default_rng(5)
    attributes = attributes_of(kind)
    middle, width = rng.normal(0.3, 0.02, (4_000, len(attributes))), rng.exponential(0.01, (4_000, len(attributes)))
    l, r = middle - width, middle + width
    l[:, [j for j, (left, _) in enumerate(attributes) if left < 0]] = -LARGEST
    zones = make_zones(kind, 64, 1, "triangle", population=(l, r))
    check_tables(kind, zones)
    balanced = np.bincount(zones.home(l, r), minlength=64)
    uniform = np.bincount(make_zones(kind, 64, 1, "triangle").home(l, r), minlength=64)
    assert (balanced**2).sum() < (uniform**2).sum() / 3


def test_equal_members_do_not_stop_the_splitting() -> None:
    check_tables(2, make_zones(2, 100, 1, "triangle", population=(np.full((3, 2), 0.5), np.full((3, 2), 0.5))))


@pytest.mark.parametrize("kind", KINDS)
def test_every_attribute_has_its_domain(kind: Kind) -> None:
    attributes = attributes_of(kind)
    domain = [(10.0 * j, 10.0 * j + 1 + j) for j in range(len(attributes))]
    zones = make_zones(kind, 40, 2, "triangle", domain=domain)
    check_tables(kind, zones)
    rng = np.random.default_rng(2)
    lo, hi = np.array(domain).T
    l, r = np.sort(lo + (hi - lo) * rng.random((2, 4_000, len(attributes))), axis=0)
    l[:, [j for j, (left, _) in enumerate(attributes) if left < 0]] = -LARGEST
    assert len(np.unique(zones.home(l, r))) == 40
    middle = np.where([left < 0 for left, _ in attributes], (lo + hi) / 2, lo + 2 / 3 * (hi - lo))
    assert zone_holds(zones.table.extents[zones.centre], attributes, lo + (hi - lo) / 3, middle)


def test_zones_in_other_hands() -> None:
    zones, before = (make_zones(2, 20, 3, "triangle") for _ in range(2))
    given_to = np.random.default_rng(3).permutation(20)
    zones.assign(given_to)
    check_tables(2, zones)
    assert np.array_equal(zones.table.extents[given_to], before.table.extents)
    delay_ms = np.random.default_rng(4).random((20, 20)) * 100
    assert sorted(near_brokers(zones, delay_ms + delay_ms.T).tolist()) == list(range(20))


def test_refusals() -> None:
    zones = make_zones(2, 5, 1, "triangle")
    with pytest.raises(ValueError, match=r"l and r must have the shape \(m, 2\), got \(3,\) and \(3,\)"):
        zones.home([0.1] * 3, [0.2] * 3)
    with pytest.raises(ValueError, match=r"l <= r in every attribute, got \[0.1, 0.5\] and \[0.2, 0.4\] at row 1"):
        zones.home([[0.1, 0.1], [0.1, 0.5]], [[0.2, 0.2], [0.2, 0.4]])
    with pytest.raises(ValueError, match=r"l <= r in every attribute, got \[nan, 0.1\] .* at row 0"):
        zones.home([[np.nan, 0.1]], [[0.2, 0.4]])
    with pytest.raises(ValueError, match=r"domain must be one pair or one per attribute \(2\), got 3"):
        make_zones(2, 5, 1, "triangle", domain=[(0.0, 1.0)] * 3)
    with pytest.raises(ValueError, match="domain must be two finite values in ascending order"):
        make_zones(2, 5, 1, "triangle", domain=[(0.0, 1.0), (1.0, 1.0)])
    with pytest.raises(ZonesError, match="too narrow"):
        make_zones(2, 50, 1, "triangle", domain=(0.0, 1e-323))
    can = Can(zones)
    with pytest.raises(ValueError, match=r"as many attributes as the network \(2\), got fields of shape \(1,\)"):
        can.multicast(np.zeros(1, message_of(1)), 0)
    with pytest.raises(ValueError, match=r"as many attributes as the network \(1\), got fields of shape \(1, 2\)"):
        Can(Zones(3)).multicast(np.zeros(1, message_of(2)), 0)
    table = draw_messages(2, zones, np.random.default_rng(1), 3)
    assert can.multicast(table[:0], 0).offsets.tolist() == [0]
    assert zones.home(np.empty((0, 2)), np.empty((0, 2))).tolist() == []
    table["r_out"][2, 1] = table["r_in"][2, 1]
    with pytest.raises(ValueError, match=r"a range l <= r that it reaches, got .* at row 2"):
        can.multicast(table, 0)


def run_interpreted() -> None:
    rng = np.random.default_rng(1)
    for kind, wide in product((1.5, 2), (False, True)):
        check_messages(kind, Can(make_zones(kind, 9, 3, "triangle")), rng, 8, wide=wide)
