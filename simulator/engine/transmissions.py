"""Transmissions of messages from one broker to another, with or without a clock."""

import numpy as np
from numpy.typing import NDArray

from cn import Hops
from simulator.engine.carried import MESSAGE, Moments, Transmissions
from simulator.engine.control import Ends
from simulator.engine.journeys import Times, transmission_s
from simulator.engine.packets import Packets, before, message_of
from topologies import Routes

__all__ = [
    "control_transmissions",
    "joined",
    "moments_of",
    "timed_transmissions",
    "untimed_transmissions",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def timed_transmissions(
    routes: Routes, hops: Hops, packets: Packets, window_of: Ints, times: Times, broker_s: float
) -> Transmissions:
    """What was sent where nothing went wrong; a transmission departs when the uplink begins with it. O(hops)."""
    depart_s = _departures(routes, packets, times)
    came_from = before(packets.hops)
    had_s, service_s = times.arrived[came_from], packets.places[came_from] * broker_s
    wait_s = np.maximum(depart_s - service_s - had_s, 0.0)  # not below it by rounding
    depart_s, arrive_s, wait_s = (packets.at_hops(column) for column in (depart_s, times.arrived, wait_s))
    sent = untimed_transmissions(hops, packets, window_of)
    return sent._replace(depart_s=depart_s, arrive_s=arrive_s, wait_s=wait_s)


def moments_of(routes: Routes, packets: Packets, times: Times, broker_s: float) -> Moments:
    """When transmissions departed and messages waited, where nothing went wrong. O(hops)."""
    service_s = packets.places * broker_s
    waited = np.flatnonzero(times.served - times.arrived > (1 + 1e-6) * service_s)  # not by rounding
    waited = np.repeat(waited, packets.places[waited])
    came_s, begun_s = times.arrived[waited], times.served[waited] - service_s[waited]
    return Moments(_departures(routes, packets, times), packets.size, came_s, begun_s, np.empty(0))


def _departures(routes: Routes, packets: Packets, times: Times) -> Floats:
    """(packets,) when the uplink began with each."""
    ends = packets.hops.senders, packets.hops.receivers
    transmit_s = transmission_s(packets.size, routes.bandwidth_mbps[ends])
    depart_s: Floats = times.arrived[: len(packets.size)] - routes.delay_ms[ends] / 1e3 - transmit_s
    return depart_s


def untimed_transmissions(hops: Hops, packets: Packets, window_of: Ints) -> Transmissions:
    """What is sent for a chunk, without a clock. O(hops)."""
    message = message_of(hops)
    kind = np.full(len(message), MESSAGE)
    return Transmissions(kind, window_of[message], message, hops.senders, hops.receivers, packets.added)


def control_transmissions(
    kind: int, ends: Ends, message: Ints | None, depart_s: Floats | None, routes: Routes
) -> Transmissions:
    """Control messages of a kind, about messages or about none; with a clock, when they leave."""
    count = len(ends.window)
    about = np.full(count, -1) if message is None else message
    size = np.zeros(count, np.int64)
    sent = Transmissions(np.full(count, kind), ends.window, about, ends.sender, ends.receiver, size)
    if depart_s is None:
        return sent
    arrive_s = depart_s + routes.delay_ms[ends.sender, ends.receiver] / 1e3
    return sent._replace(depart_s=depart_s, arrive_s=arrive_s, wait_s=np.zeros(count))


def joined(*parts: Transmissions) -> Transmissions:
    """All of them, one after the other."""
    columns = zip(*parts, strict=True)
    return Transmissions._make(None if column[0] is None else np.concatenate(column) for column in columns)
