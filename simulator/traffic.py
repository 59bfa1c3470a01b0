"""What both engines hand on: the deliveries of an approach's messages, and their accounting per event."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from paint import EXPOSED
from pipeline import EVENTS

from .approaches import Outgoing
from .events import KINDS, EventStream

__all__ = ["Traffic", "Waits", "event_records", "weighted_percentiles"]


class Traffic(NamedTuple):
    """How an approach's messages travelled: per message its hops, and every delivery to a gateway.

    Deliveries are columns of equal length, sorted by message and then by broker, so that both engines
    hand on the same arrays.
    """

    overlay_hops: NDArray[np.int64]
    ip_hops: NDArray[np.int64]
    message: NDArray[np.int64]
    broker: NDArray[np.int64]
    time_s: NDArray[np.float64] | None
    """When the gateway hands the message to its subscribers; None without a clock."""


class Waits(NamedTuple):
    """How long notifications took: milliseconds from the event, how many took so long, and their message."""

    ms: NDArray[np.float64]
    weight: NDArray[np.int64]
    message: NDArray[np.int64]


def event_records(
    name: str,
    events: EventStream,
    outgoing: Outgoing,
    traffic: Traffic,
    received: NDArray[np.int64],
    waits: Waits | None,
    *,
    message_bytes: int,
    event_bytes: int,
    serverless: bool,
) -> pa.Table:
    """One row per event of an approach, in the columns of `events.parquet`.

    Parameters
    ----------
    received : (deliveries,) int64 array
        Subscriptions that each delivery of `traffic` reaches.
    waits : Waits, optional
        Latencies, from an engine with a clock.

    Time and space are linear in events, messages and deliveries.
    """
    count = len(events.object)
    event_of = np.repeat(np.arange(count), np.diff(outgoing.offsets))
    messages = np.diff(outgoing.offsets)

    def per_event(values: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.bincount(event_of, weights=values, minlength=count).astype(np.int64)

    names_cause = "cause" in (outgoing.table.dtype.names or ())
    exposed = outgoing.table["cause"][traffic.message] == EXPOSED if names_cause else False
    delivery_event = event_of[traffic.message]

    def per_delivery(values: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.bincount(delivery_event, weights=values, minlength=count).astype(np.int64)

    overlay_hops, ip_hops = per_event(traffic.overlay_hops), per_event(traffic.ip_hops)
    latency: dict[str, NDArray[np.float64] | None] = dict.fromkeys(("p50", "p95", "p99", "max"))
    if waits is not None:
        ranks = np.array([0.5, 0.95, 0.99, 1.0])
        waited = weighted_percentiles(waits.ms, waits.weight, event_of[waits.message], count, ranks)
        latency = dict(zip(latency, waited.T, strict=True))
    columns: dict[str, object] = {
        "approach": np.full(count, name),
        "event": np.arange(count),
        "time": events.time_s,
        "origin": events.origin,
        "object": events.object,
        "kind": np.array(KINDS)[events.kind],
        "messages": messages,
        "bytes_in": np.full(count, 0 if serverless else event_bytes),
        "bytes_out": np.zeros(count, np.int64) if serverless else messages * message_bytes,
        "overlay_bytes": overlay_hops * message_bytes,
        "ip_bytes": ip_hops * message_bytes,
        "overlay_hops": overlay_hops,
        "ip_hops": ip_hops,
        "zones_reached": per_delivery(np.ones(len(received), np.int64)),
        "resent_bytes": np.zeros(count, np.int64),
        "received_update": per_delivery(np.where(exposed, 0, received)),
        "received_exposed": per_delivery(np.where(exposed, received, 0)),
        **{call: outgoing.costs[:, at] for at, call in enumerate(("first_k", "min_y", "snap"))},
        **{f"latency_{rank}": values for rank, values in latency.items()},
    }
    arrays = [_column(columns[field.name], field, count) for field in EVENTS]
    return pa.Table.from_arrays(arrays, schema=EVENTS)


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
