"""Faults of a run, known before it begins: who crashes when, at random and as planned, and who comes and goes.

All approaches of a run suffer the same crashes and the same comings and goings. What happens to single messages on
links is drawn as they are sent, from a generator of its own.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.inputs.ingredients import Ingredients, generator
from simulator.inputs.link_plan import LinkPlan
from simulator.scenario.fault_tables import PlannedFault
from simulator.scenario.mistakes import ScenarioError
from simulator.scenario.planned_faults import in_order
from simulator.scenario.scenario import Scenario
from simulator.workload.units import DURATION

__all__ = ["Churn", "FaultPlan", "plan_faults"]

_MOMENTS = 16
"""Subscriptions come and go at so many moments at most: the stream of events is cut there."""


class Churn(NamedTuple):
    """Subscriptions that come and go. Newcomers take the ids that follow those of the population."""

    moments: NDArray[np.int64]
    """Numbers of the events before which it happens, ascending."""
    l: NDArray[np.float64]
    """(newcomers,) or (newcomers, d) ends."""
    r: NDArray[np.float64]
    nodes: NDArray[np.int64]
    joined: NDArray[np.int64]
    """(m + newcomers,) event before which each subscription came; -1 for those there from the start."""
    left: NDArray[np.int64]
    """(m + newcomers,) event before which each went; the largest integer for those that stay."""

    def ends_of(self, newcomers: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Ends of some newcomers, by their number from 0."""
        return self.l[newcomers], self.r[newcomers]

    def joining(self, event: int) -> NDArray[np.int64]:
        """Ids that come before an event, ascending."""
        return np.flatnonzero(self.joined == event)

    def leaving(self, event: int) -> NDArray[np.int64]:
        """Ids that go before an event."""
        return np.flatnonzero(self.left == event)


class FaultPlan(NamedTuple):
    """What is going to happen."""

    crashes: list[tuple[float, int]]
    """Time in seconds, and a number that picks the broker among those that are up then."""
    server_crashes: list[float]
    churn: Churn
    planned: list[PlannedFault]
    """What the scenario names itself, in the order of time."""
    links: LinkPlan


def plan_faults(scenario: Scenario, ingredients: Ingredients) -> FaultPlan:
    """Draw the faults of a scenario, and check those it plans against what is known of the run. O(m + faults).

    Nothing goes wrong after the last event.

    Raises
    ------
    ScenarioError
        A planned fault comes after the last event, or takes the server's broker.
    """
    wanted, rng = scenario.faults, generator(scenario, "faults")
    end_s = float(ingredients.events.time_s[-1])
    times = (rng.random(wanted.crashes) * end_s).tolist()
    crashes = sorted(zip(times, rng.integers(2**31, size=wanted.crashes).tolist(), strict=True))
    server_crashes = np.sort(rng.random(wanted.server_crashes) * end_s).tolist()
    _check_planned(wanted.at, ingredients.server, end_s)
    churn = _churn(scenario, ingredients, rng)
    return FaultPlan(crashes, server_crashes, churn, in_order(wanted.at), LinkPlan(wanted.at))


def _check_planned(planned: list[PlannedFault], server: int, end_s: float) -> None:
    for place, fault in enumerate(planned):
        if fault.time_s > end_s and fault.what not in ("restore", "heal"):
            raise ScenarioError(
                f'faults.at[{place}].time = "{DURATION.format(fault.time_s)}": nothing goes wrong after the last '
                f"event, which arises at {end_s:.6g} s; choose an earlier time, or add events"
            )
        if fault.what == "crash" and server in fault.brokers:
            raise ScenarioError(
                f"faults.at[{place}].whom = {list(fault.brokers)}: the server is at broker {server}, which cannot "
                'crash; leave it out, or let whom = "server" crash'
            )


def _churn(scenario: Scenario, ingredients: Ingredients, rng: np.random.Generator) -> Churn:
    """Draw who comes and goes: newcomers want ranges of those who are there; who goes was there from the start."""
    workload, joins, leaves = ingredients.workload, scenario.faults.joins, scenario.faults.leaves
    present, events = len(workload.l), len(ingredients.events.object)
    moments = np.unique(rng.integers(events, size=min(_MOMENTS, joins + leaves)))
    models = rng.integers(present, size=joins)
    nodes = rng.integers(len(ingredients.graph), size=joins)
    joined = np.full(present + joins, -1, np.int64)
    left = np.full(present + joins, np.iinfo(np.int64).max)
    if len(moments):
        joined[present:] = np.sort(rng.choice(moments, joins))  # ids are given in the order of arrival
        left[rng.choice(present, leaves, replace=False)] = rng.choice(moments, leaves)
    return Churn(moments, workload.l[models], workload.r[models], nodes, joined, left)
