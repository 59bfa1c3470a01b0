"""Accounting: from what was carried to the rows of `events.parquet`, the same for both engines."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from paint import EXPOSED
from pipeline import EVENTS
from simulator.approaches.approach import Approach
from simulator.engine.carried import Carried
from simulator.inputs.ingredients import Ingredients
from simulator.results.latency import Waits, weighted_percentiles
from simulator.results.lists import ListTimes
from simulator.results.needed import Needed
from simulator.scenario.tables import Sizes
from simulator.workload.events import KINDS

__all__ = ["event_records", "traffic_columns"]

Ints = NDArray[np.int64]


def event_records(
    name: str,
    approach: Approach,
    carried: Carried,
    traffic: dict[str, Ints],
    waits: Waits | None,
    times: ListTimes | None,
    needed: Needed,
) -> pa.Table:
    """One row per window of a chunk, in the columns of `events.parquet`.

    Parameters
    ----------
    traffic : dict
        As `traffic_columns` gives it.
    waits : Waits, optional
        Latencies, from an engine with a clock.
    times : ListTimes, optional
        How long lists were stale and wrong, with a clock.
    needed : Needed
        Notifications that the events of the run need.

    Time and space are linear in events, messages and deliveries.
    """
    chunk, costs, count = carried.chunk, carried.outgoing.costs, carried.chunk.windows
    apart = carried.outgoing.apart
    if apart is None:
        apart = np.column_stack((np.zeros(count, np.int64), costs[:, 1:]))
    events, starts = chunk.events, chunk.starts[:-1]
    columns: dict[str, object] = {
        "approach": np.full(count, name),
        "event": chunk.first + starts,
        "events": np.diff(chunk.starts),
        "time": events.time_s[starts],
        "origin": events.origin[starts],
        "object": None if approach.window else events.object[starts],
        "kind": np.full(count, "batch") if approach.window else np.array(KINDS)[events.kind[starts]],
        **traffic,
        **dict(zip(("needed_update", "needed_exposed"), needed.per_window(chunk), strict=True)),
        **{call: costs[:, at] for at, call in enumerate(("first_k", "min_y", "snap"))},
        **{call: apart[:, at] for at, call in enumerate(("empty", "paper_min_y", "paper_snap"))},
        **_latencies(carried, waits),
        "stale": None if times is None else times.stale_ms,
        "wrong_s": None if times is None else times.wrong_s,
        "counted_s": None if times is None else times.counted_s,
    }
    arrays = [_column(columns[field.name], field, count) for field in EVENTS]
    return pa.Table.from_arrays(arrays, schema=EVENTS)


def traffic_columns(carried: Carried, approach: Approach, ingredients: Ingredients, sizes: Sizes) -> dict[str, Ints]:
    """Columns that count messages, bytes, hops and deliveries. Whatever is sent counts, and sent again, again."""
    outgoing, traffic, received = carried.outgoing, carried.traffic, carried.received
    window_of, count, volume = carried.window_of, carried.chunk.windows, traffic.volume
    delivery_window = window_of[traffic.message]
    copies = np.ones(len(received), np.int64) if traffic.copies is None else traffic.copies

    def per_window(values: Ints | None) -> Ints:
        if values is None:
            return np.zeros(count, np.int64)
        return np.bincount(window_of, weights=values, minlength=count).astype(np.int64)

    def per_delivery(values: Ints) -> Ints:
        return np.bincount(delivery_window, weights=values, minlength=count).astype(np.int64)

    names_cause = "cause" in (outgoing.table.dtype.names or ())
    exposed = outgoing.table["cause"][traffic.message] == EXPOSED if names_cause else False
    direct = ingredients.routes.hops[carried.sources[traffic.message], traffic.broker].astype(np.int64)
    messages = np.diff(outgoing.offsets) if traffic.copies is None else per_delivery(copies)
    control = _control(carried, ingredients, sizes.control_bytes)
    server = 0 if approach.serverless else 1
    bytes_in = np.diff(carried.chunk.starts) * sizes.event_bytes + control["in"]
    bytes_out = per_window(volume.out) + control["out"]
    return {
        "messages": messages,
        "bytes_in": server * bytes_in,
        "bytes_out": server * bytes_out,
        "overlay_bytes": per_window(volume.overlay) + control["overlay"],
        "ip_bytes": per_window(volume.ip) + control["ip"],
        "overlay_hops": per_window(traffic.overlay_hops),
        "ip_hops": per_window(traffic.ip_hops),
        "zones_reached": per_delivery(copies),
        "resent_bytes": per_window(volume.resent),
        "control_bytes": control["overlay"],
        "received_update": per_delivery(np.where(exposed, 0, received)),
        "received_exposed": per_delivery(np.where(exposed, received, 0)),
        "path_hops": per_delivery(copies * traffic.travelled),
        "direct_hops": per_delivery(copies * direct),
    }


def _control(carried: Carried, ingredients: Ingredients, size: int) -> dict[str, Ints]:
    """Bytes of control messages per window: between brokers, over IP, to the server and from it."""
    rows, windows = carried.traffic.control, carried.chunk.windows
    if rows is None:
        return dict.fromkeys(("overlay", "ip", "in", "out"), np.zeros(windows, np.int64))
    window, sender, receiver, times = rows.T
    weights = {
        "overlay": times,
        "ip": times * ingredients.routes.hops[sender, receiver],
        "in": times * (receiver == ingredients.server),
        "out": times * (sender == ingredients.server),
    }
    sums = {what: np.bincount(window, some, windows).astype(np.int64) for what, some in weights.items()}
    asked, replies = carried.outgoing.asked, carried.replies
    if asked is not None and replies is not None:  # what stays at the server's broker is no transmission
        here = replies.gateway == ingredients.server
        sums["in"] += np.bincount(asked.window[here], minlength=windows)
        sums["out"] += np.bincount(asked.window[here & (np.diff(asked.starts) == 0)], minlength=windows)
    return {what: count * size for what, count in sums.items()}


def _latencies(carried: Carried, waits: Waits | None) -> dict[str, NDArray[np.float64] | None]:
    """Percentiles of the latencies of each window; None without a clock."""
    ranks = {"latency_p50": 0.5, "latency_p95": 0.95, "latency_p99": 0.99, "latency_max": 1.0}
    if waits is None:
        return dict.fromkeys(ranks)
    group, wanted = carried.window_of[waits.message], np.array(list(ranks.values()))
    found = weighted_percentiles(waits.ms, waits.weight, group, carried.chunk.windows, wanted)
    return dict(zip(ranks, found.T, strict=True))


def _column(values: object, field: pa.Field, count: int) -> pa.Array:
    if values is None:
        return pa.nulls(count, field.type)
    return pa.array(values, field.type, from_pandas=True)  # NaN, no notification at all, becomes null
