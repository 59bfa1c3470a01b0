"""Where a broker of a routing tree sends a message, from its own summary and those of its links."""

from cn.deliveries import Ints
from cn.regions import Region
from cn.summaries import TreeTable
from cn.summary_boxes import meets_any
from floor.kernels import njit_inner

__all__ = ["spread", "toward"]


@njit_inner
def toward(table: TreeTable, broker: int, region: Region) -> int:  # noqa: ARG001
    """-1: a message spreads from where it starts."""
    return -1


@njit_inner
def spread(table: TreeTable, broker: int, came_from: int, region: Region, out: Ints) -> tuple[bool, int]:
    """Whether a broker delivers a message, and how many links it leaves by; these are written into `out`.

    Reads the broker's own summary and those of its links.
    """
    n = len(table.starts) - 1
    count = 0
    for e in range(table.starts[broker], table.starts[broker + 1]):
        if table.neighbours[e] != came_from and meets_any(table.boxes[n + e], table.counts[n + e], region):
            out[count] = e
            count += 1
    return meets_any(table.boxes[broker], table.counts[broker], region), count
