"""Engines: what carries the messages of an approach, as a scenario chooses it."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from simulator.approaches.approach import Approach
from simulator.approaches.session import Session
from simulator.engine.audience import Audience
from simulator.engine.carried import Carried
from simulator.engine.des import simulate
from simulator.engine.ledger import Ledger
from simulator.engine.packets import packing_of
from simulator.engine.tally import tally
from simulator.inputs.fault_plan import plan_faults
from simulator.inputs.ingredients import Ingredients, with_fresh_network
from simulator.scenario.scenario import Scenario
from simulator.workload.events import LOWER
from simulator.workload.windows import chunks_of, windows_for_everybody, windows_in_room

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
        Every chunk in order; with its transmissions, if the scenario has hops recorded.
    """
    faults = plan_faults(scenario, ingredients) if scenario.faults.any else None
    if faults is not None:
        ingredients = with_fresh_network(scenario, ingredients)
    audience = Audience(ingredients, approach, watched)
    cuts, warm_up = None if faults is None else faults.churn.moments, scenario.events.warm_up
    windows = _windows(scenario, ingredients, approach, audience, len(watched))
    chunks = chunks_of(ingredients.events, approach.window, cuts, warm_up, windows)
    if scenario.engine == "tally":
        recorded, holds = "hops" in scenario.record, scenario.network.order == "hold" and not approach.asked
        packing = packing_of(scenario, approach)
        return tally(ingredients, approach, session, audience, chunks, packing, record_hops=recorded, holds=holds)
    return simulate(scenario, ingredients, approach, session, audience, chunks, faults, ledger)


def _windows(
    scenario: Scenario, ingredients: Ingredients, approach: Approach, audience: Audience, watched: int
) -> int:
    """Windows of a chunk, by what it holds the most of."""
    if scenario.engine == "tally" and _only_counts(ingredients, approach, audience):
        return windows_in_room(scenario.k)
    return windows_for_everybody(watched if approach.serverless else 0)


def _only_counts(ingredients: Ingredients, approach: Approach, audience: Audience) -> bool:
    """Whether a chunk holds little else than messages to regions: nobody is named or written to, nothing travels."""
    if len(ingredients.network) > 1 or ingredients.workload.sides is not None or audience.watches:
        return False
    return not (approach.unicast and (ingredients.events.kind > LOWER).any())
