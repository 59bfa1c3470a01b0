"""Windows in which objects enter, leave and move: exact lists at the end, nothing told twice or in vain."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paint
from paint.indexes import INDEXES
from tests.oracles.topk import Objects, Subscribers, reaches, top_k
from tests.strategies import events, worlds

Event = tuple[int, float, float]


def window(objects: Objects, changes: list[tuple[str, int, float, float]], fresh: int) -> tuple[list[Event], Objects]:
    """Events as the server takes them, and the objects after them."""
    found: list[Event] = []
    objects = dict(objects)
    for kind, which, value, other in changes:
        if kind == "insert" or not objects:
            i, fresh = fresh, fresh + 1
            objects[i] = (value, other)
        else:
            i = sorted(objects)[which % len(objects)]
            x, y = objects[i]
            objects[i] = {"update": (x, value), "move": (value, y), "delete": (x, math.inf)}[kind]
        found.append((i, *objects[i]))
        if kind == "delete" and objects[i][1] == math.inf:
            del objects[i]
    return found, objects


def check(world: dict[str, list[float]], windows: list[list[tuple[str, int, float, float]]], k: int,
          index: str = "tournament", sign: float = 1.0, epsilon: float | None = None) -> None:  # fmt: skip
    objects = dict(enumerate(zip(world["x"], world["y"], strict=True)))
    y = [sign * value for value in world["y"]]
    places = [value for changes in windows for _, _, value, _ in changes]
    server = paint.Server(world["x"], y, k=k, index=index, descending=sign < 0, epsilon=epsilon)
    subscribers = Subscribers(objects, k, places=places, epsilon=epsilon)
    fresh = len(objects)
    for changes in windows:
        stream, objects = window(objects, changes, fresh)
        fresh = max([fresh, *(i + 1 for i, _, _ in stream)])
        table = server.window([(i, x, sign * y) for i, x, y in stream]).table.copy()
        table["y"] *= sign
        subscribers.event(table, objects)


@settings(deadline=None, max_examples=60)
@given(world=worlds(max_objects=7), windows=st.lists(events(max_events=7), min_size=1, max_size=2))
def test_lists_are_exact(world: dict[str, list[float]], windows: list[list[tuple[str, int, float, float]]]) -> None:
    check(world, windows, int(world["k"]))  # type: ignore[call-overload]


@settings(deadline=None, max_examples=60)
@given(
    world=worlds(max_objects=10, max_k=7),
    windows=st.lists(events(max_events=7), min_size=1, max_size=2),
    epsilon=st.sampled_from([0.25, 0.4, 0.5, 1.0]),
)
def test_epsilon_keeps_lists_exact_and_ranks_near(
    world: dict[str, list[float]], windows: list[list[tuple[str, int, float, float]]], epsilon: float
) -> None:
    check(world, windows, int(world["k"]), epsilon=epsilon)  # type: ignore[call-overload]


@pytest.mark.parametrize("index", sorted(INDEXES))
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_every_index_and_both_directions(index: str, sign: float) -> None:
    rng = np.random.default_rng(5)
    for trial in range(8):
        span = 5 if trial % 2 else 100
        x, y = rng.integers(span, size=(2, 8)).astype(float).tolist()
        kinds = rng.choice(["update", "insert", "delete", "move"], size=(2, 6)).tolist()
        windows = [
            [(kind, int(rng.integers(9)), *map(float, rng.integers(span, size=2))) for kind in some] for some in kinds
        ]
        check({"x": x, "y": y}, windows, 1 + trial % 4, index, sign)


def test_sparse_sends_nothing_that_reaches_nobody_and_keeps_lists_right() -> None:
    rng = np.random.default_rng(6)
    for trial in range(20):
        x, y = rng.integers(6, size=(2, 8)).astype(float).tolist()
        ranges = np.sort(rng.integers(7, size=(9, 2)), axis=1).astype(float)
        server = paint.Server(x, y, k=2, algorithm="sparse", subscriptions=ranges)
        objects = dict(enumerate(zip(x, y, strict=True)))
        kinds = rng.choice(["update", "insert", "delete", "move"], size=6).tolist()
        changes = [(kind, int(rng.integers(9)), *map(float, rng.integers(6, size=2))) for kind in kinds]
        stream, after = window(objects, changes, 8)
        subscribers = Subscribers(objects, 2)
        subscribers.lists = {(left, right): top_k(objects, (left, right), 2) for left, right in ranges.tolist()}
        table = server.window(stream).table
        subscribers.event(table, after)
        for row in table:
            assert reaches(row, *ranges.T).any(), trial


@pytest.mark.parametrize("epsilon", [0.25, 0.5, 1.0])
def test_sparse_with_epsilon_keeps_lists_exact_and_ranks_near(epsilon: float) -> None:
    rng = np.random.default_rng(7)
    sent = 0
    for trial in range(12):
        span = 6 if trial % 3 == 0 else 1000
        x, y = rng.integers(span, size=(2, 15)).astype(float).tolist()
        ranges = np.sort(rng.integers(span, size=(40, 2)), axis=1).astype(float)
        k, sign = 2 + trial % 4, -1.0 if trial % 2 else 1.0
        server = paint.Server(
            x, [sign * value for value in y], k=k, algorithm="sparse", subscriptions=ranges, epsilon=epsilon,
            cut="tiles" if trial % 4 > 1 else None, descending=sign < 0,
        )  # fmt: skip
        objects = dict(enumerate(zip(x, y, strict=True)))
        subscribers = Subscribers(objects, k, epsilon=epsilon)
        subscribers.lists = {(left, right): top_k(objects, (left, right), k) for left, right in ranges.tolist()}
        fresh = 15
        for only_y in (True, False):
            some = ["update", "delete"] if only_y else ["update", "insert", "delete", "move"]
            kinds = rng.choice(some, size=9).tolist()
            changes = [(kind, int(rng.integers(15)), *map(float, rng.integers(span, size=2))) for kind in kinds]
            stream, objects = window(objects, changes, fresh)
            fresh = max([fresh, *(i + 1 for i, _, _ in stream)])
            table = server.window([(i, x, sign * y) for i, x, y in stream]).table.copy()
            table["y"] *= sign
            subscribers.event(table, objects)
            sent += len(table)
            for row in table:
                assert reaches(row, *ranges.T).any(), trial
    assert sent > 50


def test_sparse_tells_those_at_the_old_and_at_the_new_place_apart() -> None:
    server = paint.Server([0.5], [1.0], k=1, algorithm="sparse", subscriptions=[[0.0, 1.0], [4.0, 5.0]])
    table = server.window([(0, 4.5, 1.0)]).table
    assert table[["l_in", "r_in"]].tolist() == [(0.0, 1.0), (4.0, 5.0)]


def test_what_comes_and_goes_takes_its_id() -> None:
    server = paint.Server([1.0], [1.0], k=1)
    assert len(server.window([(1, 5.0, 0.5), (1, 5.0, math.inf)])) == 0
    with pytest.raises(ValueError, match="object_id = 1 is not an object"):
        server.update(1, 2.0)
    assert server.insert(2.0, 2.0)[0] == 2


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ((4, 1.0, 1.0), "object_id = 4 is not an object"),
        ((0, math.nan, 1.0), "x must be finite"),
        ((0, 1.0, -math.inf), "y must be finite"),
        ((1, 2.0, 3.0), "object 1 is deleted; no later event may name it"),
    ],
)
def test_a_refused_window_changes_nothing(wrong: Event, text: str) -> None:
    server = paint.Server([1.0, 2.0], [1.0, 2.0], k=1)
    with pytest.raises(ValueError, match=text):
        server.window([(1, 2.0, math.inf), (2, 4.0, 4.0), wrong])
    assert len(server.update(1, 0.5)) == 1
    assert server.insert(3.0, 3.0)[0] == 2


def test_only_dense_and_sparse_have_windows() -> None:
    with pytest.raises(ValueError, match="are for dense and sparse"):
        paint.Server([1.0], [1.0], k=1, algorithm="relax").window([(0, 1.0, 2.0)])
