"""Questions of subscriptions: where they come from, and what they and answers without news add to what is carried."""

import numpy as np
from numpy.typing import NDArray

from simulator.approaches.session import Asked
from simulator.engine.carried import NO_NEWS, QUESTION, Carried, Replies
from simulator.engine.control import Ends, control_rows
from simulator.engine.transmissions import control_transmissions, joined
from simulator.inputs.ingredients import Ingredients

__all__ = ["questions_of", "with_replies"]


def questions_of(ingredients: Ingredients, asked: Asked, *, last_hop: bool) -> Replies:
    """Where questions come from, by the gateways as they are now, and when they leave there."""
    gateway: NDArray[np.int64] = ingredients.gateways.home[asked.subscription]
    left_s = asked.time_s
    if last_hop:
        left_s = left_s + ingredients.last_hop_ms[asked.subscription] / 1e3
    return Replies(gateway, left_s)


def with_replies(ingredients: Ingredients, carried: Carried, replies: Replies) -> Carried:
    """Add questions and answers without news to what was carried for a chunk."""
    asked, routes = carried.outgoing.asked, ingredients.routes
    assert asked is not None  # somebody replied
    quiet, away = np.diff(asked.starts) == 0, replies.gateway != ingredients.server  # else it stays within a broker
    sent, left_s, parts = carried.sent, [], []
    for kind, chosen, depart_s in ((QUESTION, away, replies.left_s), (NO_NEWS, away & quiet, replies.ready_s)):
        gateway = replies.gateway[chosen]
        place = np.full(len(gateway), ingredients.server)
        ends = (gateway, place) if kind == QUESTION else (place, gateway)
        parts.append(Ends(asked.window[chosen], *ends))
        if depart_s is not None:
            left_s.append(depart_s[chosen])
        if sent is not None:
            gone_s = None if depart_s is None else depart_s[chosen]
            sent = joined(sent, control_transmissions(kind, parts[-1], None, gone_s, routes))
    rows = control_rows(len(ingredients.network), *parts)
    if carried.traffic.control is not None:
        rows = np.concatenate((carried.traffic.control, rows))
    traffic = carried.traffic._replace(control=rows)
    moments = carried.moments
    if moments is not None:
        moments = moments._replace(control_s=np.concatenate((moments.control_s, *left_s)))
    return carried._replace(traffic=traffic, sent=sent, moments=moments, replies=replies)
