"""Populations of conjunctions as seeds 002 and 004 make them, and events for them.

Seed 004, Table 1, leaves open how the ratio of satisfied subscriptions is set. Here attributes have a number of
`values`, spread over 16 bits: eight make it 0.013%, forty 0.0009%, four 0.12%. A population has a seed of its own,
since one seed with other values draws the same top bits.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from matching.predicates import OPERATORS, Predicates

__all__ = [
    "Conjunctive",
    "closed_profiles",
    "length_of_overlap",
    "make_conjunctions",
    "make_fixed_conjunctions",
    "make_point_events",
    "table_one_use",
]

Floats = npt.NDArray[np.float64]
DOMAIN = 2**16
LESS_OR_EQUAL, EQUAL, GREATER_OR_EQUAL, BETWEEN = (OPERATORS.index(name) for name in ("<=", "=", ">=", "between"))


class Conjunctive(NamedTuple):
    """What a population of seed 004 is made from; the defaults are those of its Table 1."""

    subscriptions: int = 1_200_000
    attributes: int = 16
    use: tuple[float, ...] = ()
    """Share of subscriptions that ask for each attribute; empty for that of Table 1."""
    equality: float = 0.8
    """Share of predicates that are equalities."""
    half: float = 0.5
    """Share of the others that are open on one side."""
    values: int = 8
    """Distinct values of an attribute."""


def table_one_use(attributes: int) -> tuple[float, ...]:
    """Share of subscriptions that ask for each attribute: 100% for three, 70% for five, 1% for the rest."""
    return ((1.0,) * 3 + (0.7,) * 5 + (0.01,) * attributes)[:attributes]


def make_conjunctions(spec: Conjunctive, seed: int) -> Predicates:
    """Make a population of seed 004; subscriptions without any predicate match every event."""
    rng = np.random.default_rng(seed)
    shape = (spec.subscriptions, spec.attributes)
    use = np.array(spec.use or table_one_use(spec.attributes), np.float32)
    asked = rng.random(shape, np.float32) < use
    subscription, attribute = np.nonzero(asked)
    rows = subscription.size
    first, second = (rng.integers(0, spec.values, rows).astype(np.float64) for _ in range(2))
    kind = rng.random(rows)
    equal = kind < spec.equality
    half = ~equal & (kind < spec.equality + (1 - spec.equality) * spec.half)
    up = rng.random(rows) < 0.5
    operator = np.where(equal, EQUAL, np.where(half, np.where(up, GREATER_OR_EQUAL, LESS_OR_EQUAL), BETWEEN))
    step = DOMAIN // spec.values
    low, high = np.minimum(first, second) * step, np.maximum(first, second) * step
    number = np.where(operator == BETWEEN, low, first * step)
    columns = {
        "subscription": subscription,
        "attribute": attribute,
        "operator": operator,
        "low": number,
        "high": np.where(operator == BETWEEN, high, np.nan),
    }
    return Predicates(columns, spec.attributes, spec.subscriptions)


def make_point_events(spec: Conjunctive, count: int, seed: int) -> Floats:
    """Events with all attributes, each value as likely as the others."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, spec.values, (count, spec.attributes)).astype(np.float64) * (DOMAIN // spec.values)


def make_fixed_conjunctions(
    fixed: int, seed: int, *, subscriptions: int = 100_000, attributes: int = 32, values: int = 10_000
) -> Predicates:
    """Make a population of seed 004, Fig. 9(b): all ask for the first attributes, and for one of the others.

    Of the fixed ones two are equalities and the rest intervals, half of them open on one side; the other one is an
    equality. Values are 0 to `values` - 1.
    """
    rng = np.random.default_rng(seed)
    columns: dict[str, list[npt.NDArray[np.generic]]] = {
        name: [] for name in ("attribute", "operator", "low", "high")
    }
    for place in range(fixed + 1):
        first, second = rng.integers(0, values, (2, subscriptions)).astype(np.float64)
        kind, drawn = np.full(subscriptions, EQUAL), rng.random(subscriptions)
        if 2 <= place < fixed:
            kind = np.select([drawn < 0.25, drawn < 0.5], [LESS_OR_EQUAL, GREATER_OR_EQUAL], BETWEEN)
        within = kind == BETWEEN
        own = np.full(subscriptions, place) if place < fixed else rng.integers(fixed, attributes, subscriptions)
        columns["attribute"].append(own)
        columns["operator"].append(kind)
        columns["low"].append(np.where(within, np.minimum(first, second), first))
        columns["high"].append(np.where(within, np.maximum(first, second), np.nan))
    rows = {name: np.stack(column, axis=1).ravel() for name, column in columns.items()}
    owners = np.repeat(np.arange(subscriptions), fixed + 1)
    return Predicates({"subscription": owners, **rows}, attributes, subscriptions)


def closed_profiles(count: int, length: float, domain: float, seed: int) -> tuple[Floats, Floats]:
    """Ranges (l, r) of two attributes, shape (count, 2), evenly spread: the profiles of seed 002, Section 4.1.6.

    Domain, skew and overlap are not defined there; a longer length makes more of them overlap.
    """
    l = np.random.default_rng(seed).random((count, 2)) * (domain - length)
    return l, l + length


def length_of_overlap(overlap: float, domain: float) -> float:
    """Length of the ranges of `closed_profiles` of which a share of all pairs overlaps, 0 < overlap < 1.

    Starts lie evenly in [0, domain - length], so two ranges are apart with probability (1 - length / (domain -
    length))^2.
    """
    ratio = 1 - float((1 - overlap) ** 0.5)
    return domain * ratio / (1 + ratio)
