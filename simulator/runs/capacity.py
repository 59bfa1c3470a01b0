"""Capacity: the highest rate of events at which notifications are in time, per approach, and what limits it.

Every rate is tried for the same time: a higher one has more events, not a shorter run, so that outages, timeouts and
windows of time, which keep their length, weigh the same at every rate. A run is finite, so that a queue which grows
for as long as events arise may still keep a bound; a rate that gives any part more work than it can do in the time is
therefore too high, whatever the latency. The search is made for several seeds, and what they find has an interval.
"""

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from rich.progress import Progress

import pipeline
from simulator.approaches.registry import parse_approach
from simulator.engine.carry import carry_events
from simulator.engine.ledger import Ledger
from simulator.inputs.event_stream import make_events
from simulator.inputs.ingredients import Ingredients, gather, generator
from simulator.results.errors import RunError
from simulator.results.latency import waits_of, weighted_percentiles
from simulator.results.loads import Loads
from simulator.results.steadiness import arising_s, offered_load
from simulator.runs.rate_search import Limits, Probe, Search, find_rate
from simulator.runs.statistics import Estimate, estimate
from simulator.runs.task import Failure
from simulator.scenario.grid import replication_seeds
from simulator.scenario.scenario import Scenario
from simulator.workload.events import EventStream
from simulator.workload.traces import Updates
from simulator.workload.units import DURATION

__all__ = ["Capacity", "Setting", "measure_capacity", "parse_time"]

_LEAST_EVENTS, MOST_EVENTS = 20, 200_000
"""A rate is tried if so many events arise in the time."""
_OF_TRACE = 16
"""A trace is finite: by default rates are tried for this part of its time, and can be so many times its own."""
_MOST_REPLICATIONS = 1_000
_NEAR = 1.1
"""Later seeds begin where the first ended, with steps of this ratio."""


class Capacity(NamedTuple):
    """The answer for one approach."""

    approach: str
    searches: tuple[Search, ...]
    """One for each seed."""
    problem: str = ""
    """Why it could not be measured; empty if it could."""

    @property
    def rate_per_s(self) -> Estimate | None:
        """The highest rate in time, over the seeds; None if with one of them no rate is."""
        rates = [found.highest.rate_per_s for found in self.searches if found.highest is not None]
        return estimate(rates) if rates and len(rates) == len(self.searches) else None

    @property
    def busiest(self) -> str | None:
        """What had the most work there, with most of the seeds."""
        parts = [one.highest.bottleneck.what for one in self.searches if one.highest and one.highest.bottleneck]
        return Counter(parts).most_common(1)[0][0] if parts else None


def parse_time(option: str, text: str) -> float:
    """Seconds of an option's value such as `100ms`.

    Raises
    ------
    RunError
        No duration above 0.
    """
    try:
        seconds = DURATION.parse(text)
    except ValueError as error:
        raise RunError(f"{option} {text}: must be a time with its unit, for example {option} 100ms") from error
    if not 0 < seconds < np.inf:
        raise RunError(f"{option} {text}: must be above 0; raise it")
    return seconds


class Setting:
    """A scenario with one seed, whose events can be had at any rate for the same time.

    Parameters
    ----------
    warm_up_s : float, optional
        Time at the start whose notifications do not count; by default as long as the scenario's warm-up takes of it,
        or else a tenth.

    Attributes
    ----------
    rate_per_s : float
        Of the scenario as it is.
    duration_s : float
        For which every rate is tried.
    limits : Limits
        Rates that can be tried.

    Raises
    ------
    RunError
        All events arise at once, or the warm-up leaves no time.
    """

    def __init__(
        self,
        scenario: Scenario,
        ingredients: Ingredients,
        warm_up_s: float | None = None,
    ) -> None:
        self._scenario = scenario.model_copy(update={"engine": "des", "verify": "none", "record": []})
        self._ingredients = ingredients
        time_s, about, brought = ingredients.events.time_s, scenario.events, ingredients.brought
        lasts_s = arising_s(time_s) if float(time_s[-1]) > 0 else 0.0
        if lasts_s <= 0 or about.arrival == "at-once":
            raise RunError(
                f"events.arrival = {about.arrival!r}: events that all arise at once have no rate; "
                'set it to "fixed" or "poisson"'
            )
        self.rate_per_s = about.rate_per_s if about.arrival in ("fixed", "poisson") else len(time_s) / lasts_s
        self.duration_s = about.duration_s or (lasts_s if brought is None else lasts_s / _OF_TRACE)
        most = MOST_EVENTS if brought is None else min(MOST_EVENTS, self.rate_per_s * self._whole_s(brought))
        self.limits = Limits(_LEAST_EVENTS / self.duration_s, most / self.duration_s)
        self._stream = self._longest()
        share = about.warm_up / len(time_s) if about.warm_up else 0.1
        self._warm_up_s = share * self.duration_s if warm_up_s is None else warm_up_s
        if self._warm_up_s >= self.duration_s:
            shown = f"{self._warm_up_s:g}s"
            raise RunError(f"--warm-up {shown}: must be below {self.duration_s:g}s, the time that is simulated")

    def _whole_s(self, brought: Updates) -> float:
        """How long a trace or list goes on at its own rate, to its last event."""
        if self._scenario.events.arrival == "trace":
            return float(brought.time_s[-1]) / self._scenario.events.speed
        return len(brought.object) / self.rate_per_s

    def _longest(self) -> EventStream:
        """Events for the highest rate; those of a lower one are the first of them, so that chance is the same."""
        scenario, ingredients = self._scenario, self._ingredients
        longest_s = self.duration_s * self.limits.highest_per_s / self.rate_per_s
        about = scenario.events.model_copy(update={"duration_s": longest_s, "warm_up": 0})
        workload, delay_ms, purposes = ingredients.workload, ingredients.routes.delay_ms, partial(generator, scenario)
        return make_events(about, workload.x, workload.y, workload.k, delay_ms, purposes, ingredients.brought)

    def at(self, rate_per_s: float) -> tuple[Scenario, Ingredients]:
        """The scenario at another rate: the events of a longer or shorter time, run through in the same time."""
        scenario, ingredients, factor = self._scenario, self._ingredients, rate_per_s / self.rate_per_s
        every_s = self._stream.time_s / factor
        events = self._stream.part(0, int(np.searchsorted(every_s, self.duration_s * (1 + 1e-12), side="right")))
        time_s = events.time_s / factor
        warm_up = int(np.searchsorted(time_s, self._warm_up_s))
        if warm_up >= len(time_s):
            raise RunError(
                f"no event arises after the warm-up of {self._warm_up_s:g} s at {rate_per_s:,.6g} events/s; "
                "prolong events.duration"
            )
        about = scenario.events.model_copy(update={"warm_up": warm_up})
        return scenario.model_copy(update={"events": about}), ingredients._replace(
            events=events._replace(time_s=time_s)
        )

    def probe(self, name: str, rate_per_s: float) -> Probe:
        """Simulate an approach at a rate. The time of a run with `des`, and 16 bytes per delivery.

        Raises
        ------
        RunError
            Nobody is notified after the warm-up.
        """
        scenario, ingredients = self.at(rate_per_s)
        approach, loads, ledger = parse_approach(name), Loads(len(ingredients.network)), Ledger()
        session = approach.open(ingredients.workload, approach)
        ms, weights = [np.empty(0)], [np.empty(0, np.int64)]
        for carried in carry_events(scenario, ingredients, approach, session, np.empty(0, np.int64), ledger):
            loads.take(carried)
            waits = waits_of(ingredients, approach, carried, last_hop=scenario.network.last_hop)
            if waits is not None and carried.chunk.first >= scenario.events.warm_up:  # where a chunk begins
                ms.append(waits.ms)
                weights.append(waits.weight)
        values, weight = np.concatenate(ms), np.concatenate(weights)
        group = np.zeros(len(values), np.int64)
        p99_ms = float(weighted_percentiles(values, weight, group, 1, np.array([0.99]))[0, 0])
        if np.isnan(p99_ms):
            raise RunError(
                f"nobody is notified after the warm-up at {rate_per_s:,.6g} events/s; prolong events.duration"
            )
        return Probe(rate_per_s, p99_ms, offered_load(loads, ledger, ingredients.events.time_s))


def measure_capacity(
    scenario: Scenario,
    bound_ms: float,
    *,
    warm_up_s: float | None = None,
    replications: int = 3,
    master: str = "local[*]",
    progress: Progress | None = None,
) -> list[Capacity]:
    """Find the capacity of every approach of a scenario with the engine `des`.

    Parameters
    ----------
    warm_up_s : float, optional
        Time at the start whose notifications do not count, as `Setting` has it.
    replications : int
        Seeds, which follow from the scenario's as those of a sweep do.

    Raises
    ------
    RunError
        The warm-up leaves no time, all events arise at once, or there are no replications.
    """
    if replications < 1:
        raise RunError(f"--replications {replications}: must be at least 1; raise it")
    if replications > _MOST_REPLICATIONS:
        raise RunError(f"--replications {replications}: must be at most {_MOST_REPLICATIONS:,}; lower it")
    spark = pipeline.spark_source(master)
    found = {name: Capacity(name, ()) for name in scenario.approaches}
    with progress or Progress(disable=True) as shown:
        bar = shown.add_task("gathering population, topology and events", total=None)
        for number, seed in enumerate(replication_seeds(scenario.seed, replications)):
            shown.update(bar, description=f"seed {number + 1}: gathering population, topology and events")
            seeded = scenario.model_copy(update={"seed": seed})
            setting = Setting(seeded, gather(seeded, spark), warm_up_s)

            def tell(name: str, rate_per_s: float, number: int = number) -> None:
                shown.update(bar, description=f"seed {number + 1}: {name} at {rate_per_s:,.6g} events/s")
                shown.advance(bar)

            for name, so_far in found.items():
                if not so_far.problem:
                    found[name] = _more(so_far, setting, bound_ms, tell)
    return list(found.values())


def _more(so_far: Capacity, setting: Setting, bound_ms: float, tell: Callable[[str, float], None]) -> Capacity:
    """Search with one more seed; an error ends the measuring of this approach, and of no other."""
    name = so_far.approach

    def test(rate_per_s: float) -> Probe:
        tell(name, rate_per_s)
        return setting.probe(name, rate_per_s)

    before = so_far.searches[-1].highest if so_far.searches else None
    start, ratio = (setting.rate_per_s, 2.0) if before is None else (before.rate_per_s, _NEAR)
    try:
        batches = parse_approach(name).window is not None
        search = find_rate(test, start, bound_ms, setting.limits, ratio=ratio, batches=batches)
    except Exception as error:  # of a user's approach, anything
        return so_far._replace(problem=Failure.of(error).reason)
    return so_far._replace(searches=(*so_far.searches, search))
