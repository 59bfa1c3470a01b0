"""Arrivals: when events arise. All processes are registered here, in one table."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["ARRIVALS", "Pace"]

Floats = NDArray[np.float64]


class Pace(NamedTuple):
    """What a scenario says about arrivals."""

    rate_per_s: float
    burst: int
    """Events of a burst."""
    gap_s: float
    """From one burst to the next."""


def _at_once(count: int, _pace: Pace, _rng: np.random.Generator) -> Floats:
    return np.zeros(count)


def _fixed(count: int, pace: Pace, _rng: np.random.Generator) -> Floats:
    return np.arange(1, count + 1) / pace.rate_per_s


def _poisson(count: int, pace: Pace, rng: np.random.Generator) -> Floats:
    times: Floats = np.cumsum(rng.standard_exponential(count)) / pace.rate_per_s
    return times


def _bursts(count: int, pace: Pace, _rng: np.random.Generator) -> Floats:
    return np.float64(pace.gap_s) * (np.arange(count) // pace.burst)


ARRIVALS: dict[str, Callable[[int, Pace, np.random.Generator], Floats]] = {
    "at-once": _at_once,
    "bursts": _bursts,
    "fixed": _fixed,
    "poisson": _poisson,
}
"""Every process by name, called as `process(count, pace, rng)`: seconds, in ascending order; `ARRIVALS["mine"] = ...`
adds one. With `events.arrival = "trace"` the times are those of the trace instead."""
