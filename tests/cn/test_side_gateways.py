"""Over several attributes every subscription a message concerns gets it from its gateway, and every list is right."""

import os
import subprocess
import sys

import networkx as nx
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cn import Can, Gateways, Inbox, Network, PrefixNetwork, RelaxedSubscribers, RoutingTree, Subscribers, Zones
from cn.holding import OF_SHAPE
from paint import Server
from paint.shapes import count_held, lift
from tests.cn.drawing import seeds
from tests.cn.side_drawing import Kind, draw_messages, draw_ranges, kinds, make_sides, make_zones
from tests.cn.test_gateways import NODES, change_brokers
from tests.oracles.boxes import top_k
from tests.oracles.shapes import contains
from tests.oracles.side_ranges import reaches_box
from topologies import Routes

Floats = npt.NDArray[np.float64]
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
    return RoutingTree(Routes.build(graph, places), limit=4, sides=make_sides(kind)), zones


class Population:
    """Subscriptions by id, in plain columns."""

    def __init__(self, l: Floats, r: Floats, rng: np.random.Generator) -> None:
        self.l, self.r, self.rng = l, r, rng
        self.nodes = rng.integers(NODES, size=len(l))
        self.here = np.ones(len(l), np.bool_)

    def change(self, gateways: Gateways, l: Floats, r: Floats) -> None:
        """Two leave; others come, one of them under an id that was in use."""
        gone = np.flatnonzero(self.here)[:2]
        gateways.leave(gone)
        self.here[gone] = False
        ids = np.append(np.flatnonzero(~self.here)[:1], np.arange(len(self.l), len(self.l) + len(l)))[: len(l)]
        more = max(int(ids.max()) + 1 - len(self.l), 0)
        self.l, self.r = (np.concatenate((ends, np.zeros((more, l.shape[1])))) for ends in (self.l, self.r))
        self.nodes, self.here = np.append(self.nodes, np.zeros(more, np.int64)), np.append(self.here, [False] * more)
        self.l[ids], self.r[ids], self.here[ids] = l, r, True
        self.nodes[ids] = self.rng.integers(NODES, size=len(ids))
        gateways.join(ids, l, r, self.nodes[ids])


def check_messages(
    kind: Kind, network: Network, gateways: Gateways, known: Population, zones: Zones, *, wide: bool
) -> None:
    table = draw_messages(kind, zones, known.rng, 10, wide=wide)
    sources = known.rng.choice(np.flatnonzero(network.present), len(table))
    got = network.multicast(table, sources)
    every = network.hops(table, sources)
    offsets, found = gateways.match(table, got)
    for i, row in enumerate(table):
        want = np.flatnonzero(known.here & reaches_box(row, known.l, known.r)).tolist()
        assert sorted(found[offsets[i] : offsets[i + 1]].tolist()) == want
        reached = got.zones[got.offsets[i] : got.offsets[i + 1]].tolist()
        assert len(set(reached)) == len(reached)
        rows = slice(every.offsets[i], every.offsets[i + 1])
        receivers = every.receivers[rows].tolist()
        assert len({*receivers, int(sources[i])}) == len(receivers) + 1, "no broker gets it twice"
        delivered = every.receivers[rows][every.delivers[rows]].tolist() + [int(sources[i])] * int(every.at_source[i])
        assert sorted(delivered) == sorted(reached)
    assert gateways.count(table, got).tolist() == np.diff(offsets).tolist()


@settings(deadline=None, max_examples=40)
@given(kind=kinds, brokers=st.integers(2, 15), m=st.integers(0, 60), seed=seeds, name=st.sampled_from(NETWORKS))
def test_the_network_hands_messages_to_the_right_subscriptions(
    kind: Kind, brokers: int, m: int, seed: int, name: str
) -> None:
    network, zones = make_network(kind, name, brokers, seed)
    rng = np.random.default_rng(seed)
    known = Population(*draw_ranges(kind, zones, rng, m), rng)
    gateways = Gateways(network, known.l, known.r, nodes=known.nodes)
    for step in range(4):
        check_messages(kind, network, gateways, known, zones, wide=step == 2 and kind != "u3")
        before = gateways.home.copy()
        moved = gateways.rehome(change_brokers(network, rng))
        assert moved.tolist() == np.flatnonzero(before != gateways.home).tolist()
        here = known.here
        assert gateways.home[here].tolist() == network.home(known.l[here], known.r[here], known.nodes[here]).tolist()
        known.change(gateways, *draw_ranges(kind, zones, rng, 3))
        if isinstance(network, RoutingTree):
            network._check()


def lists_of(l: Floats, r: Floats, x: Floats, y: Floats, k: int) -> list[list[tuple[float, int]]]:
    """Lists of all subscriptions, by brute force."""
    objects = {i: (tuple(place), float(y[i])) for i, place in enumerate(x.tolist()) if y[i] < np.inf}
    holders = top_k(l, r, objects, k)
    return [sorted((objects[i][1], i) for i in objects if holders[i][s]) for s in range(len(l))]


@pytest.mark.parametrize("name", ["triangle", "prefix", "tree"])
@pytest.mark.parametrize("dimensions", [1.5, 2])
def test_lists_are_right_while_brokers_and_subscriptions_come_and_go(dimensions: float, name: str) -> None:
    rng = np.random.default_rng(17)
    network, zones = make_network(dimensions, name, 20, 2)
    x, y, k = rng.integers(0, 12, (40, 2)) / 11, rng.random(40), 3
    l, r = draw_ranges(dimensions, zones, rng, 150)
    known = Population(l, r, rng)
    server = Server(x, y, k=k, algorithm="dense", dimensions=dimensions)
    gateways = Gateways(network, l, r, nodes=known.nodes)
    subscribers = Subscribers(l, r, k)
    subscribers.start(x, y)
    assert [subscribers.top(s) for s in range(150)] == lists_of(l, r, x, y, k)
    for step in range(30):
        i = int(rng.integers(len(x)))
        y[i] = rng.random()
        table = server.update(i, y[i]).table
        subscribers.apply(table, *gateways.match(table, network.multicast(table, network.centre)))
        here = np.flatnonzero(gateways.home >= 0)
        assert [subscribers.top(int(s)) for s in here] == lists_of(subscribers.l[here], subscribers.r[here], x, y, k)
        assert len(subscribers.wrong(x, y)) == 0
        if step % 4 == 0:
            gateways.rehome(change_brokers(network, rng))
            gone = rng.choice(here, 3, replace=False)
            gateways.leave(gone)
            subscribers.leave(gone)
            new_l, new_r = draw_ranges(dimensions, zones, rng, 4)
            gateways.join(subscribers.join(new_l, new_r, x, y), new_l, new_r, rng.integers(0, NODES, 4))


def test_messages_wait_their_turn() -> None:
    rng = np.random.default_rng(18)
    zones = make_zones(2, 10, 2, "triangle")
    x, y = rng.random((40, 2)), rng.random(40)
    l, r = draw_ranges(2, zones, rng, 100)
    server, can, subscribers = Server(x, y, k=2, dimensions=2), Can(zones), Subscribers(l, r, 2)
    gateways, inbox = Gateways(can, l, r), Inbox(subscribers)
    subscribers.start(x, y)
    objects, new = rng.integers(0, len(x), 40), rng.random(40)
    messages = server.replay(objects, new)
    y[objects] = new
    events = np.repeat(np.arange(40), np.diff(messages.offsets))
    positions = np.arange(len(messages)) - messages.offsets[events]
    for part in np.array_split(rng.permutation(len(messages)), 5):
        table = messages.table[part]
        pairs = gateways.match(table, can.multicast(table, can.centre))
        inbox.arrive(table, *pairs, events[part], positions[part])
    inbox.advance(40)
    assert [subscribers.top(s) for s in range(100)] == lists_of(l, r, x, y, 2)


def test_those_of_cn_relax_know_what_they_were_told() -> None:
    rng = np.random.default_rng(19)
    zones = make_zones(1.5, 10, 2, "triangle")
    x, y = rng.integers(0, 6, (20, 2)) / 5, rng.random(20)
    l, r = draw_ranges(1.5, zones, rng, 50)
    relaxed = RelaxedSubscribers(l, r, x, y)
    known = [dict.fromkeys(np.flatnonzero(((l[s] <= x) & (x <= r[s])).all(axis=1)).tolist()) for s in range(50)]
    told = [{i: float(y[i]) for i in held} for held in known]
    for event in range(60):
        i, value = int(rng.integers(20)), float(rng.random())
        concerned = [s for s in range(50) if ((l[s] <= x[i]) & (x[i] <= r[s])).all()]
        missed = [s for s in concerned if rng.random() < 0.3]
        relaxed.event(event, i, x[i], value, missed)
        for s in set(concerned) - set(missed):
            told[s][i] = value
        assert [relaxed.top(s, 3) for s in range(50)] == [
            sorted((v, i) for i, v in told[s].items())[:3] for s in range(50)
        ]
    with pytest.raises(ValueError, match="missed must hold subscriptions whose range has x"):
        relaxed.event(99, 0, x[0], 0.5, [next(s for s in range(50) if not ((l[s] <= x[0]) & (x[0] <= r[s])).all())])


def test_another_kind_of_subscription_holds_what_its_kernel_says() -> None:
    """Interpreted: kernels compiled for a class of a test would be kept on disk."""
    program = """
from typing import NamedTuple
import numpy as np
from cn import RelaxedSubscribers, Subscribers
from cn.holding import KINDS

class Sums(NamedTuple):
    l: np.ndarray
    r: np.ndarray

KINDS[Sums] = lambda sums, s, x, i: sums.r[s, 0] > -np.inf and x[i, 0] + x[i, 1] <= sums.r[s, 0] + sums.r[s, 2]
rng = np.random.default_rng(1)
x, y, r = rng.random((30, 2)), rng.random(30), rng.random((20, 3))
l = np.full((20, 3), -np.finfo(np.float64).max)
subscribers = Subscribers(l, r, 4, kind=Sums)
subscribers.start(x, y)
relaxed = RelaxedSubscribers(l, r, x, y, kind=Sums)
for s in range(20):
    held = sorted((y[i], i) for i in range(30) if x[i].sum() <= r[s, 0] + r[s, 2])[:4]
    assert subscribers.top(s) == relaxed.top(s, 4) == held
subscribers.leave([3])
assert subscribers.apply_each(np.array([3]), np.array([1]), x[1:2], np.array([0.0])) == 0
assert len(subscribers.wrong(x, y)) == 0
"""
    subprocess.run([sys.executable, "-c", program], env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, check=True)


@pytest.mark.parametrize(("shape", "numbers"), [("halfspaces", 2), ("halfspaces", 3), ("disks", 3)])
def test_halfspaces_and_disks_hold_what_their_definition_says(shape: str, numbers: int) -> None:
    """Many objects lie on the rim; floats are exact."""
    rng = np.random.default_rng(numbers)
    d = 2 if shape == "disks" else numbers
    x, y, rows = rng.integers(-8, 9, (40, d)) / 8, rng.random(40), rng.integers(-8, 9, (60, numbers)) / 8
    if shape == "disks":
        rows[:, 2] = abs(rows[:, 2])
    points = lift(shape, rows, d)
    l, kind = np.full(points.shape, -np.finfo(np.float64).max), OF_SHAPE[shape]
    held = np.array([contains(shape, rows, tuple(place.tolist())) for place in x]).T
    expected = [sorted((y[i], i) for i in np.flatnonzero(held[s]).tolist())[:3] for s in range(60)]
    subscribers = Subscribers(l, points, 3, kind)
    subscribers.start(x, y)
    relaxed = RelaxedSubscribers(l, points, x, y, kind)
    assert [subscribers.top(s) for s in range(60)] == [relaxed.top(s, 3) for s in range(60)] == expected
    assert count_held(shape, points, x).tolist() == held.sum(axis=1).tolist()
    gone = [s for s in range(60) if expected[s]][:5]
    subscribers.leave(gone)
    for s in gone:
        i = expected[s][0][1]
        assert subscribers.apply_each(np.array([s]), np.array([i]), x[i : i + 1], np.array([0.0])) == 0
    assert len(subscribers.wrong(x, y)) == 0
