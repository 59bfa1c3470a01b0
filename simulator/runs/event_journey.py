"""The journey of one event of a scenario, all that became of it, found by simulating the scenario until then."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.approaches.approach import Approach
from simulator.approaches.registry import parse_approach
from simulator.engine.carried import ACKNOWLEDGEMENT, Carried, Transmissions
from simulator.engine.carry import carry_events
from simulator.engine.fault_log import FaultLog, FaultRow
from simulator.engine.ledger import Ledger
from simulator.inputs.ingredients import Ingredients
from simulator.scenario.scenario import Scenario

__all__ = ["EventJourney", "Span", "follow_event"]


class Span(NamedTuple):
    """A time in which something was wrong with a broker."""

    broker: int
    start_s: float
    end_s: float
    """+inf if that was not over when the messages of the event had arrived."""


class EventJourney(NamedTuple):
    """One window of events, and all that became of it."""

    scenario: Scenario
    name: str
    event: int
    """The event asked for, one of the window's."""
    carried: Carried
    """Its chunk."""
    window: int
    server: int
    names: Sequence[str] = ()
    """Of the objects, if they have any."""
    faults: Sequence[FaultRow] = ()
    """What went wrong until all messages had arrived, with whatever message."""

    @property
    def approach(self) -> Approach:
        """The approach by its name."""
        return parse_approach(self.name)

    @property
    def first(self) -> int:
        """Number of the window's first event."""
        return int(self.carried.chunk.first + self.carried.chunk.starts[self.window])

    @property
    def messages(self) -> range:
        """Rows of the window's messages."""
        start, end = self.carried.outgoing.offsets[self.window : self.window + 2].tolist()
        return range(start, end)

    @property
    def arose_s(self) -> float:
        """When the window's first event arose."""
        return float(self.carried.chunk.window(self.window).time_s[0])

    @property
    def event_s(self) -> float:
        """When the event asked for arose, the first of the window or a later one."""
        return float(self.carried.chunk.events.time_s[self.event - self.carried.chunk.first])

    @property
    def hops(self) -> NDArray[np.int64]:
        """Rows of the window's transmissions of messages."""
        message, carries = self.sent.message, self.sent.kind < ACKNOWLEDGEMENT
        return np.flatnonzero(carries & (message >= self.messages.start) & (message < self.messages.stop))

    @property
    def hop_bytes(self) -> int:
        """Bytes of those."""
        return int(self.sent.size[self.hops].sum())

    @property
    def deliveries(self) -> NDArray[np.int64]:
        """Rows of the window's deliveries."""
        message = self.carried.traffic.message
        return np.flatnonzero((message >= self.messages.start) & (message < self.messages.stop))

    @property
    def end_s(self) -> float:
        """When the last thing happened to the window's messages; when it arose, without a clock."""
        sent, traffic, rows = self.sent, self.carried.traffic, self.hops
        times = [] if sent.depart_s is None or sent.arrive_s is None else [sent.depart_s[rows], sent.arrive_s[rows]]
        times += [] if traffic.time_s is None else [traffic.time_s[self.deliveries]]
        return float(max((np.nanmax(one, initial=self.arose_s) for one in times), default=self.arose_s))

    @property
    def losses(self) -> dict[tuple[int, int, int, float], FaultRow]:
        """Transmissions of the window that were lost, by message row, sender, receiver and departure."""
        start = self.messages.start
        return {
            (start + (row.message or 0), row.sender or 0, row.receiver or 0, row.time_s): row
            for row in self.faults
            if row.what == "loss" and row.event == self.first
        }

    def spans(self, begins: str, ends: str) -> Iterator[Span]:
        """Times between two kinds of faults of a broker, such as a crash and its return, that the messages met."""
        open_s: dict[int, float] = {}
        for row in self.faults:
            if row.what == begins and row.broker is not None:
                open_s[row.broker] = row.time_s
            elif row.what == ends and row.broker in open_s:
                span = Span(row.broker, open_s.pop(row.broker), row.time_s)
                if span.end_s > self.arose_s and span.start_s <= self.end_s:
                    yield span
        yield from (Span(broker, start_s, np.inf) for broker, start_s in open_s.items() if start_s <= self.end_s)

    def server_spans(self) -> Iterator[Span]:
        """Times in which the server was down that the messages met."""
        for row in self.faults:
            if row.what == "server crash" and row.broker is not None:
                span = Span(row.broker, row.time_s, row.time_s + (row.seconds or 0.0))
                if span.end_s > self.arose_s and span.start_s <= self.end_s:
                    yield span

    @property
    def timed(self) -> bool:
        """Whether there is a clock."""
        return self.sent.depart_s is not None

    @property
    def sent(self) -> Transmissions:
        """All that was sent for the chunk."""
        if self.carried.sent is None:
            raise ValueError("a journey needs the transmissions; take it from `follow_event`")
        return self.carried.sent


def follow_event(scenario: Scenario, ingredients: Ingredients, name: str, event: int) -> EventJourney:
    """Simulate a scenario until the messages of an event have arrived. The time of a run up to there."""
    scenario, approach = scenario.model_copy(update={"record": ["hops"]}), parse_approach(name)
    session = approach.open(ingredients.workload, approach)
    log, faults = FaultLog(), list[FaultRow]()
    for carried in carry_events(scenario, ingredients, approach, session, np.empty(0, np.int64), Ledger(faults=log)):
        chunk = carried.chunk
        faults += log.drain()
        if event < chunk.first + len(chunk.events.object):
            window = int(np.searchsorted(chunk.starts, event - chunk.first, side="right")) - 1
            return EventJourney(scenario, name, event, carried, window, ingredients.server, ingredients.names, faults)
    raise ValueError(f"event must be below {len(ingredients.events.object)}, the number of events, got {event}")
