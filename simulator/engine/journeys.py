"""Journeys: the way of every message as hops, so that the engine `des` can put a clock on them."""

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from cn import Hops
from floor.errors import RangecastError
from floor.kernels import njit
from simulator.approaches.approach import Approach
from simulator.approaches.session import Outgoing
from simulator.engine.carried import Queues, Traffic, Volume
from simulator.engine.packets import Packets, message_of
from simulator.engine.straight_ways import rendezvous_hops, unicast_hops
from simulator.inputs.ingredients import Ingredients
from simulator.workload.events import EventStream
from simulator.workload.windows import Chunk
from topologies import Routes

__all__ = [
    "Times",
    "crossings",
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


def untimed_traffic(routes: Routes, sources: NDArray[np.int64], hops: Hops, packets: Packets) -> Traffic:
    """Counts and deliveries of journeys. Time O(h log h) for h hops."""
    return _counted(routes, sources, hops, packets)[0]


def _counted(
    routes: Routes, sources: NDArray[np.int64], hops: Hops, packets: Packets
) -> tuple[Traffic, NDArray[np.int64]]:
    """Counts and deliveries; and where these are, at sources first and then by hops, in the order of the traffic."""
    per_message, of_hop = np.diff(hops.offsets), message_of(hops)
    links = routes.hops[hops.senders, hops.receivers].astype(np.int64)
    ip_hops, overlay, ip = (
        np.bincount(of_hop, weights, len(per_message)).astype(np.int64)
        for weights in (links, packets.added, packets.added * links)
    )
    message = np.concatenate((np.flatnonzero(hops.at_source), of_hop[hops.delivers]))
    broker = np.concatenate((sources[hops.at_source], hops.receivers[hops.delivers]))
    far = np.concatenate((np.zeros(hops.at_source.sum(), np.int64), travelled(hops.previous, links)[hops.delivers]))
    order = np.lexsort((broker, message))
    crossed = crossings(len(routes.hops), hops.senders, hops.receivers, packets.added)
    volume = Volume(overlay, ip, packets.out)
    return Traffic(per_message, ip_hops, volume, message[order], broker[order], far[order], crossed), order


def crossings(
    brokers: int, senders: NDArray[np.int64], receivers: NDArray[np.int64], size: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Count transmissions, each of so many bytes, between the same brokers: rows of `Traffic.crossed`."""
    pairs, which, times = np.unique(senders * brokers + receivers, return_inverse=True, return_counts=True)
    taken = np.bincount(which, size, len(pairs)).astype(np.int64)
    return np.column_stack((pairs // brokers, pairs % brokers, times, taken))


def traffic_of(
    routes: Routes, sources: NDArray[np.int64], hops: Hops, packets: Packets, times: Times, broker_s: float
) -> Traffic:
    """Counts, timed deliveries and queues of journeys that were simulated. Time O(h log h) for h hops."""
    traffic, order = _counted(routes, sources, hops, packets)
    ways, brokers = packets.hops, len(routes.hops)
    at_sources, at_hops = packets.at_sources(times.served), packets.at_hops(times.served)
    time_s = np.concatenate((at_sources[hops.at_source], at_hops[hops.delivers]))
    where = np.concatenate((ways.receivers, sources[packets.starts[:-1]]))
    waits = times.served - packets.places * broker_s - times.arrived
    longest = np.zeros(brokers)
    np.maximum.at(longest, where, waits)
    transmit_s = transmission_s(packets.size, routes.bandwidth_mbps[ways.senders, ways.receivers])
    served = np.bincount(where, packets.places, brokers).astype(np.float64)
    uplink_s = np.bincount(ways.senders, transmit_s, brokers).astype(np.float64)
    waited_s = np.bincount(where, packets.places * waits, brokers).astype(np.float64)
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


def transmission_s(size_bytes: int | NDArray[np.int64], bandwidth_mbps: NDArray[np.float64]) -> NDArray[np.float64]:
    """Seconds to put packets on the wire; none where the bandwidth is infinite, within one node."""
    seconds: NDArray[np.float64] = size_bytes * 8 / (bandwidth_mbps * 1e6)
    return seconds


def reach_server_s(ingredients: Ingredients, events: EventStream, size_bytes: int) -> NDArray[np.float64]:
    """When the server gets to know of each event, which travels there from its origin."""
    routes, server = ingredients.routes, ingredients.server
    transmit_s = transmission_s(size_bytes, routes.bandwidth_mbps[events.origin, server])
    reach_s: NDArray[np.float64] = events.time_s + transmit_s + routes.delay_ms[events.origin, server] / 1e3
    return reach_s
