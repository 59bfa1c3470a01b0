"""What the nodes of an R^I-tree or an R^t-tree know of the weights below them, and the search that it bounds.

Seed 001, Section 5. Per node and attribute there is a list of intervals with weights, the largest weight first; the
first interval that holds the event's value tells the most that this attribute can add to a subscription below
(Eq. 5). Weights are those of predicates times 1 - alpha. What the lists hold makes the index:

* R^I-tree: an interval for each entry of the node. Of a leaf these are the predicates of its subscriptions, of a node
  above the summaries of its children: the smallest interval around theirs, and the largest weight.
* R^t-tree: the summary only.

Departures. The paper keeps the intervals of a node and attribute in a dynamic interval tree; there are at most
`fan_out` of them, mostly one or two, and a list by weight gives the same at less cost. Eq. 8 takes the bound to grow
with alpha below 1 - UB_t, which fails where UB_s is negative, so for events farther away than `max_distance`: the
bound is a concave function of alpha in straight pieces, and its largest value is at an end of the range of alpha or
at 1 - UB_t. Bounds are raised by more than rounding can take away, so that an equal score below is never missed.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.best_so_far import keep
from matching.places.columns import PlaceColumns, Where, similarities
from matching.places.packed_places import PackedPlaces, nearness, new_queue, pop, push
from matching.places.place_index import TOLERANCE
from matching.range_index import Floats, Ints

__all__ = ["NodeWeights", "bounds", "node_weights", "present", "search"]

ROUNDING = 2 * TOLERANCE
"""By how much of its size a bound is raised: weights may sum to a little more than 1, too."""


class NodeWeights(NamedTuple):
    """Lists of intervals by node and attribute."""

    first: npt.NDArray[np.int64]
    """(nodes + 1,): where the attributes of a node start."""
    attribute: npt.NDArray[np.int32]
    """(lists,): ascending in each node."""
    start: npt.NDArray[np.int64]
    """(lists + 1,): where the list of a node and attribute starts."""
    low: npt.NDArray[np.float64]
    """(intervals,): left ends."""
    high: npt.NDArray[np.float64]
    """(intervals,): right ends."""
    weight: npt.NDArray[np.float64]
    """(intervals,): weights, descending in each list."""


class _Rows(NamedTuple):
    """Intervals with the node and attribute that they belong to."""

    node: Ints
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
    leaf = np.repeat(np.arange(tree.id.size) // tree.level[0], counts)
    share = np.repeat(1 - columns.alpha[tree.id], counts)
    return _Rows(leaf, columns.attribute[p], columns.low[p], columns.high[p], columns.weight[p] * share)


def _levels(tree: PackedPlaces, columns: PlaceColumns) -> Iterator[tuple[_Rows, Ints, _Rows]]:
    """Level by level from the leaves: intervals by list, where lists start, and the summary of each list."""
    rows = _leaf_rows(tree, columns)
    for start in tree.level[1:-1]:
        order = np.lexsort((-rows.weight, rows.attribute, rows.node))
        rows = _Rows(*(column[order] for column in rows))
        new = np.ones(rows.node.size, np.bool_)
        new[1:] = (rows.node[1:] != rows.node[:-1]) | (rows.attribute[1:] != rows.attribute[:-1])
        at = np.flatnonzero(new)
        low, high = np.minimum.reduceat(rows.low, at), np.maximum.reduceat(rows.high, at)
        summary = _Rows(rows.node[at], rows.attribute[at], low, high, rows.weight[at])
        yield rows._replace(node=rows.node + start), at, summary._replace(node=summary.node + start)
        rows = summary._replace(node=summary.node // tree.level[0])


def node_weights(tree: PackedPlaces, columns: PlaceColumns, *, summaries: bool) -> NodeWeights:
    """The lists of all nodes, of summaries or of the intervals of entries; O(p log p) for p predicates, per level."""
    nodes, attributes, sizes, rows = [], [], [], []
    for intervals, at, summary in _levels(tree, columns):
        nodes.append(summary.node)
        attributes.append(summary.attribute)
        sizes.append(np.ones(at.size, np.int64) if summaries else np.diff(at, append=intervals.node.size))
        rows.append(summary if summaries else intervals)
    per_node = np.bincount(np.concatenate(nodes), minlength=len(tree.box))
    return NodeWeights(
        np.append(0, np.cumsum(per_node)).astype(np.int64),
        np.concatenate(attributes).astype(np.int32),
        np.append(0, np.cumsum(np.concatenate(sizes))).astype(np.int64),
        *(np.concatenate([getattr(some, name) for some in rows]) for name in ("low", "high", "weight")),
    )


@njit
def present(event: Floats) -> Ints:
    """Attributes that an event has."""
    return np.flatnonzero(event == event)


@njit
def bounds(
    tree: PackedPlaces, weights: NodeWeights, first: int, behind: int, where: Where, asked: Ints, out: Floats
) -> int:
    """For each of some nodes at least the score of every subscription below it, Eq. 5 to 7; the intervals tested."""
    event, x, y, max_distance = where
    attributes, start, left, right, weight = (
        weights.attribute,
        weights.start,
        weights.low,
        weights.high,
        weights.weight,
    )
    tests = 0
    for node in range(first, behind):
        most = 0.0
        low, stop = weights.first[node], weights.first[node + 1]
        for attribute in asked:
            high = stop
            while low < high:
                middle = (low + high) >> 1
                if attributes[middle] < attribute:
                    low = middle + 1
                else:
                    high = middle
            if low == stop:
                break
            if attributes[low] == attribute:
                value = event[attribute]
                for at in range(start[low], start[low + 1]):
                    tests += 1
                    if left[at] <= value <= right[at]:
                        most += weight[at]
                        break
                low += 1
        near = nearness(tree.box, node, x, y, max_distance)
        least, largest = tree.alpha[node, 0], tree.alpha[node, 1]
        best = max(min(1 - least, most) + least * near, min(1 - largest, most) + largest * near)
        if least < 1 - most < largest:
            best = max(best, most + (1 - most) * near)
        out[node - first] = best + ROUNDING * (1 + abs(near))
        tests += 1
    return tests


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
    found = np.empty(fan_out)
    tests = bounds(tree, weights, nodes - 1, nodes, where, asked, found)
    push(queue, found[0], nodes - 1)
    while queue.size[0] > 0:
        limit, node = pop(queue)
        if size == len(ids) and limit < scores[0]:
            break
        if node < leaves:
            below = tree.id[node * fan_out : (node + 1) * fan_out]
            tests += similarities(columns, below, where, found)
            for at in range(len(below)):
                if found[at] == found[at] and (size < len(ids) or found[at] >= scores[0]):
                    size = keep(scores, ids, size, found[at], below[at])
            continue
        height = 1
        while tree.level[height + 1] <= node:
            height += 1
        stop = tree.level[height]
        first = tree.level[height - 1] + (node - stop) * fan_out
        behind = min(first + fan_out, stop)
        tests += bounds(tree, weights, first, behind, where, asked, found)
        for child in range(first, behind):
            if size < len(ids) or found[child - first] >= scores[0]:
                push(queue, found[child - first], child)
    return size, tests
