"""Paint-Sparse against brute force over arbitrary subscriptions: exact lists, no spare message, Theorems 4 and 7."""

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paint
from floor.errors import RangecastError
from matching import SubscriptionIndex, UnknownSubscriptionError
from tests.oracles.topk import Objects, Subscribers, reaches, smallest_tiling, top_k
from tests.strategies import events, seeded_stream, worlds
from tests.uncompiled import run_uncompiled

MANY = settings(deadline=None, max_examples=60)
PICK = st.integers(0, 10**6)
CUTS = st.sampled_from(["levels", "strips", "tiles"])
SHARE = st.sampled_from([0.05, 0.2, 0.5, 1.0])


class World:
    """A server and the brute force beside it, whose subscriptions are a random part of all distinct ones."""

    def __init__(self, world: dict[str, Any], places: list[float], share: float, seed: int, **options: Any) -> None:
        self.k = world["k"]
        self.objects: Objects = {i: (x, y) for i, (x, y) in enumerate(zip(world["x"], world["y"], strict=True))}
        self.rng = np.random.default_rng(seed)
        self.subscribers = Subscribers(
            self.objects,
            self.k,
            places=places,
            epsilon=options.get("epsilon"),
            descending=options.get("descending", False),
        )
        everyone = list(self.subscribers.lists)
        chosen = [s for s in everyone if self.rng.random() < share]
        self.subscribers.lists = {s: self.subscribers.lists[s] for s in chosen}
        self.spare = [s for s in everyone if s not in self.subscribers.lists]
        self.ids = dict(zip(chosen, range(len(chosen)), strict=True))
        self.exact = "sketch" not in options
        ranges = np.array(chosen).reshape(-1, 2)
        ranges[ranges == -np.finfo(float).max] = -np.inf
        self.server = paint.Server(
            np.array(world["x"]), np.array(world["y"]), k=self.k, algorithm="sparse", subscriptions=ranges, **options
        )

    def act(self, kind: str, which: int, value: float, other: float) -> paint.Messages | None:
        """Make one event happen to the server and to the objects; None if there is no object for it."""
        if kind == "insert":
            i, messages = self.server.insert(value, other)
            self.objects[i] = (value, other)
            return messages
        if not self.objects:
            return None
        i = sorted(self.objects)[which % len(self.objects)]
        x, y = self.objects[i]
        if kind == "update":
            self.objects[i] = (x, value)
            return self.server.update(i, value)
        if kind == "move":
            self.objects[i] = (value, y)
            return self.server.move(i, value)
        del self.objects[i]
        return self.server.delete(i)

    def check(self, messages: paint.Messages) -> None:
        """Lists, false notifications, repetitions, and that every message reaches somebody."""
        self.subscribers.event(messages.table, self.objects)
        if self.exact:
            for message in messages.table:
                assert any(reaches(message, *s) for s in self.subscribers.lists), "a message reaches nobody"

    def come_and_go(self) -> None:
        """Let one subscription leave and another come."""
        if self.subscribers.lists:
            gone = sorted(self.subscribers.lists)[int(self.rng.integers(len(self.subscribers.lists)))]
            self.server.unsubscribe(self.ids.pop(gone))
            del self.subscribers.lists[gone]
            self.spare.append(gone)
        if self.spare:
            new = self.spare.pop(int(self.rng.integers(len(self.spare))))
            self.ids[new] = self.server.subscribe(*new)
            self.subscribers.lists[new] = top_k(self.objects, new, self.k, self.subscribers.descending)


def run(world: dict[str, Any], stream: Any, share: float, seed: int, **options: Any) -> None:
    places = [value for kind, _, value, _ in stream if kind in ("insert", "move")]
    it = World(world, places, share, seed, **options)
    for event in stream:
        messages = it.act(*event)
        if messages is not None:
            it.check(messages)
        it.come_and_go()


@MANY
@given(worlds(max_objects=10), events(), SHARE, PICK)
def test_every_list_is_exact_and_nobody_is_told_in_vain(
    world: dict[str, Any], stream: Any, share: float, seed: int
) -> None:
    run(world, stream, share, seed)


@MANY
@given(worlds(max_objects=10), events(), SHARE, PICK, st.sampled_from([0.125, 0.3, 0.5, 1.0]), st.booleans(), CUTS)
def test_epsilon_and_descending_rank(
    world: dict[str, Any], stream: Any, share: float, seed: int, epsilon: float, descending: bool, cut: str
) -> None:
    run(world, stream, share, seed, epsilon=epsilon, descending=descending, cut=cut)


@MANY
@given(worlds(max_objects=10), events(), SHARE, PICK, st.integers(1, 12))
def test_a_sketch_keeps_lists_exact(
    world: dict[str, Any], stream: Any, share: float, seed: int, rectangles: int
) -> None:
    run(world, stream, share, seed, sketch=rectangles)


@pytest.mark.parametrize("distinct", [5, 10**6])
@pytest.mark.parametrize("options", [{}, {"epsilon": 0.4}, {"epsilon": 0.4, "cut": "tiles"}, {"sketch": 7}])
def test_seeded_streams(distinct: int, options: dict[str, Any]) -> None:
    rng = np.random.default_rng(distinct)
    for seed in range(5):
        world, stream = seeded_stream(rng, (8, 30), 7, 15, distinct)
        run(world, stream, float(rng.choice([0.02, 0.1, 0.5])), seed, **options)


@settings(deadline=None, max_examples=40)
@given(worlds(max_objects=6, max_k=3), events(("update", "insert", "delete"), 4), SHARE, PICK)
def test_theorem_4_at_most_twice_the_fewest(world: dict[str, Any], stream: Any, share: float, seed: int) -> None:
    """Per object, against the fewest disjoint rectangles around those to tell and nobody else; never above dense."""
    places = [value for kind, _, value, _ in stream if kind == "insert"]
    it = World(world, places, share, seed)
    dense = paint.Server(np.array(world["x"]), np.array(world["y"]), k=world["k"])
    ends = {end: at for at, end in enumerate(sorted({end for s in it.subscribers.lists for end in s}))}
    grid = {s: (ends[s[0]], ends[s[1]]) for s in it.subscribers.lists}
    for kind, which, value, other in stream:
        before = dict(it.objects)
        alive = sorted(before)
        messages = it.act(kind, which, value, other)
        if messages is None:
            continue
        i = max(it.objects) if kind == "insert" else alive[which % len(alive)]
        if kind == "insert":
            _, tiles = dense.insert(value, other)
        else:
            tiles = dense.delete(i) if kind == "delete" else dense.update(i, value)
        for h in set(before) | set(it.objects):
            region = set()
            for s, cell in grid.items():
                old, new = (top_k(state, s, it.k) for state in (before, it.objects))
                if old.get(h) != new.get(h) and (h == i or h in new):
                    region.add(cell)
            sent = int((messages.table["object"] == h).sum())
            assert sent <= int((tiles.table["object"] == h).sum())
            assert sent <= 2 * smallest_tiling(region, set(grid.values())), (before, it.objects, h)


@MANY
@given(worlds(max_objects=12), events(("update",), 6), st.sampled_from([0.2, 0.34, 0.5, 1.0]), PICK)
def test_theorem_7_bounds_the_messages_per_object(
    world: dict[str, Any], stream: Any, epsilon: float, seed: int
) -> None:
    it = World(world, [], 0.5, seed, epsilon=epsilon)
    for event in stream:
        messages = it.act(*event)
        if messages is not None:
            assert max(Counter(messages.table["object"].tolist()).values(), default=0) <= math.ceil(1 / epsilon)


def uniform(rng: np.random.Generator, n: int, m: int) -> tuple[Any, ...]:
    ids = rng.integers(0, n, 400)
    return rng.random(n), rng.random(n), np.sort(rng.random((m, 2)), axis=1), ids, rng.random(400)


@pytest.mark.parametrize(
    "indexes", [("tournament",), pytest.param(("tournament", "kd", "range"), marks=pytest.mark.slow)]
)
def test_replay_is_one_update_after_the_other_over_every_index(indexes: tuple[str, ...]) -> None:
    """Over the two others it is compiled anew, for nothing but this."""
    x, y, ranges, ids, ys = uniform(np.random.default_rng(8), 300, 3000)
    tables = []
    for index in indexes:
        server = paint.Server(x, y, k=6, algorithm="sparse", subscriptions=ranges, index=index)
        whole = server.replay(ids, ys)
        tables.append(whole.table.tolist())
        single = paint.Server(x, y, k=6, algorithm="sparse", subscriptions=SubscriptionIndex(*ranges.T), index=index)
        for event in range(len(ids)):
            rows = single.update(int(ids[event]), float(ys[event])).table
            assert rows.tolist() == whole.table[whole.offsets[event] : whole.offsets[event + 1]].tolist()
        assert single.costs == server.costs
    assert all(table == tables[0] for table in tables)


def test_a_coarser_sketch_sends_more() -> None:
    x, y, ranges, ids, ys = uniform(np.random.default_rng(9), 300, 3000)
    counts = []
    for sketch in (None, 2000, 300, 30, 1):
        server = paint.Server(x, y, k=6, algorithm="sparse", subscriptions=ranges, sketch=sketch)
        counts.append(len(server.replay(ids, ys)))
    dense = len(paint.Server(x, y, k=6).replay(ids, ys))
    assert counts == sorted(counts)
    assert counts[0] < counts[2] < counts[4] <= dense


def test_starting_low_in_the_tree_changes_nothing() -> None:
    """Many subscriptions, few objects: regions that start queries at the root and far below, checked by counting."""
    x, y, ranges, ids, ys = uniform(np.random.default_rng(10), 120, 20_000)
    server = paint.Server(x, y, k=4, algorithm="sparse", subscriptions=ranges)
    dense = paint.Server(x, y, k=4)
    left, right = ranges.T
    for i, new in zip(ids[:150].tolist(), ys[:150].tolist(), strict=True):
        told: list[Counter[tuple[int, int]]] = []
        for table in (server.update(i, new).table, dense.update(i, new).table):
            heard: Counter[tuple[int, int]] = Counter()
            for row in table:
                heard.update((int(s), int(row["object"])) for s in np.flatnonzero(reaches(row, left, right)))
            told.append(heard)
        assert told[0] == told[1]


def test_bad_subscriptions_change_nothing() -> None:
    x, y = [1.0, 2.0], [3.0, 4.0]
    server = paint.Server(x, y, k=1, algorithm="sparse", subscriptions=[[0.0, 1.0]])
    with pytest.raises(ValueError, match="l <= r"):
        server.subscribe(2.0, 1.0)
    with pytest.raises(ValueError, match="finite"):
        server.subscribe(math.nan, 1.0)
    with pytest.raises(TypeError, match="l must be a number"):
        server.subscribe("a", 1.0)
    with pytest.raises(UnknownSubscriptionError, match="id 1"):
        server.unsubscribe(1)
    with pytest.raises(TypeError, match="integer"):
        server.unsubscribe(0.5)  # type: ignore[arg-type]
    assert server.subscribe(-math.inf, math.inf) == 1
    assert len(server.update(1, 1.0)) == 1
    with pytest.raises(ValueError, match="needs subscriptions"):
        paint.Server(x, y, k=1, algorithm="sparse")
    with pytest.raises(ValueError, match="shape"):
        paint.Server(x, y, k=1, algorithm="sparse", subscriptions=[1.0, 2.0])
    with pytest.raises(ValueError, match="takes no sketch"):
        paint.Server(x, y, k=1, sketch=3)
    with pytest.raises(RangecastError, match="does not know"):
        paint.Server(x, y, k=1).subscribe(0.0, 1.0)
    sketched = paint.Server(x, y, k=1, algorithm="sparse", subscriptions=[[0.0, 1.0]], sketch=4)
    with pytest.raises(UnknownSubscriptionError, match="id 3"):
        sketched.unsubscribe(3)
    sketched.unsubscribe(0)
    with pytest.raises(UnknownSubscriptionError, match="id 0"):
        sketched.unsubscribe(0)
    assert len(sketched.update(0, 1.0)) == 0


def test_the_kernels_run_without_the_compiler() -> None:
    program = """
import numpy as np, paint
rng = np.random.default_rng(11)
ranges = np.sort(rng.random((80, 2)), axis=1)
server = paint.Server(rng.random(20), rng.random(20), k=3, algorithm="sparse", subscriptions=ranges)
assert len(server.replay(rng.integers(0, 20, 20), rng.random(20))) > 0
"""
    run_uncompiled(program)
