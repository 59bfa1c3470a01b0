"""The engine without a clock: where messages go and what that costs, in compiled calls over whole tables."""

import numpy as np
from numpy.typing import NDArray

from .approaches import Outgoing
from .ingredients import Ingredients
from .traffic import Traffic

__all__ = ["tally"]


def tally(
    ingredients: Ingredients, outgoing: Outgoing, *, gateways: NDArray[np.int64] | None, serverless: bool
) -> Traffic:
    """Carry an approach's messages to the gateways.

    Parameters
    ----------
    gateways : (messages,) int64 array, optional
        For unicast: the gateway each row is sent to, straight over IP. Otherwise the network decides.
    serverless : bool
        Whether messages enter the network at the event's origin, without a server.

    Time O(hops x neighbours of a broker) for region messages, O(1) per unicast message.
    """
    network, hops = ingredients.network, ingredients.routes.hops
    if gateways is not None:
        away = (gateways != network.server).astype(np.int64)
        ip_hops = hops[network.server, gateways].astype(np.int64)
        return Traffic(away, ip_hops, np.arange(len(gateways)), gateways, None)
    origins = ingredients.events.origin if serverless else np.full(len(outgoing.offsets) - 1, network.server)
    sources = np.repeat(origins, np.diff(outgoing.offsets))
    carried = network.multicast(outgoing.table, sources, hops)
    message = np.repeat(np.arange(len(outgoing.table)), carried.zones_reached)
    order = np.lexsort((carried.zones, message))
    return Traffic(carried.overlay_hops, carried.ip_hops, message, carried.zones[order], None)
