"""Attempts and flights: the way of messages under one state of the network, and single transmissions on it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cn import Hops
from simulator.approaches.session import Outgoing
from simulator.engine.control import echo
from simulator.engine.holding import Heard
from simulator.engine.journeys import journeys_of, transmission_s, travelled
from simulator.engine.packets import Packets, begins_of, followers, message_of, packets_of
from simulator.engine.transit import World

__all__ = ["Attempt", "Flight", "Unpacked", "heard_of", "unpacked"]

Ints = NDArray[np.int64]


class Attempt:
    """The way of messages that begin together, for some starts of a chunk, under one state of the network.

    Parameters
    ----------
    starts : int64 array
        Where the messages of each start of the chunk begin, and their number.
    chosen : int64 array
        The starts, ascending.
    before : int
        Packets of earlier attempts, whose numbers are taken.
    """

    def __init__(
        self,
        world: World,
        outgoing: Outgoing,
        starts: Ints,
        chosen: Ints,
        sources: Ints,
        gone: set[int],
        before: int,
    ) -> None:
        ingredients, approach = world.ingredients, world.approach
        messages = _within(starts, chosen)
        windows = np.searchsorted(outgoing.offsets, messages, side="right") - 1
        offsets = np.append(0, np.cumsum(np.bincount(windows, minlength=len(outgoing.costs))))
        part = Outgoing(outgoing.table[messages], offsets, outgoing.costs, apart=outgoing.apart)
        sources = sources[messages]
        while len(absent := np.flatnonzero(np.isin(sources, list(gone)))):  # the next broker stands in
            sources[absent] = (sources[absent] + 1) % len(ingredients.network)
        hops = journeys_of(ingredients, approach, part, sources)
        self.packets = packets = packets_of(world.packing, hops, part.table, begins_of(outgoing)[messages])
        ways, routes = packets.hops, ingredients.routes
        ends = ways.senders, ways.receivers
        self.before = before
        self.member = messages[message_of(hops)][packets.members]
        """Messages of the packets, those of each from `packets.bounds` on."""
        self.first = messages[packets.first].tolist()
        """First message of each packet."""
        self.anew: set[int] = set()
        """Starts that were begun anew after this: what is under way of them here comes to nothing."""
        self.sources = sources[packets.starts[:-1]].tolist()
        self.local = dict(zip(chosen.tolist(), range(len(chosen)), strict=True))
        self.rows = np.diff(ways.offsets)
        self.start = np.repeat(chosen, self.rows).tolist()
        self.senders, self.receivers = (brokers.tolist() for brokers in ends)
        self.delivers = _delivered(packets, hops, messages)
        """Messages that the receiver of each packet, then the source of each start, has for its own."""
        self.links = routes.hops[ends].astype(np.int64)
        self.travelled = [*travelled(ways.previous, self.links).tolist(), *([0] * len(chosen))]
        self.transmit_s = transmission_s(packets.size, routes.bandwidth_mbps[ends]).tolist()
        self.delay_s = (routes.delay_ms[ends] / 1e3).tolist()
        self.count = packets.places.tolist()
        self.next_row, self.next_start = (column.tolist() for column in followers(ways))
        self.previous = ways.previous
        self.done_s = [np.inf] * len(self.count)
        """When each packet's receiver, then each start's source, has served it; +inf if never."""
        self.arrived = [False] * len(self.receivers)

    def out_bytes(self, start: int) -> int:
        """Bytes of all that begins together, where it begins."""
        local = self.local[start]
        return int(self.packets.out[slice(*self.packets.starts[local : local + 2])].sum())

    def forget(self, now: float, broker: int | None = None) -> None:
        """Note that nothing is served after now, by a broker or of starts that are begun anew."""
        brokers, starts = [*self.receivers, *self.sources], [*self.start, *self.local]
        for place, done_s in enumerate(self.done_s):
            if now < done_s < np.inf and (brokers[place] == broker or starts[place] in self.anew):
                self.done_s[place] = np.inf


def _within(starts: Ints, chosen: Ints) -> Ints:
    """Messages of some starts."""
    lengths = np.diff(starts)[chosen]
    ends = np.cumsum(lengths)
    messages: Ints = np.arange(lengths.sum()) + np.repeat(starts[chosen] - (ends - lengths), lengths)
    return messages


def _delivered(packets: Packets, hops: Hops, messages: Ints) -> list[list[int]]:
    """Messages that are delivered by each packet, then at the source of each start."""
    delivered: list[list[int]] = [[] for _ in range(len(packets.places))]
    of_hop, at = message_of(hops), packets.of_hop[hops.delivers]
    for packet, message in zip(at.tolist(), messages[of_hop[hops.delivers]].tolist(), strict=True):
        delivered[packet].append(message)
    at = len(packets.size) + packets.start_of[hops.at_source]
    for start, message in zip(at.tolist(), messages[hops.at_source].tolist(), strict=True):
        delivered[start].append(message)
    return delivered


class Flight(NamedTuple):
    """One transmission that was handed to an uplink."""

    attempt: Attempt
    row: int
    """Its packet in the attempt."""
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
    def messages(self) -> list[int]:
        """Its messages."""
        first, end = self.attempt.packets.bounds[self.row : self.row + 2]
        members: list[int] = self.attempt.member[first:end].tolist()
        return members

    @property
    def start(self) -> int:
        """The start of its messages."""
        return int(self.attempt.start[self.row])

    @property
    def in_vain(self) -> bool:
        """Whether its messages have been begun anew since."""
        anew = self.attempt.anew
        return bool(anew) and self.attempt.start[self.row] in anew

    @property
    def sender(self) -> int:
        """Broker that sends it."""
        return int(self.attempt.senders[self.row])

    @property
    def receiver(self) -> int:
        """Broker that it is for."""
        return int(self.attempt.receivers[self.row])


class Unpacked(NamedTuple):
    """The messages of transmissions, as columns."""

    row: Ints
    """Transmission that each was in."""
    message: Ints
    sender: Ints
    receiver: Ints
    size: Ints
    """Bytes that it adds to the packet."""
    links: Ints
    """IP links under the hop."""


def unpacked(attempts: Sequence[Attempt], packet: Ints) -> Unpacked:
    """Messages of transmissions of packets, numbered through all attempts, in the order of both."""
    every = [attempt.packets for attempt in attempts]
    member, added = (
        np.concatenate(parts)
        for parts in (
            [attempt.member for attempt in attempts],
            [packets.added[packets.members] for packets in every],
        )
    )
    count = np.concatenate([np.diff(packets.bounds) for packets in every])
    first = np.cumsum(count) - count
    row = np.repeat(np.arange(len(packet)), count[packet])
    within = np.arange(len(row)) - np.repeat(np.cumsum(count[packet]) - count[packet], count[packet])
    at, of_packet = first[packet][row] + within, packet[row]
    ends = (np.concatenate([getattr(packets.hops, name) for packets in every]) for name in ("senders", "receivers"))
    sender, receiver = (brokers[of_packet] for brokers in ends)
    links = np.concatenate([attempt.links for attempt in attempts])[of_packet]
    return Unpacked(row, member[at], sender, receiver, added[at], links)


def heard_of(attempts: Sequence[Attempt], starts: int) -> tuple[Heard, NDArray[np.float64]]:
    """Acknowledgements that nothing is missing beyond a broker, and when the source of each start had all of them."""
    complete_s, nothing = np.zeros(starts), np.empty(0, np.int64)
    parts = [Heard(nothing, nothing, nothing, np.empty(0))]
    for attempt in attempts:
        rows, start = len(attempt.receivers), np.array(attempt.start, np.int64)
        done_s, mine = np.array(attempt.done_s), np.array(list(attempt.local), np.int64)
        ended_s = np.full(starts, np.inf)
        ended_s[mine] = done_s[rows:]
        heard_s = echo(attempt.previous, start, done_s[:rows], np.array(attempt.delay_s), ended_s)
        ends, ways = np.isfinite(heard_s), attempt.packets.hops
        first = np.array(attempt.first, np.int64)
        parts.append(Heard(first[ends], ways.receivers[ends], ways.senders[ends], heard_s[ends]))
        complete_s[mine] = ended_s[mine]  # a later attempt takes the place of one that was given up
    return Heard._make(np.concatenate(columns) for columns in zip(*parts, strict=True)), complete_s
