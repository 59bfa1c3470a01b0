"""On the two sides of one attribute the general code does what the code for one attribute does, hop by hop."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from cn import Can, Gateways, Network, PrefixNetwork, RoutingTree, Zones
from paint.sides import sides_of
from tests.cn.drawing import draw_rectangles, draw_wide
from topologies import Routes, barabasi_albert

BROKERS = 30


def make_networks(kind: str, space: str, seed: int) -> tuple[Network, Network, Zones]:
    """The same network twice, for one attribute and over two sides, and zones for places to draw from."""
    zones, over_sides = (Zones(BROKERS, seed=seed, space=space, sides=s) for s in (None, sides_of(1)))  # type: ignore[arg-type]
    if kind == "can":
        return Can(zones), Can(over_sides), zones
    if kind == "prefix":
        one, two = (PrefixNetwork(z, contacts="random", base=4) for z in (zones, over_sides))
        return one, two, zones
    routes = Routes.build(barabasi_albert(40, seed), list(range(BROKERS)))
    return RoutingTree(routes, limit=3), RoutingTree(routes, limit=3, sides=sides_of(1)), zones


def same(ours: Any, theirs: Any) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(ours, theirs, strict=True))


def check_alike(one: Network, two: Network, table: npt.NDArray[np.void], rng: np.random.Generator) -> None:
    assert one.present.tolist() == two.present.tolist()
    present = np.flatnonzero(one.present)
    assert one.centre == two.centre
    sources = rng.choice(present, len(table))
    ip_hops = rng.integers(1, 9, (BROKERS, BROKERS))
    assert same(one.multicast(table, sources, ip_hops), two.multicast(table, sources, ip_hops))
    assert same(one.hops(table, sources), two.hops(table, sources))
    for target in rng.choice(present, 5).tolist():
        assert one.path(int(present[0]), target) == two.path(int(present[0]), target)
    for row in table[:5]:
        corners = [row[name] for name in ("l_in", "r_in", "l_out", "r_out")]
        broker = int(rng.choice(present))
        assert one.next_hops(broker, -1, *corners) == two.next_hops(broker, -1, *([c] for c in corners))  # type: ignore[arg-type]


@pytest.mark.parametrize("space", ["triangle", "square"])
@pytest.mark.parametrize("kind", ["can", "prefix", "tree"])
def test_the_same_hops_and_deliveries(kind: str, space: str) -> None:
    for seed in range(4):
        rng = np.random.default_rng(seed)
        one, two, zones = make_networks(kind, space, seed)
        l, r = np.sort(rng.random((2, 300)), axis=0)
        nodes = rng.integers(0, 40, 300)
        theirs, ours = Gateways(one, l, r, nodes=nodes), Gateways(two, l, r, nodes=nodes)
        for _ in range(4):
            assert theirs.home.tolist() == ours.home.tolist()
            table = np.concatenate((draw_rectangles(zones, rng, 40), draw_wide(zones, rng, 10)))
            check_alike(one, two, table, rng)
            assert same(
                theirs.match(table, one.multicast(table, 0 if one.present[0] else one.centre)),
                ours.match(table, two.multicast(table, 0 if one.present[0] else one.centre)),
            )
            for _ in range(5):
                broker = int(rng.choice(np.flatnonzero(one.present)))
                assert theirs.rehome(one.leave(broker)).tolist() == ours.rehome(two.leave(broker)).tolist()
            for broker in np.flatnonzero(~one.present)[:2].tolist():
                assert theirs.rehome(one.join(broker, seed)).tolist() == ours.rehome(two.join(broker, seed)).tolist()


@pytest.mark.parametrize("space", ["triangle", "square"])
def test_the_same_zones(space: str) -> None:
    l, r = np.sort(np.random.default_rng(3).normal(0.5, 0.1, (2, 500)), axis=0)
    for population in (None, (l, r)):
        one, two = (
            Zones(50, seed=3, space=space, domain=(-1.0, 2.0), population=population, sides=s)  # type: ignore[arg-type]
            for s in (None, sides_of(1))
        )
        extents, over_sides = one.table.extents, two.table.extents
        assert np.array_equal(
            extents, np.stack((-over_sides[:, 1, 0], -over_sides[:, 0, 0], *over_sides[:, :, 1].T), 1)
        )
        assert same(one.table[1:3], two.table[1:3])
        assert one.home(l, r).tolist() == two.home(l, r).tolist() == two.home(l[:, None], r[:, None]).tolist()
