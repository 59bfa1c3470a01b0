"""Latency: how long notifications took, every one of them or weighted by how many took as long."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.approaches.approach import Approach
from simulator.engine.carried import Carried
from simulator.inputs.ingredients import Ingredients

__all__ = ["Waits", "waits_of", "weighted_percentiles"]


class Waits(NamedTuple):
    """How long notifications took: milliseconds from the event, how many took so long, and their message."""

    ms: NDArray[np.float64]
    weight: NDArray[np.int64]
    message: NDArray[np.int64]


def weighted_percentiles(
    values: NDArray[np.float64],
    weights: NDArray[np.int64],
    group: NDArray[np.int64],
    groups: int,
    ranks: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Nearest-rank percentiles of each group, every value counted as often as its weight says.

    Returns
    -------
    (groups, ranks) float64 array
        NaN for a group of no weight. Time O(v log v) for v values.
    """
    kept = weights > 0
    values, weights, group = values[kept], weights[kept], group[kept]
    order = np.lexsort((values, group))
    values, weights, group = values[order], weights[order], group[order]
    running = np.cumsum(weights)
    totals = np.bincount(group, weights=weights, minlength=groups).astype(np.int64)
    before = np.cumsum(totals) - totals
    result = np.full((groups, len(ranks)), np.nan)
    filled = totals > 0
    for at, rank in enumerate(ranks):
        wanted = before + np.maximum(np.ceil(rank * totals).astype(np.int64), 1)
        result[filled, at] = values[np.searchsorted(running, wanted[filled])]
    return result


def waits_of(
    ingredients: Ingredients,
    approach: Approach,
    carried: Carried,
    *,
    last_hop: bool,
) -> Waits | None:
    """Latency of every notification, from the first event of its window or answer; None without a clock.

    What comes to a subscription again is left out.

    Parameters
    ----------
    last_hop : bool
        Whether the delay of the IP path from the gateway to the subscription's node is added. The notifications are
        then listed one by one: 24 bytes each.
    """
    outgoing, traffic, received = carried.outgoing, carried.traffic, carried.received
    if traffic.time_s is None:
        return None
    ms = (traffic.time_s - carried.since_s[traffic.message]) * 1e3
    if not last_hop:
        first = received if carried.repeated is None else received - carried.repeated
        return Waits(ms, first, traffic.message)
    if approach.unicast:
        subscriptions = outgoing.table["subscription"]
    else:
        each = np.arange(len(traffic.message) + 1)
        _, subscriptions = ingredients.gateways.index.match(outgoing.table[traffic.message], each, traffic.broker)
    delivery = np.repeat(np.arange(len(received)), received)
    return Waits(
        ms[delivery] + ingredients.last_hop_ms[subscriptions], np.ones_like(delivery), traffic.message[delivery]
    )
