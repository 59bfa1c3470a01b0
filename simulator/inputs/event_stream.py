"""The stream of a scenario: objects, kinds, times and origins, each drawn by a generator of its own.

So a change of the arrivals leaves the objects and values as they were, one of the kind leaves which objects are
updated, and so on.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from simulator.scenario.mistakes import ScenarioError
from simulator.scenario.tables import Events
from simulator.workload.arrivals import ARRIVALS, Pace
from simulator.workload.event_kinds import EVENT_KINDS
from simulator.workload.event_mix import Shares, cast_events, follow
from simulator.workload.events import RAISE, EventStream
from simulator.workload.origins import ORIGINS, Where
from simulator.workload.traces import Updates
from simulator.workload.units import DURATION

__all__ = ["about_how_many", "make_events"]

Floats = NDArray[np.float64]

_FIRST, _MOST = 1024, 2**28
"""Events that are drawn first to fill a duration, and at most."""


def make_events(
    events: Events,
    x: Floats,
    y: Floats,
    k: int,
    delay_ms: Floats,
    generator: Callable[[str], np.random.Generator],
    brought: Updates | None = None,
) -> EventStream:
    """Draw the events of a scenario, or take those of its file.

    Parameters
    ----------
    x, y : (n,) float64 arrays
        Objects at the start.
    k : int
        Deletions leave at least so many objects.
    delay_ms : (brokers, brokers) float64 array
        Delay between brokers, at one of which each event arises.
    generator : callable
        Random numbers for a purpose: "events", "mixture", "arrivals" and "origins" are asked for.
    brought : Updates, optional
        Events of a trace or list, if the scenario has one.

    Raises
    ------
    ScenarioError
        No event is left after the warm-up, or there is no end of them within the duration.

    Notes
    -----
    Time and space O(events + n log n); a million events take about a second.
    """
    if brought is None:
        time_s = _times(events, events.count if events.duration_s is None else None, generator)
        updates = _draw(events, len(time_s), x, y, k, generator)
    else:
        updates = brought
        time_s = brought.time_s / events.speed
        if events.arrival != "trace":
            time_s = _times(events, len(brought.object), generator)
        if events.duration_s is not None:
            time_s = _up_to(time_s, events.duration_s)
            updates = Updates._make(column[: len(time_s)] for column in brought)
    if not len(time_s) and events.duration_s is not None:
        raise ScenarioError(
            f"events.duration = {DURATION.format(events.duration_s)}: no event arises in that time; prolong it or "
            "raise the rate"
        )
    if len(time_s) <= events.warm_up:
        raise ScenarioError(
            f"events.warm_up = {events.warm_up}: must be below the number of events, which is {len(time_s)} within "
            "events.duration; lower it or prolong that"
        )
    where = Where(events.skew, events.spread_s, delay_ms)
    origin = ORIGINS[events.origin](updates.object, where, generator("origins"))
    return EventStream(updates.object, updates.x, updates.y, updates.kind, time_s, origin)


def _times(events: Events, count: int | None, generator: Callable[[str], np.random.Generator]) -> Floats:
    """When events arise: so many of them, or all until the duration is over."""
    process, pace = ARRIVALS[events.arrival], Pace(events.rate_per_s, events.burst, events.gap_s)
    if count is not None:
        return process(count, pace, generator("arrivals"))
    duration_s, tried = events.duration_s or 0.0, _FIRST
    too_many = ScenarioError(
        f"events.duration = {DURATION.format(duration_s)}: more than {_MOST:,} events arise in that time; "
        "shorten it or lower the rate"
    )
    if about_how_many(events) > 1.01 * _MOST:  # the mean is that close where there are so many
        raise too_many
    while (time_s := process(tried, pace, generator("arrivals")))[-1] <= duration_s:
        tried *= 2
        if tried > _MOST:
            raise too_many
    return _up_to(time_s, duration_s)


def about_how_many(events: Events) -> float:
    """How many events there are: their count or, of those that arise within a duration, the mean if it is known."""
    if events.duration_s is None or events.arrival not in ("fixed", "poisson", "bursts"):
        return events.count
    if events.arrival != "bursts":
        return events.duration_s * events.rate_per_s
    return events.burst * (1 + events.duration_s // events.gap_s) if events.gap_s else math.inf


def _up_to(time_s: Floats, duration_s: float) -> Floats:
    """Times until a duration is over; a little more, since 20 s may be 2000 times 10 ms and a rounding error."""
    return time_s[: np.searchsorted(time_s, duration_s * (1 + 1e-12), side="right")]


def _draw(
    events: Events,
    count: int,
    x: Floats,
    y: Floats,
    k: int,
    generator: Callable[[str], np.random.Generator],
) -> Updates:
    shares = Shares(events.insert, events.delete, events.move)
    cast = cast_events(x, y, k, count, shares, generator("mixture"), turn=events.pick == "turn")
    low, span = _y_range(y)
    shares_of_y = cast.y.copy() if span is None else np.minimum((cast.y - low) / span, np.nextafter(1.0, 0.0))
    steps = EVENT_KINDS[events.kind](
        shares_of_y, cast.object[cast.kind == RAISE], events.volatility, generator("events")
    )
    if span is not None:
        steps = low + steps * span
    return Updates(cast.object, *follow(cast, steps), np.zeros(count))


def _y_range(y: Floats) -> tuple[float, float | None]:
    """Lowest y and the width of the range in which y changes; None for [0, 1), where objects are that we make."""
    low, high = float(y.min()), float(y.max())
    if low >= 0 and high < 1:
        return 0.0, None
    return low, high - low or 1.0
