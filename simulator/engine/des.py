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
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import numpy as np

from floor.errors import RangecastError
from simulator.approaches.approach import Approach
from simulator.approaches.session import Session
from simulator.engine.audience import Audience
from simulator.engine.carried import Carried
from simulator.engine.fault_injector import FaultInjector
from simulator.engine.journeys import reach_server_s
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
        self._answering: deque[tuple[Transit, int, bool]] = deque()
        """Windows, and if that is true questions, whose answer is ready at a time to come."""
        self._early: defaultdict[tuple[Transit, int], list[int]] = defaultdict(list)
        """Questions that came before the last event that they are to know of, by its window."""
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
            reach_s = reach_server_s(world.ingredients, events, world.scenario.sizes.event_bytes)
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
            if transit.outgoing is None:
                transit.set_out()
                self._expect(transit)
            self._serve(transit, window, 0.0 if transit.questions else transit.service_s[window], asked=False)

    def _serve(self, transit: Transit, number: int, service_s: float, *, asked: bool) -> None:
        """Have the answer to a window, or a question, ready as soon as the server has done with others."""
        begins = max(self._free, self._world.clock.now)
        self._world.ledger.server_waited_s += begins - self._world.clock.now
        self._world.ledger.server_busy_s += service_s
        self._free = begins + service_s
        self._answering.append((transit, number, asked))
        self._world.at(self._free, self._send, self._starts)

    def _send(self, due: Due) -> None:
        """Start the messages of what was answered, unless the server has lost it in a crash."""
        if due.value != self._starts:
            return
        transit, number, asked = self._answering.popleft()
        if asked:
            transit.reply(number)
            return
        transit.start(number)
        for question in self._early.pop((transit, number), ()):
            self._serve(transit, question, transit.service_s[question], asked=True)

    def _expect(self, transit: Transit) -> None:
        """Put the questions of a chunk on the clock, if there are any, as they come to the server."""
        world, questions = self._world, transit.questions
        if questions is None or questions.left_s is None:
            return
        delay_s = world.ingredients.routes.delay_ms[questions.gateway, world.ingredients.server] / 1e3
        for question, time_s in enumerate(np.maximum(questions.left_s + delay_s, world.clock.now).tolist()):
            world.at(time_s, self._reach_with_question, (transit, question))

    def _reach_with_question(self, reached: Due) -> None:
        self._take_question(*reached.value)

    def _take_question(self, transit: Transit, question: int) -> None:
        """Answer a question, as soon as the events are known that had arisen when it was put."""
        window = transit.window_of(question)
        if window < transit.answered:
            self._serve(transit, question, transit.service_s[question], asked=True)
        else:
            self._early[transit, window].append(question)

    def crash(self, up_s: float) -> None:
        """Forget the answers that are not ready, and find them again once the server is up."""
        self._starts += 1
        lost = list(self._answering)
        self._answering.clear()
        self._waiting.extendleft((transit, window) for transit, window, asked in reversed(lost) if not asked)
        self._free = up_s
        self._answer()
        for transit, question, asked in lost:
            if asked:
                self._take_question(transit, question)
