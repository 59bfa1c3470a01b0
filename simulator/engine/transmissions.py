"""Transmissions of messages from one broker to another, with or without a clock."""

import numpy as np
from numpy.typing import NDArray

from cn import Hops
from simulator.engine.carried import MESSAGE, Moments, Transmissions
from simulator.engine.control import Ends
from simulator.engine.journeys import Times, transmission_s
from topologies import Routes

__all__ = [
    "control_transmissions",
    "joined",
    "message_of",
    "moments_of",
    "timed_transmissions",
    "untimed_transmissions",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def timed_transmissions(
    routes: Routes, hops: Hops, window_of: Ints, times: Times, size: int, broker_s: float
) -> Transmissions:
    """What was sent where nothing went wrong; a transmission departs when the uplink begins with it. O(hops)."""
    rows, message = len(hops.receivers), message_of(hops)
    arrive_s, depart_s = times.arrived[:rows], _departures(routes, hops, times, size)
    had_s = times.arrived[np.where(hops.previous >= 0, hops.previous, rows + message)]
    wait_s = np.maximum(depart_s - broker_s - had_s, 0.0)  # not below it by rounding
    return untimed_transmissions(hops, window_of)._replace(depart_s=depart_s, arrive_s=arrive_s, wait_s=wait_s)


def moments_of(routes: Routes, hops: Hops, times: Times, size: int, broker_s: float) -> Moments:
    """When transmissions departed and messages waited, where nothing went wrong. O(hops)."""
    waited = np.flatnonzero(times.served - times.arrived > (1 + 1e-6) * broker_s)  # not by rounding
    came_s, begun_s = times.arrived[waited], times.served[waited] - broker_s
    return Moments(_departures(routes, hops, times, size), came_s, begun_s, np.empty(0))


def _departures(routes: Routes, hops: Hops, times: Times, size: int) -> Floats:
    transmit_s = transmission_s(size, routes.bandwidth_mbps[hops.senders, hops.receivers])
    depart_s: Floats = (
        times.arrived[: len(hops.receivers)] - routes.delay_ms[hops.senders, hops.receivers] / 1e3 - transmit_s
    )
    return depart_s


def untimed_transmissions(hops: Hops, window_of: Ints) -> Transmissions:
    """What is sent for a chunk, without a clock. O(hops)."""
    message = message_of(hops)
    return Transmissions(np.full(len(message), MESSAGE), window_of[message], message, hops.senders, hops.receivers)


def control_transmissions(
    kind: int, ends: Ends, message: Ints | None, depart_s: Floats | None, routes: Routes
) -> Transmissions:
    """Control messages of a kind, about messages or about none; with a clock, when they leave."""
    count = len(ends.window)
    about = np.full(count, -1) if message is None else message
    sent = Transmissions(np.full(count, kind), ends.window, about, ends.sender, ends.receiver)
    if depart_s is None:
        return sent
    arrive_s = depart_s + routes.delay_ms[ends.sender, ends.receiver] / 1e3
    return sent._replace(depart_s=depart_s, arrive_s=arrive_s, wait_s=np.zeros(count))


def joined(*parts: Transmissions) -> Transmissions:
    """All of them, one after the other."""
    columns = zip(*parts, strict=True)
    return Transmissions._make(None if column[0] is None else np.concatenate(column) for column in columns)


def message_of(hops: Hops) -> Ints:
    """(hops,) message of each."""
    return np.repeat(np.arange(len(hops.at_source)), np.diff(hops.offsets))
