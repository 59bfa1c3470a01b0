"""Conjunctions of predicates as plain lists: what every event index must answer, in the order it must answer it."""

import math
from typing import NamedTuple


class Predicate(NamedTuple):
    """One predicate as a person would write it; `values` has one number, two for `between`, any for sets."""

    attribute: int
    operator: str
    values: tuple[float, ...]
    weight: float = 0.0

    def holds(self, event: list[float]) -> bool:
        x = event[self.attribute]
        if math.isnan(x):
            return False
        first = self.values[0]
        return {
            "<": x < first,
            "<=": x <= first,
            "=": x == first,
            "!=": x != first,
            ">=": x >= first,
            ">": x > first,
            "between": first <= x <= self.values[-1],
            "in": x in self.values,
            "not in": x not in self.values,
        }[self.operator]


class Conjunctions:
    """Lists of predicates by id; None for a subscription that was deleted."""

    def __init__(self, subscriptions: list[list[Predicate]]) -> None:
        self.subscriptions: list[list[Predicate] | None] = list(subscriptions)

    def insert(self, subscriptions: list[list[Predicate]]) -> list[int]:
        first = len(self.subscriptions)
        self.subscriptions += subscriptions
        return list(range(first, len(self.subscriptions)))

    def delete(self, ids: list[int]) -> None:
        for i in ids:
            self.subscriptions[i] = None

    def alive(self) -> list[int]:
        return [i for i, held in enumerate(self.subscriptions) if held is not None]

    def match(self, event: list[float]) -> list[int]:
        """Ids of the subscriptions all of whose predicates hold, by sum of weights descending, then id."""
        hits = []
        for i, predicates in enumerate(self.subscriptions):
            if predicates is not None and all(predicate.holds(event) for predicate in predicates):
                hits.append((-sum(predicate.weight for predicate in predicates), i))
        return [i for _, i in sorted(hits)]
