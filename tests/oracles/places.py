"""Subscriptions with predicates and a place, as plain lists: the k best for an event, by Eq. 1 to 4 of seed 001."""

import math
import operator as op
from typing import Any, NamedTuple

from tests.oracles.by_id import ById

Predicate = tuple[int, str, Any, float]
"""Attribute, operator, what it compares with (a number, a pair or a list), weight."""


class Placed(NamedTuple):
    predicates: list[Predicate]
    place: tuple[float, float]
    alpha: float


def holds(operator: str, value: Any, x: float) -> bool:
    if math.isnan(x):
        return False
    if operator == "between":
        return bool(value[0] <= x <= value[1])
    if operator == "in":
        return x in value
    if operator == "not in":
        return x not in value
    compare = {"<": op.lt, "<=": op.le, "=": op.eq, "!=": op.ne, ">=": op.ge, ">": op.gt}[operator]
    return bool(compare(x, value))


def similarity(one: Placed, event: list[float], place: tuple[float, float], max_distance: float) -> float:
    """How good a subscription is for an event at a place; negative when it is farther away than `max_distance`."""
    weight = 0.0
    for attribute, operator, value, share in one.predicates:
        if holds(operator, value, event[attribute]):
            weight += share
    dx, dy = one.place[0] - place[0], one.place[1] - place[1]
    near = 1 - math.sqrt(dx * dx + dy * dy) / max_distance
    return (1 - one.alpha) * weight + one.alpha * near


class PlacedSubscriptions(ById[Placed]):
    """Subscriptions by id."""

    def __init__(self, held: list[Placed], max_distance: float) -> None:
        super().__init__(held)
        self.max_distance = max_distance

    def top(self, event: list[float], place: tuple[float, float], k: int) -> list[int]:
        scored = [
            (-similarity(one, event, place, self.max_distance), i)
            for i, one in enumerate(self.held)
            if one is not None
        ]
        return [i for _, i in sorted(scored)[:k]]
