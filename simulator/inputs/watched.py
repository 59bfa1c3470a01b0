"""Which subscriptions of a run are watched: named where they are notified, their lists followed."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.inputs.fault_plan import plan_faults
from simulator.inputs.ingredients import Ingredients, generator
from simulator.scenario.scenario import Scenario

__all__ = ["Watched", "watched_of"]

_COUNTED = 1000
"""Subscriptions to follow, where there is a clock, for how long lists are stale or wrong."""


class Watched(NamedTuple):
    """Subscriptions to watch; everywhere else they are known by their place here."""

    ids: NDArray[np.int64]
    """Ascending; those that come later follow the ids of the workload."""
    counted: NDArray[np.bool_]
    """Whether the times of each count."""
    verified: NDArray[np.bool_]
    """Whether each is verified."""


def watched_of(scenario: Scenario, ingredients: Ingredients) -> Watched:
    """Those to verify and, if there is a clock, a sample of those there at the start, whatever is verified."""
    subscriptions = len(ingredients.workload.l)
    counted = _sample(scenario, subscriptions, 0 if scenario.engine == "tally" else _COUNTED)
    verified = np.empty(0, np.int64)
    if scenario.verify != "none":
        size = subscriptions if scenario.verify == "all" else int(scenario.verify.partition(":")[2])
        newcomers = subscriptions + np.arange(len(plan_faults(scenario, ingredients).churn.l))
        verified = np.append(_sample(scenario, subscriptions, size), newcomers)
    ids = np.union1d(counted, verified)
    return Watched(ids, np.isin(ids, counted), np.isin(ids, verified))


def _sample(scenario: Scenario, subscriptions: int, size: int) -> NDArray[np.int64]:
    if size >= subscriptions:
        return np.arange(subscriptions)
    return np.sort(generator(scenario, "sample").choice(subscriptions, size, replace=False))
