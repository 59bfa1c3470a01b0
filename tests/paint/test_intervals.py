"""The search by intervals of Appendix D: questions by scanning, calls by definition, and the same messages."""

from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

import paint
from paint.corner_index import IntervalIndex
from paint.interval_queries import Within, first_k, least_x2, least_y
from tests.oracles.intervals_15d import Placed, asked
from tests.uncompiled import run_uncompiled

KINDS = ("update", "insert", "delete", "move")
ALGORITHMS = ("dense", "sparse", "sparse-tiles", "unicast")


def objects_of(rng: np.random.Generator, n: int, distinct: int) -> tuple[Any, Any]:
    return rng.integers(0, distinct, (n, 2)) * 1.0, rng.integers(0, distinct, n) * 1.0


@pytest.mark.parametrize("seed", range(6))
def test_questions_are_answered_as_by_scanning(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, distinct = 60, int(rng.choice([4, 1000]))
    x, y = objects_of(rng, n, distinct)
    index = IntervalIndex(x, y)
    for h in rng.choice(n, 10, replace=False).tolist():
        index.delete(h)
    live = [h for h in range(n) if index.arrays.leaf[h] >= 0]
    out, waiting = np.empty(3, np.int64), np.empty(4 * n, np.int64)
    for _ in range(40):
        i = int(rng.choice(live))
        better = [h for h in live if (y[h], h) < (y[i], i)]
        for west in (True, False):
            beside = sorted(
                ((x[h, 0], h) for h in better if x[h, 1] <= x[i, 1] and ((x[h, 0], h) < (x[i, 0], i)) == west),
                reverse=west,
            )
            found = first_k(index.arrays, i, west, 3, out, waiting)
            assert out[:found].tolist() == [h for _, h in beside[:3]]
        left, right, low, high = [*np.sort(rng.integers(0, distinct, 2)), *np.sort(rng.integers(0, distinct, 2))]
        box = Within(float(left), float(right), float(low), float(high))
        inside = [h for h in live if left <= x[h, 0] <= right and low <= x[h, 1] <= high]
        after = int(rng.integers(0, n))
        above = [(x[h, 1], h) for h in inside if h in better and (x[h, 1], h) > (low, after)]
        assert least_x2(index.arrays, box, after, i, waiting) == min(above, default=(0.0, -1))[1]
        j = int(rng.choice(live))
        between = [(y[h], h) for h in inside if (y[i], i) < (y[h], h) < (y[j], j)]
        assert least_y(index.arrays, box, y[i], i, y[j], j, waiting) == min(between, default=(0.0, -1))[1]


def both(x: Any, y: Any, **settings: Any) -> tuple[paint.Server, paint.Server]:
    first, second = (paint.Server(x, y, dimensions=1.5, index=index, **settings) for index in ("kd", "intervals"))
    return first, second


def send(servers: tuple[paint.Server, ...], kind: str, i: int, place: Any, value: float) -> list[paint.Messages]:
    if kind == "update":
        return [server.update(i, value) for server in servers]
    if kind == "insert":
        return [server.insert(place, value)[1] for server in servers]
    return [server.delete(i) if kind == "delete" else server.move(i, place) for server in servers]


def compare_messages() -> None:
    for seed, algorithm in product(range(25), ALGORITHMS):
        rng = np.random.default_rng(seed)
        distinct, n = int(rng.choice([3, 6, 1000])), int(rng.choice([0, 1, 3, 9, 25]))
        x, y = objects_of(rng, n, distinct)
        settings: dict[str, Any] = {"k": int(rng.choice([1, 2, 3, 5])), "algorithm": algorithm}
        if algorithm != "dense":
            ends = np.sort(rng.integers(0, distinct, (60, 2)), axis=1)
            settings["subscriptions"] = np.column_stack((ends, rng.integers(0, distinct, 60))) * 1.0
        servers = both(x, y, **settings)
        live, fresh = list(range(n)), n
        for kind in rng.choice(KINDS, 10, p=[0.6, 0.1, 0.1, 0.2]).tolist():
            place, value = objects_of(rng, 1, distinct)
            if kind != "insert" and not live:
                continue
            i = fresh if kind == "insert" else int(rng.choice(live))
            one, other = send(servers, kind, i, place[0], float(value[0]))
            assert one.table.tobytes() == other.table.tobytes()
            if kind == "insert":
                live.append(i)
                fresh += 1
            elif kind == "delete":
                live.remove(i)


def compare_a_window() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.random((40, 2)), rng.random(40)
    one, other = both(x, y, k=3)
    events = [(int(i), rng.random(2), float(rng.random())) for i in rng.integers(0, 40, 8)]
    assert one.window(events).table.tobytes() == other.window(events).table.tobytes()


def test_messages_are_those_of_the_search_over_corners() -> None:
    run_uncompiled("from tests.paint.test_intervals import *; compare_messages(); compare_a_window()")


def test_a_replayed_stream_has_the_messages_and_calls_of_single_updates() -> None:
    rng = np.random.default_rng(4)
    x, y, ids, ys = rng.random((60, 2)), rng.random(60), rng.integers(0, 60, 40), rng.random(40)
    corners, intervals = both(x, y, k=3)
    single = paint.Server(x, y, k=3, dimensions=1.5, index="intervals")
    told = [single.update(i, value).table for i, value in zip(ids.tolist(), ys.tolist(), strict=True)]
    stream = intervals.replay(ids, ys)
    assert stream.table.tobytes() == corners.replay(ids, ys).table.tobytes() == np.concatenate(told).tobytes()
    assert intervals.costs == single.costs
    assert stream.costs is not None
    assert stream.costs.sum(axis=0).tolist() == [
        intervals.costs[name] for name in ("first_k", "min_y", "snap", "empty")
    ]
    assert "min_x2" not in corners.costs


def test_calls_are_those_that_appendix_d_makes() -> None:
    exposed = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n, k = int(rng.integers(2, 40)), int(rng.integers(1, 5))
        columns = [rng.permutation(n) * 1.0 for _ in range(3)]
        objects: Placed = {i: (columns[0][i], columns[1][i], columns[2][i]) for i in range(n)}
        i, new = int(rng.integers(n)), int(rng.integers(-1, n)) + 0.5
        server = paint.Server(np.stack(columns[:2], axis=1), columns[2], k=k, dimensions=1.5, index="intervals")
        nobody = paint.Server(
            np.stack(columns[:2], axis=1), columns[2], k=k, dimensions=1.5, index="intervals",
            algorithm="sparse-tiles", subscriptions=[],
        )  # fmt: skip
        table = server.update(i, new).table
        assert len(nobody.update(i, new)) == 0
        assert nobody.paper_costs["min_y"] == asked(objects, i, new, k, nobody=True).min_y
        right = asked(objects, i, new, k)
        assert server.costs == {"first_k": 2, "min_x2": right.min_x2, "min_y": right.min_y, "snap": 0, "empty": 0}
        assert set(table["object"][table["cause"] == paint.EXPOSED].tolist()) <= set(right.exposed)
        exposed += len(right.exposed)
    assert exposed > 50


def test_paint_sparse_snaps_a_tile_of_paint_dense_each() -> None:
    rng = np.random.default_rng(6)
    x, y, ids, ys = rng.random((80, 2)), rng.random(80), rng.integers(0, 80, 60), rng.random(60)
    everywhere = [[-1.0, 2.0, 2.0]]
    dense = paint.Server(x, y, k=3, dimensions=1.5, index="intervals")
    sparse = paint.Server(
        x, y, k=3, dimensions=1.5, index="intervals", algorithm="sparse-tiles", subscriptions=everywhere
    )
    nobody = paint.Server(x, y, k=3, dimensions=1.5, index="intervals", algorithm="sparse-tiles", subscriptions=[])
    messages = dense.replay(ids, ys)
    table = messages.table
    own = table["cause"] == paint.UPDATE
    sparse.replay(ids, ys)
    assert len(nobody.replay(ids, ys)) == 0
    # One that holds everything is reached by every object, as long as it has not found its replacement.
    assert np.count_nonzero(own) < sparse.paper_costs["snap"] <= len(own)
    assert sparse.costs["snap"] < np.count_nonzero(own)
    # Where nobody is, the first object that was found is looked at all the same, and nothing else.
    objects: Placed = {h: (x[h, 0], x[h, 1], y[h]) for h in range(len(y))}
    of_first = 0
    for (start, end), i, new in zip(pairwise(messages.offsets), ids.tolist(), ys.tolist(), strict=True):
        exposed = asked(objects, i, new, 3, nobody=True).exposed
        of_first += int(np.isin(table["object"][start:end], exposed).sum())
        objects[i] = (*objects[i][:2], new)
    assert 0 < of_first == nobody.paper_costs["snap"] - np.count_nonzero(own)
    assert nobody.costs["snap"] == 0
    assert 0 < nobody.costs["min_y"] < nobody.paper_costs["min_y"] < dense.costs["min_y"]
    assert sparse.paper_costs["min_x2"] == nobody.paper_costs["min_x2"] == dense.costs["min_x2"]


def test_intervals_are_of_1_5_dimensions() -> None:
    with pytest.raises(ValueError, match="index must be one of kd in 2 dimensions, got 'intervals'"):
        paint.Server([(1.0, 2.0)], [1.0], k=1, dimensions=2, index="intervals")
