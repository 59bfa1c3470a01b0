"""Events: the stream of updates that every approach of a run answers.

The kind calibrated against the paper's tables (Section V, "Workloads"): an object uniformly at random, up or down
with probability 1/2, the new y uniform in what remains on that side of [0, 1). The state evolves from event to event.
"""

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rangecast import njit

__all__ = ["KINDS", "EventStream", "uniform_events"]

KINDS = ("raise", "lower")
"""Names of the values of `EventStream.kind`."""


class EventStream(NamedTuple):
    """Events as columns, in event order, all of the same length."""

    object: NDArray[np.int64]
    y: NDArray[np.float64]
    """New y-value of the object."""
    kind: NDArray[np.int8]
    """Index into `KINDS`: a smaller y raises the rank, a larger one lowers it."""
    time_s: NDArray[np.float64]
    origin: NDArray[np.int64]
    """Broker where the event arises."""


def uniform_events(
    y: NDArray[np.float64],
    *,
    count: int,
    brokers: int,
    rate_per_s: float,
    arrival: Literal["fixed", "poisson"],
    rng: np.random.Generator,
) -> EventStream:
    """Draw a stream of events over objects with the given y-values in [0, 1).

    Time and space O(count + n).
    """
    objects = rng.integers(len(y), size=count)
    lowers = rng.random(count) < 0.5
    shares = rng.random(count)
    origins = rng.integers(brokers, size=count)
    gaps = np.full(count, 1.0) if arrival == "fixed" else rng.standard_exponential(count)
    return EventStream(
        object=objects,
        y=_walk(y.copy(), objects, lowers, shares),
        kind=lowers.astype(np.int8),
        time_s=np.cumsum(gaps) / rate_per_s,
        origin=origins,
    )


@njit
def _walk(
    y: NDArray[np.float64], objects: NDArray[np.int64], lowers: NDArray[np.bool_], shares: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Turn shares of what remains on the chosen side into y-values, event after event; `y` is used up."""
    new = np.empty(len(objects))
    for event in range(len(objects)):
        i = objects[event]
        y[i] = y[i] + shares[event] * (1.0 - y[i]) if lowers[event] else shares[event] * y[i]
        new[event] = y[i]
    return new
