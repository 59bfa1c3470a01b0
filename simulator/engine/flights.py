"""Attempts and flights: the way of messages under one state of the network, and single transmissions on it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.approaches.session import Outgoing
from simulator.engine.control import echo
from simulator.engine.holding import Heard
from simulator.engine.journeys import journeys_of, transmission_s, travelled
from simulator.engine.transit import World, next_hops

__all__ = ["Attempt", "Flight", "heard_of"]


class Attempt:
    """The way of some messages under one state of the network."""

    def __init__(
        self,
        world: World,
        outgoing: Outgoing,
        messages: NDArray[np.int64],
        sources: NDArray[np.int64],
        gone: set[int],
    ) -> None:
        ingredients, approach = world.ingredients, world.approach
        windows = np.searchsorted(outgoing.offsets, messages, side="right") - 1
        offsets = np.append(0, np.cumsum(np.bincount(windows, minlength=len(outgoing.costs))))
        part = Outgoing(outgoing.table[messages], offsets, outgoing.costs)
        sources = sources[messages]
        while len(absent := np.flatnonzero(np.isin(sources, list(gone)))):  # the next broker stands in
            sources[absent] = (sources[absent] + 1) % len(ingredients.network)
        hops = journeys_of(ingredients, approach, part, sources)
        routes, size = ingredients.routes, world.scenario.sizes.of(approach)
        self.anew: set[int] = set()
        """Messages that were started anew after this: what is under way of them here comes to nothing."""
        self.sources = sources.tolist()
        self.at_source = hops.at_source.tolist()
        self.local = dict(zip(messages.tolist(), range(len(messages)), strict=True))
        self.rows = np.diff(hops.offsets)
        self.message = np.repeat(messages, self.rows).tolist()
        self.senders, self.receivers = hops.senders.tolist(), hops.receivers.tolist()
        self.delivers = hops.delivers.tolist()
        links = routes.hops[hops.senders, hops.receivers].astype(np.int64)
        self.links = links.tolist()
        self.travelled = [*travelled(hops.previous, links).tolist(), *([0] * len(messages))]
        self.transmit_s = transmission_s(size, routes.bandwidth_mbps[hops.senders, hops.receivers]).tolist()
        self.delay_s = (routes.delay_ms[hops.senders, hops.receivers] / 1e3).tolist()
        self.next_row, self.next_start = next_hops(hops)
        self.previous = hops.previous
        self.done_s = [np.inf] * (len(self.receivers) + len(messages))
        """When each hop's receiver, then each message's source, has served it; +inf if never."""
        self.arrived = [False] * len(self.receivers)

    def forget(self, now: float, broker: int | None = None) -> None:
        """Note that nothing is served after now, by a broker or of messages that are started anew."""
        brokers, messages = [*self.receivers, *self.sources], [*self.message, *self.local]
        for place, done_s in enumerate(self.done_s):
            if now < done_s < np.inf and (brokers[place] == broker or messages[place] in self.anew):
                self.done_s[place] = np.inf


class Flight(NamedTuple):
    """One transmission that was handed to an uplink."""

    attempt: Attempt
    row: int
    """Its hop in the attempt."""
    number: int
    """Its place among the transmissions that are recorded."""
    again: bool
    """Whether it repeats an earlier one."""
    depart_s: float
    """When the uplink begins with it."""
    departed_s: float
    """When it is on the wire; a broker that crashes before has not sent it."""
    ends_s: float
    """When it arrives, or is lost."""
    faults: tuple[tuple[str, str, float], ...] = ()
    """What, why and seconds of the faults that the link does to it."""
    is_copy: bool = False
    """Whether the link made it of another one, without the uplink."""

    @property
    def message(self) -> int:
        """Its message."""
        return int(self.attempt.message[self.row])

    @property
    def in_vain(self) -> bool:
        """Whether its message has been started anew since."""
        anew = self.attempt.anew
        return bool(anew) and self.attempt.message[self.row] in anew

    @property
    def sender(self) -> int:
        """Broker that sends it."""
        return int(self.attempt.senders[self.row])

    @property
    def receiver(self) -> int:
        """Broker that it is for."""
        return int(self.attempt.receivers[self.row])


def heard_of(attempts: Sequence[Attempt], messages: int) -> tuple[Heard, NDArray[np.float64]]:
    """Acknowledgements that nothing is missing beyond a broker, and when each message's source had all of them."""
    complete_s, nothing = np.zeros(messages), np.empty(0, np.int64)
    parts = [Heard(nothing, nothing, nothing, np.empty(0))]
    for attempt in attempts:
        rows, message = len(attempt.receivers), np.array(attempt.message, np.int64)
        done_s, mine = np.array(attempt.done_s), np.array(list(attempt.local), np.int64)
        ended_s = np.full(messages, np.inf)
        ended_s[mine] = done_s[rows:]
        heard_s = echo(attempt.previous, message, done_s[:rows], np.array(attempt.delay_s), ended_s)
        ends = np.isfinite(heard_s)
        senders, receivers = np.array(attempt.senders, np.int64), np.array(attempt.receivers, np.int64)
        parts.append(Heard(message[ends], receivers[ends], senders[ends], heard_s[ends]))
        complete_s[mine] = ended_s[mine]  # a later attempt takes the place of one that was given up
    return Heard._make(np.concatenate(columns) for columns in zip(*parts, strict=True)), complete_s
