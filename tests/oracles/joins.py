"""Profiles with quantified join predicates over old documents, as plain lists: seed 002 by its definitions."""

import math
from typing import NamedTuple

from tests.oracles.conjunctions import Predicate


class Term(NamedTuple):
    """`attribute` of the new document, or `value` if that is None, compared with `old` of an old one."""

    attribute: int | None
    operator: str
    old: int
    value: float = 0.0

    def holds(self, new: list[float], document: list[float]) -> bool:
        left = self.value if self.attribute is None else new[self.attribute]
        right = document[self.old]
        if math.isnan(left) or math.isnan(right):
            return False
        return {
            "<": left < right,
            "<=": left <= right,
            "=": left == right,
            "!=": left != right,
            ">=": left >= right,
            ">": left > right,
        }[self.operator]


class Quantified(NamedTuple):
    """Terms that hold together for some old document, or each for all of them."""

    quantifier: str
    terms: list[Term]

    def holds(self, new: list[float], documents: list[list[float]]) -> bool:
        if any(term.attribute is not None and math.isnan(new[term.attribute]) for term in self.terms):
            return False
        each = [all(term.holds(new, document) for term in self.terms) for document in documents]
        return any(each) if self.quantifier == "exists" else all(each)


class Profile(NamedTuple):
    """Constant predicates and quantified ones."""

    constants: list[Predicate]
    joins: list[Quantified]


def matching_profiles(profiles: list[Profile], documents: list[list[float]], new: list[float]) -> list[int]:
    """Numbers of the profiles that a new document matches, by weight descending, then number."""
    hits = []
    for i, profile in enumerate(profiles):
        if all(one.holds(new) for one in profile.constants) and all(
            one.holds(new, documents) for one in profile.joins
        ):
            hits.append((-sum(one.weight for one in profile.constants), i))
    return [i for _, i in sorted(hits)]
