"""The engine without a clock: where messages go and what that costs, in compiled calls over whole tables."""

from itertools import pairwise

import numpy as np

from .approaches import Approach, Outgoing
from .ingredients import Ingredients
from .journeys import gateways_of, sources_of, unicast_path
from .traffic import Traffic

__all__ = ["tally"]


def tally(ingredients: Ingredients, approach: Approach, outgoing: Outgoing) -> Traffic:
    """Carry an approach's messages to the gateways.

    Time O(hops x neighbours of a broker) for messages to a region, O(1) for one to a subscription.
    """
    network, ip_hops = ingredients.network, ingredients.routes.hops
    if approach.unicast:
        gateways = gateways_of(ingredients, outgoing)
        used, which = np.unique(gateways, return_inverse=True)
        paths = [unicast_path(ingredients, broker) for broker in used.tolist()]
        overlay = np.array([len(path) - 1 for path in paths], np.int64)
        ip = np.array([sum(int(ip_hops[pair]) for pair in pairwise(path)) for path in paths], np.int64)
        return Traffic(overlay[which], ip[which], np.arange(len(gateways)), gateways, None)
    sources = np.repeat(sources_of(ingredients, approach), np.diff(outgoing.offsets))
    carried = network.multicast(outgoing.table, sources, ip_hops)
    message = np.repeat(np.arange(len(outgoing.table)), carried.zones_reached)
    order = np.lexsort((carried.zones, message))
    return Traffic(carried.overlay_hops, carried.ip_hops, message, carried.zones[order], None)
