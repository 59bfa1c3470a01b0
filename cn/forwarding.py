"""Forwarding over a routing tree: the decision of one broker, and the walks that are made of it."""

import numpy as np

from cn.deliveries import Floats, Ints
from cn.summaries import Flags, TreeTable, meets_any
from floor.kernels import njit

__all__ = ["follow_messages", "multicast", "next_hops"]


@njit
def next_hops(
    table: TreeTable, broker: int, came_from: int, l_in: float, r_in: float, l_out: float, r_out: float, out: Ints
) -> tuple[bool, int]:
    """Whether a broker delivers a message, and how many links it leaves by; these are written into `out`.

    Reads the broker's own summary and those of its links.
    """
    n = len(table.starts) - 1
    count = 0
    for e in range(table.starts[broker], table.starts[broker + 1]):
        if table.neighbours[e] != came_from and meets_any(
            table.boxes[n + e], table.counts[n + e], l_in, r_in, l_out, r_out
        ):
            out[count] = e
            count += 1
    return meets_any(table.boxes[broker], table.counts[broker], l_in, r_in, l_out, r_out), count


@njit
def multicast(
    table: TreeTable, l_in: Floats, r_in: Floats, l_out: Floats, r_out: Floats, sources: Ints, cost: Ints
) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints]:
    """Columns of `Deliveries`: follow every message with a stack; `cost`: IP hops by link."""
    n = len(table.starts) - 1
    messages = len(l_in)
    overlay = np.zeros(messages, np.int64)
    ip = np.zeros(messages, np.int64)
    offsets = np.zeros(messages + 1, np.int64)
    crossed = np.zeros(len(table.neighbours), np.int64)
    reached = np.empty((2 * messages + n, 2), np.int64)
    out = np.empty(n, np.int64)
    stack = np.empty((n, 3), np.int64)
    filled = 0
    for i in range(messages):
        if filled + n > len(reached):
            reached = np.concatenate((reached, np.empty((len(reached) + n, 2), np.int64)))
        stack[0, 0], stack[0, 1], stack[0, 2] = sources[i], -1, 0
        depth = 1
        while depth > 0:
            depth -= 1
            broker, sender, travelled = stack[depth, 0], stack[depth, 1], stack[depth, 2]
            here, count = next_hops(table, broker, sender, l_in[i], r_in[i], l_out[i], r_out[i], out)
            if here:
                reached[filled, 0], reached[filled, 1] = broker, travelled
                filled += 1
            overlay[i] += count
            for h in range(count):
                e = out[h]
                crossed[e] += 1
                ip[i] += cost[e]
                stack[depth, 0], stack[depth, 1], stack[depth, 2] = table.neighbours[e], broker, travelled + cost[e]
                depth += 1
        offsets[i + 1] = filled
    return overlay, ip, offsets, reached[:filled, 0].copy(), reached[:filled, 1].copy(), crossed


@njit
def follow_messages(
    table: TreeTable, l_in: Floats, r_in: Floats, l_out: Floats, r_out: Floats, sources: Ints
) -> tuple[Ints, Ints, Ints, Ints, Flags, Flags]:
    """Columns of `Hops`: follow every message with a queue, which is its rows."""
    n = len(table.starts) - 1
    messages = len(l_in)
    offsets = np.zeros(messages + 1, np.int64)
    at_source = np.zeros(messages, np.bool_)
    senders = np.empty(2 * messages + n, np.int64)
    receivers = np.empty_like(senders)
    previous = np.empty_like(senders)
    delivers = np.zeros(len(senders), np.bool_)
    out = np.empty(n, np.int64)
    filled = 0
    for i in range(messages):
        # A message visits a broker once at most, so n rows are room enough for it.
        if filled + n > len(senders):
            more = np.empty(len(senders) + n, np.int64)
            senders = np.concatenate((senders, more))
            receivers = np.concatenate((receivers, more))
            previous = np.concatenate((previous, more))
            delivers = np.concatenate((delivers, np.zeros(len(more), np.bool_)))
        broker, came_from, row, following = sources[i], -1, -1, filled
        while True:
            here, count = next_hops(table, broker, came_from, l_in[i], r_in[i], l_out[i], r_out[i], out)
            if row < 0:
                at_source[i] = here
            else:
                delivers[row] = here
            for h in range(count):
                senders[filled], receivers[filled] = broker, table.neighbours[out[h]]
                previous[filled] = row
                filled += 1
            if following == filled:
                break
            row = following
            broker, came_from = receivers[row], senders[row]
            following += 1
        offsets[i + 1] = filled
    return (
        offsets,
        senders[:filled].copy(),
        receivers[:filled].copy(),
        previous[:filled].copy(),
        delivers[:filled].copy(),
        at_source,
    )
