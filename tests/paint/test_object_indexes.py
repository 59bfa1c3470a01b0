"""One suite over all object indexes: sound, complete and valid after every change, against sorted lists."""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import paint
from paint.indexes import INDEXES
from tests.oracles.objects import Objects

every_index = pytest.mark.parametrize("name", sorted(INDEXES))
coarse = st.integers(0, 6).map(float)
steps = st.lists(
    st.tuples(st.sampled_from(["update", "insert", "delete", "again"]), st.integers(0, 10**6), coarse, coarse),
    max_size=40,
)


def make(name: str, x: list[float], y: list[float]) -> Any:
    return INDEXES[name](np.array(x, np.float64), np.array(y, np.float64))


def ask(index: Any, oracle: Objects, rng: np.random.Generator, span: float) -> None:
    """Compare a few random questions, some of them about values that objects have, some about open ends."""
    live = list(oracle.at)
    for _ in range(3):
        if live:
            chosen = live[rng.integers(len(live))]
            other = live[rng.integers(len(live))]
            for y in (oracle.at[chosen][1], oracle.at[other][1], rng.random() * span):
                for west in (True, False):
                    k = int(rng.choice([1, 2, 5, 50]))
                    assert index.first_k(chosen, y, west, k).tolist() == oracle.first_k(chosen, y, west, k)
        ends = [place[0] for place in oracle.at.values()] + [-math.inf, math.inf, rng.random() * span]
        left, right = rng.choice(ends), rng.choice(ends)
        y = rng.choice([place[1] for place in oracle.at.values()] + [-math.inf])
        chosen = int(rng.integers(-1, 60))
        assert index.min_y(left, right, y, chosen) == oracle.min_y(left, right, y, chosen)


@every_index
@settings(deadline=None, max_examples=40)
@given(points=st.lists(st.tuples(coarse, coarse), max_size=30), changes=steps, seed=st.integers(0, 2**32 - 1))
def test_stream_with_ties(
    name: str, points: list[tuple[float, float]], changes: list[tuple[str, int, float, float]], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    x, y = [place[0] for place in points], [place[1] for place in points]
    index, oracle = make(name, x, y), Objects(x, y)
    born = len(points)
    dead: list[int] = []
    index._check()
    for change, pick, new_x, new_y in changes:
        live = list(oracle.at)
        if change == "insert" or not live or (change == "again" and not dead):
            arguments = (born, new_x, new_y)
            born += 1
            index.insert(*arguments)
            oracle.insert(*arguments)
        elif change == "again":
            chosen = dead.pop(pick % len(dead))
            index.insert(chosen, new_x, new_y)
            oracle.insert(chosen, new_x, new_y)
        elif change == "update":
            chosen = live[pick % len(live)]
            index.update(chosen, new_y)
            oracle.update(chosen, new_y)
        else:
            chosen = live[pick % len(live)]
            index.delete(chosen)
            oracle.delete(chosen)
            dead.append(chosen)
        index._check()
        ask(index, oracle, rng, 6)


@every_index
@pytest.mark.parametrize("pattern", ["random", "ascending", "one place", "same x"])
def test_long_stream(name: str, pattern: str) -> None:
    rng = np.random.default_rng(7)
    n = 150
    x, y = rng.random(n), rng.random(n)
    if pattern == "same x":
        x[:] = 0.5
    index, oracle = make(name, x.tolist(), y.tolist()), Objects(x.tolist(), y.tolist())
    for step in range(300):
        new_x = {"random": rng.random(), "ascending": float(step), "one place": 0.5 + 1e-9 * step, "same x": 0.5}[
            pattern
        ]
        live = list(oracle.at)
        chosen = live[rng.integers(len(live))]
        if step % 3 == 0:
            index.insert(n + step, new_x, rng.random())
            oracle.insert(n + step, *_position(index, n + step))
        elif step % 5 == 0:
            index.delete(chosen)
            oracle.delete(chosen)
        else:
            new_y = 0.001 * rng.random() if pattern == "ascending" else rng.random()
            index.update(chosen, new_y)
            oracle.update(chosen, new_y)
        if step % 20 == 0:
            index._check()
        ask(index, oracle, rng, 1)


def _position(index: Any, chosen: int) -> tuple[float, float]:
    return float(index.arrays.x[chosen]), float(index.arrays.y[chosen])


class Asked(NamedTuple):
    """Questions to an index of 2000 objects, and its answers."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    i: int
    bound: float
    west: NDArray[np.int64]
    east: NDArray[np.int64]
    left: float
    right: float
    lowest: int


def random_questions(name: str, seed: int) -> Iterator[Asked]:
    rng = np.random.default_rng(seed)
    x, y = rng.random(2000), rng.random(2000)
    index = make(name, x.tolist(), y.tolist())
    for _ in range(200):
        i, bound = int(rng.integers(2000)), rng.random()
        west, east = (index.first_k(i, bound, side, 9) for side in (True, False))
        left, right = np.sort(rng.random(2)).tolist()
        yield Asked(x, y, i, bound, west, east, left, right, index.min_y(left, right, bound, i))


@every_index
def test_soundness(name: str) -> None:
    """What first_k and min_y return satisfies the question, whoever else might."""
    for x, y, i, bound, west, east, left, right, h in random_questions(name, 3):
        assert np.all(y[west] < bound)
        assert np.all(y[east] < bound)
        assert np.all(np.diff(x[west]) < 0)
        assert np.all(np.diff(x[east]) > 0)
        assert np.all(x[west] < x[i])
        assert np.all(x[east] > x[i])
        assert h < 0 or (left < x[h] < right and y[h] > bound)


@every_index
def test_completeness(name: str) -> None:
    """Nothing that satisfies the question is nearer or lower than what they return."""
    for x, y, i, bound, west, east, left, right, h in random_questions(name, 4):
        reach = x[east[-1]] if len(east) == 9 else 1.0
        assert np.count_nonzero((x > x[i]) & (x <= reach) & (y < bound)) == len(east)
        reach = x[west[-1]] if len(west) == 9 else 0.0
        assert np.count_nonzero((x < x[i]) & (x >= reach) & (y < bound)) == len(west)
        ceiling = y[h] if h >= 0 else math.inf
        assert not np.any((x > left) & (x < right) & (y > bound) & (y < ceiling))


@every_index
def test_emptied_and_filled_again(name: str) -> None:
    rng = np.random.default_rng(5)
    x = rng.random(100)
    index = make(name, x.tolist(), x.tolist())
    for i in rng.permutation(100):
        index.delete(int(i))
        index._check()
    assert index.min_y(-math.inf, math.inf, -math.inf, -1) == -1
    for i in rng.permutation(100):
        index.insert(int(i), x[i], 1 - x[i])
        index._check()
    assert index.min_y(-math.inf, math.inf, -math.inf, -1) == np.argmax(x)


@settings(deadline=None, max_examples=40)
@given(
    points=st.lists(st.tuples(coarse, coarse), min_size=1, max_size=25),
    changes=st.lists(st.tuples(st.sampled_from("uuuuidm"), st.integers(0, 10**6), coarse, coarse), max_size=25),
    k=st.integers(1, 4),
)
def test_servers_send_the_same(
    points: list[tuple[float, float]], changes: list[tuple[str, int, float, float]], k: int
) -> None:
    """Same messages, same order, same counters over every index."""
    x, y = [place[0] for place in points], [place[1] for place in points]
    sent = [_stream(paint.Server(x, y, k=k, index=name), len(points), changes) for name in sorted(INDEXES)]
    assert sent[0] == sent[1] == sent[2]


def _stream(server: paint.Server, n: int, changes: list[tuple[str, int, float, float]]) -> list[Any]:
    live = list(range(n))
    log: list[Any] = []
    for change, pick, new_x, new_y in changes:
        if change == "i" or not live:
            born, messages = server.insert(new_x, new_y)
            live.append(born)
        elif change == "d":
            messages = server.delete(live.pop(pick % len(live)))
        elif change == "m":
            messages = server.move(live[pick % len(live)], new_x)
        else:
            messages = server.update(live[pick % len(live)], new_y)
        log.append((messages.table.tolist(), server.costs))
    return log
