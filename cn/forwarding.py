"""The walks of messages over a network, written once for all networks.

A network has a table of flat arrays, with a field `neighbours` that gives the broker at the end of every link, and a
kernel that decides for one broker:

`next_edges(table, broker, came_from, l_in, r_in, l_out, r_out, out) -> (delivers, count)`
    whether the broker delivers the message, and how many links it leaves by; these are written into `out`.

The walks call `next_edges` of this module, which chooses the kernel by the type of the table: in compiled code at
compile time, at no cost, and in Python by a table.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from numba.extending import overload

from cn import tree_forwarding, zone_forwarding
from cn.deliveries import Floats, Ints
from cn.summaries import TreeTable
from cn.zones import ZoneTable
from floor.kernels import njit

__all__ = ["follow_messages", "multicast", "next_edges"]

Flags = npt.NDArray[np.bool_]
Table = TreeTable | ZoneTable

_KERNELS: dict[type, Any] = {TreeTable: tree_forwarding.next_edges, ZoneTable: zone_forwarding.next_edges}


def next_edges(
    table: Table, broker: int, came_from: int, l_in: float, r_in: float, l_out: float, r_out: float, out: Ints
) -> tuple[bool, int]:
    """Whether a broker delivers a message, and how many links it leaves by; these are written into `out`."""
    delivers, count = _KERNELS[type(table)](table, broker, came_from, l_in, r_in, l_out, r_out, out)
    return bool(delivers), int(count)


# Inlined: a call would count references to the arrays of the table, which costs more than most decisions.
@overload(next_edges, strict=False, inline="always")
def _choose(table: Any, *_: Any) -> Any:
    kernel = _KERNELS[table.instance_class]
    return getattr(kernel, "py_func", kernel)


@njit
def multicast(
    table: Table, n: int, l_in: Floats, r_in: Floats, l_out: Floats, r_out: Floats, sources: Ints, cost: Ints
) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints]:
    """Columns of `Deliveries` among n brokers: follow every message with a stack; `cost`: IP hops by link."""
    messages = len(l_in)
    overlay = np.empty(messages, np.int64)
    ip = np.empty(messages, np.int64)
    offsets = np.zeros(messages + 1, np.int64)
    crossed = np.zeros(len(table.neighbours), np.int64)
    reached = np.empty((2 * messages + n, 2), np.int64)
    out = np.empty(n, np.int64)
    stack = np.empty((n + 1, 3), np.int64)
    filled = 0
    for i in range(messages):
        # A message visits a broker once at most, so n rows are room enough for it.
        if filled + n > len(reached):
            reached = np.concatenate((reached, np.empty((len(reached) + n, 2), np.int64)))
        hops = 0
        links = 0
        stack[0, 0], stack[0, 1], stack[0, 2] = sources[i], -1, 0
        depth = 1
        while depth > 0:
            depth -= 1
            broker, sender, travelled = stack[depth, 0], stack[depth, 1], stack[depth, 2]
            here, count = next_edges(table, broker, sender, l_in[i], r_in[i], l_out[i], r_out[i], out)
            if here:
                reached[filled, 0], reached[filled, 1] = broker, travelled
                filled += 1
            hops += count
            for h in range(count):
                e = out[h]
                crossed[e] += 1
                links += cost[e]
                stack[depth, 0], stack[depth, 1], stack[depth, 2] = table.neighbours[e], broker, travelled + cost[e]
                depth += 1
        overlay[i] = hops
        ip[i] = links
        offsets[i + 1] = filled
    return overlay, ip, offsets, reached[:filled, 0].copy(), reached[:filled, 1].copy(), crossed


@njit
def follow_messages(
    table: Table, n: int, l_in: Floats, r_in: Floats, l_out: Floats, r_out: Floats, sources: Ints
) -> tuple[Ints, Ints, Ints, Ints, Flags, Flags]:
    """Columns of `Hops` among n brokers: follow every message with a queue, which is its rows."""
    messages = len(l_in)
    offsets = np.zeros(messages + 1, np.int64)
    at_source = np.zeros(messages, np.bool_)
    rows = np.empty((4 * messages + n, 3), np.int64)
    delivers = np.zeros(len(rows), np.bool_)
    out = np.empty(n, np.int64)
    filled = 0
    for i in range(messages):
        # A message visits a broker once at most, so n rows are room enough for it.
        if filled + n > len(rows):
            rows = np.concatenate((rows, np.empty((len(rows) + n, 3), np.int64)))
            delivers = np.concatenate((delivers, np.zeros(len(rows) - len(delivers), np.bool_)))
        broker, sender, row, following = sources[i], -1, -1, filled
        while True:
            here, count = next_edges(table, broker, sender, l_in[i], r_in[i], l_out[i], r_out[i], out)
            if row < 0:
                at_source[i] = here
            else:
                delivers[row] = here
            for h in range(count):
                rows[filled, 0], rows[filled, 1], rows[filled, 2] = broker, table.neighbours[out[h]], row
                filled += 1
            if following == filled:
                break
            row = following
            sender, broker = rows[row, 0], rows[row, 1]
            following += 1
        offsets[i + 1] = filled
    senders, receivers, previous = rows[:filled, 0].copy(), rows[:filled, 1].copy(), rows[:filled, 2].copy()
    return offsets, senders, receivers, previous, delivers[:filled].copy(), at_source
