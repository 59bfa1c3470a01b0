"""Origins: at which broker each event arises. All ways are registered here, in one table."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["ORIGINS", "Where"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Where(NamedTuple):
    """What a scenario says about origins, and where its brokers are."""

    skew: float
    """Exponent of `skewed`."""
    spread_s: float
    """Delay of `regional`."""
    delay_ms: Floats
    """(brokers, brokers) delay from one to the other."""


def _uniform(objects: Ints, where: Where, rng: np.random.Generator) -> Ints:
    """Any broker, each with the same chance."""
    return rng.integers(len(where.delay_ms), size=len(objects))


def _skewed(objects: Ints, where: Where, rng: np.random.Generator) -> Ints:
    """The n-th busiest broker with a chance as 1/n^skew, Zipf's law; which brokers these are is drawn first."""
    brokers = rng.permutation(len(where.delay_ms))
    shares = np.cumsum(np.arange(1, len(brokers) + 1, dtype=np.float64) ** -where.skew)
    origins: Ints = brokers[_pick(shares, rng.random(len(objects)))]
    return origins


def _regional(objects: Ints, where: Where, rng: np.random.Generator) -> Ints:
    """A broker near the object's home, with a chance as exp(-delay / spread); at home alone without a spread.

    Every object has a random broker for a home. O(events log brokers + brokers^2) time, O(events + brokers) space.
    """
    brokers = len(where.delay_ms)
    homes = rng.integers(brokers, size=int(objects.max(initial=-1)) + 1)[objects]
    chance = rng.random(len(objects))
    if where.spread_s == 0:
        return homes
    origins = np.empty(len(objects), np.int64)
    order = np.argsort(homes, kind="stable")
    starts = np.searchsorted(homes[order], np.arange(brokers + 1))
    for home in np.unique(homes).tolist():
        events = order[starts[home] : starts[home + 1]]
        shares = np.cumsum(np.exp(-where.delay_ms[home] / (1e3 * where.spread_s)))
        origins[events] = _pick(shares, chance[events])
    return origins


def _pick(shares: Floats, chance: Floats) -> Ints:
    """Turn shares in [0, 1) of the last of some sums, which ascend, into places among them."""
    picked: Ints = np.minimum(np.searchsorted(shares, chance * shares[-1], side="right"), len(shares) - 1)
    return picked


ORIGINS: dict[str, Callable[[Ints, Where, np.random.Generator], Ints]] = {
    "regional": _regional,
    "skewed": _skewed,
    "uniform": _uniform,
}
"""Every way by name, called as `way(objects, where, rng)` with the object of each event: the broker of each;
`ORIGINS["mine"] = ...` adds one."""
