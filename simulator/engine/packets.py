"""Packets: how messages are put on the wire, each by itself, or those together that go the same way.

A packet is what one broker hands to one other at one time. Of the messages that begin together, those of a window or
of the answer to a question, it holds all that have come to the broker by the same packet and go on to the same next
broker; where they begin they are one packet, which the server hands to its broker. It has one header, and what its
messages have in common is in it once:

    to regions                of every object x and y, every value of l_in and l_out, every value of r_in and r_out;
                              over several attributes x in each of them, and the values of every side
    to single subscriptions   every subscription, and of every change the object to drop, the one to put in, and its y

The tiles of a staircase have corners in common: n of them in a row have n + 1 values of l and n + 1 of r, instead of
2 n each. Every value takes the same bytes: a sixth of a message to a region over one attribute, a quarter of one to a
subscription. So a packet of one message takes its header and what the message takes by itself.

The bytes of a message in a packet are those that it adds to the messages before it, for the first one the header too.
So the bytes of messages add up to those of packets, wherever they are counted.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cn import Hops
from floor.kernels import njit
from paint import UNICAST
from paint.sides import Sides, boxes_of, sides_of
from simulator.approaches.approach import Approach
from simulator.approaches.session import Outgoing
from simulator.scenario.scenario import Scenario
from simulator.workload.places import by_attribute

__all__ = [
    "Packets",
    "Packing",
    "before",
    "begins_of",
    "followers",
    "message_of",
    "packets_of",
    "packing_of",
    "starts_of",
]

Ints = NDArray[np.int64]


class Packing(NamedTuple):
    """How an approach's messages are put on the wire."""

    size: int
    """Bytes of a message by itself, with its header."""
    header: int
    bundles: bool
    """Whether those that go together are one packet."""
    sides: Sides = sides_of(1)
    """Of the space that messages have regions of."""


def packing_of(scenario: Scenario, approach: Approach) -> Packing:
    """How a scenario wants the messages of an approach to be sent."""
    sizes = scenario.sizes
    return Packing(sizes.of(approach), sizes.header_bytes or 0, scenario.network.bundle, scenario.form.sides)


class Packets(NamedTuple):
    """Messages in packets; without bundles, every message is one by itself."""

    hops: Hops
    """Of the packets: what it calls messages are starts here, all that begin together."""
    size: Ints
    """(packets,) bytes of each."""
    first: Ints
    """(packets,) first message of each."""
    members: Ints
    """(hops of messages,) hops that each packet is taken for, in the order of its messages."""
    bounds: Ints
    """Where those of each packet begin; one more entry than there are packets."""
    of_hop: Ints
    """(hops of messages,) packet by which each message takes each of its hops."""
    added: Ints
    """(hops of messages,) bytes that the message adds to that packet."""
    starts: Ints
    """Where the messages of each start begin; one more entry than there are starts."""
    start_of: Ints
    """(messages,) start of each."""
    out: Ints
    """(messages,) bytes that it adds where it begins."""

    @property
    def places(self) -> Ints:
        """(packets + starts,) messages that a broker serves together: of each packet, then of each start."""
        return np.concatenate((np.diff(self.bounds), np.diff(self.starts)))

    def at_hops(self, of_places: NDArray[np.float64]) -> NDArray[np.float64]:
        """(hops of messages,) of what is known of packets, then of starts."""
        return of_places[self.of_hop]

    def at_sources(self, of_places: NDArray[np.float64]) -> NDArray[np.float64]:
        """(messages,) the same."""
        return of_places[len(self.size) + self.start_of]


def begins_of(outgoing: Outgoing) -> Ints:
    """(messages,) number of the window that each message begins with, or where subscriptions ask of the question."""
    starts = outgoing.offsets if outgoing.asked is None else outgoing.asked.starts
    return np.repeat(np.arange(len(starts) - 1), np.diff(starts))


def message_of(hops: Hops) -> Ints:
    """(hops,) message of each."""
    return np.repeat(np.arange(len(hops.at_source)), np.diff(hops.offsets))


def before(hops: Hops) -> Ints:
    """(hops,) hop that each follows, or the number of hops plus that of the message whose source it leaves."""
    return np.where(hops.previous >= 0, hops.previous, len(hops.previous) + message_of(hops))


def followers(hops: Hops) -> tuple[Ints, Ints]:
    """Hops that follow each hop, then those that follow each message's source: rows, and where each run starts."""
    after = before(hops)
    order = np.argsort(after, kind="stable")
    return order, np.searchsorted(after[order], np.arange(len(after) + len(hops.at_source) + 1))


def starts_of(packing: Packing, begins: Ints) -> Ints:
    """Where messages that begin together begin, and at the end their number; without bundles, each by itself."""
    alone = np.arange(len(begins) + 1)
    return np.append(alone[:-1][np.diff(begins, prepend=-1) > 0], len(begins)) if packing.bundles else alone


def packets_of(packing: Packing, hops: Hops, table: NDArray[np.void], begins: Ints) -> Packets:
    """Put the messages of a table, which take these hops, into packets.

    Parameters
    ----------
    begins : (messages,) int64 array
        Never descends, from 0 on; messages of the same number begin together.

    Notes
    -----
    O(h + m log m) time for h hops of m messages, O(h + m) space.
    """
    starts, message = starts_of(packing, begins), message_of(hops)
    start_of = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    if not packing.bundles:
        row, size = np.arange(len(message)), np.full(len(message), packing.size)
        bounds, out = np.arange(len(message) + 1), np.full(len(table), packing.size)
        return Packets(hops, size, message, row, bounds, row, size, starts, start_of, out)
    brokers = int(max(hops.senders.max(initial=-1), hops.receivers.max(initial=-1))) + 1
    of_hop, members, bounds, previous, offsets = _gather(*followers(hops), hops.receivers, starts, brokers)
    parts, values = _parts(table, packing.sides)
    unit = (packing.size - packing.header) // int(values.sum())
    added, out = _weigh(parts, values * unit, packing.header, message, members, bounds, starts)
    lead = members[bounds[:-1]]
    delivers, at_source = (np.zeros(count, np.bool_) for count in (len(lead), len(starts) - 1))
    delivers[of_hop[hops.delivers]] = True
    at_source[start_of[hops.at_source]] = True
    together = Hops(offsets, hops.senders[lead], hops.receivers[lead], previous, delivers, at_source)
    size = np.bincount(of_hop, added, len(lead)).astype(np.int64)
    return Packets(together, size, message[lead], members, bounds, of_hop, added, starts, start_of, out)


@njit
def _gather(
    follow: Ints, runs: Ints, receivers: Ints, starts: Ints, brokers: int
) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Packet of each hop; hops of each packet, and where they begin; the packet before it; packets of each start.

    From a place (the start, or a packet that has come somewhere) the hops that follow for its messages are taken in
    the order of these, and each goes into the packet for its receiver. Packets are in the order in which they are
    found, so one comes after that which brought its messages.
    """
    rows = len(receivers)
    of_hop, members, previous = np.empty(rows, np.int64), np.empty(rows, np.int64), np.empty(rows, np.int64)
    bounds, offsets = np.zeros(rows + 1, np.int64), np.zeros(len(starts), np.int64)
    place_of, count = np.full(brokers, -1), np.zeros(rows, np.int64)
    packets, filled = 0, 0
    for start in range(len(starts) - 1):
        begun = packets
        place = begun - 1  # the start itself, then each of its packets
        while place < packets:
            from_start = place < begun
            low, high = (starts[start], starts[start + 1]) if from_start else (bounds[place], bounds[place + 1])
            fresh = packets
            for turn in range(2):  # count what goes to each broker, then put it there
                for at in range(low, high):
                    source = rows + at if from_start else members[at]
                    for run in range(runs[source], runs[source + 1]):
                        hop = follow[run]
                        to = receivers[hop]
                        if turn == 0:
                            if place_of[to] < fresh:
                                place_of[to] = packets
                                previous[packets] = -1 if from_start else place
                                packets += 1
                            count[place_of[to]] += 1
                        else:
                            packet = place_of[to]
                            of_hop[hop] = packet
                            members[bounds[packet + 1]] = hop
                            bounds[packet + 1] += 1
                if turn == 0:
                    for packet in range(fresh, packets):
                        bounds[packet + 1] = filled  # moves to the end of the packet as this is filled
                        filled += count[packet]
            place += 1
        offsets[start + 1] = packets
    return of_hop, members, bounds[: packets + 1].copy(), previous[:packets].copy(), offsets


def _parts(table: NDArray[np.void], sides: Sides) -> tuple[Ints, Ints]:
    """Numbers of the parts of each message, (messages, parts), the same for what is the same; values of each part."""
    if table.dtype == UNICAST:
        change = _numbers(table["dropped"], table["object"], table["y"])
        itself = len(table) + np.arange(len(table))
        return np.column_stack((change, itself)), np.array((3, 1))
    x = by_attribute(table["x"])
    thing = _numbers(table["object"], *x.T, table["y"])
    corners = []
    for side, bounds in enumerate(zip(*(ends.T for ends in boxes_of(sides, table)), strict=True)):
        found = _numbers(np.tile(thing, 2), np.concatenate(bounds))
        corners += np.split(found + (1 + 2 * side) * len(table), 2)
    return np.column_stack((thing, *corners)), np.array((x.shape[1] + 1, *len(corners) * (1,)))


def _numbers(*columns: NDArray[np.generic]) -> Ints:
    """Number each row so that equal rows, and no others, have equal numbers, below the number of rows."""
    order = np.lexsort(columns[::-1])
    new = np.zeros(len(order), np.bool_)
    for column in columns:
        ordered = column[order]
        new[1:] |= ordered[1:] != ordered[:-1]
    numbers = np.empty(len(order), np.int64)
    numbers[order] = np.cumsum(new)
    return numbers


@njit
def _weigh(
    parts: Ints, sizes: Ints, header: int, message: Ints, members: Ints, bounds: Ints, starts: Ints
) -> tuple[Ints, Ints]:
    """Bytes that messages add to their packets, by hop, and where they begin, by message."""
    added, out = np.empty(len(message), np.int64), np.empty(len(parts), np.int64)
    seen = np.full(parts.size, -1)  # the last packet, or after all of them start, that had each part
    packets = len(bounds) - 1
    for packet in range(packets + len(starts) - 1):
        start = packet - packets
        low, high = (bounds[packet], bounds[packet + 1]) if start < 0 else (starts[start], starts[start + 1])
        for at in range(low, high):
            row = message[members[at]] if start < 0 else at
            size = header if at == low else 0
            for part in range(parts.shape[1]):
                if seen[parts[row, part]] != packet:
                    seen[parts[row, part]] = packet
                    size += sizes[part]
            if start < 0:
                added[members[at]] = size
            else:
                out[at] = size
    return added, out
