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


def threshold_algorithm(weights: list[list[float]], k: int, most: int) -> list[int]:
    """Seed 000, Section 4: per dimension what each range that the event stabs is worth, NaN for one that it does not.

    The threshold is the sum of what was retrieved last from every dimension, of a list that has ended too.

    Raises
    ------
    RecursionError
        It has not ended after `most` rounds.
    """
    iterators = [
        sorted((i for i, weight in enumerate(column) if not math.isnan(weight)), key=lambda i: (-column[i], i))
        for column in weights
    ]
    last, seen = [math.inf] * len(weights), dict[int, float]()
    for at in range(most):
        for d, order in enumerate(iterators):
            if at < len(order):
                last[d] = weights[d][order[at]]
                seen[order[at]] = sum(column[order[at]] for column in weights if not math.isnan(column[order[at]]))
        best = sorted(seen, key=lambda i: (-seen[i], i))[:k]
        if len(best) == k and seen[best[-1]] > sum(last):
            return best
    raise RecursionError("all lists have ended")


def leaves_in_order(leaves: list[tuple[float, list[float]]]) -> float:
    """Seed 001: the best score that a search finds which looks at leaves by bound and ends when none is higher."""
    best = -math.inf
    for bound, scores in sorted(leaves, reverse=True):
        if bound <= best:
            break
        best = max(best, *scores)
    return best


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


def point_of(operator: str, value: float, domain: tuple[float, float]) -> tuple[float, float]:
    """Seed 004, Section 3: the point of a predicate, or of TRUE; half-intervals have <= only, and != nothing.

    Raises
    ------
    KeyError
        The operator has no point.
    """
    low, high = domain
    return {"=": (value, value), ">=": (value, high), "<=": (low, value), "TRUE": (low, high)}[operator]


def in_range(point: tuple[float, float], x: float | None, domain: tuple[float, float]) -> bool:
    """Seed 004, Section 3: whether a point is in the range of an event; without the attribute that holds all TRUE."""
    return point == domain if x is None else point[0] <= x <= point[1]


def cluster(ranges: list[Ends], x: float) -> list[int]:
    """Seed 002, Section 4.1.3: the leaf cluster of one range; a Hybrid Index has nothing below it.

    A node is split at the endpoint for which the difference of both sides and what is on both are the least; to the
    left is what begins before it, to the right what does not end before it.
    """
    held = list(range(len(ranges)))
    while len(held) > 1:
        splits = []
        for key in sorted({end for i in held for end in ranges[i]}):
            sides = [i for i in held if ranges[i][0] < key], [i for i in held if ranges[i][1] >= key]
            splits.append((abs(len(sides[0]) - len(sides[1])) + sum(map(len, sides)) - len(held), key, sides))
        _, key, sides = min(splits)
        if len(held) in map(len, sides):
            return held
        held = sides[0] if x < key else sides[1]
    return held


def case_1(profiles: list[Profile], documents: list[list[float]], new: list[float]) -> list[int]:
    """Seed 002, Section 4.3.1, "no index at all": a profile is reported at the first document that matches it."""
    reported = []
    for i, profile in enumerate(profiles):
        for document in documents:
            constants = all(one.holds(new) for one in profile.constants)
            if constants and all(term.holds(new, document) for one in profile.joins for term in one.terms):
                reported.append(i)
                break
    return reported


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
