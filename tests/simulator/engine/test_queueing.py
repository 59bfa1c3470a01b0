"""The server as a queue of queueing theory: Poisson arrivals, one server, constant service time (M/D/1).

There is one broker, so that nothing takes time but the server, and only its calls of first_k cost anything, of which
Paint-Dense makes two for every event. The mean wait is then rho s / (2 (1 - rho)) (Pollaczek-Khinchine).
"""

from functools import cache

import numpy as np
import pytest

from simulator.approaches.registry import parse_approach
from simulator.engine.carry import carry_events
from simulator.engine.ledger import Ledger
from simulator.inputs.ingredients import assemble
from simulator.workload.workload import Workload
from tests.simulator.small import queue_scenario
from tests.some_cases import some

SERVICE_S = 2e-3
SEEDS = 10
EVENTS = {0.5: 5_000, 0.7: 8_000, 0.9: 20_000}
"""By utilisation: the closer to 1, the longer one wait depends on another."""
T_95 = 2.262
"""Quantile of Student's distribution for 10 independent runs, 95 %."""


@cache
def waits_s(utilisation: float, service_s: float) -> tuple[float, ...]:
    """Mean wait of the windows of independent runs, at the rate that would give the utilisation with SERVICE_S."""
    waits, events = [], EVENTS[utilisation]
    for seed in range(SEEDS):
        rate = {"count": events, "arrival": "poisson", "rate": f"{utilisation / SERVICE_S}/s"}
        scenario = queue_scenario(seed, service_s, rate)
        rng = np.random.default_rng(seed)
        l, r = np.sort(rng.random((2, 10)), axis=0)
        x, y = rng.random((2, 10))
        ingredients = assemble(scenario, Workload(1, x, y, l, r), rng.random(10))
        approach, ledger = parse_approach("paint-dense"), Ledger()
        session = approach.open(ingredients.workload, approach)
        for _ in carry_events(scenario, ingredients, approach, session, np.empty(0, np.int64), ledger):
            pass
        assert ledger.server_busy_s == pytest.approx(events * service_s)
        waits.append(ledger.server_waited_s / events)
    return tuple(waits)


def interval(waits: tuple[float, ...]) -> tuple[float, float]:
    """95 % confidence interval of the mean."""
    half = T_95 * float(np.std(waits, ddof=1)) / np.sqrt(len(waits))
    return float(np.mean(waits)) - half, float(np.mean(waits)) + half


def expected_s(utilisation: float) -> float:
    return utilisation * SERVICE_S / (2 * (1 - utilisation))


@pytest.mark.parametrize("utilisation", some((0.5, 0.7, 0.9), lambda utilisation: utilisation < 0.9))
def test_the_server_waits_as_theory_says(utilisation: float) -> None:
    low, high = interval(waits_s(utilisation, SERVICE_S))
    assert low <= expected_s(utilisation) <= high
    assert high - low < 0.25 * expected_s(utilisation)  # an interval that holds everything shows nothing


@pytest.mark.parametrize("utilisation", some((0.5, 0.7, 0.9), lambda utilisation: utilisation < 0.7))
@pytest.mark.parametrize("wrong", [0.9, 1.1])
def test_a_service_time_that_is_wrong_by_a_tenth_is_found(utilisation: float, wrong: float) -> None:
    low, high = interval(waits_s(utilisation, wrong * SERVICE_S))
    assert not low <= expected_s(utilisation) <= high
