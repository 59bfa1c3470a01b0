"""Ways: the places that packets come to, under every state of the network that a chunk of events sees."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cn import Hops
from simulator.approaches.session import Outgoing
from simulator.engine.journeys import journeys_of, transmission_s, travelled
from simulator.engine.packets import Packets, before, begins_of, followers, message_of, packets_of
from simulator.engine.transit import World

__all__ = ["Places", "Unpacked", "Ways"]

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Places(NamedTuple):
    """Where starts begin and packets come, as columns; of each attempt first the packets, then the starts."""

    broker: Ints
    """Who serves what comes there."""
    start: Ints
    again: Bools
    """Whether it began before, under an earlier state of the network."""
    held: Ints
    """Its messages,"""
    first: Ints
    """and where they begin among those of all places;"""
    told: Ints
    """those that the broker has for its own,"""
    first_told: Ints
    """and where they begin."""
    before: Ints
    """Place that sends it there; -1 of starts."""
    travelled: Ints
    """IP links from where it begins."""
    links: Ints
    """Those of the last hop."""
    size: Ints
    """Bytes."""
    transmit_s: Floats
    delay_s: Floats

    @property
    def sender(self) -> Ints:
        """Broker that sends a packet; means nothing where one begins."""
        return self.broker[self.before]


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


class Ways:
    """The ways of a chunk's messages, one attempt after another: each under one state of the network.

    Places are numbered through all attempts. What is needed of them at every hop is in plain lists too.

    Parameters
    ----------
    starts : int64 array
        Where the messages that begin together begin, and their number.
    sources : (messages,) int64 array
        Broker where each message begins, if that is there.
    """

    def __init__(self, world: World, outgoing: Outgoing, starts: Ints, sources: Ints) -> None:
        self._world, self._outgoing, self._starts, self._sources = world, outgoing, starts, sources
        self.broker_s = world.broker_s
        self.places = self._room = Places(*(np.empty(0, kind) for kind in 2 * "l" + "?" + 8 * "l" + 2 * "d"))
        self._message = self._added = self._told = np.empty(0, np.int64)
        self.since, self.origin = [0] * (len(starts) - 1), [-1] * (len(starts) - 1)
        """First place of the attempt that each start is in, and place where it begins; -1 of one that has no way."""
        self.broker, self.start = list[int](), list[int]()
        self.held, self.transmit_s, self.delay_s = list[int](), list[float](), list[float]()
        self.next_first, self.next_place = [0], list[int]()
        """Places that follow on each: of the second list, from its number in the first to the next number."""
        self.served = bytearray()
        """1 for places where something has come."""

    def add(self, chosen: Ints, again: Bools, gone: set[int]) -> Ints:
        """Find the ways of some starts, ascending, under the network as it is now; how many packets each takes."""
        messages = _runs(self._starts[chosen], np.diff(self._starts)[chosen])
        sources, hops, packets = self._travel(messages, gone)
        taken, routes = packets.hops, self._world.ingredients.routes
        base, rows, nowhere = len(self.broker), len(packets.size), np.zeros(len(chosen), np.int64)
        ends, start = (taken.senders, taken.receivers), np.append(chosen[message_of(taken)], chosen)
        links, together = routes.hops[ends].astype(np.int64), np.bincount(packets.start_of, packets.out, len(chosen))
        told_at = np.append(packets.of_hop[hops.delivers], rows + packets.start_of[hops.at_source])
        count, told_count = packets.places, np.bincount(told_at, minlength=len(start))
        places = Places(
            np.append(taken.receivers, sources[packets.starts[:-1]]),
            start,
            again[start],
            count,
            len(self._message) + np.cumsum(count) - count,
            told_count,
            len(self._told) + np.cumsum(told_count) - told_count,
            np.append(base + before(taken), nowhere - 1),
            np.append(travelled(taken.previous, links), nowhere),
            np.append(links, nowhere),
            np.append(packets.size, together.astype(np.int64)),
            np.append(transmission_s(packets.size, routes.bandwidth_mbps[ends]), nowhere),
            np.append(routes.delay_ms[ends] / 1e3, nowhere),
        )
        of_hop = messages[message_of(hops)]
        told = np.append(of_hop[hops.delivers], messages[hops.at_source])
        self._message = np.concatenate((self._message, of_hop[packets.members], messages))
        self._added = np.concatenate((self._added, packets.added[packets.members], packets.out))
        self._told = np.append(self._told, told[np.argsort(told_at, kind="stable")])
        self._append(places, *followers(taken))
        for place, one in enumerate(chosen.tolist(), base + rows):
            self.since[one], self.origin[one] = base, place
        return np.diff(taken.offsets)

    def _travel(self, messages: Ints, gone: set[int]) -> tuple[Ints, Hops, Packets]:
        """Sources, hops and packets of some messages."""
        world, outgoing = self._world, self._outgoing
        windows = np.searchsorted(outgoing.offsets, messages, side="right") - 1
        offsets = np.append(0, np.cumsum(np.bincount(windows, minlength=len(outgoing.costs))))
        part = Outgoing(outgoing.table[messages], offsets, outgoing.costs, apart=outgoing.apart)
        sources = self._sources[messages]
        while len(absent := np.flatnonzero(np.isin(sources, list(gone)))):  # the next broker stands in
            sources[absent] = (sources[absent] + 1) % len(world.ingredients.network)
        hops = journeys_of(world.ingredients, world.approach, part, sources)
        return sources, hops, packets_of(world.packing, hops, part.table, begins_of(outgoing)[messages])

    def _append(self, places: Places, follow: Ints, runs: Ints) -> None:
        """Add places to the columns and the lists."""
        base, end, run = len(self.broker), len(self.broker) + len(places.broker), len(self.next_place)
        if end > len(self._room.broker):
            room, self._room = self._room, Places._make(np.empty(2 * end, column.dtype) for column in self._room)
            for column, values in zip(self._room, room, strict=True):
                column[:base] = values[:base]
        for column, values in zip(self._room, places, strict=True):
            column[base:end] = values
        self.places = Places._make(column[:end] for column in self._room)
        self.next_first += (run + runs[1:]).tolist()
        self.next_place += (base + follow).tolist()
        self.broker += places.broker.tolist()
        self.start += places.start.tolist()
        self.held += places.held.tolist()
        self.transmit_s += places.transmit_s.tolist()
        self.delay_s += places.delay_s.tolist()
        self.served += bytes(len(places.broker))

    def drop(self, chosen: Ints) -> None:
        """Take the ways from some starts."""
        for start in chosen.tolist():
            self.origin[start] = -1

    def messages(self, place: int) -> list[int]:
        """Messages of a packet, or start."""
        first = self.places.first[place]
        members: list[int] = self._message[first : first + self.places.held[place]].tolist()
        return members

    def first_messages(self, place: Ints) -> Ints:
        """First message at each of some places."""
        return self._message[self.places.first[place]]

    def told(self, place: Ints) -> tuple[Ints, Ints]:
        """Messages that brokers have for their own at some places, and which of these each is at."""
        count = self.places.told[place]
        return self._told[_runs(self.places.first_told[place], count)], np.repeat(np.arange(len(place)), count)

    def unpacked(self, place: Ints) -> Unpacked:
        """Messages of transmissions to places, in the order of both."""
        places, count = self.places, self.places.held[place]
        at, row = _runs(self.places.first[place], count), np.repeat(np.arange(len(place)), count)
        to = place[row]
        return Unpacked(
            row, self._message[at], places.sender[to], places.broker[to], self._added[at], places.links[to]
        )


def _runs(first: Ints, count: Ints) -> Ints:
    """Numbers from each first one on, so many of each."""
    numbers: Ints = np.arange(count.sum()) + np.repeat(first - (np.cumsum(count) - count), count)
    return numbers
