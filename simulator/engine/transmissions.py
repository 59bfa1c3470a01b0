"""Transmissions of messages from one broker to another, with or without a clock."""

import numpy as np
from numpy.typing import NDArray

from cn import Hops
from simulator.approaches.approach import Approach
from simulator.approaches.session import Outgoing
from simulator.engine.carried import Moments, Transmissions
from simulator.engine.journeys import Times, journeys_of, transmission_s
from simulator.inputs.ingredients import Ingredients
from topologies import Routes

__all__ = ["moments_of", "timed_transmissions", "untimed_transmissions"]


def timed_transmissions(routes: Routes, hops: Hops, times: Times, size: int, broker_s: float) -> Transmissions:
    """What was sent where nothing went wrong; a transmission departs when the uplink begins with it. O(hops)."""
    rows, message = len(hops.receivers), _message_of(hops)
    arrive_s, depart_s = times.arrived[:rows], _departures(routes, hops, times, size)
    had_s = times.arrived[np.where(hops.previous >= 0, hops.previous, rows + message)]
    wait_s = np.maximum(depart_s - broker_s - had_s, 0.0)  # not below it by rounding
    return Transmissions(message, hops.senders, hops.receivers, depart_s, arrive_s, wait_s)


def moments_of(routes: Routes, hops: Hops, times: Times, size: int, broker_s: float) -> Moments:
    """When transmissions departed and messages waited, where nothing went wrong. O(hops)."""
    waited = np.flatnonzero(times.served - times.arrived > (1 + 1e-6) * broker_s)  # not by rounding
    came_s, begun_s = times.arrived[waited], times.served[waited] - broker_s
    return Moments(_departures(routes, hops, times, size), came_s, begun_s)


def _departures(routes: Routes, hops: Hops, times: Times, size: int) -> NDArray[np.float64]:
    transmit_s = transmission_s(size, routes.bandwidth_mbps[hops.senders, hops.receivers])
    depart_s: NDArray[np.float64] = (
        times.arrived[: len(hops.receivers)] - routes.delay_ms[hops.senders, hops.receivers] / 1e3 - transmit_s
    )
    return depart_s


def untimed_transmissions(
    ingredients: Ingredients, approach: Approach, outgoing: Outgoing, sources: NDArray[np.int64]
) -> Transmissions:
    """What is sent for a chunk, without a clock. O(hops x neighbours of a broker)."""
    hops = journeys_of(ingredients, approach, outgoing, sources)
    return Transmissions(_message_of(hops), hops.senders, hops.receivers)


def _message_of(hops: Hops) -> NDArray[np.int64]:
    return np.repeat(np.arange(len(hops.at_source)), np.diff(hops.offsets))
