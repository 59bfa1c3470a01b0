"""Messages that go straight to a broker: over IP, or from broker to broker when the scenario wants that.

Those to single subscriptions go from the server to a gateway. Those of a rendezvous go from where they start to the
broker where their object is at home, which knows the subscriptions and sends a copy to each gateway of some that the
message is for.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cn import Hops
from simulator.inputs.ingredients import Ingredients

__all__ = ["rendezvous_hops", "straight_path", "unicast_hops"]

Ints = NDArray[np.int64]


class _Legs(NamedTuple):
    """Straight ways, laid end to end."""

    offsets: Ints
    """Where the hops of each leg start; one more entry than there are legs."""
    senders: Ints
    receivers: Ints
    step: Ints
    """(hops,) place of each in its leg."""

    @property
    def lengths(self) -> Ints:
        """Hops of each leg."""
        return np.diff(self.offsets)


def straight_path(ingredients: Ingredients, source: int, target: int) -> list[int]:
    """Brokers on the way of a message from one to another, both included."""
    if ingredients.unicast_over_ip:
        return [source] if source == target else [source, target]
    return ingredients.network.path(source, target)


def unicast_hops(ingredients: Ingredients, gateways: Ints) -> Hops:
    """Paths from the server, one per message, to these gateways."""
    legs = _legs(ingredients, np.full(len(gateways), ingredients.server), gateways)
    rows = np.arange(len(legs.step))
    last = legs.step == np.repeat(legs.lengths, legs.lengths) - 1
    previous = np.where(legs.step == 0, -1, rows - 1)
    return Hops(legs.offsets, legs.senders, legs.receivers, previous, last, legs.lengths == 0)


def rendezvous_hops(ingredients: Ingredients, table: NDArray[np.void], sources: Ints) -> Hops:
    """Hops of messages by way of the broker where each one's object is at home: that of (x, x) in S, of ranges.

    A network that goes by nodes instead has the object at one of the brokers' nodes, by its id. O(hops), and a path
    for each pair of brokers.
    """
    messages, brokers = len(table), len(ingredients.network)
    node = ingredients.routes.brokers[table["object"] % brokers]
    meeting = ingredients.network.home(*ingredients.workload.homes(table["x"]), node)
    told, gateway = _gateways_to_tell(ingredients, table, sources)
    # A leg to the rendezvous for every message, then one to each gateway.
    of_leg = np.concatenate((np.arange(messages), told))
    order = np.argsort(of_leg, kind="stable")
    of_leg, onward = of_leg[order], order >= messages
    starts = np.concatenate((sources, meeting[told]))[order]
    legs = _legs(ingredients, starts, np.concatenate((meeting, gateway))[order])
    lengths, rows = legs.lengths, np.arange(len(legs.step))
    # The hop that brings a message to the rendezvous; -1 where it starts there.
    come = np.where(lengths > 0, legs.offsets[1:] - 1, -1)[~onward]
    begins = np.where(onward, come[of_leg], -1)
    previous = np.where(legs.step == 0, np.repeat(begins, lengths), rows - 1)
    delivers = np.repeat(onward, lengths) & (legs.step == np.repeat(lengths, lengths) - 1)
    itself = of_leg[onward & (lengths == 0)]  # the rendezvous is a gateway too
    delivers[come[itself][come[itself] >= 0]] = True
    at_source = np.zeros(messages, np.bool_)
    at_source[itself[come[itself] < 0]] = True
    offsets = np.append(0, np.cumsum(np.bincount(of_leg, lengths, messages).astype(np.int64)))
    return Hops(offsets, legs.senders, legs.receivers, previous, delivers, at_source)


def _gateways_to_tell(ingredients: Ingredients, table: NDArray[np.void], sources: Ints) -> tuple[Ints, Ints]:
    """Messages and the gateways of subscriptions that each is for, as columns, in the order of both."""
    found = ingredients.network.multicast(table, sources)
    message, gateway = np.repeat(np.arange(len(table)), found.zones_reached), found.zones
    concerned = ingredients.gateways.index.count(table[message], np.arange(len(message) + 1), gateway) > 0
    message, gateway = message[concerned], gateway[concerned]
    order = np.lexsort((gateway, message))
    return message[order], gateway[order]


def _legs(ingredients: Ingredients, starts: Ints, ends: Ints) -> _Legs:
    """Straight ways from these brokers to those; over IP each is one hop, or none within a broker."""
    if ingredients.unicast_over_ip:
        away = starts != ends
        return _Legs(np.append(0, np.cumsum(away)), starts[away], ends[away], np.zeros(int(away.sum()), np.int64))
    brokers = len(ingredients.network)
    pairs, which = np.unique(starts * brokers + ends, return_inverse=True)
    paths = [ingredients.network.path(*divmod(pair, brokers)) for pair in pairs.tolist()]
    lengths = np.array([len(path) - 1 for path in paths], np.int64)
    first = np.cumsum(lengths) - lengths
    flat = np.array([hop for path in paths for hop in pairwise(path)], np.int64).reshape(-1, 2)
    offsets = np.append(0, np.cumsum(lengths[which]))
    step = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths[which])
    rows = flat[np.repeat(first[which], lengths[which]) + step]
    return _Legs(offsets, rows[:, 0].copy(), rows[:, 1].copy(), step)
