"""Engines: what carries the messages of an approach, as a scenario chooses it."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .approaches import Approach, Session
from .des import simulate
from .faults import plan_faults
from .ingredients import Ingredients, with_fresh_network
from .loads import Ledger
from .reach import Reach
from .scenario import Scenario
from .stretches import stretches_of
from .tally import tally
from .traffic import Carried

__all__ = ["carry_events"]


def carry_events(
    scenario: Scenario,
    ingredients: Ingredients,
    approach: Approach,
    session: Session,
    watched: NDArray[np.int64],
    ledger: Ledger | None = None,
) -> Iterator[Carried]:
    """Carry what a session of an approach sends for all events, with the faults of the scenario.

    Parameters
    ----------
    watched : int64 array
        Subscriptions to name where they are notified, ascending.
    ledger : Ledger, optional
        Where an engine with a clock notes the rest.

    Yields
    ------
    Carried
        Every stretch in order; with its transmissions, if the scenario has hops recorded.
    """
    faults = plan_faults(scenario, ingredients) if scenario.faults.any else None
    if faults is not None:
        ingredients = with_fresh_network(scenario, ingredients)
    reach = Reach(ingredients, approach, watched)
    stretches = stretches_of(ingredients.events, approach.window, None if faults is None else faults.churn.moments)
    if scenario.engine == "tally":
        return tally(ingredients, approach, session, reach, stretches, record_hops="hops" in scenario.record)
    return simulate(scenario, ingredients, approach, session, reach, stretches, faults, ledger)
