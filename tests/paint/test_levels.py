"""The cut by levels against its definition at every subscription, and what each cut trades for what."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paint
from tests.oracles.levels import rank, told
from tests.oracles.topk import Objects, distinct_subscriptions, reaches
from tests.paint.test_paper import uniform
from tests.paint.test_paper_sparse import received, uniform_index

EVENTS = 6000
SIDES = ("l_in", "r_in", "l_out", "r_out")


def check(x: list[float], y: list[float], changes: list[tuple[int, float]], k: int, epsilon: float) -> None:
    """Every event reaches, object by object, whom the definition says."""
    server = paint.Server(x, y, k=k, epsilon=epsilon)
    everyone = distinct_subscriptions(x)
    objects: Objects = dict(enumerate(zip(x, y, strict=True)))
    for i, value in changes:
        after = objects | {i: (objects[i][0], value)}
        reached: dict[int, set[Any]] = {}
        for message in server.update(i, value).table:
            some = reached.setdefault(int(message["object"]), set())
            some |= {s for s in everyone if reaches(message, *s)}
        right = told(objects, after, i, k, epsilon, everyone) if after != objects else {}
        assert reached == right, (objects, i, value)
        objects = after


@settings(deadline=None, max_examples=40)
@given(
    y=st.lists(st.integers(0, 12).map(float), min_size=1, max_size=11),
    changes=st.lists(st.tuples(st.integers(0, 10), st.integers(0, 12).map(float)), max_size=4),
    k=st.integers(1, 8),
    epsilon=st.sampled_from([0.125, 0.25, 0.3, 0.5, 0.75, 1.0]),
)
def test_whom_it_reaches(y: list[float], changes: list[tuple[int, float]], k: int, epsilon: float) -> None:
    x = [float(at * 7 % 101) for at in range(1, len(y) + 1)]
    check(x, y, [(i % len(y), value) for i, value in changes], k, epsilon)


@pytest.mark.parametrize(("k", "epsilon"), [(5, 0.25), (7, 0.5), (8, 0.3)])
def test_whom_it_reaches_in_seeded_instances(k: int, epsilon: float) -> None:
    rng = np.random.default_rng(k)
    for _ in range(4):
        x, y = rng.permutation(24).astype(float).tolist(), rng.random(24).tolist()
        check(x, y, [(int(rng.integers(24)), rng.random()) for _ in range(4)], k, epsilon)


def test_levels_of_k_5_and_a_quarter() -> None:
    """At floor(j 5 / 4): levels 0, 1 and 2 alone, 3 and 4 together; sublists of tiles would be two, two and one."""
    x, y = np.arange(11.0), np.array([1.0, 2, 3, 4, 5, 20, 5, 4, 3, 2, 1])
    sides = {}
    for cut in ("levels", "tiles"):
        table = paint.Server(x, y, k=5, epsilon=0.25, cut=cut).update(5, 19.0).table
        sides[cut] = [(row["l_out"], row["l_in"], row["r_out"]) for row in table]
    assert sides["levels"] == [(0.0, 2.0, 7.0), (2.0, 3.0, 8.0), (3.0, 4.0, 9.0), (4.0, 5.0, 10.0)]
    assert sides["tiles"] == [(0.0, 2.0, 7.0), (2.0, 4.0, 9.0), (4.0, 5.0, 10.0)]


def test_strips_are_levels_where_ties_are_broken_by_id() -> None:
    """Boxes about the updated object are those of levels if every object had an x of its own, but for empty ones."""
    wider = 0
    for seed in range(120):
        rng = np.random.default_rng(seed)
        n, k, epsilon = int(rng.integers(1, 30)), int(rng.integers(5, 9)), float(rng.choice([0.25, 0.5, 1.0]))
        x = np.sort(rng.integers(0, 6, n)) * 1.0  # in the order of (x, id) each has its id as its place
        y, i, value = rng.random(n), int(rng.integers(n)), float(rng.random())
        apart = paint.Server(np.arange(n) * 1.0, y, k=k, epsilon=epsilon).update(i, value).table
        there = {-np.inf: -np.inf, np.inf: np.inf} | dict(enumerate(x.tolist()))
        sides = [[there[float(row[side])] for side in SIDES] for row in apart[apart["cause"] == paint.UPDATE]]
        right = [row for row in sides if row[2] < row[0] and row[1] < row[3]]
        strips, levels = (
            paint.Server(x, y, k=k, epsilon=epsilon, cut=cut).update(i, value).table for cut in ("strips", "levels")
        )
        assert [[row[side] for side in SIDES] for row in strips[strips["cause"] == paint.UPDATE]] == right
        wider += strips.tobytes() != levels.tobytes()
        distinct = rng.permutation(n) * 1.0
        one, other = (paint.Server(distinct, y, k=k, epsilon=epsilon, cut=cut) for cut in ("strips", "levels"))
        assert one.update(i, value).table.tobytes() == other.update(i, value).table.tobytes()
    assert wider > 20


@pytest.mark.parametrize("cut", ["levels", "strips", "tiles"])
@pytest.mark.parametrize(("k", "epsilon", "joined"), [(5, 0.25, 2), (6, 0.5, 3), (8, 0.25, 2)])
def test_theorem_7_is_met_at_both_ends(k: int, epsilon: float, joined: int, cut: str) -> None:
    """What is told ranks up to k + s - 1, and what is exposed from k - s + 1 on, for s levels joined; not beyond."""
    rng = np.random.default_rng(7)
    x, y = (rng.permutation(30).astype(float).tolist() for _ in range(2))
    server, everyone = paint.Server(x, y, k=k, epsilon=epsilon, cut=cut), distinct_subscriptions(x)
    objects: Objects = dict(enumerate(zip(x, y, strict=True)))
    told_of, exposed = set(), set()
    for i, value in zip(rng.integers(30, size=6).tolist(), (30 * rng.random(6)).tolist(), strict=True):
        after = objects | {i: (objects[i][0], value)}
        for message in server.update(i, value).table:
            h = int(message["object"])
            for s in everyone:
                if reaches(message, *s):
                    before, now = rank(objects, s, h), rank(after, s, h)
                    assert before is not None, f"{s} is told of object {h}, out of its range"
                    assert now is not None
                    told_of.add(min(before, now))
                    exposed |= {now} if message["cause"] == paint.EXPOSED else set()
        objects = after
    assert max(told_of) == k + joined - 1
    assert min(exposed) == k - joined + 1


@pytest.mark.parametrize(("k", "epsilon"), [(5, 0.25), (10, 0.125)])
def test_levels_trade_messages_for_redundancy(k: int, epsilon: float) -> None:
    """Where epsilon k = 1.25 the cut by tiles sends fewer messages, and more than twice as many of them in vain."""
    x, y, ids, new = uniform(1)
    index = uniform_index(200_000)
    counts, messages = {}, {}
    for cut in (None, "levels", "tiles"):
        server = paint.Server(x, y, k=k, epsilon=epsilon if cut else None, cut=cut)
        rows = server.replay(ids[:EVENTS], new[:EVENTS])
        counts[cut], messages[cut] = received(rows, index), len(rows)
    levels, tiles = (counts[cut] / counts[None] - 1 for cut in ("levels", "tiles"))
    assert 0 < 2 * levels < tiles
    assert messages["tiles"] < messages["levels"] < messages[None]
