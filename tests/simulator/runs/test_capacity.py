"""Capacity: near what the service time allows where the server is all that is slow, and monotone in the bound."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from floor.errors import RangecastError
from simulator.inputs.ingredients import Ingredients, assemble
from simulator.runs.capacity import Capacity, Probe, find_capacity, measure_capacity, parse_bound, probe
from simulator.scenario.scenario import Scenario
from simulator.views.capacity_table import capacity_notes, capacity_table
from simulator.workload.workload import Workload
from tests.simulator.results.test_hops import small

SERVICE_MS, EVENTS = 2.0, 400


def server_only(arrival: str) -> tuple[Scenario, Ingredients]:
    """One broker, and a server that takes 2 ms for each event; everything else takes no time."""
    scenario = Scenario.model_validate(
        {
            "name": "server",
            "k": 1,
            "approaches": ["paint-dense"],
            "topology": {"model": "barabasi-albert", "nodes": 3},
            "network": {"brokers": 1},
            "objects": {"count": 20},
            "subscriptions": {"count": 500},
            "events": {"count": EVENTS, "rate": "100/s", "arrival": arrival},
            "costs": {"broker": "0s", "first_k": "1ms", "min_y": "0s", "snap": "0s", "send": "0s"},
        }
    )
    rng = np.random.default_rng(1)
    l, r = np.sort(rng.random((2, 500)), axis=0)
    x, y = rng.random((2, 20))
    return scenario, assemble(scenario, Workload(1, x, y, l, r), rng.random(500))


@pytest.fixture(scope="module")
def found() -> dict[float, Capacity]:
    """Capacity of the server by bound in ms."""
    scenario, ingredients = server_only("poisson")

    def test(rate_per_s: float) -> Probe:
        return probe(scenario, ingredients, "paint-dense", rate_per_s, 0)

    return {bound: find_capacity("paint-dense", test, 100.0, bound) for bound in (1.0, 4.0, 10.0, 40.0)}


def test_a_server_takes_what_its_service_time_allows() -> None:
    """Where events come at equal times none waits, up to the rate at which they come faster than they are served."""
    scenario, ingredients = server_only("fixed")
    answer = find_capacity("paint-dense", lambda rate: probe(scenario, ingredients, "paint-dense", rate, 0), 100, 1e4)
    assert answer.highest is not None
    assert answer.failing is not None
    assert answer.highest.rate_per_s <= 1e3 / SERVICE_MS <= answer.failing.rate_per_s <= 1.02e3 / SERVICE_MS + 1
    assert answer.highest.p99_ms == pytest.approx(SERVICE_MS)
    assert answer.highest.bottleneck is not None
    assert answer.failing.bottleneck is not None
    assert answer.highest.bottleneck.what == "server"
    assert 0.98 < answer.highest.bottleneck.utilisation < 1 <= answer.failing.bottleneck.utilisation < 1.021


@pytest.mark.parametrize("bound", [4.0, 10.0, 40.0])
def test_the_bound_lies_between_the_two_rates(found: dict[float, Capacity], bound: float) -> None:
    highest, failing = found[bound].highest, found[bound].failing
    assert highest is not None
    assert failing is not None
    assert highest.p99_ms < bound <= failing.p99_ms
    assert highest.rate_per_s < failing.rate_per_s <= 1.02 * highest.rate_per_s
    assert highest.bottleneck is not None
    assert highest.bottleneck.utilisation < 1


def test_a_looser_bound_allows_no_less(found: dict[float, Capacity]) -> None:
    rates = [answer.highest.rate_per_s for answer in found.values() if answer.highest]
    assert rates == sorted(rates)
    assert len(set(rates)) == 3


def test_a_bound_below_the_service_time_is_never_met(found: dict[float, Capacity]) -> None:
    assert found[1.0].highest is None
    console = Console(width=200)
    with console.capture() as shown:
        console.print(capacity_table(list(found.values())))
    assert "none" in shown.get()
    assert "server" in shown.get()
    assert capacity_notes(list(found.values()), 1.0) == [
        "paint-dense: no rate keeps p99 under 1 ms; it is 2.0 at 0.001 events/s"
    ]


@pytest.mark.parametrize("name", ["paint-dense", "unicast", "cn-relax"])
def test_same_scenario_same_answer(name: str) -> None:
    scenario, ingredients = small("can")

    def test(rate_per_s: float) -> Probe:
        return probe(scenario, ingredients, name, rate_per_s, 4)

    first, second = (find_capacity(name, test, 100.0, 300.0) for _ in range(2))
    assert first == second
    assert first.highest is not None
    assert first.highest.bottleneck is not None


def stepwise(passing: Callable[[float], bool]) -> tuple[Callable[[float], Probe], list[float]]:
    asked: list[float] = []

    def test(rate_per_s: float) -> Probe:
        asked.append(rate_per_s)
        return Probe(rate_per_s, 1.0 if passing(rate_per_s) else 1e3, None)

    return test, asked


@pytest.mark.parametrize("limit", [0.01, 3.0, 99.9, 100.1, 12_345.0])
def test_the_search_closes_in_on_any_limit(limit: float) -> None:
    test, asked = stepwise(lambda rate: rate <= limit)
    answer = find_capacity("any", test, 100.0, 10.0)
    assert answer.highest is not None
    assert answer.failing is not None
    assert answer.highest.rate_per_s <= limit < answer.failing.rate_per_s <= 1.02 * answer.highest.rate_per_s
    assert len(asked) < 30


@given(start=st.floats(1e-4, 1e7), low=st.floats(1e-4, 1e7), width=st.floats(1.0, 1e6), batches=st.booleans())
def test_the_answer_is_next_to_each_other_in_the_list_of_rates_tried(
    start: float, low: float, width: float, batches: bool
) -> None:
    """In time between `low` and `width` times that, for windows, or from 0 on."""

    def in_time(rate: float) -> bool:
        return (not batches or rate >= low) and rate < low * width

    test, asked = stepwise(in_time)
    answer = find_capacity("any", test, start, 10.0, batches=batches)
    # The lowest rate of all is asked for only to see whether any is in time.
    tried = sorted({rate for rate in asked if rate != 1e-3})
    passing = [rate for rate in tried if in_time(rate)]
    if answer.highest is None:
        assert passing == []
        return
    above = tried[tried.index(passing[-1]) + 1 :]
    assert answer.highest.rate_per_s == passing[-1]
    assert (answer.failing and answer.failing.rate_per_s) == (above[0] if above else None)
    assert not above or above[0] <= 1.02 * passing[-1]
    assert above or 2 * passing[-1] > 1e7


def test_the_search_ends_where_nothing_fails_and_where_everything_does() -> None:
    always, asked = stepwise(lambda _: True)
    answer = find_capacity("any", always, 100.0, 10.0)
    assert answer.failing is None
    assert answer.highest is not None
    assert answer.highest.rate_per_s == max(asked) > 5e6
    never, asked = stepwise(lambda _: False)
    assert find_capacity("any", never, 100.0, 10.0).highest is None
    assert len(asked) == 2
    assert find_capacity("any", never, 100.0, 10.0, batches=True).highest is None


def test_windows_that_fill_slowly_are_late_at_low_rates_only() -> None:
    test, _ = stepwise(lambda rate: 700 < rate < 5000)
    answer = find_capacity("paint-batch(100)", test, 100.0, 10.0, batches=True)
    assert answer.highest is not None
    assert answer.highest.rate_per_s == pytest.approx(5000, rel=0.02)


@pytest.mark.parametrize("text", ["100", "fast", "0ms", "-1ms", "10 Mbps", ""])
def test_a_wrong_bound_is_told(text: str) -> None:
    with pytest.raises(RangecastError, match="--bound"):
        parse_bound(text)


def test_a_bound_is_read_in_ms() -> None:
    assert parse_bound("1.5s") == 1500


def test_mistakes_are_told_in_one_line() -> None:
    scenario, ingredients = server_only("fixed")
    with pytest.raises(RangecastError, match="nobody is notified after the first 400 events"):
        probe(scenario, ingredients, "paint-dense", 100.0, 400)
    with pytest.raises(RangecastError, match="master"):
        measure_capacity(scenario, 10.0, master="nonsense")
