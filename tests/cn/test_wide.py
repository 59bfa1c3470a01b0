"""Wide messages, for all ranges that meet an interval or for everybody, reach each zone concerned once."""

import numpy as np
import pytest

import paint
from cn import Can, Gateways, Network, PrefixNetwork, RoutingTree, Zones
from tests.cn.drawing import EVERYBODY, RECTANGLE
from tests.cn.walking import Carried
from tests.oracles.network import zones_with_a_range
from tests.oracles.topk import reaches
from topologies import Routes, barabasi_albert


@pytest.mark.parametrize("space", ["triangle", "square"])
@pytest.mark.parametrize("seed", range(4))
def test_from_every_zone_each_zone_concerned_is_reached_once(space: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    zones = Zones(12, seed=seed, space=space)  # type: ignore[arg-type]
    if seed % 2:
        for _ in range(4):
            zones.leave(int(rng.choice(np.flatnonzero(zones.present))))
    extents = zones.table.extents
    edges = np.unique(extents[np.isfinite(extents)])
    cuts = [-np.inf, *np.unique(np.append(edges, (edges[1:] + edges[:-1]) / 2)).tolist(), np.inf]
    rows = [EVERYBODY]
    while len(rows) < 150:
        (l_out, l_in), (r_in, r_out) = (np.sort(rng.choice(cuts, 2, replace=False)).tolist() for _ in range(2))
        if l_in > r_in and l_out < r_out:
            rows.append((l_in, r_in, l_out, r_out))
    table, sources = np.repeat(np.array(rows, RECTANGLE), len(zones)), np.tile(np.arange(len(zones)), len(rows))
    here = zones.present[sources]
    got = Can(zones).multicast(table[here], sources[here])
    meeting = [zones_with_a_range(extents, row, cuts) for row in rows]
    assert meeting[0] == set(np.flatnonzero(zones.present).tolist()) or space == "square"
    for i, at in enumerate(np.repeat(np.arange(len(rows)), len(zones))[here].tolist()):
        reached = got.zones[got.offsets[i] : got.offsets[i + 1]].tolist()
        assert sorted(reached) == sorted(meeting[at]), rows[at]
    carried = Carried(Can(zones), np.array(rows, RECTANGLE), rng)
    for i in range(len(rows)):
        delivered, hops = carried.follow(i)
        assert sorted(delivered) == sorted(meeting[i])
        assert len({b for _, b in hops}) == len(hops), "no broker gets it twice"
    carried.check_sums()


@pytest.mark.parametrize("kind", ["triangle", "square", "prefix", "tree"])
def test_everybody_and_all_that_meet_an_interval_get_it(kind: str) -> None:
    rng = np.random.default_rng(5)
    l, r = np.sort(rng.integers(0, 33, (2, 500)) / 32, axis=0)
    nodes = rng.integers(0, 40, 500)
    if kind == "tree":
        network: Network = RoutingTree(Routes.build(barabasi_albert(40, 1), list(range(9))), limit=3)
    elif kind == "prefix":
        network = PrefixNetwork(Zones(20, seed=3), contacts="random")
    else:
        network = Can(Zones(20, seed=3, space=kind))  # type: ignore[arg-type]
    gateways = Gateways(network, l, r, nodes=nodes)
    table = np.zeros(3, paint.MESSAGE)
    table["l_in"], table["r_in"], table["l_out"], table["r_out"] = np.array(
        [EVERYBODY, (0.6, 0.4, -np.inf, np.inf), (0.6, 0.4, 0.2, 0.7)]
    ).T
    got = network.multicast(table, network.centre)
    message = np.repeat(np.arange(3), got.zones_reached)
    received = gateways.index.count(table[message], np.arange(len(message) + 1), got.zones)
    counts = np.bincount(message, received, 3).astype(int).tolist()
    assert counts == [500, int(((l <= 0.6) & (r >= 0.4)).sum()), int(reaches(table[2], l, r).sum())]


@pytest.mark.parametrize("row", [(0.6, 0.4, 0.5, 0.5), (0.6, 0.4, 0.7, 0.9), (np.nan, 0.4, 0.2, 0.9)])
def test_a_message_that_reaches_no_range_is_refused(row: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="a range l <= r that it reaches"):
        Can(Zones(4)).multicast(np.array([row], RECTANGLE), 0)
