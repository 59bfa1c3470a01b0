"""Hops per second of the engine `des` beside bare SimPy in the same run: `python -m benchmarks.des`.

Paint-Dense with k = 20 on 10,000 objects and 1,000 brokers, without faults. Bare SimPy is a timeout with one callback
that sets the next one; as many are on the clock at a time as the engine has under way on average. The bound is
200,000 hops/s or a third of bare SimPy, whichever is lower. Whole runs are timed: server, ways, clock and gateways.
"""

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import simpy

from benchmarks.record import write_rows
from simulator.approaches.registry import parse_approach
from simulator.engine.audience import Audience
from simulator.engine.des import simulate
from simulator.inputs.ingredients import Ingredients, assemble
from simulator.scenario.scenario import Scenario
from simulator.workload.windows import chunks_of
from simulator.workload.workload import Workload

SEED, RUNS = 1, 3
OBJECTS, BROKERS, SUBSCRIPTIONS, EVENTS, K, TIMEOUTS = 10_000, 1_000, 100_000, 64, 20, 200_000


class _Simulated(NamedTuple):
    hops: int
    under_way: float
    """Hops on the clock at a time, on average."""


def main() -> None:
    scenario = Scenario.model_validate(
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
        }
    )
    rng = np.random.default_rng(SEED)
    x, y = rng.random((2, OBJECTS))
    l, r = np.sort(rng.random((2, SUBSCRIPTIONS)), axis=0)
    ingredients = assemble(scenario, Workload(K, x, y, l, r), rng.random(SUBSCRIPTIONS))
    done = _simulate(scenario, ingredients)  # compiles what is not
    at_once = max(1, round(done.under_way))
    rates = []
    for _ in range(RUNS):  # side by side, so that other work on the machine disturbs both
        bare = TIMEOUTS / _seconds(lambda: _bare(at_once))
        rates.append((done.hops / _seconds(lambda: _simulate(scenario, ingredients)), bare))
    hops_per_s, bare = (max(column) for column in zip(*rates, strict=True))
    bound = min(200_000.0, bare / 3)
    row = {
        "events": EVENTS,
        "hops": done.hops,
        "under_way": at_once,
        "hops_per_s": round(hops_per_s),
        "simpy_per_s": round(bare),
        "bound": round(bound),
    }
    write_rows("des", [row], SEED)
    print(f"{done.hops:,} hops of {EVENTS} events, {at_once:,} under way at a time, best of {RUNS} runs")
    print(f"des: {hops_per_s:,.0f} hops/s (bound {bound:,.0f}); bare SimPy: {bare:,.0f} timeouts/s")
    print(f"ratio {hops_per_s / bare:.2f} (bound {bound / bare:.2f})")


def _simulate(scenario: Scenario, ingredients: Ingredients) -> _Simulated:
    """Run the scenario once."""
    approach = parse_approach("paint-dense")
    session = approach.open(ingredients.workload, approach)
    audience = Audience(ingredients, approach, np.empty(0, np.int64))
    hops, seconds, end_s = 0, 0.0, 0.0
    for carried in simulate(
        scenario, ingredients, approach, session, audience, chunks_of(ingredients.events, approach.window)
    ):
        hops += int(carried.traffic.overlay_hops.sum())
        assert carried.traffic.time_s is not None
        end_s = max(end_s, float(carried.traffic.time_s.max(initial=0.0)))
        sent_s = np.repeat(carried.chunk.events.time_s, np.diff(carried.outgoing.offsets))
        seconds += float((carried.traffic.time_s - sent_s[carried.traffic.message]).sum())
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
