"""The engine without a clock: where messages go and what that costs, in compiled calls over whole tables."""

from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np

from .approaches import Approach, Outgoing, Session
from .hops import untimed_transmissions
from .ingredients import Ingredients
from .journeys import gateways_of, sources_of, unicast_path
from .reach import Reach
from .stretches import Stretch
from .traffic import Carried, Traffic

__all__ = ["carry", "tally"]


def tally(
    ingredients: Ingredients,
    approach: Approach,
    session: Session,
    reach: Reach,
    stretches: Iterable[Stretch],
    *,
    record_hops: bool = False,
) -> Iterator[Carried]:
    """Answer stretch after stretch and carry the messages to the gateways; tell every transmission if asked to."""
    for stretch in stretches:
        outgoing = session.answer(stretch)
        traffic = carry(ingredients, approach, stretch, outgoing)
        at = (outgoing.table, traffic.message, traffic.broker)
        sent = untimed_transmissions(ingredients, approach, stretch, outgoing) if record_hops else None
        yield Carried(stretch, outgoing, traffic, reach.count(*at), reach.name(*at, None), sent)


def carry(ingredients: Ingredients, approach: Approach, stretch: Stretch, outgoing: Outgoing) -> Traffic:
    """Carry the messages of a stretch to the gateways.

    Time O(hops x neighbours of a broker) for messages to a region, O(1) for one to a subscription.
    """
    network, ip_hops = ingredients.network, ingredients.routes.hops
    if approach.unicast:
        gateways = gateways_of(ingredients, outgoing)
        taken = np.bincount(gateways, minlength=len(network))
        overlay, ip = np.zeros((2, len(network)), np.int64)
        crossed = []
        for broker in np.flatnonzero(taken).tolist():
            path = list(pairwise(unicast_path(ingredients, broker)))
            overlay[broker], ip[broker] = len(path), sum(int(ip_hops[pair]) for pair in path)
            crossed += [(*pair, int(taken[broker])) for pair in path]
        pairs = np.array(crossed, np.int64).reshape(-1, 3)
        links = ip[gateways]
        return Traffic(overlay[gateways], links, np.arange(len(gateways)), gateways, links, pairs)
    carried = network.multicast(outgoing.table, sources_of(ingredients, approach, stretch, outgoing), ip_hops)
    message = np.repeat(np.arange(len(outgoing.table)), carried.zones_reached)
    order = np.lexsort((carried.zones, message))
    zones, travelled = carried.zones[order], carried.travelled[order]
    return Traffic(carried.overlay_hops, carried.ip_hops, message, zones, travelled, carried.crossed)
