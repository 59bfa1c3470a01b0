"""What an R^I-tree or an R^t-tree knows of the weights below its nodes, and the search that it bounds.

Seed 001, Section 5. For a node and an attribute there are intervals with weights; the weight of one that holds the
event's value is what this attribute adds at most to a subscription below. Weights are those of predicates times
1 - alpha. What the intervals are makes the index:

* R^I-tree: one for each entry of the node. Of a leaf these are the predicates of its subscriptions, of a node above
  the summaries of its children: the smallest interval around theirs, and the largest weight.
* R^t-tree: the summary only; and its nodes do not know the alphas below them.

Departures. The paper takes the largest weight of each attribute and sums over attributes (Eq. 5), though the largest
ones may be of different entries; here the weights of each entry are summed, and the largest sum is taken, which is
never higher. The paper keeps the intervals of a node and attribute in a dynamic interval tree; there are at most
`fan_out` of them, mostly one or two, and a list is quicker. A search bounds all children of a node at once, so the
lists of an attribute of all of them stand together with their parent, by child and entry. Eq. 8 takes the bound to
grow with alpha below 1 - UB_t, which fails where UB_s is negative, so for events farther away than `max_distance`:
the bound is a concave function of alpha in straight pieces, and its largest value is at an end of the range of alpha
or at 1 - UB_t. Of the subscriptions of a leaf only those are scored whose own alpha and place, with the largest sum
in the leaf, promise enough. Bounds are raised by more than rounding can take away, so that an equal score below is
never missed.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.best_so_far import keep
from matching.bisection import lower_bound
from matching.places.columns import PlaceColumns, Where, similarities
from matching.places.packed_places import PackedPlaces, nearness, new_queue, pop, push
from matching.places.place_index import TOLERANCE
from matching.range_index import Floats, Ints

__all__ = ["NodeWeights", "Sums", "bounds", "children_of", "new_sums", "node_weights", "present", "search"]

ROUNDING = 2 * TOLERANCE
"""By how much of its size a bound is raised: weights may sum to a little more than 1, too."""


class NodeWeights(NamedTuple):
    """Lists of intervals by parent and attribute."""

    first: npt.NDArray[np.int64]
    """(nodes + 1,): where the attributes of a node's children start; leaves have none."""
    attribute: npt.NDArray[np.int32]
    """(lists,): ascending for each parent."""
    start: npt.NDArray[np.int64]
    """(lists + 1,): where the list of a parent and attribute starts."""
    entry: npt.NDArray[np.int32]
    """(intervals,): which entry of which child it is of, child * fan_out + entry, ascending in each list."""
    low: npt.NDArray[np.float64]
    """(intervals,): left ends."""
    high: npt.NDArray[np.float64]
    """(intervals,): right ends."""
    weight: npt.NDArray[np.float64]
    """(intervals,): weights."""


class Sums(NamedTuple):
    """Room for the weights of the entries of all children of a node, and for the largest of each child."""

    sum: npt.NDArray[np.float64]
    """(at most fan_out^2,): by entry; 0 between two uses."""
    held: npt.NDArray[np.int32]
    """(one more,): entries with a sum above 0, and room to write one that is already there."""
    most: npt.NDArray[np.float64]
    """(fan_out,): the largest sum of each child of the node that was bounded last."""


class _Rows(NamedTuple):
    """Intervals with the node, the entry of it and the attribute that they belong to."""

    node: Ints
    entry: Ints
    attribute: npt.NDArray[np.int32]
    low: Floats
    high: Floats
    weight: Floats


def _leaf_rows(tree: PackedPlaces, columns: PlaceColumns) -> _Rows:
    """Predicates of the subscriptions of each leaf."""
    starts = columns.offset[tree.id]
    counts = columns.offset[tree.id + 1] - starts
    behind = np.cumsum(counts)
    p = np.arange(behind[-1]) + np.repeat(starts - (behind - counts), counts)
    leaf, entry = np.divmod(np.repeat(np.arange(tree.id.size), counts), tree.level[0])
    share = np.repeat(1 - columns.alpha[tree.id], counts)
    return _Rows(leaf, entry, columns.attribute[p], columns.low[p], columns.high[p], columns.weight[p] * share)


def _starts(*keys: npt.NDArray[Any]) -> Ints:
    """Where runs of equal keys start."""
    new = np.ones(keys[0].size, np.bool_)
    new[1:] = np.logical_or.reduce([key[1:] != key[:-1] for key in keys])
    return np.flatnonzero(new)


def _summaries(rows: _Rows) -> _Rows:
    """The smallest interval around those of each node and attribute, and the largest weight, as of one entry."""
    order = np.lexsort((rows.attribute, rows.node))
    node, attribute = rows.node[order], rows.attribute[order]
    at = _starts(node, attribute)
    low, high = np.minimum.reduceat(rows.low[order], at), np.maximum.reduceat(rows.high[order], at)
    weight = np.maximum.reduceat(rows.weight[order], at)
    return _Rows(node[at], np.zeros(at.size, np.int64), attribute[at], low, high, weight)


def _levels(tree: PackedPlaces, columns: PlaceColumns, *, summaries: bool) -> Iterator[_Rows]:
    """Intervals of the nodes of each level below the root, from the leaves; nodes are counted within a level."""
    rows = _leaf_rows(tree, columns)
    for _ in tree.level[1:-2]:
        summary = _summaries(rows)
        yield summary if summaries else rows
        node, entry = np.divmod(summary.node, tree.level[0])
        rows = summary._replace(node=node, entry=entry)


def node_weights(tree: PackedPlaces, columns: PlaceColumns, *, summaries: bool) -> NodeWeights:
    """The lists of all nodes, of summaries or of the intervals of entries; O(p log p) for p predicates, per level."""
    none = np.empty(0, np.int64)
    parents, attributes, starts, lists = [none], [none.astype(np.int32)], [none], []
    intervals = 0
    for above, rows in zip(tree.level[2:-1], _levels(tree, columns, summaries=summaries), strict=True):
        parent, child = np.divmod(rows.node, tree.level[0])
        entry = child * tree.level[0] + rows.entry
        order = np.lexsort((entry, rows.attribute, parent))
        parent, attribute = parent[order], rows.attribute[order]
        at = _starts(parent, attribute)
        parents.append(parent[at] + above)
        attributes.append(attribute[at])
        starts.append(at + intervals)
        lists.append((entry[order].astype(np.int32), rows.low[order], rows.high[order], rows.weight[order]))
        intervals += order.size
    per_node = np.bincount(np.concatenate(parents), minlength=len(tree.box))
    empty = (none.astype(np.int32), np.empty(0), np.empty(0), np.empty(0))
    return NodeWeights(
        np.append(0, np.cumsum(per_node)).astype(np.int64),
        np.concatenate(attributes).astype(np.int32),
        np.append(np.concatenate(starts), intervals).astype(np.int64),
        *(np.concatenate(column) for column in zip(empty, *lists, strict=True)),
    )


@njit
def present(event: Floats) -> Ints:
    """Attributes that an event has."""
    return np.flatnonzero(event == event)


@njit
def new_sums(tree: PackedPlaces) -> Sums:
    """Room for a search."""
    room = min(tree.level[0] ** 2, len(tree.id) + tree.level[0])
    return Sums(np.zeros(room), np.empty(room + 1, np.int32), np.empty(tree.level[0]))


@njit
def _most_weights(weights: NodeWeights, node: int, event: Floats, asked: Ints, sums: Sums) -> int:
    """Find the largest sum of weights of an entry of each child of a node; tests made."""
    attributes, start, entries = weights.attribute, weights.start, weights.entry
    left, right, weight = weights.low, weights.high, weights.weight
    total, held, most = sums
    most[:] = 0
    tests, count = 0, 0
    low, stop = weights.first[node], weights.first[node + 1]
    for attribute in asked:
        low = lower_bound(attributes, low, stop, attribute)
        if low == stop:
            break
        if attributes[low] != attribute:
            continue
        value = event[attribute]
        tests += start[low + 1] - start[low]
        for at in range(start[low], start[low + 1]):
            if left[at] <= value <= right[at] and weight[at] > 0:
                entry = entries[at]
                held[count] = entry
                count += total[entry] == 0
                total[entry] += weight[at]
        low += 1
    fan_out = len(most)
    for at in range(count):
        child = held[at] // fan_out
        most[child] = max(most[child], total[held[at]])
        total[held[at]] = 0
    return tests


@njit
def bounds(
    tree: PackedPlaces,
    weights: NodeWeights,
    node: int,
    children: tuple[int, int],
    where: Where,
    asked: Ints,
    needed: float,
    sums: Sums,
    out: Floats,
) -> int:
    """For each child of a node at least the score of every subscription below it, Eq. 6 and 7; the tests made.

    A child whose places alone say that it stays below the score that is needed is bounded by these.
    """
    event, x, y, max_distance = where
    first, behind = children
    wanted = 0
    for child in range(first, behind):
        near = nearness(tree.box, child, x, y, max_distance)
        least = tree.alpha[child, 0]
        out[child - first] = 1 - least + least * near + ROUNDING * (1 + abs(near))
        wanted += out[child - first] >= needed
    tests = behind - first
    if wanted == 0:
        return tests
    tests += _most_weights(weights, node, event, asked, sums)
    for child in range(first, behind):
        if out[child - first] >= needed:
            near = nearness(tree.box, child, x, y, max_distance)
            least, largest, most = tree.alpha[child, 0], tree.alpha[child, 1], sums.most[child - first]
            best = max(min(1 - least, most) + least * near, min(1 - largest, most) + largest * near)
            if least < 1 - most < largest:
                best = max(best, most + (1 - most) * near)
            out[child - first] = best + ROUNDING * (1 + abs(near))
    return tests


@njit
def _promising(columns: PlaceColumns, ids: Ints, where: Where, most: float, needed: float, out: Ints) -> int:
    """Write the subscriptions that may reach the score that is needed, if none has more than `most`; their number."""
    _, x, y, max_distance = where
    place, alpha = columns.place, columns.alpha
    found = 0
    for i in ids:
        dx, dy = place[i, 0] - x, place[i, 1] - y
        near = 1 - np.sqrt(dx * dx + dy * dy) / max_distance
        out[found] = i
        found += min(1 - alpha[i], most) + alpha[i] * near + ROUNDING * (1 + abs(near)) >= needed
    return found


@njit
def children_of(tree: PackedPlaces, node: int) -> tuple[int, int]:
    """The first child of a node above the leaves, and the one behind its last."""
    height = 1
    while tree.level[height + 1] <= node:
        height += 1
    stop = tree.level[height]
    first = tree.level[height - 1] + (node - stop) * tree.level[0]
    return first, min(first + tree.level[0], stop)


@njit
def search(
    tree: PackedPlaces,
    weights: NodeWeights,
    columns: PlaceColumns,
    where: Where,
    scores: Floats,
    ids: Ints,
    size: int,
) -> tuple[int, int]:
    """Bring the best of a tree among those so far, best node first (Algorithm 1): their number, and evaluations."""
    asked = present(where[0])
    fan_out, nodes = tree.level[0], len(tree.box)
    leaves = tree.level[2]
    queue = new_queue(nodes)
    found, chosen = np.empty(fan_out), np.empty(fan_out, np.int64)
    sums, most = new_sums(tree), np.empty(nodes)
    most[nodes - 1] = np.inf
    tests = 0
    push(queue, np.inf, nodes - 1)
    while queue.size[0] > 0:
        limit, node = pop(queue)
        if size == len(ids) and limit < scores[0]:
            break
        if node < leaves:
            below = tree.id[node * fan_out : (node + 1) * fan_out]
            if size == len(ids):
                tests += len(below)
                below = chosen[: _promising(columns, below, where, most[node], scores[0], chosen)]
            tests += similarities(columns, below, where, found)
            for at in range(len(below)):
                if found[at] == found[at] and (size < len(ids) or found[at] >= scores[0]):
                    size = keep(scores, ids, size, found[at], below[at])
            continue
        first, behind = children_of(tree, node)
        needed = scores[0] if size == len(ids) else -np.inf
        tests += bounds(tree, weights, node, (first, behind), where, asked, needed, sums, found)
        for child in range(first, behind):
            if size < len(ids) or found[child - first] >= scores[0]:
                push(queue, found[child - first], child)
                most[child] = sums.most[child - first]
    return size, tests
