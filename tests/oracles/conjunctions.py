"""Conjunctions of predicates as plain lists: what every event index must answer, in the order it must answer it."""

import math
from typing import NamedTuple

from tests.oracles.by_id import ById


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


class Conjunctions(ById[list[Predicate]]):
    """Lists of predicates by id."""

    def match(self, event: list[float]) -> list[int]:
        """Ids of the subscriptions all of whose predicates hold, by sum of weights descending, then id."""
        hits = []
        for i, predicates in enumerate(self.held):
            if predicates is not None and all(predicate.holds(event) for predicate in predicates):
                hits.append((-sum(predicate.weight for predicate in predicates), i))
        return [i for _, i in sorted(hits)]
