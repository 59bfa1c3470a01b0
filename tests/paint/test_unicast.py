"""Unicast against brute force: one message to each affected subscription, exact lists, both ways to find them."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paint
from tests.oracles.topk import Entries, Objects, Subscription, distinct_subscriptions, reaches, top_k
from tests.strategies import events, worlds


def apply(entries: Entries, message: Any, objects: Objects, k: int, descending: bool) -> None:
    """What a subscription does with a unicast message."""
    entries.pop(int(message["dropped"]), None)
    if message["object"] >= 0:
        i = int(message["object"])
        entries[i] = (objects[i][0], float(message["y"]))
    sign = -1.0 if descending else 1.0
    assert len(entries) <= k, sorted(entries, key=lambda j: (sign * entries[j][1], j))


class World:
    """A server and every distinct subscription, or part of them, with lists kept by unicast messages."""

    def __init__(self, world: dict[str, Any], places: list[float], seed: int, **options: Any) -> None:
        self.k, self.descending = world["k"], options.get("descending", False)
        self.objects: Objects = {i: (x, y) for i, (x, y) in enumerate(zip(world["x"], world["y"], strict=True))}
        rng = np.random.default_rng(seed)
        everyone = distinct_subscriptions([*world["x"], *places])
        self.subscriptions: list[Subscription] = [s for s in everyone if rng.random() < rng.choice([0.1, 1.0])]
        self.lists = [top_k(self.objects, s, self.k, self.descending) for s in self.subscriptions]
        x, y, ranges = np.array(world["x"]), np.array(world["y"]), np.array(self.subscriptions).reshape(-1, 2)
        self.servers = [
            paint.Server(x, y, k=self.k, algorithm=algorithm, subscriptions=ranges, **options)
            for algorithm in ("unicast", "unicast-tiles")
        ]

    def act(self, kind: str, which: int, value: float, other: float) -> None:
        before = dict(self.objects)
        if kind == "insert":
            (i, messages), (_, again) = (server.insert(value, other) for server in self.servers)
            self.objects[i] = (value, other)
        elif not before:
            return
        else:
            i = sorted(before)[which % len(before)]
            x, y = before[i]
            values = () if kind == "delete" else (value,)
            messages, again = (getattr(server, kind)(i, *values) for server in self.servers)
            del self.objects[i]
            if kind != "delete":
                self.objects[i] = (x, value) if kind == "update" else (value, y)
        self.check(messages, before)
        assert sorted(messages.table.tolist()) == sorted(again.table.tolist())

    def check(self, messages: paint.Messages, before: Objects) -> None:
        assert messages.table.dtype == paint.UNICAST
        told = messages.table["subscription"].tolist()
        affected = [
            at
            for at, s in enumerate(self.subscriptions)
            if top_k(before, s, self.k, self.descending) != top_k(self.objects, s, self.k, self.descending)
        ]
        assert sorted(told) == affected
        for message in messages.table:
            apply(self.lists[message["subscription"]], message, self.objects, self.k, self.descending)
        for s, entries in zip(self.subscriptions, self.lists, strict=True):
            assert entries == top_k(self.objects, s, self.k, self.descending)


@settings(deadline=None, max_examples=80)
@given(worlds(max_objects=10), events(), st.integers(0, 10**6), st.booleans())
def test_one_message_each_makes_every_list_exact(
    world: dict[str, Any], stream: Any, seed: int, descending: bool
) -> None:
    it = World(
        world, [value for kind, _, value, _ in stream if kind in ("insert", "move")], seed, descending=descending
    )
    for event in stream:
        it.act(*event)


@pytest.mark.parametrize("k", [1, 3, 8])
def test_regions_hold_those_that_replay_lists(k: int) -> None:
    rng = np.random.default_rng(k)
    n, m, e = 200, 2000, 300
    x, y, ranges = rng.random(n), rng.random(n), np.sort(rng.random((m, 2)), axis=1)
    ids, ys = rng.integers(0, n, e), rng.random(e)
    listed, counted, tiles = (
        paint.Server(x, y, k=k, algorithm=name, subscriptions=ranges)
        for name in ("unicast", "unicast", "unicast-tiles")
    )
    messages, regions = listed.replay(ids, ys), counted.regions(ids, ys)
    assert np.array_equal(listed.update(0, 0.5).table, counted.update(0, 0.5).table)
    assert messages.costs is not None
    assert regions.costs is not None
    assert np.array_equal(messages.costs, regions.costs)
    held = np.array([reaches(row, *ranges.T) for row in regions.table])
    for event in range(e):
        told = messages.table["subscription"][messages.offsets[event] : messages.offsets[event + 1]]
        rows = held[regions.offsets[event] : regions.offsets[event + 1]]
        assert np.array_equal(rows.sum(axis=0), np.bincount(told, minlength=m))
        assert messages.costs[event, 1] >= len(told)
        if k == 1:
            assert messages.costs[event, 1] == len(told)
    assert len(tiles.replay(ids, ys)) == len(messages)
    assert tiles.costs["min_y"] < listed.costs["min_y"]
    exact = paint.Server(x, y, k=k, algorithm="sparse", subscriptions=ranges).replay(ids, ys)
    told = exact.table[exact.table["cause"] == paint.UPDATE]
    assert sum(reaches(row, *ranges.T).sum() for row in told) == len(messages)


@pytest.mark.parametrize("algorithm", ["dense", "unicast-tiles"])
def test_only_unicast_tells_regions(algorithm: str) -> None:
    subscriptions = None if algorithm == "dense" else [(0.0, 2.0)]
    server = paint.Server([1.0], [1.0], k=1, algorithm=algorithm, subscriptions=subscriptions)
    with pytest.raises(ValueError, match="regions are for the algorithm 'unicast' over one attribute"):
        server.regions([0], [2.0])
