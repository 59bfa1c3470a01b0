"""The journey of one event of a scenario, all that became of it, found by simulating the scenario until then."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.approaches.approach import Approach
from simulator.approaches.registry import parse_approach
from simulator.engine.carried import ACKNOWLEDGEMENT, Carried, Transmissions
from simulator.engine.carry import carry_events
from simulator.inputs.ingredients import Ingredients
from simulator.scenario.scenario import Scenario

__all__ = ["EventJourney", "follow_event"]


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
    def hops(self) -> NDArray[np.int64]:
        """Rows of the window's transmissions of messages."""
        message, carries = self.sent.message, self.sent.kind < ACKNOWLEDGEMENT
        return np.flatnonzero(carries & (message >= self.messages.start) & (message < self.messages.stop))

    @property
    def deliveries(self) -> NDArray[np.int64]:
        """Rows of the window's deliveries."""
        message = self.carried.traffic.message
        return np.flatnonzero((message >= self.messages.start) & (message < self.messages.stop))

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
    for carried in carry_events(scenario, ingredients, approach, session, np.empty(0, np.int64)):
        chunk = carried.chunk
        if event < chunk.first + len(chunk.events.object):
            window = int(np.searchsorted(chunk.starts, event - chunk.first, side="right")) - 1
            return EventJourney(scenario, name, event, carried, window, ingredients.server, ingredients.names)
    raise ValueError(f"event must be below {len(ingredients.events.object)}, the number of events, got {event}")
