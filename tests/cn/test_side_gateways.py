"""Over several attributes every list is right, whoever comes and goes; `test_gateways` says who gets what."""

from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from cn import Can, Gateways, Inbox, RelaxedSubscribers, Subscribers
from cn.holding import KINDS, OF_SHAPE
from paint import Server
from paint.shapes import count_held, lift
from tests.cn.side_drawing import draw_ranges, make_zones
from tests.cn.test_gateways import NODES, Population, change_brokers, make_network
from tests.oracles.boxes import holders, holds
from tests.oracles.shapes import contains

Floats = npt.NDArray[np.float64]


def lists_of(l: Floats, r: Floats, x: Floats, y: Floats, k: int) -> list[list[tuple[float, int]]]:
    """Lists of all subscriptions, by brute force."""
    objects = {i: (tuple(place), float(y[i])) for i, place in enumerate(x.tolist()) if y[i] < np.inf}
    flags = holders(partial(holds, l, r), objects, k)
    return [[(objects[i][1], i) for i, held in flags.items() if held[s]] for s in range(len(l))]


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


class Sums(NamedTuple):
    """Another kind of subscription, which holds an object by the sum of its places."""

    l: Floats
    r: Floats


def run_interpreted() -> None:
    """Kernels compiled for a class of a test would be kept on disk."""
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
