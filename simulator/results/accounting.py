"""Accounting: from what was carried to the rows of `events.parquet`, the same for both engines."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from paint import EXPOSED
from pipeline import EVENTS
from simulator.approaches.approach import Approach
from simulator.engine.carried import Carried
from simulator.results.latency import Waits, weighted_percentiles
from simulator.results.needed import Needed
from simulator.scenario.tables import Sizes
from simulator.workload.events import KINDS

__all__ = ["event_records"]


def event_records(
    name: str,
    approach: Approach,
    carried: Carried,
    waits: Waits | None,
    direct: NDArray[np.int64],
    sizes: Sizes,
    needed: Needed,
) -> pa.Table:
    """One row per window of a chunk, in the columns of `events.parquet`.

    Parameters
    ----------
    waits : Waits, optional
        Latencies, from an engine with a clock.
    direct : (deliveries,) int64 array
        IP hops of the shortest path from the message's source to the gateway.
    needed : Needed
        Notifications that the events of the run need.

    Time and space are linear in events, messages and deliveries.
    """
    chunk, costs, count = carried.chunk, carried.outgoing.costs, carried.chunk.windows
    events, starts, in_window = chunk.events, chunk.starts[:-1], np.diff(chunk.starts)
    traffic = _traffic(carried, direct, sizes.of(approach))
    columns: dict[str, object] = {
        "approach": np.full(count, name),
        "event": chunk.first + starts,
        "events": in_window,
        "time": events.time_s[starts],
        "origin": events.origin[starts],
        "object": None if approach.window else events.object[starts],
        "kind": np.full(count, "batch") if approach.window else np.array(KINDS)[events.kind[starts]],
        "bytes_in": 0 * in_window if approach.serverless else in_window * sizes.event_bytes,
        "bytes_out": 0 * in_window if approach.serverless else traffic["messages"] * sizes.of(approach),
        **traffic,
        **dict(zip(("needed_update", "needed_exposed"), needed.per_window(chunk), strict=True)),
        **{call: costs[:, at] for at, call in enumerate(("first_k", "min_y", "snap"))},
        **_latencies(carried, waits),
        "stale": _stale_ms(carried),
    }
    arrays = [_column(columns[field.name], field, count) for field in EVENTS]
    return pa.Table.from_arrays(arrays, schema=EVENTS)


def _traffic(carried: Carried, direct: NDArray[np.int64], size: int) -> dict[str, NDArray[np.int64]]:
    """Columns that count messages, hops and deliveries; `size` is the bytes of a message."""
    outgoing, traffic, received = carried.outgoing, carried.traffic, carried.received
    window_of, count = carried.window_of, carried.chunk.windows
    delivery_window = window_of[traffic.message]
    copies = np.ones(len(received), np.int64) if traffic.copies is None else traffic.copies

    def per_window(values: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.bincount(window_of, weights=values, minlength=count).astype(np.int64)

    def per_delivery(values: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.bincount(delivery_window, weights=values, minlength=count).astype(np.int64)

    names_cause = "cause" in (outgoing.table.dtype.names or ())
    exposed = outgoing.table["cause"][traffic.message] == EXPOSED if names_cause else False
    overlay_hops, ip_hops, resent = per_window(traffic.overlay_hops), per_window(traffic.ip_hops), traffic.resent_hops
    return {
        "messages": np.diff(outgoing.offsets) if traffic.copies is None else per_delivery(copies),
        "overlay_bytes": overlay_hops * size,
        "ip_bytes": ip_hops * size,
        "overlay_hops": overlay_hops,
        "ip_hops": ip_hops,
        "zones_reached": per_delivery(copies),
        "resent_bytes": np.zeros(count, np.int64) if resent is None else per_window(resent) * size,
        "received_update": per_delivery(np.where(exposed, 0, received)),
        "received_exposed": per_delivery(np.where(exposed, received, 0)),
        "path_hops": per_delivery(copies * traffic.travelled),
        "direct_hops": per_delivery(copies * direct),
    }


def _latencies(carried: Carried, waits: Waits | None) -> dict[str, NDArray[np.float64] | None]:
    """Percentiles of the latencies of each window; None without a clock."""
    ranks = {"latency_p50": 0.5, "latency_p95": 0.95, "latency_p99": 0.99, "latency_max": 1.0}
    if waits is None:
        return dict.fromkeys(ranks)
    group, wanted = carried.window_of[waits.message], np.array(list(ranks.values()))
    found = weighted_percentiles(waits.ms, waits.weight, group, carried.chunk.windows, wanted)
    return dict(zip(ranks, found.T, strict=True))


def _stale_ms(carried: Carried) -> NDArray[np.float64] | None:
    """Mean time until the last message of a window had come to a list, over the lists that were told; NaN if none."""
    chunk, notified = carried.chunk, carried.notified
    if notified.time_s is None:
        return None
    window = carried.window_of[notified.message]
    order = np.lexsort((notified.time_s, notified.subscription, window))
    window, subscription, time_s = window[order], notified.subscription[order], notified.time_s[order]
    last = np.ones(len(order), np.bool_)
    last[:-1] = (np.diff(window) != 0) | (np.diff(subscription) != 0)
    lists = np.bincount(window[last], minlength=chunk.windows)
    total_s = np.bincount(window[last], time_s[last], chunk.windows)
    return np.where(lists > 0, total_s / np.maximum(lists, 1) - carried.arose_s, np.nan) * 1e3


def _column(values: object, field: pa.Field, count: int) -> pa.Array:
    if values is None:
        return pa.nulls(count, field.type)
    return pa.array(values, field.type, from_pandas=True)  # NaN, no notification at all, becomes null
