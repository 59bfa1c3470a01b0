"""Errors of the paper, as `docs/errata.md` lists them: a small example goes wrong as printed, and right here."""

import math
from itertools import pairwise

import numpy as np
import pytest

import paint
from tests.oracles.printed import Tile, algorithm_5, unicast_replacement
from tests.oracles.topk import Entries, Objects, distinct_subscriptions, reaches, receive, top_k


def exposed(objects: Objects, i: int, h: int, k: int) -> tuple[list[Tile], list[Tile]]:
    """Tiles of h, east of i and just above it, as i is lowered past h and no further: as printed, and ours."""
    order = sorted(objects, key=lambda j: (objects[j][1], j))
    better = [objects[j][0] for j in order[: order.index(i)]]
    x, x_h = objects[i][0], objects[h][0]
    west, east = (
        sorted((abs(x - place), place) for place in better if (place < x) == side) for side in (True, False)
    )
    printed = algorithm_5(x_h, x, [place for _, place in west][:k], [place for _, place in east][:k], k)
    xs, ys = zip(*(objects[j] for j in sorted(objects)), strict=True)
    beyond = min([y for y in ys if y > objects[h][1]], default=objects[h][1] + 2)
    table = paint.Server(xs, ys, k=k).update(i, (objects[h][1] + beyond) / 2).table
    ours = table[(table["object"] == h) & (table["cause"] == paint.EXPOSED)]
    return printed, [tuple(row)[:4] for row in ours.tolist()]


def wrongly_told(objects: Objects, i: int, h: int, k: int, tiles: list[Tile]) -> tuple[int, int, int]:
    """Ranges that gain h as i falls past it and are not told; that are told and do not; that do not even hold h."""
    after = objects | {i: (objects[i][0], objects[h][1] + 1e-9)}
    rows = [dict(zip(("l_in", "r_in", "l_out", "r_out"), tile, strict=True)) for tile in tiles]
    missed = vain = stray = 0
    for s in distinct_subscriptions(x for x, _ in objects.values()):
        gains = h in top_k(after, s, k) and h not in top_k(objects, s, k)
        told = any(reaches(row, *s) for row in rows)
        missed, vain = missed + (gains and not told), vain + (told and not gains)
        stray += told and not s[0] <= objects[h][0] <= s[1]
    return missed, vain, stray


def test_algorithm_5_tells_those_who_hold_the_object() -> None:
    """Two objects and k = 2: whoever has both in range holds both, and nobody gains anything."""
    objects: Objects = {0: (1.0, 1.0), 1: (2.0, 2.0)}
    printed, ours = exposed(objects, 0, 1, 2)
    assert printed == [(1.0, 2.0, -math.inf, math.inf)]
    assert wrongly_told(objects, 0, 1, 2, printed) == (0, 9, 0)
    assert ours == []


def test_algorithm_5_tells_those_who_do_not_hold_the_place() -> None:
    """For k = 1 and a better object on either side, the loop tells of h also ranges that end before it."""
    objects: Objects = {0: (0.0, 0.0), 1: (1.0, 1.0), 2: (2.0, 2.0), 3: (3.0, 0.5)}
    printed, ours = exposed(objects, 1, 2, 1)
    assert printed == [(1.0, 1.0, 0.0, 3.0)]
    assert ours == [(1.0, 2.0, 0.0, 3.0)]
    assert wrongly_told(objects, 1, 2, 1, printed) == (0, 4, 4)


def test_algorithm_5_on_random_instances() -> None:
    """Wrong in a share of them, where ours is right in all."""
    rng = np.random.default_rng(5)
    tried = vain = stray = 0
    for _ in range(300):
        n, k = int(rng.integers(3, 8)), int(rng.integers(1, 5))
        x, y = rng.permutation(n).astype(float).tolist(), rng.permutation(n).astype(float).tolist()
        objects: Objects = dict(enumerate(zip(x, y, strict=True)))
        order = sorted(objects, key=lambda j: y[j])
        pairs = [(i, h) for i, h in pairwise(order) if x[h] > x[i]]
        if pairs:
            i, h = pairs[int(rng.integers(len(pairs)))]
            printed, ours = exposed(objects, i, h, k)
            wrong = wrongly_told(objects, i, h, k, printed)
            tried, vain, stray = tried + 1, vain + (wrong[1] > 0), stray + (wrong[2] > 0)
            assert wrongly_told(objects, i, h, k, ours) == (0, 0, 0)
    assert vain > tried / 3
    assert stray > tried / 20


def after_batch(x: list[float], y: list[float], k: int, s: tuple[float, float], rows: list[np.void]) -> Entries:
    """The list of a range after it has acted on messages."""
    held: Entries = dict(top_k(dict(enumerate(zip(x, y, strict=True))), s, k))
    for message in rows:
        if reaches(message, *s):
            receive(held, message, s, k)
    return held


def test_theorem_6_sends_what_a_list_has() -> None:
    """For k = 2, 1 comes before 0 and 2 goes after it: whoever has all three holds 0 all the time, and is sent it."""
    x, y, events, k = [0.0, 1.0, 2.0], [5.0, 6.0, 4.0], [(1, 3.0), (2, 9.0)], 2
    repeated = {}
    for variant in ("printed", "exact"):
        table = paint.Server(x, y, k=k).batch(events, variant).table
        told = [s for s in distinct_subscriptions(x) for row in table if reaches(row, *s) and row["object"] == 0]
        repeated[variant] = [s for s in told if 0 in top_k(dict(enumerate(zip(x, y, strict=True))), s, k)]
    assert repeated["printed"]
    assert not repeated["exact"]


def test_lemma_9_on_two_objects() -> None:
    """For k = 1, 0 rises past 1, which rises too: told of 1 first, a list that holds 0 still has no room for it."""
    x, y, k, s = [0.0, 1.0], [0.0, 1.0], 1, (0.0, 1.0)
    table = list(paint.Server(x, y, k=k).batch([(0, 3.0), (1, 2.0)]).table)
    assert after_batch(x, y, k, s, table) == {1: (1.0, 2.0)}
    ascending = sorted(table, key=lambda row: float(row["y"]))
    assert after_batch(x, y, k, s, ascending) == {0: (0.0, 3.0)}


def test_lemma_9_ascending_order_leaves_lists_wrong() -> None:
    """The messages of the exact batch, of raised objects in ascending order of the new y as in the lemma's proof."""
    rng = np.random.default_rng(9)
    wrong = {"descending": 0, "ascending": 0}
    for _ in range(40):
        n, k = 7, 2
        x, y, new = (rng.permutation(n).astype(float).tolist() for _ in range(3))
        events = [(i, 10.0 + new[i] if i % 2 else new[i] / 10) for i in range(n)]
        server = paint.Server(x, y, k=k)
        table = list(server.batch(events).table)
        grown = [row for row in table if row["y"] >= 10.0 and row["cause"] == paint.UPDATE]
        rest = table[len(grown) :]
        assert table[: len(grown)] == grown
        right = dict(enumerate(zip(x, dict(events).values(), strict=True)))
        for name, first in (("descending", grown), ("ascending", sorted(grown, key=lambda row: float(row["y"])))):
            wrong[name] += any(
                after_batch(x, y, k, s, [*first, *rest]) != top_k(right, s, k) for s in distinct_subscriptions(x)
            )
    assert wrong["descending"] == 0
    assert wrong["ascending"] > 0


def test_unicast_starts_above_the_last_of_the_list() -> None:
    """For k = 2 the list holds 0 and 1; as 0 falls, 2 takes its place, not 1, the lowest above the old y of 0."""
    objects: Objects = {0: (1.0, 1.0), 1: (2.0, 5.0), 2: (3.0, 7.0)}
    assert unicast_replacement(objects, (0.0, 4.0), 0) == 1
    server = paint.Server([1.0, 2.0, 3.0], [1.0, 5.0, 7.0], k=2, algorithm="unicast", subscriptions=[(0.0, 4.0)])
    assert server.update(0, 9.0).table[["dropped", "object"]].tolist() == [(0, 2)]


@pytest.mark.parametrize("k", [1, 3])
def test_counts_of_table_3_are_tiles_and_not_what_the_text_asks_for(k: int) -> None:
    """Per object asked about a snap for each tile of Paint-Dense; l*, r* and the tests of merging are not in it."""
    rng = np.random.default_rng(k)
    x, y, ranges = rng.random(60), rng.random(60), np.sort(rng.random((2000, 2)), axis=1)
    server = paint.Server(x, y, k=k, algorithm="sparse", subscriptions=ranges)
    dense = paint.Server(x, y, k=k)
    for _ in range(40):
        i, value = int(rng.integers(60)), float(rng.random())
        before, lowered = server.paper_costs, value > server._index.arrays.y[i]
        table, tiles = server.update(i, value).table, dense.update(i, value).table
        told = {name: calls - before[name] for name, calls in server.paper_costs.items()}
        known = np.isin(tiles["object"], [i, *table["object"].tolist()])
        assert told["snap"] >= int(known.sum())
        assert told["snap"] <= len(tiles)
        assert told["min_y"] == 0 if not lowered else told["min_y"] >= 1


def test_tiles_that_ties_make_empty_are_counted_as_in_table_6() -> None:
    """Thirty objects at three places: a bad one in the middle has k strips, of which hardly any holds somebody."""
    x, y = np.repeat([0.0, 1.0, 2.0], 10), np.arange(30.0)
    y[15] = 100.0
    server = paint.Server(x, y, k=4, algorithm="sparse", subscriptions=[(0.5, 1.5), (0.0, 2.0)])
    assert len(server.update(15, 99.0)) == 0
    assert (server.costs["snap"], server.paper_costs["snap"]) == (0, 4)
    assert len(server.update(15, 101.0)) == 0
    assert server.paper_costs == {"first_k": 4, "min_y": 1, "snap": 8}
