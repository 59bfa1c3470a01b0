"""Defects planted in the clock under faults: its oracle finds each."""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from floor.errors import RangecastError
from simulator.engine.fault_injector import FaultInjector
from simulator.engine.faulty_transit import FaultyTransit
from simulator.engine.flights import Flights
from simulator.engine.service_log import ServiceLog
from simulator.engine.transit import Due, World
from simulator.engine.ways import Ways
from simulator.inputs.link_plan import LinkPlan
from tests.simulator.engine.test_clock import check, faulty_scenario
from tests.simulator.small import small_ingredients


def settle_all(transit: FaultyTransit, until_s: float) -> None:
    del until_s
    SETTLE(transit, np.inf)


def keep_unsent(flights: Flights, broker: int, now: float) -> list[int]:
    begun = CUT(flights, broker, now)
    flights._unsent.clear()
    return begun


def serve_on(services: ServiceLog, broker: int, now: float) -> NDArray[np.int64]:
    begun_s, done_s = list(services.begun_s), list(services.done_s)
    undelivered = STOP(services, broker, now)
    services.begun_s[:], services.done_s[:] = begun_s, done_s
    return undelivered


def keep_in_vain(ways: Ways, *about: Any) -> NDArray[np.int64]:
    since = list(ways.since)
    packets = ADD(ways, *about)
    ways.since[:] = since
    return packets


def wait_less(world: World, time: float, act: Callable[[Due], None], value: object) -> None:
    AT(world, time - 0.001 * (act.__name__ == "_repeat"), act, value)


def keep_queue(injector: FaultInjector, broker: int, why: str) -> None:
    world = injector._world
    free = world.broker_free[broker], world.uplink_free[broker]
    BRING_BACK(injector, broker, why)
    world.broker_free[broker], world.uplink_free[broker] = free


SETTLE, AT, BRING_BACK = FaultyTransit.settle, World.at, FaultInjector._bring_back
CUT, FLOWN, STOP, ADD = Flights.cut, Flights.flown, ServiceLog.stop, Ways.add
DEFECTS = [
    (FaultyTransit, "settle", settle_all),
    (Flights, "cut", keep_unsent),
    (ServiceLog, "stop", serve_on),
    (FaultyTransit, "forget", lambda *_: None),
    (World, "at", wait_less),
    (FaultInjector, "_bring_back", keep_queue),
    (FaultInjector, "_return", lambda *_: None),
    (FaultInjector, "_take_over", lambda *_: None),
    (FaultyTransit, "restart", lambda _: 0),
    (FaultyTransit, "_repeat", lambda *_: None),
    (Flights, "flown", lambda flights: (FLOWN(flights)[0], np.empty(0, np.int64))),
    (LinkPlan, "apart", lambda *_: False),
    (LinkPlan, "delay_s", lambda *_: 0.0),
    (Ways, "add", keep_in_vain),
]


@pytest.mark.parametrize(
    ("what", "name", "defect"), DEFECTS, ids=[f"{what.__name__}.{name}" for what, name, _ in DEFECTS]
)
def test_a_clock_that_is_wrong_is_found(
    monkeypatch: pytest.MonkeyPatch, what: type, name: str, defect: object
) -> None:
    monkeypatch.setattr(what, name, defect)
    for seed, approach in product(range(40), ("paint-dense", "cn-relax")):
        scenario = faulty_scenario(seed)
        try:
            check(scenario, small_ingredients(scenario), approach)
        except (AssertionError, KeyError, RangecastError):
            return
    pytest.fail("nothing was found")
