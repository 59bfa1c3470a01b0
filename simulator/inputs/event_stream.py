"""The stream of a scenario: objects, kinds, times and origins, each drawn by a generator of its own.

So a change of the arrivals leaves the objects and values as they were, one of the kind leaves which objects are
updated, and so on.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from simulator.scenario.tables import Events
from simulator.workload.arrivals import ARRIVALS, Pace
from simulator.workload.event_kinds import EVENT_KINDS
from simulator.workload.event_mix import Shares, cast_events, follow
from simulator.workload.events import RAISE, EventStream
from simulator.workload.traces import Updates

__all__ = ["make_events"]


def make_events(
    events: Events,
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    k: int,
    brokers: int,
    generator: Callable[[str], np.random.Generator],
    trace: Updates | None = None,
) -> EventStream:
    """Draw the events of a scenario, or take those of its trace.

    Parameters
    ----------
    x, y : (n,) float64 arrays
        Objects at the start.
    k : int
        Deletions leave at least so many objects.
    brokers : int
        Each event arises at a random one of them.
    generator : callable
        Random numbers for a purpose: "events", "mixture", "arrivals" and "origins" are asked for.
    trace : Updates, optional
        Events of the trace, if the scenario has one.

    Notes
    -----
    Time and space O(events + n log n); a million events take about a second.
    """
    updates = _draw(events, x, y, k, generator) if trace is None else trace
    time_s = updates.time_s / events.speed
    if events.arrival != "trace":
        pace = Pace(events.rate_per_s, events.burst, events.gap_s)
        time_s = ARRIVALS[events.arrival](len(updates.object), pace, generator("arrivals"))
    origin = generator("origins").integers(brokers, size=len(updates.object))
    return EventStream(updates.object, updates.x, updates.y, updates.kind, time_s, origin)


def _draw(
    events: Events,
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    k: int,
    generator: Callable[[str], np.random.Generator],
) -> Updates:
    shares = Shares(events.insert, events.delete, events.move)
    cast = cast_events(x, y, k, events.count, shares, generator("mixture"))
    steps = EVENT_KINDS[events.kind](
        cast.y.copy(), cast.object[cast.kind == RAISE], events.volatility, generator("events")
    )
    return Updates(cast.object, *follow(cast, steps), np.zeros(events.count))
