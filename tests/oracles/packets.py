"""Packets, message by message and value by value; shares no code with the engines."""

from collections.abc import Sequence
from typing import Any, NamedTuple


class Hop(NamedTuple):
    """One hop of a message: from whom, after which of its hops (-1 at the start), to whom, and if that delivers."""

    sender: int
    before: int
    receiver: int
    delivers: bool


class Packet(NamedTuple):
    """One hop of messages that go together; messages by their places among those that begin together."""

    sender: int
    before: int
    """Packet that brought them, -1 where they start."""
    receiver: int
    delivers: list[int]
    members: list[int]


def together(ways: Sequence[Sequence[Hop]]) -> list[Packet]:
    """Packets of messages that begin together, of each its hops: what goes the same way from the start on."""
    packets: list[Packet] = []
    # Where messages have come together, and of each by which of its hops.
    places: list[tuple[int, list[tuple[int, int]]]] = [(-1, [(message, -1) for message in range(len(ways))])]
    for place, arrived in places:
        going: dict[int, list[tuple[int, int]]] = {}
        for message, came_by in arrived:
            for number, hop in enumerate(ways[message]):
                if hop.before == came_by:
                    going.setdefault(hop.receiver, []).append((message, number))
        for receiver, taken in going.items():
            delivers = [message for message, number in taken if ways[message][number].delivers]
            sender = ways[taken[0][0]][taken[0][1]].sender
            packets.append(Packet(sender, place, receiver, delivers, [message for message, _ in taken]))
            places.append((len(packets) - 1, taken))
    return packets


def values(contents: Sequence[Any]) -> int:
    """Different values in a packet of messages, as its definition has it."""
    if "subscription" in (contents[0].dtype.names or ()):
        changes = {(one["dropped"], one["object"], one["y"]) for one in contents}
        return 3 * len(changes) + len(contents)
    count = 0
    for thing in {(one["object"], one["x"], one["y"]) for one in contents}:
        mine = [one for one in contents if (one["object"], one["x"], one["y"]) == thing]
        l_values = {one["l_in"] for one in mine} | {one["l_out"] for one in mine}
        r_values = {one["r_in"] for one in mine} | {one["r_out"] for one in mine}
        count += 2 + len(l_values) + len(r_values)
    return count


def size_of(contents: Sequence[Any], header: int, message: int) -> int:
    """Bytes of a packet, where a message by itself, without a header, has so many."""
    unicast = "subscription" in (contents[0].dtype.names or ())
    return header + values(contents) * message // (4 if unicast else 6)
