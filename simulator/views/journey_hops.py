"""What became of every hop of a journey, and of every delivery: whence, whither, when, and how far it came.

Times are milliseconds since the event asked for, so that what a window does about an earlier one comes before 0;
or, where there is no clock, overlay hops from where the message started.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.runs.event_journey import EventJourney

__all__ = ["Told", "Travels", "deliveries_of", "hops_of"]

_HALF_WAY = ("link", "partition")
"""Losses that happen between the brokers; others happen at one of them."""


class Travels(NamedTuple):
    """Transmissions of a journey, in columns of equal length, in the order of `EventJourney.hops`."""

    rows: NDArray[np.int64]
    """Row of each in `EventJourney.sent`."""
    brokers: NDArray[np.int64]
    """(hops, 2) sender and receiver."""
    ends: NDArray[np.float64]
    """(hops, 2) when it departed, and when it arrived or was lost."""
    share: NDArray[np.float64]
    """How much of the way it came: 1 if it arrived, else 0, ½ or 1, by where it was lost."""
    lost: NDArray[np.bool_]
    again: NDArray[np.bool_]
    """Whether it repeats an earlier one."""


class Told(NamedTuple):
    """Deliveries of a journey, in columns of equal length, in the order of `EventJourney.deliveries`."""

    gateway: NDArray[np.int64]
    moment: NDArray[np.float64]
    received: NDArray[np.int64]
    """Subscriptions that each reaches."""


def hops_of(followed: EventJourney) -> Travels:
    """All transmissions of messages of a journey; those lost end where and when that happened."""
    sent, rows = followed.sent, followed.hops
    brokers = np.column_stack((sent.sender[rows], sent.receiver[rows]))
    share, lost = np.ones(len(rows)), np.zeros(len(rows), np.bool_)
    if sent.arrive_s is None or sent.depart_s is None:
        return Travels(rows, brokers, _depths(followed), share, lost, sent.again[rows])
    ends = np.column_stack((sent.depart_s[rows], sent.arrive_s[rows]))
    lost, reasons = np.isnan(ends[:, 1]), followed.losses
    down = list(followed.spans("crash", "return"))
    for place in np.flatnonzero(lost).tolist():
        sender, receiver = brokers[place].tolist()
        loss = reasons.get((int(sent.message[rows[place]]), sender, receiver, float(ends[place, 0])))
        at_s = ends[place, 1] = ends[place, 0] + (0.0 if loss is None else loss.seconds or 0.0)
        if loss is None or loss.why in _HALF_WAY:
            share[place] = 0.5
        elif loss.why == "crash" and not any(
            span.broker == receiver and span.start_s <= at_s <= span.end_s for span in down
        ):
            share[place] = 0.0  # it has not left its sender, who crashed
    return Travels(rows, brokers, (ends - followed.event_s) * 1e3, share, lost, sent.again[rows])


def _depths(followed: EventJourney) -> NDArray[np.float64]:
    sent, depth, ends = followed.sent, dict[tuple[int, int], int](), []
    for row in followed.hops.tolist():  # a message comes to a broker before it leaves it
        message, far = int(sent.message[row]), depth.get((int(sent.message[row]), int(sent.sender[row])), 0)
        depth[message, int(sent.receiver[row])] = far + 1
        ends.append((far, far + 1))
    return np.array(ends, np.float64).reshape(-1, 2)


def deliveries_of(followed: EventJourney, hops: Travels) -> Told:
    """All deliveries of a journey, given its transmissions."""
    traffic, rows = followed.carried.traffic, followed.deliveries
    gateway, received = traffic.broker[rows], followed.carried.received[rows]
    if traffic.time_s is not None:
        return Told(gateway, (traffic.time_s[rows] - followed.event_s) * 1e3, received)
    messages = followed.sent.message[hops.rows].tolist()
    far = dict(zip(zip(messages, hops.brokers[:, 1].tolist(), strict=True), hops.ends[:, 1].tolist(), strict=True))
    at = zip(traffic.message[rows].tolist(), gateway.tolist(), strict=True)
    return Told(gateway, np.array([far.get(place, 0.0) for place in at]), received)
