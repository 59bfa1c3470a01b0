"""Capacity: near what the service time allows where the server is all that is slow, and monotone in the bound.

Every rate is tried for the same time, so that what goes wrong takes the same share of it.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from floor.errors import RangecastError
from simulator.approaches.approach import Approach
from simulator.approaches.registry import APPROACHES
from simulator.inputs.fault_plan import plan_faults
from simulator.inputs.ingredients import Ingredients, assemble
from simulator.inputs.start import Start
from simulator.results.loads import Bottleneck
from simulator.runs import capacity
from simulator.runs.capacity import Capacity, Setting, measure_capacity, parse_time
from simulator.runs.rate_search import Probe, Search, find_rate
from simulator.scenario.scenario import Scenario
from simulator.views.capacity_table import capacity_table
from simulator.workload.traces import Updates
from simulator.workload.workload import Workload
from tests.simulator.results.test_hops import small
from tests.some_cases import some

SERVICE_MS, DURATION_S = 2.0, 4.0


def server_only(arrival: str, **changes: Any) -> tuple[Scenario, Ingredients]:
    """One broker, and a server that takes 2 ms for each event; everything else takes no time."""
    scenario = Scenario.model_validate(
        {
            "name": "server",
            "k": 1,
            "approaches": ["paint-dense"],
            "engine": "des",
            "topology": {"model": "barabasi-albert", "nodes": 3},
            "network": {"brokers": 1},
            "objects": {"count": 20},
            "subscriptions": {"count": 500},
            "events": {"duration": f"{DURATION_S}s", "rate": "100/s", "arrival": arrival},
            "costs": {"broker": "0s", "first_k": "1ms", "min_y": "0s", "snap": "0s", "send": "0s"},
            **changes,
        }
    )
    rng = np.random.default_rng(1)
    l, r = np.sort(rng.random((2, 500)), axis=0)
    x, y = rng.random((2, 20))
    return scenario, assemble(scenario, Workload(1, x, y, l, r), rng.random(500))


def search(setting: Setting, bound_ms: float, name: str = "paint-dense", most_per_s: float = np.inf) -> Search:
    limits = setting.limits._replace(highest_per_s=min(setting.limits.highest_per_s, most_per_s))
    return find_rate(lambda rate: setting.probe(name, rate), setting.rate_per_s, bound_ms, limits)


@pytest.fixture(scope="module")
def found() -> dict[float, Search]:
    """Capacity of the server by bound in ms."""
    setting = Setting(*server_only("poisson"))
    return {bound: search(setting, bound) for bound in (1.0, 4.0, 10.0, 40.0)}


def test_a_server_takes_what_its_service_time_allows() -> None:
    """Where events come at equal times none waits, up to the rate at which they come faster than they are served."""
    answer = search(Setting(*server_only("fixed")), 1e4)
    assert answer.highest is not None
    assert answer.failing is not None
    assert answer.highest.rate_per_s <= 1e3 / SERVICE_MS <= answer.failing.rate_per_s <= 1.02e3 / SERVICE_MS + 1
    assert answer.highest.p99_ms == pytest.approx(SERVICE_MS)
    assert answer.highest.bottleneck is not None
    assert answer.failing.bottleneck is not None
    assert answer.highest.bottleneck.what == "server"
    assert 0.98 < answer.highest.bottleneck.utilisation < 1 <= answer.failing.bottleneck.utilisation < 1.021


@pytest.mark.parametrize("bound", [4.0, 10.0, 40.0])
def test_the_bound_lies_between_the_two_rates(found: dict[float, Search], bound: float) -> None:
    highest, failing = found[bound].highest, found[bound].failing
    assert highest is not None
    assert failing is not None
    assert highest.p99_ms < bound
    assert not failing.passes(bound)
    assert highest.rate_per_s < failing.rate_per_s <= 1.02 * highest.rate_per_s
    assert highest.bottleneck is not None
    assert highest.bottleneck.utilisation < 1


def test_a_looser_bound_allows_no_less(found: dict[float, Search]) -> None:
    rates = [answer.highest.rate_per_s for answer in found.values() if answer.highest]
    assert rates == sorted(rates)
    assert len(set(rates)) == 3


@pytest.mark.parametrize("arrival", ["fixed", "poisson", "bursts"])
@pytest.mark.parametrize("rate", [40.0, 100.0, 777.0])
def test_every_rate_is_tried_for_the_same_time(arrival: str, rate: float) -> None:
    setting = Setting(*server_only(arrival))
    scenario, ingredients = setting.at(rate)
    time_s = ingredients.events.time_s
    assert len(time_s) == pytest.approx(rate * DURATION_S, rel=0.25)
    assert 0.9 * DURATION_S < time_s[-1] <= DURATION_S * (1 + 1e-9)
    assert time_s[scenario.events.warm_up - 1] < 0.1 * DURATION_S <= time_s[scenario.events.warm_up]


def test_a_lower_rate_has_the_first_events_of_a_higher_one() -> None:
    setting = Setting(*server_only("poisson"))
    slow, fast = (setting.at(rate)[1].events for rate in (50.0, 400.0))
    count = len(slow.object)
    assert count < len(fast.object)
    for column in ("object", "x", "y", "kind", "origin"):
        assert np.array_equal(getattr(slow, column), getattr(fast, column)[:count])
    assert slow.time_s == pytest.approx(8 * fast.time_s[:count])


def test_outages_take_the_same_share_of_the_time_at_every_rate() -> None:
    changes = {"faults": {"crashes": 3, "downtime": "100ms"}, "network": {"brokers": 3}}
    setting = Setting(*server_only("fixed", **changes))
    plans = [plan_faults(*setting.at(rate)) for rate in (50.0, 100.0, 1000.0)]
    for plan in plans[1:]:
        assert [pick for _, pick in plan.crashes] == [pick for _, pick in plans[0].crashes]
        times = [time for time, _ in plan.crashes]
        assert times == pytest.approx([time for time, _ in plans[0].crashes], rel=0.01)


def test_faults_do_not_make_two_approaches_alike() -> None:
    """One takes a tenth of the server's time, which decides; a lost message costs both the same."""
    costs = {"broker": "0s", "min_y": "0s", "snap": "0s", "send": "0s"}
    rates = []
    for first_k in ("1ms", "4ms"):
        faults = {"loss": 0.01, "timeout": "5ms"}
        made = server_only("fixed", costs={**costs, "first_k": first_k}, faults=faults, network={"brokers": 3})
        answer = search(Setting(*made), 1e4)
        assert answer.highest is not None
        rates.append(answer.highest.rate_per_s)
    assert rates[0] == pytest.approx(4 * rates[1], rel=0.05)


def test_packets_let_slow_uplinks_take_more_events() -> None:
    """Of forty bytes in front of each message little is left when one header is enough for all that go together."""
    rates = []
    for bundle in (False, True):
        changes = {
            "topology": {"model": "barabasi-albert", "nodes": 5, "bandwidth": "100kbps"},
            "network": {"brokers": 3, "bundle": bundle},
            "sizes": {"header": "40B"},
            "costs": {"broker": "0s", "first_k": "0s", "min_y": "0s", "snap": "0s", "send": "0s"},
        }
        answer = search(Setting(*server_only("fixed", **changes)), 1e3, "unicast")
        assert answer.highest is not None
        rates.append(answer.highest.rate_per_s)
    assert rates[1] > 2 * rates[0]


def test_all_events_in_one_window_of_time_can_be_measured() -> None:
    """The window begins anew after the warm-up, so that there is one to measure."""
    scenario, ingredients = server_only("fixed")
    probe = Setting(scenario, ingredients).probe("paint-batch(1h)", 100.0)
    assert probe.p99_ms > 3.5e6  # it waits for the end of the hour


def test_a_trace_is_tried_as_far_as_it_goes() -> None:
    """By default for a sixteenth of its time, so that it can be run 16 times as fast."""
    count = 640
    objects = np.arange(count) % 20
    y = np.random.default_rng(3).random(count)
    first = np.full(20, 0.5)
    before = dict.fromkeys(range(20), 0.5)
    kind = np.zeros(count, np.int8)
    for at, i in enumerate(objects.tolist()):
        kind[at], before[i] = y[at] > before[i], y[at]
    x = np.arange(20) / 20
    start = Start(x, first, brought=Updates(objects, x[objects], y, kind, np.arange(count) / 10))
    scenario = Scenario.model_validate({"name": "t", "approaches": ["cn-relax"], "engine": "des", "k": 1})
    about = scenario.events.model_copy(update={"kind": "trace", "arrival": "trace", "count": count})
    brokers = {"brokers": 3}
    scenario = scenario.model_copy(
        update={
            "events": about,
            "network": scenario.network.model_copy(update=brokers),
            "topology": scenario.topology.model_copy(update={"model": "barabasi-albert", "nodes": 5}),
        }
    )
    rng = np.random.default_rng(1)
    l, r = np.sort(rng.random((2, 50)), axis=0)
    ingredients = assemble(scenario, Workload(1, x, first, l, r), rng.random(50), start=start)
    setting = Setting(scenario, ingredients)
    assert setting.rate_per_s == pytest.approx(10.0)
    assert setting.duration_s == pytest.approx(4.0, rel=0.01)
    assert setting.limits.highest_per_s == pytest.approx(160.0, rel=0.01)
    _, fastest = setting.at(setting.limits.highest_per_s)
    assert len(fastest.events.object) == pytest.approx(count, abs=2)
    assert fastest.events.time_s[-1] <= setting.duration_s * (1 + 1e-9)


@pytest.mark.parametrize(
    "name", some(["paint-dense", "unicast", "cn-relax", "poll(50ms)"], lambda name: name in ("unicast", "poll(50ms)"))
)
def test_same_scenario_same_answer(name: str) -> None:
    """Who asks every 50 ms is in time at any rate: a search that goes on for long, unless it is told where to end."""
    setting = Setting(*small("can"))
    first, second = (search(setting, 300.0, name, most_per_s=20_000.0) for _ in range(2))
    assert first == second
    assert first.highest is not None
    assert first.highest.bottleneck is not None


def shown(found: Sequence[Capacity], bound_ms: float = 10.0) -> list[str]:
    console = Console(width=300)
    with console.capture() as caught:
        console.print(capacity_table(found, bound_ms))
    return [" ".join(line.split()) for line in caught.get().splitlines()]


def of(rate: float, p99_ms: float, busy: float, what: str = "server") -> Probe:
    return Probe(rate, p99_ms, Bottleneck(what, busy))


def test_a_row_has_means_over_the_seeds_and_an_interval() -> None:
    searches = tuple(Search(of(rate, 5.0, 0.8), of(rate + 20, 20.0, 1.1)) for rate in (900.0, 1000.0, 1100.0))
    (line,) = (line for line in shown([Capacity("paint-dense", searches)]) if line.startswith("paint-dense"))
    assert line == "paint-dense 1,000 ± 25% 5.0 server 80.0% 1,020 20.0 110.0%"


def test_what_could_not_be_found_is_a_row_that_says_why() -> None:
    never, once = Search(None, of(5.0, 30.0, 0.1)), Search(of(50.0, 3.0, 0.1), of(51.0, 11.0, 0.1))
    lines = shown(
        [
            Capacity("unicast", (never, never)),
            Capacity("paint-dense", (never, once)),
            Capacity("paint-sparse", (Search(None, of(33.0, 3.0, 1.2, "broker 4")), once)),
            Capacity("cn-relax", (Search(of(9e4, 3.0, 0.1), None),)),
            Capacity("mine", (once,), "the approach is broken"),
        ]
    )
    ends = {line.split()[0]: line for line in lines if line}
    assert ends["unicast"].endswith("no rate keeps p99 under 10 ms; at best 30.0 at 5 events/s")
    assert ends["paint-dense"].endswith("no rate keeps p99 under 10 ms with 1 of 2 seeds; at best 30.0 at 5 events/s")
    assert ends["paint-sparse"].endswith(
        "broker 4 falls behind at 33 events/s with 1 of 2 seeds; prolong events.duration to try lower rates"
    )
    assert "90,000" in ends["cn-relax"]
    assert "no rate tried fails" in ends["cn-relax"]
    assert ends["mine"].startswith("mine not measured")
    assert ends["mine"].endswith("the approach is broken")


def test_an_approach_that_fails_takes_no_other_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(APPROACHES, "broken", Approach(lambda *_: 1 // 0, exact=True))  # type: ignore[arg-type]
    scenario, ingredients = server_only("fixed", approaches=["broken", "paint-dense"])
    monkeypatch.setattr(capacity, "gather", lambda *_: ingredients)
    broken, right = measure_capacity(scenario, 1e4, replications=2)
    assert "ZeroDivisionError" in broken.problem
    assert broken.searches == ()
    assert right.problem == ""
    assert len(right.searches) == 2
    assert right.rate_per_s is not None
    assert right.rate_per_s.mean == pytest.approx(500, rel=0.03)
    assert right.rate_per_s.half_width is not None
    assert right.busiest == "server"


@pytest.mark.parametrize("text", ["100", "fast", "0ms", "-1ms", "10 Mbps", ""])
def test_a_wrong_time_is_told(text: str) -> None:
    with pytest.raises(RangecastError, match="--bound"):
        parse_time("--bound", text)


def test_a_time_is_read_in_seconds() -> None:
    assert parse_time("--bound", "1500ms") == 1.5


def test_mistakes_are_told_in_one_line() -> None:
    scenario, ingredients = server_only("fixed")
    with pytest.raises(RangecastError, match="must be below 4s, the time that is simulated"):
        Setting(scenario, ingredients, warm_up_s=4.0)
    with pytest.raises(RangecastError, match=r"no event arises after the warm-up of 3.9 s at 0.3 events/s"):
        Setting(scenario, ingredients, warm_up_s=3.9).at(0.3)
    with pytest.raises(RangecastError, match="master"):
        measure_capacity(scenario, 10.0, master="nonsense")
    with pytest.raises(RangecastError, match="--replications 0: must be at least 1"):
        measure_capacity(scenario, 10.0, replications=0)
    with pytest.raises(RangecastError, match="--replications 100000000: must be at most 1,000; lower it"):
        measure_capacity(scenario, 10.0, replications=10**8)
    at_once = server_only("at-once", events={"count": 5, "arrival": "at-once"})
    with pytest.raises(RangecastError, match="events that all arise at once have no rate"):
        Setting(*at_once)


def test_nobody_notified_is_told() -> None:
    scenario, ingredients = server_only("fixed")
    nobody = ingredients.workload._replace(l=np.full(500, 2.0), r=np.full(500, 3.0))
    setting = Setting(scenario, assemble(scenario, nobody, np.zeros(500)))
    with pytest.raises(RangecastError, match="nobody is notified after the warm-up at 100 events/s"):
        setting.probe("paint-dense", 100.0)


def test_an_interrupted_kernel_is_no_failure_of_the_approach(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise SystemError("CPUDispatcher returned a result with an exception set") from KeyboardInterrupt()

    monkeypatch.setattr(capacity, "find_rate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        capacity._more(Capacity("unicast", ()), Setting(*small("can")), 10.0, lambda *_: None)
