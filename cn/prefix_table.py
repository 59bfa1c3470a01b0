"""What brokers of a prefix network know: the parts of S around them, and one broker in each.

The split tree cuts S in two, each half in two, and so on to the zones. Levels of it are taken together in groups: the
first `levels` splits cut S into at most 2 ** levels parts, the next so many cut each of these into parts again, and a
zone that stands higher than its group ends is a part by itself. A broker belongs to one part on each of these
*rungs*: to all of S on the first, and so down to the last that is more than its own zone. On each rung it knows the
other parts into which that one is cut, and of each a *contact*, one of the brokers there.
"""

from typing import NamedTuple

import numpy as np

from cn.plane import Splits
from cn.zones import Floats, Ints
from floor.kernels import njit

__all__ = ["PrefixTable", "find_rungs", "leaf_order", "nearest_in_spans"]


class PrefixTable(NamedTuple):
    """What the kernels read; broker b knows row b of the zones and its own rungs and contacts, nothing else.

    `extents` (n, 4) f8: l_lo, l_hi, r_lo, r_hi of each zone (an absent broker's meet nothing); over several
    attributes these and all other boxes have the shape (2, D), lo and hi.
    `starts` (n + 1,) i8: rungs of b are `starts[b]:starts[b + 1]`, from all of S downward.
    `boxes` (rungs, 4) f8: extents of the part of S that the rung stands for; it holds b's zone.
    `edges` (rungs + 1,) i8: contacts on a rung are `edges[rung]:edges[rung + 1]`, in the order of the split tree.
    `neighbours` (e,) i8: their brokers.
    `beyond` (e, 4) f8: extents of the part that each is a contact for.
    """

    extents: Floats
    starts: Ints
    boxes: Floats
    edges: Ints
    neighbours: Ints
    beyond: Floats


@njit
def leaf_order(splits: Splits, n: int) -> tuple[Ints, Ints, Ints]:
    """Brokers by the places of their leaves from first to last child; each one's place (-1: absent); spans of rows.

    Below row s are the leaves at places `spans[s, 0]` to `spans[s, 1] - 1`. O(n).
    """
    rows = len(splits.cut)
    spans = np.zeros((rows, 2), np.int64)
    order = np.empty(n, np.int64)
    place = np.full(n, -1, np.int64)
    inner = np.empty(rows, np.int64)
    stack = np.empty(rows + 1, np.int64)
    stack[0] = splits.root
    height, met, leaves = 1, 0, 0
    while height > 0:
        height -= 1
        node = stack[height]
        if node < 0:
            order[leaves] = -1 - node
            place[-1 - node] = leaves
            leaves += 1
        else:
            spans[node, 0] = leaves
            inner[met] = node
            met += 1
            stack[height], stack[height + 1] = splits.children[node, 1], splits.children[node, 0]
            height += 2
    for i in range(met - 1, -1, -1):  # children come after their parent
        last = splits.children[inner[i], 1]
        spans[inner[i], 1] = spans[last, 1] if last >= 0 else place[-1 - last] + 1
    return order[:leaves].copy(), place, spans


@njit
def _parts(splits: Splits, top: int, levels: int, parts: Ints) -> int:
    """Write the at most 2 ** levels parts into which a row's part is cut, rows or leaves in their order: how many."""
    stack = np.empty((levels + 1, 2), np.int64)
    stack[0, 0], stack[0, 1] = top, 0
    height, count = 1, 0
    while height > 0:
        height -= 1
        node, depth = stack[height, 0], stack[height, 1]
        if node < 0 or depth == levels:
            parts[count] = node
            count += 1
        else:
            for child in (1, 0):
                stack[height, 0], stack[height, 1] = splits.children[node, child], depth + 1
                height += 1
    return count


@njit
def find_rungs(
    splits: Splits, extents: Floats, place: Ints, spans: Ints, levels: int
) -> tuple[Ints, Floats, Ints, Ints, Floats]:
    """Make `starts`, `boxes` and `edges` of a table, and of each contact to come the span of its part, and `beyond`.

    O(contacts) time and space.
    """
    n, shape = len(extents), extents.shape[1:]
    starts = np.zeros(n + 1, np.int64)
    edges = np.zeros(4 * n + 1, np.int64)
    boxes = np.empty((4 * n, *shape))
    part_spans = np.empty((16 * n, 2), np.int64)
    beyond = np.empty((16 * n, *shape))
    parts = np.empty(2**levels, np.int64)
    rungs, links = 0, 0
    for b in range(n):
        node = splits.root if place[b] >= 0 else -1
        while node >= 0:
            if rungs == len(boxes):
                boxes = np.concatenate((boxes, np.empty((rungs, *shape))))
                edges = np.concatenate((edges, np.zeros(rungs, np.int64)))
            if links + len(parts) > len(beyond):
                beyond = np.concatenate((beyond, np.empty((links + len(parts), *shape))))
                part_spans = np.concatenate((part_spans, np.empty((links + len(parts), 2), np.int64)))
            boxes[rungs] = splits.boxes[node]
            own = -1
            for i in range(_parts(splits, node, levels, parts)):
                part = parts[i]
                first = spans[part, 0] if part >= 0 else place[-1 - part]
                end = spans[part, 1] if part >= 0 else first + 1
                if first <= place[b] < end:
                    own = part
                else:
                    part_spans[links, 0], part_spans[links, 1] = first, end
                    beyond[links] = splits.boxes[part] if part >= 0 else extents[-1 - part]
                    links += 1
            rungs += 1
            edges[rungs] = links
            node = own
        starts[b + 1] = rungs
    return starts, boxes[:rungs].copy(), edges[: rungs + 1].copy(), part_spans[:links].copy(), beyond[:links].copy()


@njit
def nearest_in_spans(order: Ints, distance: Floats, spans: Ints, contacts: Ints) -> None:
    """Write the broker of least distance at the places of each span, the smallest of those at the same distance."""
    for i in range(len(spans)):
        best = order[spans[i, 0]]
        for at in range(spans[i, 0] + 1, spans[i, 1]):
            other = order[at]
            if distance[other] < distance[best] or (distance[other] == distance[best] and other < best):
                best = other
        contacts[i] = best
