"""Arrangements: how brokers share the subscriptions, from one crash or return to the next, as a journey met them."""

from collections.abc import Callable, Iterable
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from cn import Network
from simulator.engine.fault_log import FaultRow
from simulator.inputs.ingredients import Ingredients, generator, with_fresh_network
from simulator.scenario.scenario import Scenario

__all__ = ["Phase", "arrangements"]

Seen = TypeVar("Seen")


class Phase(NamedTuple, Generic[Seen]):
    """What was seen of the network at a time, until the next phase."""

    start_s: float
    """-inf for the first."""
    seen: Seen


def arrangements(
    scenario: Scenario, ingredients: Ingredients, faults: Iterable[FaultRow], see: Callable[[Network], Seen]
) -> list[Phase[Seen]]:
    """Let brokers leave and return as the log of faults tells, and look at the network each time.

    `simulator.engine.fault_injector` does the same as the clock goes: neighbours take over from a broker some time
    after its crash, and only one from which they have is given its part again on its return.

    Parameters
    ----------
    see : callable
        Takes from the network what is to be kept; the network itself changes.
    """
    changes = [row for row in faults if row.what in ("takeover", "return") and row.broker is not None]
    if not changes:
        return [Phase(-np.inf, see(ingredients.network))]
    network, seed, gone = with_fresh_network(scenario, ingredients).network, generator(scenario, "zones"), set[int]()
    phases = [Phase(-np.inf, see(network))]
    for row in changes:
        broker = int(row.broker or 0)
        if row.what == "takeover":
            gone.add(broker)
            network.leave(broker)
        elif broker in gone:
            gone.remove(broker)
            network.join(broker, seed)
        else:
            continue
        phases.append(Phase(row.time_s, see(network)))
    return phases
