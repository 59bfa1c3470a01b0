"""Brute force for what is needed: every list before and after every event, one after the other."""

from collections.abc import Iterator, Sequence

from tests.oracles.topk import Objects, Subscription, top_k


def needed(
    objects: Objects, events: Sequence[tuple[int, float, float]], present: Sequence[Sequence[Subscription]], k: int
) -> Iterator[tuple[int, int]]:
    """Per event (object, new x, new y): lists that change among those of `present`, and objects that take a place."""
    now = dict(objects)
    for (i, x, y), ranges in zip(events, present, strict=True):
        before = [top_k(now, s, k) for s in ranges]
        now[i] = (x, y)
        after = [top_k(now, s, k) for s in ranges]
        changed = sum(old != new for old, new in zip(before, after, strict=True))
        yield changed, sum(len(set(new) - set(old) - {i}) for old, new in zip(before, after, strict=True))
