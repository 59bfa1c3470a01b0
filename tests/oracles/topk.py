"""Brute force for range top-k subscriptions: lists, who is reached or affected, and the subscriber's protocol.

Objects are a dict id -> (x, y); subscriptions are pairs (l, r); messages are rows of the table. No tiles here. An
object whose y is infinite does not exist. What is a list, whom a message reaches and what one does that hears of an
object are said here and nowhere else, for one attribute, several and shapes.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any, TypeVar

import numpy as np

from tests.oracles.inside import Place, inside

Objects = dict[int, tuple[float, float]]
Subscription = tuple[float, float]
Entries = dict[int, tuple[float, float]]
At = TypeVar("At")

EXPOSED = 1
LARGEST = 1.7976931348623157e308


def distinct_subscriptions(xs: Iterable[float]) -> list[Subscription]:
    """One subscription for every set of adjacent x values a range can hold, open sides and empty ranges included.

    Ends lie on the values themselves and between and beyond them, so both sides of every comparison are met.
    """
    values = sorted(set(xs))
    ends = [-LARGEST, *values, *((a + b) / 2 for a, b in pairwise(values)), LARGEST]
    if values:
        ends += [values[0] - 1.0, values[-1] + 1.0]
    ends = sorted(set(ends))
    return [*combinations(ends, 2), *((end, end) for end in ends)]


def ranked(
    objects: Mapping[int, tuple[Place, float]], subscription: tuple[Place, Place], descending: bool = False
) -> list[int]:
    """The ids in range in rank order."""
    left, right = subscription
    sign = -1.0 if descending else 1.0
    held = [i for i, (x, y) in objects.items() if inside(x, left, right) and math.isfinite(y)]
    return sorted(held, key=lambda i: (sign * objects[i][1], i))


def top_k(
    objects: Mapping[int, tuple[Place, float]], subscription: tuple[Place, Place], k: int, descending: bool = False
) -> dict[int, tuple[Any, float]]:
    """The list of a subscription: id -> (x, y), the best first."""
    return {i: objects[i] for i in ranked(objects, subscription, descending)[:k]}


def listed(entries: Mapping[int, tuple[Any, float]]) -> list[tuple[float, int]]:
    """A list as the subscribers of `cn` tell it: pairs (y, id) in ascending order."""
    return sorted((y, i) for i, (_, y) in entries.items())


def affected_and_containing(
    objects: Objects, events: Sequence[tuple[int, float]], ranges: Sequence[Subscription], k: int
) -> Iterator[tuple[set[int], set[int]]]:
    """Per event (object, new y): subscriptions whose list changes, and those whose range contains the object."""
    now = dict(objects)
    for i, y in events:
        before = [top_k(now, s, k) for s in ranges]
        now[i] = (now[i][0], y)
        after = [top_k(now, s, k) for s in ranges]
        yield (
            {s for s in range(len(ranges)) if before[s] != after[s]},
            {s for s, (l, r) in enumerate(ranges) if l <= now[i][0] <= r},
        )


def reaches(message: Any, left: Any, right: Any) -> Any:
    """Whether the network delivers a message to the subscription [left, right]; for each where they are arrays.

    Over several attributes the message's ends are of d numbers, those of subscriptions (d,) or (m, d).
    """
    told = (message["l_out"] < left) & (left <= message["l_in"])
    told = told & (message["r_in"] <= right) & (right < message["r_out"])
    wide = getattr(left, "ndim", 0) > 1 or getattr(message["l_in"], "ndim", 0) > 0
    return told.all(axis=-1) if wide else told


def receive(entries: Entries, message: Any, subscription: Subscription, k: int, descending: bool = False) -> None:
    """What a subscription does with a message it receives (the protocol of paint.messages)."""
    i, x, y = int(message["object"]), float(message["x"]), float(message["y"])
    hear(entries, i, x, y, k, inside=inside(x, *subscription), descending=descending)


def hear(
    entries: dict[int, tuple[At, float]],
    i: int,
    x: At,
    y: float,
    k: float,
    *,
    inside: bool = True,
    descending: bool = False,
) -> None:
    """What one does that keeps its k best and hears where an object is, and whether that is inside its range.

    An object goes whose y is infinitely bad; what is no number is kept, and is worst.
    """
    sign = -1.0 if descending else 1.0
    entries.pop(i, None)
    if not inside or sign * y == math.inf:
        return
    entries[i] = (x, y)
    if len(entries) > k:
        del entries[max(entries, key=lambda j: rank_of(j, sign * entries[j][1]))]


def rank_of(i: int, y: float) -> tuple[float, int]:
    """What an object is sorted by: y, then id; what is no number is above all numbers."""
    return (math.inf if math.isnan(y) else y), i


class Subscribers:
    """Every distinct subscription, its list kept by the protocol, and checks of what an event sent."""

    def __init__(
        self,
        objects: Objects,
        k: int,
        *,
        places: Iterable[float] = (),
        epsilon: float | None = None,
        descending: bool = False,
    ) -> None:
        """Take the objects, the x values that may appear later, and whether to allow what epsilon allows."""
        self.objects = dict(objects)
        self.k = k
        self.epsilon = epsilon
        self.descending = descending
        self.lists = {
            s: top_k(objects, s, k, descending)
            for s in distinct_subscriptions([*(x for x, _ in objects.values()), *places])
        }

    def event(self, rows: Iterable[Any], objects: Objects) -> None:
        """Deliver the messages of one event and check lists, false notifications and repetitions.

        `objects` is the truth after the event.
        """
        rows = list(rows)
        for message in rows:
            assert message["l_out"] < message["l_in"], "an empty tile is sent"
            assert message["r_in"] < message["r_out"], "an empty tile is sent"
        lefts, rights = np.array(list(self.lists)).reshape(-1, 2).T
        reached = [reaches(message, lefts, rights).tolist() for message in rows]
        for at, (s, entries) in enumerate(self.lists.items()):
            before = dict(entries)  # right: compared below, or made so when it came
            after = top_k(objects, s, self.k, self.descending)
            received = [message for message, told in zip(rows, reached, strict=True) if told[at]]
            ids = [int(message["object"]) for message in received]
            assert len(set(ids)) == len(ids), f"{s} hears twice of one object: {ids}"
            if self.epsilon is None:
                assert not received or before != after, f"{s} is not affected but receives {ids}"
                for i in ids:
                    assert before.get(i) != after.get(i), f"{s} receives object {i}, which is not news"
            else:
                self._check_ranks(s, received, objects)
            for message in received:
                receive(entries, message, s, self.k, self.descending)
            assert entries == after, f"{s} holds {entries}, right is {after}"
        self.objects = dict(objects)

    def _check_ranks(self, s: Subscription, received: list[Any], objects: Objects) -> None:
        """Theorem 7: what is received ranks within (1 + epsilon)k, and if unchanged ranked below (1 - epsilon)k."""
        assert self.epsilon is not None
        slack = math.ceil(self.epsilon * self.k - 1e-9) - 1
        orders = [ranked(state, s, self.descending) for state in (self.objects, objects)]
        for message in received:
            i = int(message["object"])
            ranks = [order.index(i) + 1 for order in orders if i in order]
            assert ranks, f"{s} receives object {i}, which is not in its range"
            best = min(ranks)
            assert best <= self.k + slack, f"{s} receives object {i} of rank {best}, beyond {self.k + slack}"
            if message["cause"] == EXPOSED:
                assert self.objects[i] == objects[i], f"{s} receives object {i} as exposed, but it changed"
                held = orders[0].index(i) + 1
                assert held > self.k - slack, f"{s} receives object {i} of rank {held}, above {self.k - slack}"
            else:
                assert self.objects.get(i) != objects.get(i), f"{s} receives object {i}, which has not changed"


def smallest_tiling(region: set[tuple[int, int]], cells: set[tuple[int, int]]) -> int:
    """The least number of disjoint rectangles that cover exactly `region` among `cells` of a grid, by full search.

    Takes the first uncovered cell and tries every rectangle with that corner, so every tiling is considered; cells
    outside `cells` exist for nobody and may be covered for free.
    """
    best = len(region)

    def search(left: frozenset[tuple[int, int]], used: int) -> None:
        nonlocal best
        if not left:
            best = min(best, used)
            return
        if used + 1 >= best:
            return
        column, _ = first = min(left)
        for right in range(column, max(c for c, _ in left) + 1):
            rows = sorted({r for c, r in left if column <= c <= right})
            for low in (r for r in rows if r <= first[1]):
                for high in (r for r in rows if r >= first[1]):
                    covered = {(c, r) for c, r in cells if column <= c <= right and low <= r <= high}
                    if first in covered and covered <= left:
                        search(left - covered, used + 1)

    search(frozenset(region), 0)
    return best
