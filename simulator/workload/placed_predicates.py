"""Populations of subscriptions with places as seed 001 makes them, and events for them: Section 6.1 and Table 4.

The generator of the paper's predicates and its places are not to be had. Here attributes are drawn evenly or by Zipf,
operators are =, <=, >= and between, evenly, and values even over a domain of `values` numbers; places lie around
towns in the unit square. Weights follow the paper, by the rareness of an attribute, and are normalised, which the
paper forgets; it prints max(xi, N(0.8 xi, 0.05 xi)), which is xi nearly always, where min may be meant: min is taken.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from matching.predicates import OPERATORS, Predicates

__all__ = ["PlacedPredicates", "make_placed", "make_placed_events"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
TOWNS, SPREAD = 60, 0.02
KINDS = tuple(OPERATORS.index(name) for name in ("=", "<=", ">=", "between"))


class PlacedPredicates(NamedTuple):
    """What a population is made from; the defaults are those of Table 4, where it still tells them."""

    subscriptions: int = 2_000_000
    attributes: int = 400
    values: int = 100
    """Distinct values of an attribute."""
    event_length: int = 10
    subscription_length: int = 4
    alpha: tuple[float, float] | None = None
    """Mean and deviation of a normal distribution, cut at 0 and 1; None for one that is even over [0, 1]."""
    skew: float = 0.0
    """Of the choice of attributes: 0 even, 1 Zipf."""


def _lengths(rng: np.random.Generator, mean: int, most: int, count: int) -> Ints:
    """Numbers of predicates: even over mean - 1, mean and mean + 1, 1 to `most`."""
    return np.clip(rng.integers(mean - 1, mean + 2, count), 1, most)


def _choices(rng: np.random.Generator, spec: PlacedPredicates, counts: Ints) -> tuple[Ints, Ints]:
    """Rows and attributes, the attributes of a row distinct; what is drawn twice is left out."""
    share = np.arange(1, spec.attributes + 1, dtype=float) ** -spec.skew
    reach = np.cumsum(share)
    row = np.repeat(np.arange(counts.size), counts)
    attribute = np.searchsorted(reach, rng.random(row.size) * reach[-1], side="right")
    pair = np.unique(row * spec.attributes + attribute)
    return pair // spec.attributes, pair % spec.attributes


def _places(rng: np.random.Generator, towns: Floats, count: int) -> Floats:
    near = towns[rng.integers(0, len(towns), count)] + SPREAD * rng.standard_normal((count, 2))
    return np.clip(near, 0, 1)


def make_placed(spec: PlacedPredicates, seed: int) -> tuple[Predicates, Floats, Floats]:
    """Predicates, places and alphas of a population."""
    rng = np.random.default_rng(seed)
    towns = np.random.default_rng(seed + 1).random((TOWNS, 2))
    n = spec.subscriptions
    owner, attribute = _choices(rng, spec, _lengths(rng, spec.subscription_length, spec.attributes, n))
    first, second = rng.integers(0, spec.values, (2, owner.size)).astype(float)
    operator = np.array(KINDS)[rng.integers(0, len(KINDS), owner.size)]
    between = operator == KINDS[-1]
    rareness = 1 / np.bincount(attribute, minlength=spec.attributes).clip(1)[attribute]
    weight = np.minimum(rareness, rng.normal(0.8 * rareness, 0.05 * rareness))
    weight /= np.bincount(owner, weight, n)[owner]
    columns = {
        "subscription": owner,
        "attribute": attribute,
        "operator": operator,
        "low": np.where(between, np.minimum(first, second), first),
        "high": np.where(between, np.maximum(first, second), np.nan),
        "weight": weight,
    }
    alpha = rng.random(n) if spec.alpha is None else np.clip(rng.normal(*spec.alpha, n), 0, 1)
    return Predicates(columns, spec.attributes, n), _places(rng, towns, n), alpha


def make_placed_events(spec: PlacedPredicates, events: int, seed: int) -> tuple[Floats, Floats]:
    """Values of events, NaN where one is missing, and their places; the seed is that of the population."""
    rng = np.random.default_rng(seed + 2)
    towns = np.random.default_rng(seed + 1).random((TOWNS, 2))
    row, attribute = _choices(rng, spec, _lengths(rng, spec.event_length, spec.attributes, events))
    values = np.full((events, spec.attributes), np.nan)
    values[row, attribute] = rng.integers(0, spec.values, row.size)
    return values, _places(rng, towns, events)
