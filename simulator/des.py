"""The engine with a clock: a SimPy simulation of server, brokers, queues and links.

An event travels from its origin to the server, which answers windows in their order, one at a time, for a service
time made of its counted calls. Every broker serves one message at a time and sends through one uplink, both first
come, first served. Where a message goes is decided by the brokers, each from what it knows (`Network.hops`).

A hop is one SimPy event, its arrival at a broker. Since queues are first come, first served, the time at which the
broker is done with the message, and at which each copy departs and arrives at the next broker, follow at once from
the times at which broker and uplink become free. That is exact, and an order of magnitude faster than a process and
a store per broker.

Stretches come to the clock one by one, as their first events arise, and leave when their last message has arrived.
What may go wrong meanwhile is told in `simulator.trouble`.
"""

import gc
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import numpy as np

from .approaches import Approach, Session
from .faults import FaultPlan
from .flights import Due, Flight, World
from .ingredients import Ingredients
from .journeys import transmission_s
from .loads import Ledger
from .models import Scenario
from .reach import Reach
from .stretches import Stretch
from .traffic import Carried
from .trouble import Trouble

__all__ = ["simulate"]


def simulate(
    scenario: Scenario,
    ingredients: Ingredients,
    approach: Approach,
    session: Session,
    reach: Reach,
    stretches: Iterable[Stretch],
    faults: FaultPlan | None = None,
    ledger: Ledger | None = None,
) -> Iterator[Carried]:
    """Run the events of a scenario by the clock; one SimPy event per hop, and three per event.

    Parameters
    ----------
    faults : FaultPlan, optional
        What goes wrong.
    ledger : Ledger, optional
        Where the rest is noted.

    Yields
    ------
    Carried
        Every stretch in order, once all its messages have arrived.
    """
    world = World(scenario, ingredients, approach, session, reach, ledger or Ledger())
    trouble = None if faults is None else Trouble(world, faults)
    server = _Server(world, iter(stretches), trouble)
    server.feed()
    while server.flights:
        flight = server.flights.popleft()
        with _collector_off():
            world.clock.run(until=flight.landed)
        world.ledger.end_s = world.clock.now
        yield flight.carried()


@contextmanager
def _collector_off() -> Iterator[None]:
    """Spare the search for garbage in circles: what the clock makes and drops in great numbers is in none."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class _Server:
    """Takes the events of stretch after stretch and starts the messages that answer them."""

    def __init__(self, world: World, stretches: Iterator[Stretch], trouble: Trouble | None) -> None:
        self.flights: deque[Flight] = deque()
        self._world, self._stretches, self._trouble = world, stretches, trouble
        self._free = 0.0
        self._waiting: deque[tuple[Flight, int]] = deque()
        """Windows that are not answered, in order."""
        self._answering: deque[tuple[float, Flight, int]] = deque()
        """Windows whose answer is ready at a time to come."""
        self._starts = 0
        if trouble is not None:
            trouble.begin(self.crash)

    def feed(self, _: Due | None = None) -> None:
        """Put the events of the next stretch on the clock; the one after it will be needed at its last event."""
        stretch = next(self._stretches, None)
        if stretch is None:
            return
        world = self._world
        flight = Flight(world, stretch) if self._trouble is None else self._trouble.flight(stretch)
        self.flights.append(flight)
        events, starts = stretch.events, stretch.starts
        if world.approach.serverless:
            for window, time in enumerate(events.time_s[starts[:-1]].tolist()):
                world.at(time, self._arise, (flight, window))
        else:
            self._waiting.extend((flight, window) for window in range(stretch.windows))
            place, routes = world.ingredients.server, world.ingredients.routes
            transmit_s = transmission_s(world.scenario.sizes.event_bytes, routes.bandwidth_mbps[events.origin, place])
            reach_s = events.time_s + transmit_s + routes.delay_ms[events.origin, place] / 1e3
            window_of = np.repeat(np.arange(stretch.windows), np.diff(starts)).tolist()
            for window, time in zip(window_of, reach_s.tolist(), strict=True):
                world.at(time, self._reach, (flight, window))
            for window, time in enumerate(stretch.closes_s.tolist()):
                world.at(time, self._reach, (flight, window))
        world.at(float(events.time_s[-1]), self.feed, None)

    def _arise(self, arisen: Due) -> None:
        """Without a server: let the messages of a window start where it arises."""
        flight, window = arisen.value
        flight.take_off()
        flight.start(window)

    def _reach(self, reached: Due) -> None:
        """Note an event, or the end of a window's time."""
        flight, window = reached.value
        flight.awaited[window] -= 1
        self._answer()

    def _answer(self) -> None:
        """Answer the windows whose turn it is."""
        while self._waiting:
            flight, window = self._waiting[0]
            if flight.awaited[window]:
                return
            self._waiting.popleft()
            flight.take_off()
            begins, service_s = max(self._free, self._world.clock.now), flight.service_s[window]
            self._world.ledger.server_waited_s += begins - self._world.clock.now
            self._world.ledger.server_busy_s += service_s
            self._free = begins + service_s
            self._answering.append((self._free, flight, window))
            self._world.at(self._free, self._send, self._starts)

    def _send(self, due: Due) -> None:
        """Start the messages of the window that was answered, unless the server has lost it in a crash."""
        if due.value == self._starts:
            _, flight, window = self._answering.popleft()
            flight.start(window)

    def crash(self, up_s: float) -> None:
        """Forget the answers that are not ready, and find them again once the server is up."""
        self._starts += 1
        self._waiting.extendleft((flight, window) for _, flight, window in reversed(self._answering))
        self._answering.clear()
        self._free = up_s
        self._answer()
