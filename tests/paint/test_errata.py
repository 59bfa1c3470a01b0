"""Errors of the paper, as `docs/errata.md` lists them: a small example goes wrong as printed, and right here."""

import math
from itertools import pairwise

import numpy as np
import pytest

import paint
from matching import half_open
from tests.oracles.printed import (
    Tile,
    algorithm_3,
    algorithm_5,
    message_of_box,
    unicast_candidates,
    unicast_replacement,
)
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


NOBODY_ELSE: Objects = {0: (1.0, 1.0), 1: (2.0, 2.0)}
ONE_WEST: Objects = {0: (1.0, 1.0), 1: (2.0, 2.0), 2: (0.0, 0.0)}
TWO_EAST: Objects = {0: (1.0, 2.0), 1: (2.0, 3.0), 2: (3.0, 0.0), 3: (4.0, 1.0)}
TWO_WEST: Objects = {0: (1.0, 2.0), 1: (2.0, 3.0), 2: (0.0, 0.0), 3: (-1.0, 1.0)}
ONE_BETWEEN: Objects = {0: (1.0, 3.0), 1: (3.0, 4.0), 2: (0.0, 0.0), 3: (2.0, 1.0), 4: (4.0, 2.0)}
FURTHER_EAST: Objects = {0: (1.0, 4.0), 1: (2.0, 5.0), 2: (0.0, 0.0), 3: (3.0, 1.0), 4: (4.0, 2.0), 5: (5.0, 3.0)}
ONE_EITHER_SIDE: Objects = {0: (1.0, 1.0), 1: (2.0, 2.0), 2: (0.0, 0.0), 3: (3.0, 0.5)}


@pytest.mark.parametrize(
    ("objects", "k", "at", "printed", "right", "wrong"),
    [
        pytest.param(NOBODY_ELSE, 2, 0, (1.0, 2.0, -math.inf, math.inf), None, (0, 9, 0), id="a + b < k - 1"),
        pytest.param(
            *(ONE_WEST, 2, 0, (1.0, 2.0, -math.inf, math.inf), (0.0, 2.0, -math.inf, math.inf), (0, 6, 0)),
            id="a + b = k - 1",
        ),
        pytest.param(TWO_EAST, 2, 0, (1.0, 2.0, -math.inf, 4.0), (1.0, 3.0, -math.inf, 4.0), (0, 6, 0), id="a = 0"),
        pytest.param(TWO_WEST, 2, 0, (1.0, 2.0, -1.0, math.inf), (0.0, 2.0, -1.0, math.inf), (0, 6, 0), id="b < k"),
        pytest.param(
            FURTHER_EAST, 3, 0, (0.0, 2.0, -math.inf, 4.0), (0.0, 3.0, -math.inf, 4.0), (0, 6, 0), id="a < k"
        ),
        pytest.param(ONE_BETWEEN, 2, 0, (0.0, 3.0, -math.inf, 2.0), None, (0, 4, 4), id="a < k, inverted"),
        pytest.param(ONE_EITHER_SIDE, 1, 0, (1.0, 1.0, 0.0, 3.0), (1.0, 2.0, 0.0, 3.0), (0, 4, 4), id="loop"),
    ],
)
def test_algorithm_5_is_wrong_in_every_branch(
    objects: Objects, k: int, at: int, printed: Tile, right: Tile | None, wrong: tuple[int, int, int]
) -> None:
    """Object 0 falls past object 1, east of it; the tile of the branch, and what is right for the same ranges.

    Tiles are l_in, r_in, l_out, r_out. The inverted one, which reaches nobody, begins at r = 3 and ends before 2.
    """
    found, ours = exposed(objects, 0, 1, k)
    assert found[at] == printed
    assert wrongly_told(objects, 0, 1, k, found) == wrong
    assert (right in ours) if right else all(tile[3] != printed[3] for tile in ours)
    assert wrongly_told(objects, 0, 1, k, ours) == (0, 0, 0)


def test_algorithm_5_on_random_instances() -> None:
    """It tells in vain in 212 of 289, in 32 of them also ranges without the object; ours is right in all."""
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
    assert (tried, vain, stray) == (289, 212, 32)


def exposed_by_ours(objects: Objects, i: int, new: float, k: int) -> list[int]:
    """Objects that are told of as exposed, in order."""
    xs, ys = zip(*(objects[j] for j in sorted(objects)), strict=True)
    table = paint.Server(xs, ys, k=k).update(i, new).table
    return list(dict.fromkeys(table["object"][table["cause"] == paint.EXPOSED].tolist()))


def test_algorithm_3_tells_of_an_object_above_the_new_y() -> None:
    """Object 0 falls from 1 to 3, below object 1 at 5: all that hold it keep it. So in the text and in the code."""
    objects: Objects = ONE_EITHER_SIDE | {1: (2.0, 5.0)}
    assert algorithm_3(objects, 0, 3.0, 1, padded=False) == [1]
    assert algorithm_3(objects, 0, 3.0, 1, padded=True) == [1]
    assert exposed_by_ours(objects, 0, 3.0, 1) == []


def test_algorithm_3_without_padding_finds_nothing_beside_short_lists() -> None:
    """Object 0, the best of two, falls past the other: conv of two empty lists is empty, and nobody is told."""
    assert algorithm_3(NOBODY_ELSE, 0, 3.0, 1, padded=False) == []
    assert algorithm_3(NOBODY_ELSE, 0, 3.0, 1, padded=True) == exposed_by_ours(NOBODY_ELSE, 0, 3.0, 1) == [1]


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
    """The messages of the exact batch, in the order of the lemma's proof: 22 of 40 batches end with a wrong list."""
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
    assert wrong == {"descending": 0, "ascending": 22}


def test_unicast_starts_above_the_last_of_the_list() -> None:
    """For k = 2 the list holds 0 and 1; as 0 falls, 2 takes its place, not 1, the lowest above the old y of 0."""
    objects: Objects = {0: (1.0, 1.0), 1: (2.0, 5.0), 2: (3.0, 7.0)}
    assert unicast_replacement(objects, (0.0, 4.0), 0) == 1
    server = paint.Server([1.0, 2.0, 3.0], [1.0, 5.0, 7.0], k=2, algorithm="unicast", subscriptions=[(0.0, 4.0)])
    assert server.update(0, 9.0).table[["dropped", "object"]].tolist() == [(0, 2)]


def test_unicast_needs_a_test_of_the_rank_for_a_raising_event() -> None:
    """For k = 2 object 1 rises from 5 to 3 and stays third: [0, 4], a candidate, holds 0 and 2 all the time."""
    objects: Objects = {0: (1.0, 1.0), 1: (2.0, 5.0), 2: (3.0, 2.0)}
    ranges = [(0.0, 4.0), (1.5, 4.0)]
    assert unicast_candidates(objects, 1, 3.0, 2, ranges) == [0, 1]
    server = paint.Server([1.0, 2.0, 3.0], [1.0, 5.0, 2.0], k=2, algorithm="unicast", subscriptions=ranges)
    assert server.update(1, 3.0).table["subscription"].tolist() == [1]


def test_unicast_by_the_replacement_alone_leaves_a_wrong_list() -> None:
    """A change "can be captured by one object": if that is the one that comes, the list keeps 0 at its old y."""
    objects: Objects = {0: (1.0, 1.0), 1: (2.0, 5.0), 2: (3.0, 7.0)}
    s, k = (0.0, 4.0), 2
    right = top_k(objects | {0: (1.0, 9.0)}, s, k)
    server = paint.Server([1.0, 2.0, 3.0], [1.0, 5.0, 7.0], k=k, algorithm="unicast", subscriptions=[s])
    (message,) = server.update(0, 9.0).table
    replacement = {"object": int(message["object"]), "x": 3.0, "y": float(message["y"])}
    alone = top_k(objects, s, k)
    receive(alone, replacement, s, k)
    assert alone == {0: (1.0, 1.0), 1: (2.0, 5.0)} != right
    both = top_k(objects, s, k)
    del both[int(message["dropped"])]
    receive(both, replacement, s, k)
    assert both == right


def test_a_box_of_snap_is_closed_and_a_message_is_open_outside() -> None:
    """One subscription, [1, 3]: the box around it is that point, and a range strictly inside (1, 3) is not it."""
    server = paint.Server([2.0], [1.0], k=1, algorithm="sparse", subscriptions=[(1.0, 3.0)])
    (message,) = server.update(0, 2.0).table
    assert reaches(message, 1.0, 3.0)
    assert not reaches(message_of_box(1.0, 1.0, 3.0, 3.0), 1.0, 3.0)
    assert tuple(message)[:4] == half_open(1.0, 1.0, 3.0, 3.0)


def test_messages_that_overtake_each_other_leave_wrong_lists() -> None:
    """Footnote 5. The newest of each object counts, as each comes once, but as 1 comes 0, still at 1, is better."""
    s, k = (0.0, 3.0), 1
    table = list(paint.Server([1.0, 2.0], [1.0, 2.0], k=k).update(0, 3.0).table)
    told = [row for row in table if reaches(row, *s)]
    assert [(int(row["object"]), float(row["y"])) for row in told] == [(0, 3.0), (1, 2.0)]
    assert after_batch([1.0, 2.0], [1.0, 2.0], k, s, told) == {1: (2.0, 2.0)}
    assert after_batch([1.0, 2.0], [1.0, 2.0], k, s, told[::-1]) == {0: (1.0, 3.0)}
