"""Followed: one event of a scenario, with all that became of it, found by simulating the scenario until then."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .approaches import Approach, parse_approach
from .engines import carry_events
from .ingredients import Ingredients
from .journeys import sources_of
from .scenario import Scenario
from .traffic import Carried, Transmissions

__all__ = ["Followed", "follow"]


class Followed(NamedTuple):
    """One window of events, and all that became of it."""

    scenario: Scenario
    name: str
    event: int
    """The event asked for, one of the window's."""
    carried: Carried
    """Its stretch."""
    window: int
    sources: NDArray[np.int64]
    """Broker at which each message of the stretch starts."""
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
        return int(self.carried.stretch.first + self.carried.stretch.starts[self.window])

    @property
    def messages(self) -> range:
        """Rows of the window's messages."""
        start, end = self.carried.outgoing.offsets[self.window : self.window + 2].tolist()
        return range(start, end)

    @property
    def arose_s(self) -> float:
        """When the window's first event arose."""
        return float(self.carried.stretch.window(self.window).time_s[0])

    @property
    def hops(self) -> NDArray[np.int64]:
        """Rows of the window's transmissions."""
        message = self.sent.message
        return np.flatnonzero((message >= self.messages.start) & (message < self.messages.stop))

    @property
    def deliveries(self) -> NDArray[np.int64]:
        """Rows of the window's deliveries."""
        message = self.carried.traffic.message
        return np.flatnonzero((message >= self.messages.start) & (message < self.messages.stop))

    @property
    def sent(self) -> Transmissions:
        """All that was sent for the stretch."""
        if self.carried.sent is None:
            raise ValueError("a trace needs the transmissions; follow the event with `follow`")
        return self.carried.sent


def follow(scenario: Scenario, ingredients: Ingredients, name: str, event: int) -> Followed:
    """Simulate a scenario until the messages of an event have arrived. The time of a run up to there."""
    scenario, approach = scenario.model_copy(update={"record": ["hops"]}), parse_approach(name)
    session = approach.open(ingredients.workload, approach)
    for carried in carry_events(scenario, ingredients, approach, session, np.empty(0, np.int64)):
        stretch = carried.stretch
        if event < stretch.first + len(stretch.events.object):
            window = int(np.searchsorted(stretch.starts, event - stretch.first, side="right")) - 1
            sources = sources_of(ingredients, approach, stretch, carried.outgoing)
            return Followed(scenario, name, event, carried, window, sources, ingredients.server, ingredients.names)
    raise ValueError(f"event must be below {len(ingredients.events.object)}, the number of events, got {event}")
