"""What both engines hand on: the deliveries of an approach's messages, and their accounting per window."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from paint import EXPOSED
from pipeline import EVENTS

from .approaches import Approach, Outgoing
from .events import KINDS
from .models import Sizes
from .reach import Notified
from .stretches import Stretch

__all__ = [
    "Carried",
    "Queues",
    "Traffic",
    "Transmissions",
    "Waits",
    "event_records",
    "message_bytes",
    "weighted_percentiles",
]


class Queues(NamedTuple):
    """Seconds, per broker, over a stretch."""

    busy_s: NDArray[np.float64]
    """Time that it served messages."""
    uplink_busy_s: NDArray[np.float64]
    waited_s: NDArray[np.float64]
    """Time that messages waited for it, added up."""
    longest_wait_s: NDArray[np.float64]


class Traffic(NamedTuple):
    """How the messages of a stretch travelled: per message its hops, and every delivery to a gateway.

    Deliveries, from `message` to `travelled` and `time_s`, are columns of equal length, sorted by message and then by
    broker, so that both engines hand on the same arrays.
    """

    overlay_hops: NDArray[np.int64]
    ip_hops: NDArray[np.int64]
    message: NDArray[np.int64]
    broker: NDArray[np.int64]
    travelled: NDArray[np.int64]
    """IP hops that the message took from its source to there."""
    crossed: NDArray[np.int64]
    """(pairs, 3) a broker, another one, and how many messages the first sent to the second."""
    time_s: NDArray[np.float64] | None = None
    """When the gateway hands the message to its subscribers; None without a clock."""
    queues: Queues | None = None
    resent_hops: NDArray[np.int64] | None = None
    """(messages,) those of the overlay hops that repeat an earlier one; None where none do."""
    copies: NDArray[np.int64] | None = None
    """(deliveries,) messages to single subscriptions that each delivery stands for, its row being a region that holds
    them; None where every delivery is of one message."""


class Transmissions(NamedTuple):
    """What was sent from broker to broker, in columns of equal length: the rows of `hops.parquet`."""

    message: NDArray[np.int64]
    sender: NDArray[np.int64]
    receiver: NDArray[np.int64]
    depart_s: NDArray[np.float64] | None = None
    """When the uplink began with it; None without a clock."""
    arrive_s: NDArray[np.float64] | None = None
    """When the receiver had it, NaN if it never got it."""
    wait_s: NDArray[np.float64] | None = None
    """How long it had waited before, at its sender, for broker and uplink together."""


class Carried(NamedTuple):
    """A stretch of events, what an approach sent for it, how that travelled and whom it reached."""

    stretch: Stretch
    outgoing: Outgoing
    traffic: Traffic
    received: NDArray[np.int64]
    """(deliveries,) subscriptions that each delivery reaches."""
    notified: Notified
    """Those of them that are watched, in the order of the messages."""
    sent: Transmissions | None = None
    """Where they are recorded."""


class Waits(NamedTuple):
    """How long notifications took: milliseconds from the event, how many took so long, and their message."""

    ms: NDArray[np.float64]
    weight: NDArray[np.int64]
    message: NDArray[np.int64]


def message_bytes(sizes: Sizes, approach: Approach) -> int:
    """Bytes of one message of an approach."""
    return sizes.unicast_bytes if approach.unicast else sizes.message_bytes


def event_records(
    name: str,
    approach: Approach,
    carried: Carried,
    waits: Waits | None,
    direct: NDArray[np.int64],
    sizes: Sizes,
) -> pa.Table:
    """One row per window of a stretch, in the columns of `events.parquet`.

    Parameters
    ----------
    waits : Waits, optional
        Latencies, from an engine with a clock.
    direct : (deliveries,) int64 array
        IP hops of the shortest path from the message's source to the gateway.

    Time and space are linear in events, messages and deliveries.
    """
    stretch, outgoing, traffic, received = carried[:4]
    events, starts, count = stretch.events, stretch.starts[:-1], stretch.windows
    window_of = np.repeat(np.arange(count), np.diff(outgoing.offsets))
    size = message_bytes(sizes, approach)
    copies = np.ones(len(received), np.int64) if traffic.copies is None else traffic.copies

    def per_window(values: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.bincount(window_of, weights=values, minlength=count).astype(np.int64)

    names_cause = "cause" in (outgoing.table.dtype.names or ())
    exposed = outgoing.table["cause"][traffic.message] == EXPOSED if names_cause else False
    delivery_window = window_of[traffic.message]

    def per_delivery(values: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.bincount(delivery_window, weights=values, minlength=count).astype(np.int64)

    messages = np.diff(outgoing.offsets) if traffic.copies is None else per_delivery(copies)
    overlay_hops, ip_hops, resent = per_window(traffic.overlay_hops), per_window(traffic.ip_hops), traffic.resent_hops
    latency: dict[str, NDArray[np.float64] | None] = dict.fromkeys(("p50", "p95", "p99", "max"))
    if waits is not None:
        ranks = np.array([0.5, 0.95, 0.99, 1.0])
        waited = weighted_percentiles(waits.ms, waits.weight, window_of[waits.message], count, ranks)
        latency = dict(zip(latency, waited.T, strict=True))
    in_window = np.diff(stretch.starts)
    columns: dict[str, object] = {
        "approach": np.full(count, name),
        "event": stretch.first + starts,
        "events": in_window,
        "time": events.time_s[starts],
        "origin": events.origin[starts],
        "object": None if approach.window else events.object[starts],
        "kind": np.full(count, "batch") if approach.window else np.array(KINDS)[events.kind[starts]],
        "messages": messages,
        "bytes_in": 0 * in_window if approach.serverless else in_window * sizes.event_bytes,
        "bytes_out": np.zeros(count, np.int64) if approach.serverless else messages * size,
        "overlay_bytes": overlay_hops * size,
        "ip_bytes": ip_hops * size,
        "overlay_hops": overlay_hops,
        "ip_hops": ip_hops,
        "zones_reached": per_delivery(copies),
        "resent_bytes": np.zeros(count, np.int64) if resent is None else per_window(resent) * size,
        "received_update": per_delivery(np.where(exposed, 0, received)),
        "received_exposed": per_delivery(np.where(exposed, received, 0)),
        **{call: outgoing.costs[:, at] for at, call in enumerate(("first_k", "min_y", "snap"))},
        "path_hops": per_delivery(copies * traffic.travelled),
        "direct_hops": per_delivery(copies * direct),
        **{f"latency_{rank}": values for rank, values in latency.items()},
        "stale": _stale_ms(carried, window_of),
    }
    arrays = [_column(columns[field.name], field, count) for field in EVENTS]
    return pa.Table.from_arrays(arrays, schema=EVENTS)


def _stale_ms(carried: Carried, window_of: NDArray[np.int64]) -> NDArray[np.float64] | None:
    """Mean time until the last message of a window had come to a list, over the lists that were told; NaN if none."""
    stretch, notified = carried.stretch, carried.notified
    if notified.time_s is None:
        return None
    window = window_of[notified.message]
    order = np.lexsort((notified.time_s, notified.subscription, window))
    window, subscription, time_s = window[order], notified.subscription[order], notified.time_s[order]
    last = np.ones(len(order), np.bool_)
    last[:-1] = (np.diff(window) != 0) | (np.diff(subscription) != 0)
    lists = np.bincount(window[last], minlength=stretch.windows)
    total_s = np.bincount(window[last], time_s[last], stretch.windows)
    arose_s = stretch.events.time_s[stretch.starts[:-1]]
    return np.where(lists > 0, total_s / np.maximum(lists, 1) - arose_s, np.nan) * 1e3


def _column(values: object, field: pa.Field, count: int) -> pa.Array:
    if values is None:
        return pa.nulls(count, field.type)
    return pa.array(values, field.type, from_pandas=True)  # NaN, no notification at all, becomes null


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
