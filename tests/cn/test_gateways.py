"""Every subscription a message concerns gets it from its gateway, on every network, whoever leaves and returns."""

import networkx as nx
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cn import Can, Gateways, Network, PrefixNetwork, RoutingTree, Zones
from tests.cn.drawing import seeds
from tests.cn.side_drawing import Kind, draw_messages, draw_ranges, every_kind, make_sides, make_zones
from tests.oracles.topk import reaches
from topologies import Routes

Floats = npt.NDArray[np.float64]
NODES = 30
NETWORKS = ["triangle", "square", "prefix", "tree"]


def make_network(kind: Kind, name: str, brokers: int, seed: int) -> tuple[Network, Zones]:
    """A network, and zones whose edges are good places for ends."""
    zones = make_zones(kind, brokers, seed, "square" if name == "square" else "triangle")
    if name == "prefix":
        return PrefixNetwork(zones, contacts="random", base=4, seed=seed % 1000), zones
    if name != "tree":
        return Can(zones), zones
    graph: nx.Graph[int] = nx.random_labeled_tree(NODES, seed=seed)
    for _, _, link in graph.edges(data=True):
        link["delay_ms"], link["bandwidth_mbps"] = 1.0, 100.0
    places = np.random.default_rng(seed).integers(NODES, size=brokers)
    sides = None if kind == 1 else make_sides(kind)
    return RoutingTree(Routes.build(graph, places), limit=4, sides=sides), zones


def change_brokers(network: Network, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """One broker leaves or returns, if one can; the brokers that gave subscriptions away."""
    present, left = np.flatnonzero(network.present), np.flatnonzero(~network.present)
    if len(left) and (len(present) == 1 or rng.random() < 0.5):
        return network.join(int(rng.choice(left)), rng)
    return network.leave(int(rng.choice(present)))


class Population:
    """Subscriptions by id, in plain columns."""

    def __init__(self, l: Floats, r: Floats, rng: np.random.Generator) -> None:
        self.l, self.r, self.rng = l, r, rng
        self.nodes = rng.integers(NODES, size=len(l))
        self.here = np.ones(len(l), np.bool_)

    def change(self, network: Network, gateways: Gateways, l: Floats, r: Floats) -> None:
        """Two leave; others come, one of them under an id that was in use."""
        gone = np.flatnonzero(self.here)[:2]
        gateways.leave(gone)
        self.here[gone] = False
        ids = np.append(np.flatnonzero(~self.here)[:1], np.arange(len(self.l), len(self.l) + len(l)))[: len(l)]
        more = max(int(ids.max()) + 1 - len(self.l), 0)
        self.l, self.r = (np.concatenate((ends, np.zeros((more, *l.shape[1:])))) for ends in (self.l, self.r))
        self.nodes, self.here = np.append(self.nodes, np.zeros(more, np.int64)), np.append(self.here, [False] * more)
        self.l[ids], self.r[ids], self.here[ids] = l, r, True
        self.nodes[ids] = self.rng.integers(NODES, size=len(ids))
        home = gateways.join(ids, l, r, self.nodes[ids])
        assert home.tolist() == network.home(l, r, self.nodes[ids]).tolist()

    def concerned(self, row: np.void) -> list[int]:
        return np.flatnonzero(self.here & reaches(row, self.l, self.r)).tolist()


def check_messages(
    kind: Kind, network: Network, gateways: Gateways, known: Population, zones: Zones, *, wide: bool = False
) -> None:
    table = draw_messages(kind, zones, known.rng, 10, wide=wide)
    sources = known.rng.choice(np.flatnonzero(network.present), len(table))
    got = network.multicast(table, sources)
    every = network.hops(table, sources)
    offsets, found = gateways.match(table, got)
    for i, row in enumerate(table):
        want = known.concerned(row)
        assert sorted(found[offsets[i] : offsets[i + 1]].tolist()) == want
        reached = got.zones[got.offsets[i] : got.offsets[i + 1]].tolist()
        assert len(set(reached)) == len(reached)
        assert network.present[reached].all()
        assert set(gateways.home[want].tolist()) <= set(reached)
        rows = slice(every.offsets[i], every.offsets[i + 1])
        receivers = every.receivers[rows].tolist()
        assert len({*receivers, int(sources[i])}) == len(receivers) + 1, "no broker gets it twice"
        delivered = every.receivers[rows][every.delivers[rows]].tolist() + [int(sources[i])] * int(every.at_source[i])
        assert sorted(delivered) == sorted(reached)
        locally = [s for broker in reached for s in gateways.local(broker, table[i : i + 1]).tolist()]
        assert sorted(locally) == want
    assert gateways.count(table, got).tolist() == np.diff(offsets).tolist()


@settings(deadline=None, max_examples=80)
@given(kind=every_kind, brokers=st.integers(2, 20), m=st.integers(0, 80), seed=seeds, name=st.sampled_from(NETWORKS))
def test_the_network_hands_messages_to_the_right_subscriptions(
    kind: Kind, brokers: int, m: int, seed: int, name: str
) -> None:
    network, zones = make_network(kind, name, brokers, seed)
    rng = np.random.default_rng(seed)
    known = Population(*draw_ranges(kind, zones, rng, m), rng)
    gateways = Gateways(network, known.l, known.r, nodes=known.nodes)
    check_messages(kind, network, gateways, known, zones)
    for step in range(5):
        before = gateways.home.copy()
        gave = change_brokers(network, rng)
        moved = gateways.rehome(gave)
        assert moved.tolist() == np.flatnonzero(before != gateways.home).tolist()
        assert set(before[moved].tolist()) <= set(gave.tolist())
        here = known.here
        assert gateways.home[here].tolist() == network.home(known.l[here], known.r[here], known.nodes[here]).tolist()
        assert (gateways.home[~here] == -1).all()
        check_messages(kind, network, gateways, known, zones, wide=step == 2 and kind != "u3")
        known.change(network, gateways, *draw_ranges(kind, zones, rng, 3))
        check_messages(kind, network, gateways, known, zones)
        if isinstance(network, RoutingTree):
            network._check()


class Columns:
    """An index of a few lines, which looks at every subscription."""

    def __init__(self, l: npt.ArrayLike, r: npt.ArrayLike, group: npt.NDArray[np.int64], groups: int) -> None:
        self.held: dict[int, tuple[float, float, int]] = {}
        self.groups = groups
        self.add(np.arange(len(group)), l, r, group)

    def match(
        self, table: npt.NDArray[np.void], offsets: npt.NDArray[np.int64], groups: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        found = [
            [
                s
                for s, (l, r, group) in self.held.items()
                if group in groups[offsets[i] : offsets[i + 1]] and reaches(row, l, r)
            ]
            for i, row in enumerate(table)
        ]
        ends = np.cumsum([0, *map(len, found)])
        return ends, np.array([s for one in found for s in one], np.int64)

    def count(
        self, table: npt.NDArray[np.void], offsets: npt.NDArray[np.int64], groups: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        return np.diff(self.match(table, offsets, groups)[0])

    def add(self, ids: npt.ArrayLike, l: npt.ArrayLike, r: npt.ArrayLike, group: npt.ArrayLike) -> None:
        columns = (np.asarray(column).tolist() for column in (ids, l, r, group))
        self.held |= {s: (low, high, at) for s, low, high, at in zip(*columns, strict=True)}

    def remove(self, ids: npt.ArrayLike) -> None:
        for s in np.asarray(ids).tolist():
            del self.held[s]

    def move(self, ids: npt.ArrayLike, group: npt.ArrayLike, groups: int | None = None) -> None:
        assert groups == self.groups
        for s, at in zip(np.asarray(ids).tolist(), np.asarray(group).tolist(), strict=True):
            self.held[s] = (*self.held[s][:2], at)


@pytest.mark.parametrize("name", ["triangle", "tree"])
def test_gateways_take_any_index(name: str) -> None:
    network, zones = make_network(1, name, 9, 6)
    rng = np.random.default_rng(6)
    known = Population(*draw_ranges(1, zones, rng, 40), rng)
    gateways = Gateways(network, known.l, known.r, index=Columns, nodes=known.nodes)
    for _ in range(4):
        gateways.rehome(change_brokers(network, rng))
        known.change(network, gateways, *draw_ranges(1, zones, rng, 3))
        check_messages(1, network, gateways, known, zones)


@pytest.mark.parametrize("name", NETWORKS)
def test_a_change_moves_few_subscriptions(name: str) -> None:
    network, _ = make_network(1, name, 20, 4)
    rng = np.random.default_rng(4)
    l, r = np.sort(rng.random((2, 2_000)), axis=0)
    known = Population(l, r, rng)
    gateways = Gateways(network, known.l, known.r, nodes=known.nodes)
    for broker in range(20):
        held = np.flatnonzero(gateways.home == broker).tolist()
        moved = gateways.rehome(network.leave(broker)).tolist()
        assert set(held) <= set(moved)
        assert name != "tree" or held == moved
        back = gateways.rehome(network.join(broker, rng)).tolist()
        assert (gateways.home[back] == broker).all()
        assert np.count_nonzero(gateways.home == broker) == len(back)
        assert name != "tree" or held == back
