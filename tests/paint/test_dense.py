"""Paint-Dense against brute force: exact lists, no false notification, bounds and optimality of the message count."""

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paint
from tests.oracles.topk import (
    Objects,
    Subscribers,
    distinct_subscriptions,
    ranked,
    reaches,
    smallest_tiling,
    top_k,
)
from tests.strategies import events, seeded_stream, worlds

MANY = settings(deadline=None, max_examples=60)


def run(world: dict[str, Any], stream: list[tuple[str, int, float, float]], **options: Any) -> paint.Server:
    """Run events of every kind through a server and check each against brute force."""
    objects: Objects = {i: (x, y) for i, (x, y) in enumerate(zip(world["x"], world["y"], strict=True))}
    server = paint.Server(np.array(world["x"]), np.array(world["y"]), k=world["k"], **options)
    places = [value for kind, _, value, _ in stream if kind in ("insert", "move")]
    subscribers = Subscribers(
        objects,
        world["k"],
        places=places,
        epsilon=options.get("epsilon"),
        descending=options.get("descending", False),
    )
    for kind, which, value, other in stream:
        if kind == "insert":
            i, messages = server.insert(value, other)
            assert i not in objects
            objects[i] = (value, other)
        elif not objects:
            continue
        else:
            i = sorted(objects)[which % len(objects)]
            x, y = objects[i]
            if kind == "update":
                messages = server.update(i, value)
                objects[i] = (x, value)
            elif kind == "delete":
                messages = server.delete(i)
                del objects[i]
            else:
                messages = server.move(i, value)
                objects[i] = (value, y)
        server._index._check()
        assert messages.offsets.tolist() == [0, len(messages)]
        subscribers.event(messages.table, objects)
    return server


@MANY
@given(worlds(), events())
def test_every_list_is_exact_and_nobody_is_told_in_vain(world: dict[str, Any], stream: Any) -> None:
    run(world, stream)


@MANY
@given(worlds(), events())
def test_descending_rank(world: dict[str, Any], stream: Any) -> None:
    run(world, stream, descending=True)


CUTS = st.sampled_from(["levels", "strips", "tiles"])


@MANY
@given(worlds(max_objects=10), events(), st.sampled_from([0.125, 0.25, 0.3, 0.5, 1.0]), CUTS)
def test_epsilon_keeps_lists_exact_and_ranks_near(
    world: dict[str, Any], stream: Any, epsilon: float, cut: str
) -> None:
    run(world, stream, epsilon=epsilon, cut=cut)


@pytest.mark.parametrize("distinct", [4, 12, 10**6])
@pytest.mark.parametrize(
    "options",
    [{}, {"epsilon": 0.5}, {"epsilon": 0.5, "cut": "tiles"}, {"epsilon": 0.3}, {"epsilon": 0.5, "cut": "strips"}],
)
def test_seeded_streams(distinct: int, options: dict[str, Any]) -> None:
    rng = np.random.default_rng(distinct)
    for _ in range(6):
        run(*seeded_stream(rng, (1, 14), 6, 12, distinct), **options)


@MANY
@given(worlds(max_objects=12), events(("update",), 6), st.sampled_from([0.2, 0.34, 0.5, 1.0]), CUTS)
def test_epsilon_bounds_the_messages_per_object(world: dict[str, Any], stream: Any, epsilon: float, cut: str) -> None:
    server = paint.Server(np.array(world["x"]), np.array(world["y"]), k=world["k"], epsilon=epsilon, cut=cut)
    for _, which, value, _ in stream if world["x"] else []:
        messages = server.update(which % len(world["x"]), value)
        counts = Counter(messages.table["object"].tolist())
        assert max(counts.values(), default=0) <= math.ceil(1 / epsilon)


@pytest.mark.parametrize("k", [1, 2, 5])
def test_theorem_1_bounds_the_messages(k: int) -> None:
    rng = np.random.default_rng(k)
    n = 60
    checked = 0
    server = paint.Server(rng.random(n), rng.random(n), k=k)
    for _ in range(400):
        i = int(rng.integers(n))
        y = server._index.arrays.y
        below = int((y < y[i]).sum())
        lowers = (new := rng.random()) > y[i]
        before = server.costs["min_y"]
        messages = server.update(i, new)
        v = server.costs["min_y"] - before - 1
        if not lowers:
            assert v == -1
            assert 1 <= len(messages) <= k
        elif below >= k - 1:
            assert v <= len(messages) <= (v + 1) * k
            assert len(set(messages.table["object"][messages.table["cause"] == paint.EXPOSED])) == v
            checked += 1
    assert checked > 50


def check_fewest_messages(world: dict[str, Any], stream: list[tuple[str, int, float, float]]) -> None:
    """Each object's messages are as few as any tiling of the region that needs it, every subscription existing."""
    objects: Objects = {i: (x, y) for i, (x, y) in enumerate(zip(world["x"], world["y"], strict=True))}
    server = paint.Server(np.array(world["x"]), np.array(world["y"]), k=world["k"])
    for kind, which, value, other in stream:
        before = dict(objects)
        if kind == "insert":
            i, messages = server.insert(value, other)
            objects[i] = (value, other)
        elif objects:
            i = sorted(objects)[which % len(objects)]
            messages = server.delete(i) if kind == "delete" else server.update(i, value)
            x, _ = objects.pop(i)
            if kind == "update":
                objects[i] = (x, value)
        else:
            continue
        subscriptions = distinct_subscriptions(x for state in (before, objects) for x, _ in state.values())
        ends = {end: at for at, end in enumerate(sorted({end for s in subscriptions for end in s}))}
        grid = {s: (ends[s[0]], ends[s[1]]) for s in subscriptions}
        for h in set(before) | set(objects):
            region = {
                grid[s]
                for s in subscriptions
                if top_k(before, s, world["k"]).get(h) != top_k(objects, s, world["k"]).get(h)
                and (h == i or h in top_k(objects, s, world["k"]))
            }
            sent = int((messages.table["object"] == h).sum())
            assert sent == smallest_tiling(region, set(grid.values())), (before, objects, h)


@settings(deadline=None, max_examples=25)
@given(worlds(max_objects=6, max_k=3), events(("update", "insert", "delete"), 4))
def test_theorem_2_fewest_messages(world: dict[str, Any], stream: Any) -> None:
    check_fewest_messages(world, stream)


@pytest.mark.parametrize(("distinct", "instances"), [(4, 80), (6, 30), (1000, 12)])
def test_theorem_2_on_seeded_instances(distinct: int, instances: int) -> None:
    rng = np.random.default_rng(distinct)
    for _ in range(instances):
        n, k = int(rng.integers(4, 8)), int(rng.integers(1, 4))
        world = {"x": rng.integers(0, distinct, n) * 1.0, "y": rng.integers(0, 9, n) * 1.0, "k": k}
        check_fewest_messages(
            world, [("update", int(rng.integers(n)), float(rng.integers(9)), 0.0) for _ in range(3)]
        )


def test_theorem_2_when_ties_in_x_make_two_strips_alike() -> None:
    check_fewest_messages({"x": [1.0, 0.0, 2.0, 2.0], "y": [5.0, 1.0, 1.0, 1.0], "k": 2}, [("update", 0, 4.0, 0.0)])


@pytest.mark.parametrize("k", [1, 2, 4, 7])
def test_figure_18_needs_k_messages_per_object(k: int) -> None:
    """Low objects west of i, and objects east of it that come nearer as they rise: each one exposed gains k tiles."""
    for n in (50, 100, 200):
        east = np.arange(n, 0, -1.0)
        x = np.concatenate(([0.0], -np.arange(1.0, k + 1), east))
        y = np.concatenate(([1.0], np.zeros(k), 2.0 + np.arange(n)))
        messages = paint.Server(x, y, k=k).update(0, n + 2.0)
        assert len(messages) == 1 + k * (k + 1) // 2 + (n - k) * k


def test_move_as_delete_and_insert_gives_the_same_lists() -> None:
    rng = np.random.default_rng(7)
    for _ in range(20):
        n, k = int(rng.integers(2, 9)), int(rng.integers(1, 4))
        x, y = rng.integers(0, 8, n) * 1.0, rng.integers(0, 8, n) * 1.0
        objects: Objects = dict(enumerate(zip(x.tolist(), y.tolist(), strict=True)))
        i, place = int(rng.integers(n)), float(rng.integers(0, 8))
        server = paint.Server(x, y, k=k)
        subscribers = Subscribers(objects, k, places=[place])
        messages = server.move(i, place, direct=False)
        _, y_i = objects.pop(i)
        if place == x[i]:
            assert len(messages) == 0
            continue
        first, last = (messages.table[messages.offsets[e] : messages.offsets[e + 1]] for e in (0, 1))
        subscribers.event(first, objects)
        objects[i] = (place, y_i)
        subscribers.event(last, objects)
        direct = paint.Server(x, y, k=k).move(i, place)
        assert len({*direct.table["object"].tolist()}) <= len({*messages.table["object"].tolist()})


def test_an_update_that_changes_nothing_sends_nothing() -> None:
    server = paint.Server([1.0, 2.0], [3.0, 4.0], k=1)
    assert len(server.update(0, 3.0)) == 0
    assert len(server.move(0, 1.0)) == 0
    assert len(server.replay([0, 1], [3.0, 4.0])) == 0


@MANY
@given(worlds(), events(("update",)))
def test_replay_equals_single_updates(world: dict[str, Any], stream: Any) -> None:
    n = len(world["x"])
    one, all_at_once = (paint.Server(np.array(world["x"]), np.array(world["y"]), k=world["k"]) for _ in range(2))
    stream = [(which % n, value) for _, which, value, _ in stream] if n else []
    tables = [one.update(i, y).table for i, y in stream]
    messages = all_at_once.replay([i for i, _ in stream], [y for _, y in stream])
    assert messages.offsets.tolist() == np.cumsum([0, *map(len, tables)]).tolist()
    assert messages.table.tolist() == [row for table in tables for row in table.tolist()]
    assert one.costs == all_at_once.costs


def test_every_object_a_message_carries_is_in_the_range_of_who_receives_it() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.integers(0, 9, 30) * 1.0, rng.random(30)
    server = paint.Server(x, y, k=3, epsilon=1.0)
    objects: Objects = dict(enumerate(zip(x.tolist(), y.tolist(), strict=True)))
    for i in range(30):
        for message in server.update(i, rng.random()).table:
            for s in distinct_subscriptions(x):
                assert not reaches(message, *s) or int(message["object"]) in ranked(objects, s)
