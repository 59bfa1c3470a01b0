"""Journeys: the way of every message as hops, so that the engine `des` can put a clock on them."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cn import Hops
from floor.errors import RangecastError
from floor.kernels import njit
from simulator.approaches.approach import Approach
from simulator.approaches.session import Outgoing
from simulator.engine.carried import Queues, Traffic
from simulator.inputs.ingredients import Ingredients
from simulator.workload.windows import Chunk
from topologies import Routes

__all__ = [
    "Times",
    "gateways_of",
    "journeys_of",
    "sources_of",
    "traffic_of",
    "transmission_s",
    "travelled",
    "unicast_path",
]


class Times(NamedTuple):
    """When things happened, in seconds of simulated time: for every hop, then at the source of every message."""

    arrived: NDArray[np.float64]
    """When the broker got the message."""
    served: NDArray[np.float64]
    """When it was done with it."""


def sources_of(ingredients: Ingredients, approach: Approach, chunk: Chunk, outgoing: Outgoing) -> NDArray[np.int64]:
    """Broker at which each message starts: the server, or without one the origin of the window's first event."""
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
    """All hops of messages; unicast ones go straight over IP, or from broker to broker when asked."""
    if approach.unicast:
        return _unicast_hops(ingredients, gateways_of(ingredients, outgoing))
    return ingredients.network.hops(outgoing.table, sources)


def unicast_path(ingredients: Ingredients, gateway: int) -> list[int]:
    """Brokers on the way of a unicast message from the server to a gateway, both included."""
    server = ingredients.server
    if ingredients.unicast_over_ip:
        return [server] if gateway == server else [server, gateway]
    return ingredients.network.path(server, gateway)


def _unicast_hops(ingredients: Ingredients, gateways: NDArray[np.int64]) -> Hops:
    """Paths from the server, one per gateway, laid end to end in the order of the messages."""
    used, which = np.unique(gateways, return_inverse=True)
    paths = [unicast_path(ingredients, broker) for broker in used.tolist()]
    lengths = np.array([len(path) - 1 for path in paths], np.int64)
    starts = np.cumsum(lengths) - lengths
    flat = np.array([pair for path in paths for pair in pairwise(path)], np.int64).reshape(-1, 2)
    offsets = np.append(0, np.cumsum(lengths[which]))
    step = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths[which])
    rows = flat[np.repeat(starts[which], lengths[which]) + step]
    last = step == np.repeat(lengths[which], lengths[which]) - 1
    previous = np.where(step == 0, -1, np.arange(offsets[-1]) - 1)
    return Hops(offsets, rows[:, 0].copy(), rows[:, 1].copy(), previous, last, lengths[which] == 0)


def traffic_of(
    routes: Routes, sources: NDArray[np.int64], hops: Hops, times: Times, *, broker_s: float, size: int
) -> Traffic:
    """Counts, timed deliveries and queues of journeys that were simulated. Time O(h log h) for h hops."""
    rows, brokers, per_message = len(hops.receivers), len(routes.hops), np.diff(hops.offsets)
    of_hop = np.repeat(np.arange(len(per_message)), per_message)
    links = routes.hops[hops.senders, hops.receivers].astype(np.int64)
    ip_hops = np.bincount(of_hop, weights=links, minlength=len(per_message)).astype(np.int64)
    message = np.concatenate((np.flatnonzero(hops.at_source), of_hop[hops.delivers]))
    broker = np.concatenate((sources[hops.at_source], hops.receivers[hops.delivers]))
    far = np.concatenate((np.zeros(hops.at_source.sum(), np.int64), travelled(hops.previous, links)[hops.delivers]))
    time_s = np.concatenate((times.served[rows:][hops.at_source], times.served[:rows][hops.delivers]))
    order = np.lexsort((broker, message))
    pairs, crossings = np.unique(hops.senders * brokers + hops.receivers, return_counts=True)
    crossed = np.column_stack((pairs // brokers, pairs % brokers, crossings))
    everywhere = np.concatenate((hops.receivers, sources))
    waits = times.served - broker_s - times.arrived
    longest = np.zeros(brokers)
    np.maximum.at(longest, everywhere, waits)
    transmit_s = transmission_s(size, routes.bandwidth_mbps[hops.senders, hops.receivers])
    served = np.bincount(everywhere, minlength=brokers).astype(np.float64)
    uplink_s = np.bincount(hops.senders, transmit_s, brokers).astype(np.float64)
    waited_s = np.bincount(everywhere, waits, brokers).astype(np.float64)
    queues = Queues(served * broker_s, uplink_s, waited_s, longest)
    return Traffic(per_message, ip_hops, message[order], broker[order], far[order], crossed, time_s[order], queues)


@njit
def travelled(previous: NDArray[np.int64], links: NDArray[np.int64]) -> NDArray[np.int64]:
    """IP hops from a message's source to the end of each hop."""
    far = links.copy()
    for row in range(len(previous)):
        if previous[row] >= 0:
            far[row] += far[previous[row]]
    return far


def transmission_s(size_bytes: int, bandwidth_mbps: NDArray[np.float64]) -> NDArray[np.float64]:
    """Seconds to put a message on the wire; none where the bandwidth is infinite, within one node."""
    return size_bytes * 8 / (bandwidth_mbps * 1e6)
