"""Hops per second of the engine `des` beside bare SimPy in the same run: `python -m benchmarks.des`.

Paint-Dense with k = 20 on 10,000 objects and 1,000 brokers, without faults, with losses and with crashes. Bare SimPy
is a timeout with one callback that sets the next one; as many are on the clock at a time as the engine has under way
on average without faults. The bound is 200,000 hops/s or a third of bare SimPy, whichever is lower, and half of that
with faults: ways are found anew and deliveries counted after every change of the network. Whole runs are timed:
server, ways, clock and gateways.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import simpy

from benchmarks.record import write_rows
from simulator.approaches.registry import parse_approach
from simulator.engine.carry import carry_events
from simulator.inputs.ingredients import Ingredients, assemble
from simulator.scenario.scenario import Scenario
from simulator.workload.workload import Workload

SEED, RUNS = 1, 3
OBJECTS, BROKERS, SUBSCRIPTIONS, EVENTS, K, TIMEOUTS = 10_000, 1_000, 100_000, 64, 20, 200_000
FAULTS: dict[str, dict[str, Any]] = {
    "none": {},
    "loss": {"loss": 0.01},
    "crashes": {"crashes": 5, "detection": "20ms", "downtime": "100ms"},
}


class _Simulated(NamedTuple):
    hops: int
    under_way: float
    """Hops on the clock at a time, on average."""


def main() -> None:
    scenarios = {name: _scenario(faults) for name, faults in FAULTS.items()}
    rng = np.random.default_rng(SEED)
    x, y = rng.random((2, OBJECTS))
    l, r = np.sort(rng.random((2, SUBSCRIPTIONS)), axis=0)
    ingredients = assemble(scenarios["none"], Workload(K, x, y, l, r), rng.random(SUBSCRIPTIONS))
    done = {name: _simulate(scenario, ingredients) for name, scenario in scenarios.items()}  # compiles what is not
    at_once = max(1, round(done["none"].under_way))
    rates: dict[str, float] = dict.fromkeys((*scenarios, "SimPy"), 0.0)
    for _ in range(RUNS):  # side by side, so that other work on the machine disturbs all
        rates["SimPy"] = max(rates["SimPy"], TIMEOUTS / _seconds(lambda: _bare(at_once)))
        for name, scenario in scenarios.items():
            seconds = _seconds(partial(_simulate, scenario, ingredients))
            rates[name] = max(rates[name], done[name].hops / seconds)
    bare = rates["SimPy"]
    rows = [
        {
            "faults": name,
            "events": EVENTS,
            "hops": done[name].hops,
            "under_way": round(done[name].under_way),
            "hops_per_s": round(rates[name]),
            "simpy_per_s": round(bare),
            "bound": round(min(200_000.0, bare / 3) / (1 if name == "none" else 2)),
        }
        for name in scenarios
    ]
    write_rows("des", rows, SEED)
    print(f"{EVENTS} events, best of {RUNS} runs; bare SimPy: {bare:,.0f} timeouts/s with {at_once:,} under way")
    for row in rows:
        faults, hops, hops_per_s, bound = (row[column] for column in ("faults", "hops", "hops_per_s", "bound"))
        print(f"faults {faults}: {hops:,} hops, {hops_per_s:,} hops/s (bound {bound:,})")


def _scenario(faults: dict[str, Any]) -> Scenario:
    return Scenario.model_validate(
        {
            "name": "des",
            "seed": SEED,
            "k": K,
            "approaches": ["paint-dense"],
            "engine": "des",
            "topology": {"model": "barabasi-albert", "nodes": 3_000},
            "network": {"brokers": BROKERS},
            "objects": {"count": OBJECTS},
            "subscriptions": {"count": SUBSCRIPTIONS},
            "events": {"count": EVENTS},
            "faults": faults,
        }
    )


def _simulate(scenario: Scenario, ingredients: Ingredients) -> _Simulated:
    """Run the scenario once."""
    approach = parse_approach("paint-dense")
    session = approach.open(ingredients.workload, approach)
    hops, seconds, end_s = 0, 0.0, 0.0
    for carried in carry_events(scenario, ingredients, approach, session, np.empty(0, np.int64)):
        hops += int(carried.traffic.overlay_hops.sum())
        assert carried.traffic.time_s is not None
        end_s = max(end_s, float(carried.traffic.time_s.max(initial=0.0)))
        seconds += float((carried.traffic.time_s - carried.since_s[carried.traffic.message]).sum())
    return _Simulated(hops, seconds / end_s)


def _bare(at_once: int) -> None:
    """Set and meet timeouts, each with a callback."""
    clock, left = simpy.Environment(), TIMEOUTS - at_once
    delays = np.random.default_rng(SEED).random(TIMEOUTS).tolist()

    def again(_: simpy.Event) -> None:
        nonlocal left
        if left:
            left -= 1
            clock.timeout(delays[left]).callbacks.append(again)

    for delay in delays[:at_once]:
        clock.timeout(delay).callbacks.append(again)
    clock.run()


def _seconds(task: Callable[[], object]) -> float:
    start = time.process_time()
    task()
    return time.process_time() - start


if __name__ == "__main__":
    main()
