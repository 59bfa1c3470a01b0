"""Which subscriptions of a run are watched: named where they are notified, their lists followed."""

import numpy as np
from numpy.typing import NDArray

from simulator.inputs.fault_plan import plan_faults
from simulator.inputs.ingredients import Ingredients, generator
from simulator.scenario.scenario import Scenario

__all__ = ["watched_of"]

_FOLLOWED = 1000
"""Subscriptions to follow for how long lists are wrong, where nothing is verified and there is a clock."""


def watched_of(scenario: Scenario, ingredients: Ingredients) -> NDArray[np.int64]:
    """Ids of the subscriptions to watch, ascending: those to verify, or else a sample, if there is a clock.

    Beside a sample that is verified, all are watched that come later.
    """
    subscriptions = len(ingredients.workload.l)
    if scenario.verify == "none":
        return np.empty(0, np.int64) if scenario.engine == "tally" else _sample(scenario, subscriptions, _FOLLOWED)
    newcomers = subscriptions + np.arange(len(plan_faults(scenario, ingredients).churn.l))
    if scenario.verify == "all":
        return np.append(np.arange(subscriptions), newcomers)
    return np.append(_sample(scenario, subscriptions, int(scenario.verify.partition(":")[2])), newcomers)


def _sample(scenario: Scenario, subscriptions: int, size: int) -> NDArray[np.int64]:
    return np.sort(generator(scenario, "sample").choice(subscriptions, min(size, subscriptions), replace=False))
