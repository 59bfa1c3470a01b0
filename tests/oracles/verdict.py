"""What is wrong first, the slow way: everybody acts on its messages window by window, and all is compared then."""

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from tests.oracles.inside import Place, inside
from tests.oracles.timeline import Objects, Ranked, top
from tests.oracles.topk import hear, rank_of, top_k

Row = Mapping[str, Any]


class Window(NamedTuple):
    """Events that are answered at once, and who is notified by which row."""

    first: int
    """Number of its first event."""
    events: Sequence[tuple[int, Place, float]]
    """Object, x and y of each."""
    told: Sequence[tuple[int, Row]]
    """Subscription and message of each notification, in the order of messages."""
    joined: Mapping[int, tuple[Place, Place]]
    """Subscriptions that come before it."""
    left: Iterable[int]
    asked: Container[int] | None = None
    """Who asks after it and before the next window; None where nobody has to."""


class Receiver:
    """A subscription that acts on its messages alone."""

    def __init__(self, ends: tuple[Place, Place], objects: Objects, k: int, *, relaxed: bool) -> None:
        self.ends, self.k, self.most = ends, k, 10**9 if relaxed else k
        self.kept = top_k(objects, ends, self.most)

    def take(self, row: Row) -> None:
        """Act on a message."""
        i, x, y = row["object"], row.get("x"), row["y"]
        self.kept.pop(row.get("dropped", -1), None)
        if i >= 0:
            hear(self.kept, i, x, y, self.most, inside=x is None or inside(x, *self.ends))

    def ranked(self) -> Ranked:
        """Its list."""
        order = sorted(self.kept, key=lambda i: rank_of(i, self.kept[i][1]))
        return [(self.kept[i][1], i) for i in order[: self.k]]

    def holds(self, right: Ranked) -> bool:
        """Whether its list is the right one, and nothing that it knows is no number."""
        return self.ranked() == right and not any(math.isnan(y) for _, y in self.kept.values())


def needed(
    i: int, old: Objects, new: Objects, before: Sequence[int], after: Sequence[int], changed: set[int]
) -> bool:
    """Whether an object is new in a list, or was in it and is changed by the window."""
    if i not in before:
        return i in after
    return i in changed and (i not in after or old.get(i) != new[i])


def first_wrong(
    objects: Objects,
    subscriptions: Mapping[int, tuple[Place, Place]],
    k: int,
    windows: Iterable[Window],
    rights: dict[tuple[int, int], Ranked],
    *,
    exact: bool,
    relaxed: bool,
) -> int | None:
    """First event of the first window after which something is wrong; None if nothing is.

    Where subscriptions ask, a list may be wrong that was changed since its subscription asked. What is right after a
    window, by its first event and subscription, does not depend on what was told: `rights` keeps it for later calls.
    """
    here, excused = dict(objects), set[int]()
    there = {s: Receiver(ends, here, k, relaxed=relaxed) for s, ends in subscriptions.items()}
    right = {s: top(here, *ends, k) for s, ends in subscriptions.items()}
    for window in windows:
        for s in window.left:
            there.pop(s, None)
        there |= {s: Receiver(ends, here, k, relaxed=relaxed) for s, ends in window.joined.items()}
        right |= {s: top(here, *ends, k) for s, ends in window.joined.items()}
        before = dict(here)
        for i, x, y in window.events:
            here[i] = (x, y)
        changed = {i for i, _, _ in window.events}
        told: dict[int, list[Row]] = {s: [] for s in there}
        for s, row in window.told:
            if s in there:
                told[s].append(row)
                there[s].take(row)
        for s, receiver in there.items():
            if (window.first, s) not in rights:
                rights[window.first, s] = top(here, *receiver.ends, k)
            old, new = right[s], rights[window.first, s]
            right[s] = new
            was, now = ([i for _, i in ranked] for ranked in (old, new))
            moved = any(i in before and before[i][0] != here[i][0] for i in now)
            names = [row["object"] if row["object"] >= 0 else row.get("dropped", -1) for row in told[s]]
            if window.asked is not None:
                excused = (excused | {s} if old != new or moved else excused) - ({s} if s in window.asked else set())
            elif (old != new or moved) and not names:
                return window.first
            if len(set(names)) < len(names):
                return window.first
            if exact and not all(needed(i, before, here, was, now, changed) for i in names):
                return window.first
            if s not in excused and not receiver.holds(new):
                return window.first
    return None
