"""The engine with a clock: a SimPy simulation of server, brokers, queues and links.

An event travels from its origin to the server, which answers windows in their order, one at a time, for a service
time made of its counted calls. Every broker serves one message at a time and sends through one uplink, both first
come, first served. Where a message goes is decided by the brokers, each from what it knows (`Network.hops`).

A hop is one SimPy event, its arrival at a broker. Since queues are first come, first served, the time at which the
broker is done with the message, and at which each copy departs and arrives at the next broker, follow at once from
the times at which broker and uplink become free. That is exact, and an order of magnitude faster than a process and
a store per broker.

Chunks come to the clock one by one, as their first events arise, and leave when their last message has arrived.
What may go wrong meanwhile is told in `fault_injector`.
"""

import gc
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import numpy as np

from floor.errors import RangecastError
from simulator.approaches.approach import Approach
from simulator.approaches.session import Session
from simulator.engine.audience import Audience
from simulator.engine.carried import Carried
from simulator.engine.fault_injector import FaultInjector
from simulator.engine.journeys import transmission_s
from simulator.engine.ledger import Ledger
from simulator.engine.transit import Due, Transit, World
from simulator.inputs.fault_plan import FaultPlan
from simulator.inputs.ingredients import Ingredients
from simulator.scenario.scenario import Scenario
from simulator.workload.windows import Chunk

__all__ = ["simulate"]


def simulate(
    scenario: Scenario,
    ingredients: Ingredients,
    approach: Approach,
    session: Session,
    audience: Audience,
    chunks: Iterable[Chunk],
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
        Every chunk in order, once all its messages have arrived.
    """
    world = World(scenario, ingredients, approach, session, audience, ledger or Ledger())
    injector = None if faults is None else FaultInjector(world, faults)
    server = _Server(world, iter(chunks), injector)
    server.feed()
    while server.transits:
        transit = server.transits.popleft()
        with _collector_off():
            _run_until(world, transit)
        world.ledger.end_s = world.clock.now
        yield transit.carried()


def _run_until(world: World, transit: Transit) -> None:
    """Let the clock run until all messages of a chunk have arrived.

    Raises
    ------
    RangecastError
        Some never will: nothing is left to happen.
    """
    try:
        world.clock.run(until=transit.done)
    except RuntimeError as error:
        if world.clock.peek() < np.inf:
            raise
        first = transit.chunk.first
        raise RangecastError(
            f"messages of the events from {first} on never arrive everywhere: nothing is under way any more"
        ) from error


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
    """Takes the events of chunk after chunk and starts the messages that answer them."""

    def __init__(self, world: World, chunks: Iterator[Chunk], injector: FaultInjector | None) -> None:
        self.transits: deque[Transit] = deque()
        self._world, self._chunks, self._injector = world, chunks, injector
        self._free = 0.0
        self._waiting: deque[tuple[Transit, int]] = deque()
        """Windows that are not answered, in order."""
        self._answering: deque[tuple[float, Transit, int]] = deque()
        """Windows whose answer is ready at a time to come."""
        self._starts = 0
        if injector is not None:
            injector.begin(self.crash)

    def feed(self, _: Due | None = None) -> None:
        """Put the events of the next chunk on the clock; the one after it will be needed at its last event."""
        chunk = next(self._chunks, None)
        if chunk is None:
            return
        world = self._world
        transit = Transit(world, chunk) if self._injector is None else self._injector.transit(chunk)
        self.transits.append(transit)
        events, starts = chunk.events, chunk.starts
        if world.approach.serverless:
            for window, time in enumerate(events.time_s[starts[:-1]].tolist()):
                world.at(time, self._arise, (transit, window))
        else:
            self._waiting.extend((transit, window) for window in range(chunk.windows))
            place, routes = world.ingredients.server, world.ingredients.routes
            transmit_s = transmission_s(world.scenario.sizes.event_bytes, routes.bandwidth_mbps[events.origin, place])
            reach_s = events.time_s + transmit_s + routes.delay_ms[events.origin, place] / 1e3
            window_of = np.repeat(np.arange(chunk.windows), np.diff(starts)).tolist()
            for window, time in zip(window_of, reach_s.tolist(), strict=True):
                world.at(time, self._reach_with_event, (transit, window))
            for window, time in enumerate(chunk.closes_s.tolist()):
                world.at(time, self._reach, (transit, window))
        world.at(float(events.time_s[-1]), self.feed, None)

    def _arise(self, arisen: Due) -> None:
        """Without a server: let the messages of a window start where it arises."""
        transit, window = arisen.value
        transit.set_out()
        transit.start(window)

    def _reach_with_event(self, reached: Due) -> None:
        """Write an event into the journal, and note it."""
        self._world.journal_events += 1
        self._reach(reached)

    def _reach(self, reached: Due) -> None:
        """Note an event, or the end of a window's time."""
        transit, window = reached.value
        transit.awaited[window] -= 1
        self._answer()

    def _answer(self) -> None:
        """Answer the windows whose turn it is."""
        while self._waiting:
            transit, window = self._waiting[0]
            if transit.awaited[window]:
                return
            self._waiting.popleft()
            transit.set_out()
            begins, service_s = max(self._free, self._world.clock.now), transit.service_s[window]
            self._world.ledger.server_waited_s += begins - self._world.clock.now
            self._world.ledger.server_busy_s += service_s
            self._free = begins + service_s
            self._answering.append((self._free, transit, window))
            self._world.at(self._free, self._send, self._starts)

    def _send(self, due: Due) -> None:
        """Start the messages of the window that was answered, unless the server has lost it in a crash."""
        if due.value == self._starts:
            _, transit, window = self._answering.popleft()
            transit.start(window)

    def crash(self, up_s: float) -> None:
        """Forget the answers that are not ready, and find them again once the server is up."""
        self._starts += 1
        self._waiting.extendleft((transit, window) for _, transit, window in reversed(self._answering))
        self._answering.clear()
        self._free = up_s
        self._answer()
