"""Ways of a message, hop by hop: to everybody, and by a rendezvous. Slow; brokers are asked one by one."""

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import NamedTuple

Hop = tuple[int, int]


class Walk(NamedTuple):
    """All hops of a message, and for each gateway the hops that brought it there."""

    hops: list[Hop]
    delivered: dict[int, list[Hop]]


def flooded(source: int, onward: Callable[[int, int], tuple[bool, list[int]]]) -> Walk:
    """To everybody: `onward` tells of a broker, and whom it has a message from, whether it delivers, and to whom."""
    walk = Walk([], {})
    waiting: list[tuple[int, int, list[Hop]]] = [(source, -1, [])]
    while waiting:
        broker, came_from, way = waiting.pop()
        delivers, others = onward(broker, came_from)
        if delivers:
            assert broker not in walk.delivered
            walk.delivered[broker] = way
        for other in others:
            walk.hops.append((broker, other))
            waiting.append((other, broker, [*way, (broker, other)]))
    return walk


def met(source: int, meeting: int, gateways: Iterable[int], path: Callable[[int, int], list[int]]) -> Walk:
    """To a rendezvous, and from there to each gateway; `path` gives all brokers from one to another."""
    there = list(pairwise(path(source, meeting)))
    back = {gateway: list(pairwise(path(meeting, gateway))) for gateway in gateways}
    hops = there + [hop for way in back.values() for hop in way]
    return Walk(hops, {gateway: there + way for gateway, way in back.items()})
