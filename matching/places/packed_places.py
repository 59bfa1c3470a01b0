"""An R-tree over places, packed: the arrays, and the queue of a best-first search.

Guttman's R-tree, as seed 001 takes it, with its nodes filled by sorting and tiling (Leutenegger, Lopez and Edgington,
"STR", 1997): subscriptions stand in slabs by alpha, in a slab in strips by x, and in a strip by y; `fan_out` of them
are a leaf, `fan_out` neighbouring nodes a node of the next level, up to one root. Nodes are numbered from the leaves
up. A node has the smallest box around its places, and the smallest and largest alpha of its subscriptions. Without
alphas there is one slab, and every node has to take them to be anything from 0 to 1.

Departure: the paper groups by place alone. What a node promises depends on its alphas as much as on its places, and
with both apart the bounds of `matching.places.node_weights` are far lower.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.range_index import Floats, Ints

__all__ = ["PackedPlaces", "PlaceQueue", "check_packed", "nearness", "new_queue", "packed_places", "pop", "push"]


class PackedPlaces(NamedTuple):
    """The arrays of the tree."""

    id: npt.NDArray[np.int64]
    """(n,): ids by position."""
    level: npt.NDArray[np.int64]
    """(levels + 2,): fan_out, then where the nodes of each level start, and the number of nodes."""
    box: npt.NDArray[np.float64]
    """(nodes, 4): x from, x to, y from, y to."""
    alpha: npt.NDArray[np.float64]
    """(nodes, 2): smallest and largest; 0 and 1 where they are not known."""


def _tiled(ids: Ints, place: Floats, alpha: Floats | None, fan_out: int) -> Ints:
    """Subscriptions in slabs by alpha, in a slab in strips by x, and in a strip by y; both of whole leaves."""
    leaves = -(-ids.size // fan_out)
    slabs = 1 if alpha is None else int(np.ceil(leaves ** (1 / 3)))
    in_slab = -(-leaves // slabs) * fan_out
    in_strip = int(np.ceil(np.sqrt(in_slab / fan_out))) * fan_out
    if alpha is not None:
        ids = ids[np.argsort(alpha[ids], kind="stable")]
    slab = np.arange(ids.size) // in_slab
    ids = ids[np.lexsort((place[ids, 0], slab))]
    strip = (np.arange(ids.size) - slab * in_slab) // in_strip
    return ids[np.lexsort((place[ids, 1], strip, slab))]


def packed_places(ids: Ints, place: Floats, alpha: Floats | None, fan_out: int) -> PackedPlaces:
    """The tree over subscriptions, at least one; columns are by id. O(n log n)."""
    ids = _tiled(ids, place, alpha, fan_out)
    x, y = place[ids].T
    least, largest = (np.zeros(ids.size), np.ones(ids.size)) if alpha is None else (alpha[ids], alpha[ids])
    lows, highs = ([np.stack((x, y, own), axis=1)] for own in (least, largest))
    while len(lows) == 1 or len(lows[-1]) > 1:
        at = np.arange(0, len(lows[-1]), fan_out)
        lows.append(np.minimum.reduceat(lows[-1], at))
        highs.append(np.maximum.reduceat(highs[-1], at))
    low, high = np.concatenate(lows[1:]), np.concatenate(highs[1:])
    box = np.stack((low[:, 0], high[:, 0], low[:, 1], high[:, 1]), axis=1)
    level = np.array([fan_out, 0, *np.cumsum([len(ends) for ends in lows[1:]])], np.int64)
    return PackedPlaces(ids, level, box, np.stack((low[:, 2], high[:, 2]), axis=1))


@njit
def nearness(box: Floats, node: int, x: float, y: float, max_distance: float) -> float:
    """An upper bound of 1 - distance / max_distance for the places of a node: seed 001, Eq. 6."""
    dx = max(box[node, 0] - x, x - box[node, 1], 0.0)
    dy = max(box[node, 2] - y, y - box[node, 3], 0.0)
    return float(1 - np.sqrt(dx * dx + dy * dy) / max_distance)


class PlaceQueue(NamedTuple):
    """What is waiting in a search, the one with the largest bound first."""

    bound: npt.NDArray[np.float64]
    item: npt.NDArray[np.int64]
    """Nodes, or what the search takes for subscriptions."""
    size: npt.NDArray[np.int64]
    """(1,): how many wait."""


@njit
def new_queue(room: int) -> PlaceQueue:
    """An empty queue; only what is written of it takes memory."""
    return PlaceQueue(np.empty(room), np.empty(room, np.int64), np.zeros(1, np.int64))


@njit
def push(queue: PlaceQueue, bound: float, item: int) -> None:
    """Put an item into the queue."""
    hole = queue.size[0]
    queue.size[0] += 1
    while hole > 0 and queue.bound[(hole - 1) >> 1] < bound:
        queue.bound[hole], queue.item[hole] = queue.bound[(hole - 1) >> 1], queue.item[(hole - 1) >> 1]
        hole = (hole - 1) >> 1
    queue.bound[hole], queue.item[hole] = bound, item


@njit
def pop(queue: PlaceQueue) -> tuple[float, int]:
    """Take the item with the largest bound out of a queue that is not empty."""
    first = queue.bound[0], queue.item[0]
    queue.size[0] -= 1
    size = queue.size[0]
    bound, item = queue.bound[size], queue.item[size]
    hole = 0
    while 2 * hole + 1 < size:
        child = 2 * hole + 1
        if child + 1 < size and queue.bound[child + 1] > queue.bound[child]:
            child += 1
        if queue.bound[child] <= bound:
            break
        queue.bound[hole], queue.item[hole] = queue.bound[child], queue.item[child]
        hole = child
    queue.bound[hole], queue.item[hole] = bound, item
    return first


def check_packed(tree: PackedPlaces, ids: Ints, place: Floats, alpha: Floats | None) -> None:
    """Raise AssertionError unless boxes and alphas fit the subscriptions below each node."""
    assert sorted(tree.id.tolist()) == sorted(ids.tolist())
    fan_out, *starts = tree.level.tolist()
    width = fan_out
    for start, stop in pairwise(starts):
        assert stop - start == -(-ids.size // width)
        for node in range(start, stop):
            below = tree.id[(node - start) * width : (node - start + 1) * width]
            x, y = place[below].T
            assert tree.box[node].tolist() == [x.min(), x.max(), y.min(), y.max()]
            held = np.arange(2) if alpha is None else alpha[below]
            assert tree.alpha[node].tolist() == [held.min(), held.max()]
        width *= fan_out
    assert starts[-1] == len(tree.box)
    assert starts[-1] - starts[-2] == 1
