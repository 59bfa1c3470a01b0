"""Defects planted in the clock under faults: its oracle finds each."""

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from floor.errors import RangecastError
from simulator.engine.fault_injector import FaultInjector
from simulator.engine.faulty_transit import FaultyTransit
from simulator.engine.flights import Flight
from simulator.engine.service_log import ServiceLog
from simulator.engine.transit import Due, World
from simulator.inputs.link_plan import LinkPlan
from tests.simulator.engine.test_clock import check, faulty_scenario
from tests.simulator.small import small_ingredients


def settle_all(transit: FaultyTransit, until_s: float) -> None:
    del until_s
    SETTLE(transit, np.inf)


def keep_unsent(transit: FaultyTransit, broker: int) -> None:
    sent = list(transit._sent)
    FORGET(transit, broker)
    transit._sent = [before if after is None else after for before, after in zip(sent, transit._sent, strict=True)]


def wait_less(world: World, time: float, act: Callable[[Due], None], value: object) -> None:
    AT(world, time - 0.001 * (act.__name__ == "_repeat"), act, value)


def keep_queue(injector: FaultInjector, broker: int, why: str) -> None:
    world = injector._world
    free = world.broker_free[broker], world.uplink_free[broker]
    BRING_BACK(injector, broker, why)
    world.broker_free[broker], world.uplink_free[broker] = free


SETTLE, FORGET, AT, BRING_BACK = FaultyTransit.settle, FaultyTransit.forget, World.at, FaultInjector._bring_back
DEFECTS = [
    (FaultyTransit, "settle", settle_all),
    (FaultyTransit, "forget", keep_unsent),
    (ServiceLog, "stop", lambda *_: None),
    (FaultyTransit, "forget", lambda *_: None),
    (World, "at", wait_less),
    (FaultInjector, "_bring_back", keep_queue),
    (FaultInjector, "_return", lambda *_: None),
    (FaultInjector, "_take_over", lambda *_: None),
    (FaultyTransit, "restart", lambda _: 0),
    (FaultyTransit, "_repeat", lambda *_: None),
    (FaultyTransit, "_acknowledge", lambda *_: None),
    (LinkPlan, "apart", lambda *_: False),
    (LinkPlan, "delay_s", lambda *_: 0.0),
    (Flight, "in_vain", False),
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
