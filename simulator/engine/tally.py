"""The engine without a clock: where messages go and what that costs, in compiled calls over whole tables."""

from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from paint import UNICAST
from simulator.approaches.approach import Approach
from simulator.approaches.session import Outgoing, Session, ask
from simulator.engine.asking import questions_of, with_replies
from simulator.engine.audience import Audience
from simulator.engine.carried import Carried, Replies, Traffic, Volume
from simulator.engine.holding_back import Heard, held_back
from simulator.engine.journeys import everywhere, gateways_of, journeys_of, sources_of, untimed_traffic
from simulator.engine.packets import Packing, begins_of, packets_of
from simulator.engine.straight_ways import straight_path
from simulator.engine.transmissions import untimed_transmissions
from simulator.inputs.ingredients import Ingredients
from simulator.workload.windows import Chunk

__all__ = ["tally"]


def tally(
    ingredients: Ingredients,
    approach: Approach,
    session: Session,
    audience: Audience,
    chunks: Iterable[Chunk],
    packing: Packing,
    *,
    record_hops: bool = False,
    holds: bool = False,
) -> Iterator[Carried]:
    """Answer chunk after chunk and carry the messages to the gateways.

    Parameters
    ----------
    record_hops : bool
        Whether to tell every transmission.
    holds : bool
        Whether messages are held back until nothing is missing: without a clock, only that costs something.
    """
    for chunk in chunks:
        follows = record_hops or holds or packing.bundles or approach.way == "rendezvous"
        counts = approach.unicast and not (audience.watches or follows)
        regions = session.regions(chunk) if counts else None
        outgoing = ask(session, chunk, ingredients.workload.ends) if regions is None else regions
        sources = sources_of(ingredients, approach, chunk, outgoing)
        if follows:
            hops = journeys_of(ingredients, approach, outgoing, sources)
            packets = packets_of(packing, hops, outgoing.table, begins_of(outgoing))
            traffic = untimed_traffic(ingredients.routes, sources, hops, packets)
        else:
            traffic = _carry(ingredients, approach, outgoing, sources, packing.size)
        received = audience.count(outgoing.table, traffic.message, traffic.broker)
        if regions is not None:
            traffic, received = _counted(ingredients, traffic, received, packing.size)
        named = audience.name(outgoing.table, traffic.message, traffic.broker)
        carried = Carried(chunk, outgoing, sources, traffic, received, named)
        if record_hops:
            carried = carried._replace(sent=untimed_transmissions(hops, packets, carried.window_of))
        if holds:
            heard = Heard(packets.first, packets.hops.receivers, packets.hops.senders)
            carried = held_back(ingredients, carried, packets.starts, heard)
        if outgoing.asked is not None:
            gateway = questions_of(ingredients, outgoing.asked, last_hop=False).gateway
            carried = with_replies(ingredients, carried, Replies(gateway))
        yield carried


def _carry(
    ingredients: Ingredients, approach: Approach, outgoing: Outgoing, sources: NDArray[np.int64], size: int
) -> Traffic:
    """Carry the messages of a chunk to the gateways, each by itself and of one size.

    Time O(hops x neighbours of a broker) for messages to a region, O(1) for one to a subscription.
    """
    network, ip_hops = ingredients.network, ingredients.routes.hops
    if outgoing.table.dtype == UNICAST:
        gateways = gateways_of(ingredients, outgoing)
        overlay, ip, crossed = _ways(ingredients, np.bincount(gateways, minlength=len(network)), size)
        hops, links = overlay[gateways], ip[gateways]
        return Traffic(hops, links, _volume(hops, links, size), np.arange(len(gateways)), gateways, links, crossed)
    table = everywhere(outgoing.table) if approach.way == "everywhere" else outgoing.table
    carried = network.multicast(table, sources, ip_hops)
    message = np.repeat(np.arange(len(outgoing.table)), carried.zones_reached)
    order = np.lexsort((carried.zones, message))
    zones, travelled = carried.zones[order], carried.travelled[order]
    crossed = np.column_stack((carried.crossed, carried.crossed[:, 2] * size))
    volume = _volume(carried.overlay_hops, carried.ip_hops, size)
    return Traffic(carried.overlay_hops, carried.ip_hops, volume, message, zones, travelled, crossed)


def _volume(overlay_hops: NDArray[np.int64], ip_hops: NDArray[np.int64], size: int) -> Volume:
    """Bytes of messages that all have one size."""
    return Volume(overlay_hops * size, ip_hops * size, np.full(len(overlay_hops), size))


def _ways(
    ingredients: Ingredients, taken: NDArray[np.int64], size: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Overlay hops and IP hops of a unicast message to each gateway, and what `taken` messages to each cross."""
    ip_hops = ingredients.routes.hops
    overlay, ip = np.zeros((2, len(taken)), np.int64)
    crossed = []
    for broker in np.flatnonzero(taken).tolist():
        path = list(pairwise(straight_path(ingredients, ingredients.server, broker)))
        overlay[broker], ip[broker] = len(path), sum(int(ip_hops[pair]) for pair in path)
        crossed += [(*pair, int(taken[broker]), int(taken[broker]) * size) for pair in path]
    return overlay, ip, np.array(crossed, np.int64).reshape(-1, 4)


def _counted(
    ingredients: Ingredients, traffic: Traffic, received: NDArray[np.int64], size: int
) -> tuple[Traffic, NDArray[np.int64]]:
    """Traffic of one message to each subscription that regions hold, and how many each delivery stands for.

    Parameters
    ----------
    traffic : Traffic
        Of the regions, as if each were a message. Which gateways they reach is taken from it.
    """
    held = received > 0
    message, broker, copies = traffic.message[held], traffic.broker[held], received[held]
    taken = np.bincount(broker, copies, len(ingredients.network)).astype(np.int64)
    overlay, ip, crossed = _ways(ingredients, taken, size)
    rows = len(traffic.overlay_hops)
    overlay_hops, ip_hops, messages = (
        np.bincount(message, copies * hops, rows).astype(np.int64) for hops in (overlay[broker], ip[broker], 1)
    )
    volume = _volume(overlay_hops, ip_hops, size)._replace(out=messages * size)
    return Traffic(overlay_hops, ip_hops, volume, message, broker, ip[broker], crossed, copies=copies), copies
