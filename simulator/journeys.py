"""Journeys: the way of every message as hops, so that the engine `des` can put a clock on them."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from cn import Hops

from .approaches import Approach, Outgoing
from .des import Times
from .ingredients import Ingredients
from .traffic import Traffic, Waits

__all__ = ["gateways_of", "journeys_of", "sources_of", "traffic_of", "unicast_path", "waits_of"]


def sources_of(ingredients: Ingredients, approach: Approach) -> NDArray[np.int64]:
    """Broker at which the messages of each event start: the server, or without one the event's origin."""
    origin = ingredients.events.origin
    return origin if approach.serverless else np.full_like(origin, ingredients.network.server)


def gateways_of(ingredients: Ingredients, outgoing: Outgoing) -> NDArray[np.int64]:
    """Gateway that each message of a unicast approach is sent to."""
    gateways: NDArray[np.int64] = ingredients.gateways.home[outgoing.table["subscription"]]
    return gateways


def journeys_of(ingredients: Ingredients, approach: Approach, outgoing: Outgoing) -> Hops:
    """All hops of an approach's messages; unicast ones go straight over IP, or from broker to broker when asked."""
    if approach.unicast:
        return _unicast_hops(ingredients, gateways_of(ingredients, outgoing))
    sources = np.repeat(sources_of(ingredients, approach), np.diff(outgoing.offsets))
    return ingredients.network.hops(outgoing.table, sources)


def unicast_path(ingredients: Ingredients, gateway: int) -> list[int]:
    """Brokers on the way of a unicast message from the server to a gateway, both included."""
    server = ingredients.network.server
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


def traffic_of(ingredients: Ingredients, approach: Approach, outgoing: Outgoing, hops: Hops, times: Times) -> Traffic:
    """Counts and timed deliveries of journeys that were simulated. Time O(h log h) for h hops."""
    per_message = np.diff(hops.offsets)
    of_hop = np.repeat(np.arange(len(per_message)), per_message)
    links = ingredients.routes.hops[hops.senders, hops.receivers]
    ip_hops = np.bincount(of_hop, weights=links, minlength=len(per_message)).astype(np.int64)
    sources = np.repeat(sources_of(ingredients, approach), np.diff(outgoing.offsets))
    message = np.concatenate((np.flatnonzero(hops.at_source), of_hop[hops.delivers]))
    broker = np.concatenate((sources[hops.at_source], hops.receivers[hops.delivers]))
    time_s = np.concatenate((times.served_at_source[hops.at_source], times.served[hops.delivers]))
    order = np.lexsort((broker, message))
    return Traffic(per_message, ip_hops, message[order], broker[order], time_s[order])


def waits_of(
    ingredients: Ingredients,
    approach: Approach,
    outgoing: Outgoing,
    traffic: Traffic,
    received: NDArray[np.int64],
    *,
    last_hop: bool,
) -> Waits | None:
    """Latency of every notification, None without a clock.

    Parameters
    ----------
    received : (deliveries,) int64 array
        Subscriptions that each delivery reaches.
    last_hop : bool
        Whether the delay of the IP path from the gateway to the subscription's node is added. The notifications are
        then listed one by one: 24 bytes each.
    """
    if traffic.time_s is None:
        return None
    event_of = np.repeat(np.arange(len(outgoing.offsets) - 1), np.diff(outgoing.offsets))
    ms = (traffic.time_s - ingredients.events.time_s[event_of[traffic.message]]) * 1e3
    if not last_hop:
        return Waits(ms, received, traffic.message)
    if approach.unicast:
        subscriptions = outgoing.table["subscription"]
    else:
        each = np.arange(len(traffic.message) + 1)
        _, subscriptions = ingredients.gateways.index.match(outgoing.table[traffic.message], each, traffic.broker)
    delivery = np.repeat(np.arange(len(received)), received)
    onward = ingredients.routes.node_delay_ms[traffic.broker[delivery], ingredients.nodes[subscriptions]]
    return Waits(ms[delivery] + onward, np.ones_like(delivery), traffic.message[delivery])
