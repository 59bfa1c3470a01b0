"""Whom an event concerns, found by sorting everything for every subscription."""

from collections.abc import Iterator, Sequence


def top_k(objects: Sequence[tuple[float, float]], l: float, r: float, k: int) -> list[tuple[float, int]]:
    """List of one subscription: the k lowest (y, id) with l <= x <= r."""
    return sorted((y, i) for i, (x, y) in enumerate(objects) if l <= x <= r)[:k]


def affected_and_containing(
    objects: Sequence[tuple[float, float]],
    events: Sequence[tuple[int, float]],
    ranges: Sequence[tuple[float, float]],
    k: int,
) -> Iterator[tuple[set[int], set[int]]]:
    """Per event: subscriptions whose list changes, and those whose range contains the object."""
    now = list(objects)
    for i, y in events:
        before = [top_k(now, l, r, k) for l, r in ranges]
        now[i] = (now[i][0], y)
        after = [top_k(now, l, r, k) for l, r in ranges]
        yield (
            {s for s in range(len(ranges)) if before[s] != after[s]},
            {s for s, (l, r) in enumerate(ranges) if l <= now[i][0] <= r},
        )
