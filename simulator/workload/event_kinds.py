"""Kinds of events: how the y of an object changes. All of them are registered here, in one table.

Which object an event is about, and whether it is inserted, deleted or moved instead, is no matter of the kind (see
`event_mix`); nor is when it happens (see `arrivals`).
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit

__all__ = ["EVENT_KINDS", "Steps"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

Steps = Callable[[Floats, Ints, float, np.random.Generator], Floats]
"""Called as `steps(y, objects, volatility, rng)`: the y of every object before its first update, in [0, 1) and free
to be written to; the object of each update; the scenario's `events.volatility`. Returns the new y of each update."""


def _uniform(y: Floats, objects: Ints, _volatility: float, rng: np.random.Generator) -> Floats:
    """Up or down with probability 1/2, the new y uniform in what remains on that side of [0, 1).

    The reading of Section V, "Workloads", that fits the paper's tables.
    """
    return _walk_uniform(y, objects, rng.random(len(objects)) < 0.5, rng.random(len(objects)))


def _gaussian(y: Floats, objects: Ints, volatility: float, rng: np.random.Generator) -> Floats:
    """The change of y is Gaussian with standard deviation volatility / 8 (Section V, Fig. 15(b): c / 8 of the range).

    The paper leaves open what happens at the ends of [0, 1): here a step is reflected at them.
    """
    return _walk_reflected(y, objects, rng.normal(scale=volatility / 8, size=len(objects)))


EVENT_KINDS: dict[str, Steps] = {"gaussian": _gaussian, "uniform": _uniform}
"""Every kind by name; `EVENT_KINDS["mine"] = steps` adds one. A trace, `events.kind = "trace"`, is read instead."""


@njit
def _walk_uniform(y: Floats, objects: Ints, lowers: NDArray[np.bool_], shares: Floats) -> Floats:
    """Turn shares of what remains on the chosen side into y-values, event after event; `y` is used up."""
    new = np.empty(len(objects))
    for event in range(len(objects)):
        i = objects[event]
        y[i] = y[i] + shares[event] * (1.0 - y[i]) if lowers[event] else shares[event] * y[i]
        new[event] = y[i]
    return new


@njit
def _walk_reflected(y: Floats, objects: Ints, steps: Floats) -> Floats:
    """Add up steps, event after event, folded at 0 and 1 as often as it takes; `y` is used up."""
    below_one = np.nextafter(1.0, 0.0)
    new = np.empty(len(objects))
    for event in range(len(objects)):
        i = objects[event]
        folded = abs(y[i] + steps[event]) % 2.0
        y[i] = min(folded if folded < 1.0 else 2.0 - folded, below_one)
        new[event] = y[i]
    return new
