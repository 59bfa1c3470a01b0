"""Faults in the engine with a clock: what they cost, and that a network that does not heal is found out."""

import numpy as np
import pytest

from floor.errors import RangecastError
from pipeline import TIMES
from simulator.approaches import APPROACHES, Approach, Outgoing, Session, Workload
from simulator.engine.fault_injector import FaultInjector
from simulator.engine.faulty_transit import FaultyTransit
from simulator.engine.transit import Due
from simulator.scenario.scenario import Scenario
from simulator.workload import Chunk
from tests.simulator.small import random_scenario, run_small, small_ingredients

QUIET = {"objects": {"count": 20}, "subscriptions": {"count": 40}, "events": {"count": 40, "rate": "200/s"}, "k": 3}


def scenario(**faults: object) -> Scenario:
    return random_scenario(3, **QUIET, faults=faults)


@pytest.mark.parametrize("name", ["paint-dense", "unicast", "cn-relax"])
def test_losses_are_sent_again_and_counted(name: str) -> None:
    quiet = scenario()
    ingredients = small_ingredients(quiet)
    before, _, _ = run_small(quiet, ingredients, name)
    after, wrong, _ = run_small(scenario(loss=0.3, timeout="50ms"), ingredients, name)
    assert not wrong
    sums = {
        (when, column): int(np.sum(table[column].to_numpy()))
        for when, table in (("before", before), ("after", after))
        for column in ("overlay_bytes", "resent_bytes", "control_bytes")
    }
    resent, control = sums["after", "resent_bytes"], sums["after", "control_bytes"]
    assert sums["before", "resent_bytes"] == sums["before", "control_bytes"] == 0
    # Every first transmission is one of those without loss.
    assert sums["after", "overlay_bytes"] - sums["before", "overlay_bytes"] == resent + control
    assert abs(resent / sums["before", "overlay_bytes"] - 0.3 / 0.7) < 0.15
    assert after["received_update"].equals(before["received_update"])
    assert np.nanmax(after["latency_max"].to_numpy()) >= np.nanmax(before["latency_max"].to_numpy()) + 45


def test_duplicates_cost_traffic_and_reach_nobody_twice() -> None:
    quiet = scenario()
    ingredients = small_ingredients(quiet)
    before, _, _ = run_small(quiet, ingredients, "paint-dense")
    after, wrong, _ = run_small(scenario(duplication=1.0), ingredients, "paint-dense")
    assert not wrong
    assert np.array_equal(after["overlay_bytes"].to_numpy(), 2 * before["overlay_bytes"].to_numpy())
    assert np.array_equal(after["resent_bytes"].to_numpy(), before["overlay_bytes"].to_numpy())
    assert after["received_update"].equals(before["received_update"])


def test_what_is_no_number_is_a_wrong_list_also_where_the_server_reads_its_journal() -> None:
    class Blank(Session):
        def __init__(self, workload: Workload, approach: Approach) -> None:
            self._right = APPROACHES["paint-dense"].open(workload, approach)

        def answer(self, chunk: Chunk) -> Outgoing:
            sent = self._right.answer(chunk)
            sent.table["y"] = np.nan
            return sent

    quiet = scenario(server_crashes=2, server_downtime="700ms")
    APPROACHES["blank"] = Approach(Blank, exact=True)
    try:
        _, wrong, happened = run_small(quiet, small_ingredients(quiet), "blank")
    finally:
        del APPROACHES["blank"]
    assert happened["server crashes"] == 2
    assert "with y = nan" in wrong


def test_a_server_that_crashes_answers_late_and_the_same() -> None:
    quiet = scenario()
    ingredients = small_ingredients(quiet)
    before, _, _ = run_small(quiet, ingredients, "paint-sparse")
    after, wrong, happened = run_small(
        scenario(server_crashes=2, server_downtime="700ms"), ingredients, "paint-sparse"
    )
    assert not wrong
    assert happened["server crashes"] == 2
    counted = [name for name in before.column_names if name not in TIMES]
    assert after.select(counted).equals(before.select(counted))
    assert np.nanmax(after["latency_max"].to_numpy()) > 700


def test_same_seed_same_faults() -> None:
    wild = scenario(crashes=3, detection="20ms", downtime="50ms", loss=0.2, duplication=0.1, joins=10, leaves=10)
    first, _, happened = run_small(wild, small_ingredients(wild), "paint-dense")
    second, _, again = run_small(wild, small_ingredients(wild), "paint-dense")
    assert first.equals(second)
    assert happened == again
    assert happened["broker crashes"] == 3
    assert (happened["subscriptions joined"], happened["subscriptions left"]) == (10, 10)


def test_messages_that_are_not_started_anew_leave_wrong_lists_that_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def give_up(transit: FaultyTransit) -> int:
        """Count what has not arrived as if it had."""
        if transit.outgoing is not None:
            transit._open -= sum(missing > 0 for missing in transit._missing)
            transit._missing[:] = [0] * len(transit._missing)
            transit._open += 1
            transit._count_down()
        return 0

    wild = scenario(crashes=8, detection="50ms", downtime="50ms")
    ingredients = small_ingredients(wild)
    assert not run_small(wild, ingredients, "paint-dense")[1]
    monkeypatch.setattr(FaultyTransit, "restart", give_up)
    monkeypatch.setattr(FaultyTransit, "_begin", lambda *_: None)
    assert "not notified although its list changed" in run_small(wild, ingredients, "paint-dense")[1]


def test_a_subscription_that_is_not_handed_over_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def keep(injector: FaultInjector, due: Due) -> None:
        broker, _ = due.value
        injector._settle(injector._world.clock.now)
        injector.gone.add(broker)
        injector._world.ingredients.network.leave(broker)
        for transit in injector._under_way:
            transit.restart()

    wild = scenario(crashes=8, detection="1ms", downtime="100h")
    ingredients = small_ingredients(wild)
    assert not run_small(wild, ingredients, "cn-relax")[1]
    monkeypatch.setattr(FaultInjector, "_take_over", keep)
    assert "not notified although its list changed" in run_small(wild, ingredients, "cn-relax")[1]


def test_a_forgotten_resend_ends_the_run_with_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FaultyTransit, "_repeat", lambda *_: None)
    lossy = scenario(loss=0.3, timeout="50ms")
    with pytest.raises(RangecastError, match="never arrive everywhere"):
        run_small(lossy, small_ingredients(lossy), "paint-dense")
