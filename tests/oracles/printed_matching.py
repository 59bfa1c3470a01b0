"""What the four papers on matching print, to the letter, where it is wrong: `docs/errata.md` says how.

Nothing but the tests of the errata may use it.
"""

import math

from tests.oracles.constraint_graph import Ends
from tests.oracles.joins import Profile
from tests.oracles.places import Placed


def algorithm_2(ranges: list[Ends]) -> list[tuple[int, int]]:
    """Seed 000: edges of the constraint graph of ranges in the order of ranks, from visible endpoints.

    A block begins at a visible endpoint z; a range [x, y] meets the one with z_1 <= x < z_2 and those with x < z < y.
    """
    blocks: list[tuple[float, int | None]] = [(-math.inf, None)]
    edges = []
    for i, (x, y) in enumerate(ranges):
        first = max(at for at, (z, _) in enumerate(blocks) if z <= x)
        met = [first, *(at for at, (z, _) in enumerate(blocks) if x < z < y)]
        edges += [(owner, i) for owner in (blocks[at][1] for at in met) if owner is not None]
        behind = [(y, blocks[met[-1]][1])] if all(z != y for z, _ in blocks) else []
        west, east = [one for one in blocks if one[0] < x], [one for one in blocks if one[0] >= y]
        blocks = [*west, (x, i), *behind, *east]
    return edges


def algorithm_1(ranges: list[Ends], edges: list[tuple[int, int]]) -> list[int]:
    """Seed 000: of all ranges without an unplaced predecessor the one with the smallest left end, again and again."""
    placed: list[int] = []
    while len(placed) < len(ranges):
        free = [i for i in range(len(ranges)) if i not in placed and all(a in placed for a, b in edges if b == i)]
        placed.append(min(free, key=lambda i: (ranges[i][0], i)))
    return placed


def equation_8(alpha_min: float, alpha_max: float, ub_t: float, ub_s: float) -> float:
    """Seed 001: what the best subscription below a node may be worth."""
    if alpha_min >= 1 - ub_t:
        return 1 - alpha_min + alpha_min * ub_s
    if alpha_max > 1 - ub_t:
        return (1 - ub_t) * ub_s + ub_t
    return alpha_max * ub_s + ub_t


def equation_5(held: list[Placed], event: list[float]) -> float:
    """Seed 001: the sum, over attributes, of the largest weight of an interval that holds the event's value.

    Weights are those of predicates; intervals are pairs of numbers.
    """
    best: dict[int, float] = {}
    for one in held:
        for attribute, _, (low, high), weight in one.predicates:
            if low <= event[attribute] <= high:
                best[attribute] = max(best.get(attribute, 0.0), weight)
    return sum(best.values())


def interval_of(operator: str, values: list[float]) -> tuple[float, float]:
    """Seed 001, Table 2, with the largest domain: the interval that stands for a set operator or not-equal."""
    return (min(values), max(values)) if operator == "in" else (-math.inf, math.inf)


def join_table(profiles: list[Profile], documents: list[list[float]], new: list[float]) -> list[int]:
    """Seed 002, Section 4.2: a profile is accepted as soon as one of its quantified predicates holds."""
    return [i for i, profile in enumerate(profiles) if any(one.holds(new, documents) for one in profile.joins)]


def prefiltered(profiles: list[Profile], documents: list[list[float]]) -> list[int]:
    """Seed 002, Section 4.3.2: profiles of which every old attribute is in some old document."""
    return [
        i
        for i, profile in enumerate(profiles)
        if all(
            any(not math.isnan(document[term.old]) for document in documents)
            for one in profile.joins
            for term in one.terms
        )
    ]
