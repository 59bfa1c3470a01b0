"""Whom Paint-Dense(epsilon) reaches when it cuts by levels, found at every subscription; no two objects share an x.

The level of a subscription is the number of objects west of the updated one that it holds and that rank above; those
of a region that hold the object however far east they reach are of level 0. The k levels are cut into nearly equal
groups at floor(j k / groups), and each group is told by the smallest box around its members.
"""

import math
from collections.abc import Callable

from tests.oracles.topk import Objects, Subscription, ranked, top_k


def group_of(level: int, k: int, epsilon: float) -> int:
    """The group of a level: the last one that starts at or before it."""
    groups = min(k, math.ceil(1 / epsilon - 1e-9))
    return max(j for j in range(groups) if math.floor(j * k / groups) <= level)


def _boxes(
    members: set[Subscription], everyone: list[Subscription], group: Callable[[Subscription], int]
) -> set[Subscription]:
    reached = set()
    for one in {group(s) for s in members}:
        of_group = [s for s in members if group(s) == one]
        lefts, rights = [s[0] for s in of_group], [s[1] for s in of_group]
        reached |= {s for s in everyone if min(lefts) <= s[0] <= max(lefts) and min(rights) <= s[1] <= max(rights)}
    return reached


def told(
    before: Objects, after: Objects, i: int, k: int, epsilon: float, everyone: list[Subscription]
) -> dict[int, set[Subscription]]:
    """Who receives which object as the y of object i changes; objects that nobody receives are left out."""
    x = before[i][0]
    rises = (after[i][1], i) < (before[i][1], i)
    state = after if rises else before
    value = (state[i][1], i)
    above = {j: place for j, (place, y) in state.items() if (y, j) < value}
    east = sum(place > x for place in above.values())

    def level(s: Subscription) -> int:
        west = sum(s[0] <= place < x for place in above.values())
        return 0 if west + east < k else west

    lists = {s: (top_k(before, s, k), top_k(after, s, k)) for s in everyone}
    holding = {s for s, held in lists.items() if i in held[rises]}
    reached = {i: _boxes(holding, everyone, lambda s: group_of(level(s), k, epsilon))}
    for h in () if rises else before:
        gained = {s for s, (old, new) in lists.items() if h in new and h not in old}
        better = [place for j, (place, y) in after.items() if (y, j) < (after[h][1], h)]

        def west_of_i(s: Subscription, better: list[float] = better) -> int:
            return sum(s[0] <= place < x for place in better)

        if h != i and gained:
            reached[h] = _boxes(gained, everyone, lambda s: group_of(west_of_i(s), k, epsilon))
    return {h: who for h, who in reached.items() if who}


def rank(objects: Objects, s: Subscription, i: int) -> int | None:
    """Rank of an object in a range, from 1 on; None if it is not there."""
    order = ranked(objects, s)
    return order.index(i) + 1 if i in order else None
