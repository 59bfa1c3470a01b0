"""Journeys: the way of every message as hops, so that the engine `des` can put a clock on them."""

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from cn import Hops
from floor.errors import RangecastError
from floor.kernels import njit
from simulator.approaches.approach import Approach
from simulator.approaches.session import Outgoing
from simulator.engine.carried import Queues, Traffic
from simulator.engine.straight_ways import rendezvous_hops, unicast_hops
from simulator.inputs.ingredients import Ingredients
from simulator.workload.events import EventStream
from simulator.workload.windows import Chunk
from topologies import Routes

__all__ = [
    "Times",
    "everywhere",
    "gateways_of",
    "journeys_of",
    "reach_server_s",
    "sources_of",
    "traffic_of",
    "transmission_s",
    "travelled",
    "untimed_traffic",
]


Number = TypeVar("Number", np.int64, np.float64)


class Times(NamedTuple):
    """When things happened, in seconds of simulated time: for every hop, then at the source of every message."""

    arrived: NDArray[np.float64]
    """When the broker got the message."""
    served: NDArray[np.float64]
    """When it was done with it."""


def sources_of(ingredients: Ingredients, approach: Approach, chunk: Chunk, outgoing: Outgoing) -> NDArray[np.int64]:
    """Broker at which each message starts: the server, or without one the origin of the window's first event.

    Raises
    ------
    RangecastError
        An approach of a user's own is asked without saying so, says so and is not, or has no server or a window.
    """
    elsewhere = approach.window is not None or approach.serverless
    if (outgoing.asked is not None) != approach.asked or (approach.asked and elsewhere):
        raise RangecastError(
            "an approach with asked=True has a server, no window, and Outgoing.asked in its answers, and no other "
            "has that; mend the approach"
        )
    if not approach.serverless:
        return np.full(len(outgoing.table), ingredients.server)
    return np.repeat(chunk.events.origin[chunk.starts[:-1]], np.diff(outgoing.offsets))


def gateways_of(ingredients: Ingredients, outgoing: Outgoing) -> NDArray[np.int64]:
    """Gateway that each message of a unicast approach is sent to.

    Raises
    ------
    RangecastError
        An approach of a user's own names a subscription that there is none of.
    """
    wanted, home = outgoing.table["subscription"], ingredients.gateways.home
    if wanted.max(initial=-1) >= len(home):
        raise RangecastError(
            f"subscription {wanted.max()} of a message must be below {len(home)}, their number; mend the approach"
        )
    gateways: NDArray[np.int64] = home[wanted]
    return gateways


def journeys_of(ingredients: Ingredients, approach: Approach, outgoing: Outgoing, sources: NDArray[np.int64]) -> Hops:
    """All hops of messages, by the way that an approach gives them."""
    if approach.unicast:
        return unicast_hops(ingredients, gateways_of(ingredients, outgoing))
    if approach.way == "rendezvous":
        return rendezvous_hops(ingredients, outgoing.table, sources)
    table = everywhere(outgoing.table) if approach.way == "everywhere" else outgoing.table
    return ingredients.network.hops(table, sources)


def everywhere(table: NDArray[np.void]) -> NDArray[np.void]:
    """Messages to everybody in the place of others, for networks to find their way."""
    wide = table.copy()
    for side, end in zip(("l_in", "r_in", "l_out", "r_out"), (np.inf, -np.inf, -np.inf, np.inf), strict=True):
        wide[side] = end
    return wide


def untimed_traffic(routes: Routes, sources: NDArray[np.int64], hops: Hops) -> Traffic:
    """Counts and deliveries of journeys. Time O(h log h) for h hops."""
    return _counted(routes, sources, hops)[0]


def _counted(routes: Routes, sources: NDArray[np.int64], hops: Hops) -> tuple[Traffic, NDArray[np.int64]]:
    """Counts and deliveries; and where these are, at sources first and then by hops, in the order of the traffic."""
    brokers, per_message = len(routes.hops), np.diff(hops.offsets)
    of_hop = np.repeat(np.arange(len(per_message)), per_message)
    links = routes.hops[hops.senders, hops.receivers].astype(np.int64)
    ip_hops = np.bincount(of_hop, weights=links, minlength=len(per_message)).astype(np.int64)
    message = np.concatenate((np.flatnonzero(hops.at_source), of_hop[hops.delivers]))
    broker = np.concatenate((sources[hops.at_source], hops.receivers[hops.delivers]))
    far = np.concatenate((np.zeros(hops.at_source.sum(), np.int64), travelled(hops.previous, links)[hops.delivers]))
    order = np.lexsort((broker, message))
    pairs, crossings = np.unique(hops.senders * brokers + hops.receivers, return_counts=True)
    crossed = np.column_stack((pairs // brokers, pairs % brokers, crossings))
    return Traffic(per_message, ip_hops, message[order], broker[order], far[order], crossed), order


def traffic_of(
    routes: Routes, sources: NDArray[np.int64], hops: Hops, times: Times, *, broker_s: float, size: int
) -> Traffic:
    """Counts, timed deliveries and queues of journeys that were simulated. Time O(h log h) for h hops."""
    traffic, order = _counted(routes, sources, hops)
    rows, brokers = len(hops.receivers), len(routes.hops)
    time_s = np.concatenate((times.served[rows:][hops.at_source], times.served[:rows][hops.delivers]))
    where = np.concatenate((hops.receivers, sources))
    waits = times.served - broker_s - times.arrived
    longest = np.zeros(brokers)
    np.maximum.at(longest, where, waits)
    transmit_s = transmission_s(size, routes.bandwidth_mbps[hops.senders, hops.receivers])
    served = np.bincount(where, minlength=brokers).astype(np.float64)
    uplink_s = np.bincount(hops.senders, transmit_s, brokers).astype(np.float64)
    waited_s = np.bincount(where, waits, brokers).astype(np.float64)
    queues = Queues(served * broker_s, uplink_s, waited_s, longest)
    return traffic._replace(time_s=time_s[order], queues=queues)


@njit
def travelled(previous: NDArray[np.int64], links: NDArray[Number]) -> NDArray[Number]:
    """IP hops, or whatever is given of each hop, added up from a message's source to the end of each hop."""
    far = links.copy()
    for row in range(len(previous)):
        if previous[row] >= 0:
            far[row] += far[previous[row]]
    return far


def transmission_s(size_bytes: int, bandwidth_mbps: NDArray[np.float64]) -> NDArray[np.float64]:
    """Seconds to put a message on the wire; none where the bandwidth is infinite, within one node."""
    return size_bytes * 8 / (bandwidth_mbps * 1e6)


def reach_server_s(ingredients: Ingredients, events: EventStream, size_bytes: int) -> NDArray[np.float64]:
    """When the server gets to know of each event, which travels there from its origin."""
    routes, server = ingredients.routes, ingredients.server
    transmit_s = transmission_s(size_bytes, routes.bandwidth_mbps[events.origin, server])
    reach_s: NDArray[np.float64] = events.time_s + transmit_s + routes.delay_ms[events.origin, server] / 1e3
    return reach_s
