"""Capacity: the highest rate of events at which notifications are in time, per approach, and what limits it.

The stream of events stays what it is and only runs faster or slower: times are scaled, everything else is gathered
once. A run is finite, so that a queue which grows for as long as events arise may still keep a bound; a rate that
gives any part more work than it can do in the time is therefore too high, whatever the latency.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from rich.progress import Progress
from sortedcontainers import SortedDict

import pipeline
from simulator.approaches.registry import parse_approach
from simulator.engine.carry import carry_events
from simulator.engine.ledger import Ledger
from simulator.inputs.ingredients import Ingredients, gather
from simulator.results.errors import RunError
from simulator.results.latency import waits_of, weighted_percentiles
from simulator.results.loads import Bottleneck, Loads
from simulator.scenario.scenario import Scenario
from simulator.workload.units import DURATION

__all__ = ["Capacity", "Probe", "find_capacity", "measure_capacity", "parse_bound", "probe", "rate_of"]

_WIDTH = 0.02
"""The search ends when the failing rate is above the other by this share."""
_LOWEST_PER_S, _HIGHEST_PER_S = 1e-3, 1e7


class Probe(NamedTuple):
    """What was measured at a rate."""

    rate_per_s: float
    p99_ms: float
    """Latency that 99 of 100 notifications after the warm-up did not exceed."""
    bottleneck: Bottleneck | None
    """What had the most work, as a share of the time from 0 to the last event; above 1 it falls behind."""

    def passes(self, bound_ms: float) -> bool:
        """Whether the rate can be kept up with p99 under the bound."""
        return self.p99_ms < bound_ms and (self.bottleneck is None or self.bottleneck.utilisation < 1)


class Capacity(NamedTuple):
    """The answer for one approach."""

    approach: str
    highest: Probe | None
    """At the highest rate found to be in time; None if no rate is."""
    failing: Probe | None
    """At the lowest rate above that was found not to be; None if there is none below the highest tried."""


def parse_bound(text: str) -> float:
    """Milliseconds of a bound such as `100ms`.

    Raises
    ------
    RunError
        No duration above 0.
    """
    try:
        seconds = DURATION.parse(text)
    except ValueError as error:
        raise RunError(f"--bound {text}: must be a time with its unit, for example --bound 100ms") from error
    if not 0 < seconds < np.inf:
        raise RunError(f"--bound {text}: must be above 0; raise it")
    return seconds * 1e3


def measure_capacity(
    scenario: Scenario,
    bound_ms: float,
    *,
    warm_up: int | None = None,
    master: str = "local[*]",
    progress: Progress | None = None,
) -> list[Capacity]:
    """Find the capacity of every approach of a scenario with the engine `des`.

    Parameters
    ----------
    warm_up : int, optional
        Events at the start whose notifications do not count; a tenth by default.

    Raises
    ------
    RunError
        The warm-up leaves no event, or all events arise at once.
    """
    spark = pipeline.spark_source(master)
    with progress or Progress(disable=True) as shown:
        bar = shown.add_task("gathering population, topology and events", total=None)
        ingredients = gather(scenario, spark)
        count = len(ingredients.events.object)
        left_out = count // 10 if warm_up is None else warm_up
        if not 0 <= left_out < count:
            raise RunError(f"--warm-up {left_out}: must be between 0 and {count - 1}, the number of events less one")
        start_per_s, found = rate_of(scenario, ingredients), []
        for name in scenario.approaches:

            def test(rate_per_s: float, name: str = name) -> Probe:
                shown.update(bar, description=f"{name} at {rate_per_s:,.6g} events/s")
                shown.advance(bar)
                return probe(scenario, ingredients, name, rate_per_s, left_out)

            batches = parse_approach(name).window is not None
            found.append(find_capacity(name, test, start_per_s, bound_ms, batches=batches))
        return found


def rate_of(scenario: Scenario, ingredients: Ingredients) -> float:
    """Events per second as the scenario has them, the mean where it does not say.

    Raises
    ------
    RunError
        They all arise at once.
    """
    if scenario.events.arrival in ("fixed", "poisson"):
        return scenario.events.rate_per_s
    last_s = float(ingredients.events.time_s[-1])
    if last_s <= 0:
        raise RunError(
            f"events.arrival = {scenario.events.arrival!r}: events that all arise at once have no rate; "
            'set it to "fixed" or "poisson"'
        )
    return len(ingredients.events.time_s) / last_s


def probe(scenario: Scenario, ingredients: Ingredients, name: str, rate_per_s: float, warm_up: int) -> Probe:
    """Simulate the events of a scenario at another rate. The time of a run with `des`.

    Raises
    ------
    RunError
        Nobody is notified after the warm-up.
    """
    faster = ingredients.events.time_s * (rate_of(scenario, ingredients) / rate_per_s)
    scenario = scenario.model_copy(update={"engine": "des", "verify": "none", "record": []})
    ingredients, approach = (
        ingredients._replace(events=ingredients.events._replace(time_s=faster)),
        parse_approach(name),
    )
    session = approach.open(ingredients.workload, approach)
    loads, ledger = Loads(len(ingredients.network)), Ledger()
    ms, weights = [np.empty(0)], [np.empty(0, np.int64)]
    for carried in carry_events(scenario, ingredients, approach, session, np.empty(0, np.int64), ledger):
        loads.take(carried)
        waits = waits_of(ingredients, approach, carried, last_hop=scenario.network.last_hop)
        if waits is not None:
            of_message = np.repeat(carried.chunk.starts[:-1], np.diff(carried.outgoing.offsets))
            counts = carried.chunk.first + of_message[waits.message] >= warm_up
            ms.append(waits.ms[counts])
            weights.append(waits.weight[counts])
    values, weight = np.concatenate(ms), np.concatenate(weights)
    group = np.zeros(len(values), np.int64)
    p99_ms = float(weighted_percentiles(values, weight, group, 1, np.array([0.99]))[0, 0])
    if np.isnan(p99_ms):
        raise RunError(f"{name}: nobody is notified after the first {warm_up} events; raise events.count")
    return Probe(rate_per_s, p99_ms, loads.bottleneck(replace(ledger, end_s=float(faster[-1]))))


def find_capacity(
    name: str, test: Callable[[float], Probe], start_per_s: float, bound_ms: float, *, batches: bool = False
) -> Capacity:
    """Find the highest rate with p99 under a bound: double or halve from a rate on, then bisect to 2 %.

    Parameters
    ----------
    test : callable
        Measures a rate.
    batches : bool
        Whether a low rate may be late where a higher one is not, since windows wait for their events.

    About log2 of (capacity / start) tests, and six.
    """
    tried = _Tried(test, bound_ms)
    first = tried.measure(start_per_s)
    if tried.low is None and not batches and not (idle := test(_LOWEST_PER_S)).passes(bound_ms):
        return Capacity(name, None, idle)
    rate = start_per_s / 2
    while tried.low is None and rate >= _LOWEST_PER_S:
        tried.measure(rate)
        rate /= 2
    rate = 2 * start_per_s
    # Windows that wait too long for their events fill sooner at a higher rate.
    while tried.high is None and rate <= _HIGHEST_PER_S:
        tried.measure(rate)
        rate *= 2
    if tried.low is None:
        return Capacity(name, None, first)
    while (middle := tried.middle()) is not None:
        tried.measure(middle)
    return Capacity(name, tried.low, tried.high)


class _Tried:
    """The rates that were measured, in ascending order: the highest in time and the next above it are the answer."""

    def __init__(self, test: Callable[[float], Probe], bound_ms: float) -> None:
        self._test, self._bound_ms = test, bound_ms
        self._probes: SortedDict[float, Probe] = SortedDict()

    def measure(self, rate_per_s: float) -> Probe:
        """Measure a rate and keep what is found."""
        self._probes[rate_per_s] = measured = self._test(rate_per_s)
        return measured

    @property
    def low(self) -> Probe | None:
        """At the highest rate that is in time."""
        return next((found for found in reversed(self._probes.values()) if found.passes(self._bound_ms)), None)

    @property
    def high(self) -> Probe | None:
        """At the lowest rate above that one, which is not; None if there is none."""
        if self.low is None:
            return None
        above = self._probes.bisect_right(self.low.rate_per_s)
        return self._probes.peekitem(above)[1] if above < len(self._probes) else None

    def middle(self) -> float | None:
        """The rate between the two; None once they are close, or there are no two."""
        low, high = self.low, self.high
        if low is None or high is None or high.rate_per_s - low.rate_per_s <= _WIDTH * low.rate_per_s:
            return None
        return (low.rate_per_s + high.rate_per_s) / 2
