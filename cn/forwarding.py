"""The walks of messages over a network, written once for all networks.

A network has a table of flat arrays, with a field `neighbours` that gives the broker at the end of every link, and a
module with two kernels, `njit_inner`, by which a broker decides:

`toward(table, broker, region) -> link or -1`
    the link by which a message leaves a broker that it only passes on its way; -1 where it is to spread;
`spread(table, broker, came_from, region, out) -> (delivers, count)`
    whether the broker delivers the message, and how many links it leaves by; these are written into `out`.

The functions of this module choose the kernel by the type of the table: in compiled code at compile time, at no cost,
and in Python by a table. They do not look at the region of a message, which `cn.regions` makes.
"""

from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
from numba.extending import overload

from cn import prefix_forwarding, side_forwarding, tree_forwarding, wide_forwarding, zone_forwarding
from cn.deliveries import Ints
from cn.plane import ZoneTable
from cn.prefix_table import PrefixTable
from cn.regions import Region, Regions, region_at
from cn.side_space import SideTable
from cn.summaries import TreeTable
from cn.wide_forwarding import WideTable
from floor.kernels import WITHOUT_REFERENCES, njit

__all__ = ["Table", "follow_messages", "multicast", "next_edges"]

Flags = npt.NDArray[np.bool_]
Table = PrefixTable | SideTable | TreeTable | WideTable | ZoneTable

_MODULES: dict[type, ModuleType] = {
    PrefixTable: prefix_forwarding,
    SideTable: side_forwarding,
    TreeTable: tree_forwarding,
    WideTable: wide_forwarding,
    ZoneTable: zone_forwarding,
}


def _toward(table: Table, broker: int, region: Region) -> int:
    """Link by which a message leaves a broker that it only passes, or -1."""
    return int(_MODULES[type(table)].toward(table, broker, region))


def _spread(table: Table, broker: int, came_from: int, region: Region, out: Ints) -> tuple[bool, int]:
    """Whether a broker delivers a message, and how many links it leaves by, which are written into `out`."""
    delivers, count = _MODULES[type(table)].spread(table, broker, came_from, region, out)
    return bool(delivers), int(count)


def _compile(name: str) -> None:
    """Tell Numba to put the kernel of the table's module where compiled code calls the function of that name."""

    def choose(table: Any, *_: Any) -> Any:
        kernel = getattr(_MODULES[table.instance_class], name.removeprefix("_"))
        return getattr(kernel, "py_func", kernel)

    overload(globals()[name], jit_options=WITHOUT_REFERENCES, strict=False)(choose)


_compile("_toward")
_compile("_spread")


@njit
def next_edges(table: Table, broker: int, came_from: int, region: Region, out: Ints) -> tuple[bool, int]:
    """Whether a broker delivers a message, and how many links it leaves by; these are written into `out`."""
    e = _toward(table, broker, region)
    if e >= 0:
        out[0] = e
        return False, 1
    return _spread(table, broker, came_from, region, out)


@njit
def multicast(
    table: Table, n: int, regions: Regions, sources: Ints, cost: Ints
) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints]:
    """Columns of `Deliveries` among n brokers: follow every message with a stack; `cost`: IP hops by link."""
    messages = len(sources)
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
        region = region_at(regions, i)
        broker = sources[i]
        hops = 0
        links = 0
        e = _toward(table, broker, region)
        while e >= 0:
            crossed[e] += 1
            hops += 1
            links += cost[e]
            broker = table.neighbours[e]
            e = _toward(table, broker, region)
        # Nobody that a message spreads to is one that it passed on its way there: it came from no one.
        stack[0, 0], stack[0, 1], stack[0, 2] = broker, -1, links
        depth = 1
        while depth > 0:
            depth -= 1
            broker, sender, travelled = stack[depth, 0], stack[depth, 1], stack[depth, 2]
            here, count = _spread(table, broker, sender, region, out)
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
    table: Table, n: int, regions: Regions, sources: Ints
) -> tuple[Ints, Ints, Ints, Ints, Flags, Flags]:
    """Columns of `Hops` among n brokers: follow every message with a queue, which is its rows."""
    messages = len(sources)
    offsets = np.zeros(messages + 1, np.int64)
    at_source = np.zeros(messages, np.bool_)
    senders = np.empty(4 * messages + n, np.int64)
    receivers = np.empty_like(senders)
    previous = np.empty_like(senders)
    delivers = np.empty(len(senders), np.bool_)
    out = np.empty(n, np.int64)
    filled = 0
    for i in range(messages):
        # A message visits a broker once at most, so n rows are room enough for it.
        if filled + n > len(senders):
            more = np.empty(len(senders) + n, np.int64)
            senders = np.concatenate((senders, more))
            receivers = np.concatenate((receivers, more))
            previous = np.concatenate((previous, more))
            delivers = np.concatenate((delivers, np.empty(len(more), np.bool_)))
        region = region_at(regions, i)
        broker, sender, row, following = sources[i], -1, -1, filled
        while True:
            e = _toward(table, broker, region)
            if e >= 0:
                here, count, out[0] = False, 1, e
            else:
                here, count = _spread(table, broker, sender, region, out)
            if row < 0:
                at_source[i] = here
            else:
                delivers[row] = here
            for h in range(count):
                senders[filled], receivers[filled], previous[filled] = broker, table.neighbours[out[h]], row
                filled += 1
            if following == filled:
                break
            row = following
            sender, broker = senders[row], receivers[row]
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
