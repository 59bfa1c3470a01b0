"""TAS: the Threshold Algorithm over a scored segment tree per attribute and an R-tree over places.

Seed 001, Section 4. For each attribute of the event a walk gives the subscriptions whose predicate holds, by their
weight times 1 - alpha; another one gives all subscriptions by alpha times nearness. What any of them brings is scored
whole. What none has brought yet is worth no more than the sum of where the walks stand; it stops when the k-th best
is worth more. A walk of an attribute that has ended stands at 0; the one of places ends when all have come.

A predicate with a set stands in its tree with its interval, so its walk may bring it where it does not hold; the
threshold is then larger than it need be, and the score is right. The paper bounds the places of a node by its largest
alpha; where nearness is negative that is the smallest one.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.best_so_far import keep
from matching.flat_arrays import bytes_of
from matching.places.columns import PlaceColumns, Where, similarities
from matching.places.packed_places import (
    PackedPlaces,
    PlaceQueue,
    check_packed,
    nearness,
    new_queue,
    packed_places,
    pop,
    push,
)
from matching.places.place_index import TOLERANCE
from matching.places.place_owner import BestSoFar, PlaceOwner
from matching.range_index import Floats, Ints
from matching.ranked.scored_segment_tree import ScoredSegmentTree

__all__ = ["ThresholdPlaces"]

FIRST_STEP, LONGEST_STEP = 16, 4096
"""Subscriptions that a walk is asked for at a time, twice as many every time."""


class Part(NamedTuple):
    """The trees over some subscriptions."""

    tree: PackedPlaces
    attributes: dict[int, tuple[ScoredSegmentTree, Ints, Floats]]
    """The tree of each attribute, and the subscriptions and their scores by the ids in it."""


@njit
def _promise(tree: PackedPlaces, node: int, x: float, y: float, max_distance: float) -> float:
    """The most that alpha times nearness is below a node."""
    near = nearness(tree.box, node, x, y, max_distance)
    return float((tree.alpha[node, 1] if near > 0 else tree.alpha[node, 0]) * near)


@njit
def open_places(tree: PackedPlaces, where: Where) -> PlaceQueue:
    """A walk over all subscriptions of a tree by alpha times nearness."""
    _, x, y, max_distance = where
    root = len(tree.box) - 1
    queue = new_queue(len(tree.box) + len(tree.id))
    push(queue, _promise(tree, root, x, y, max_distance), root)
    return queue


@njit
def take_places(
    tree: PackedPlaces, columns: PlaceColumns, queue: PlaceQueue, where: Where, out: Ints, value: Floats
) -> tuple[int, int]:
    """The next subscriptions of a walk and their alpha times nearness: their number, and evaluations.

    Subscriptions are negative items in the queue.
    """
    _, x, y, max_distance = where
    fan_out = tree.level[0]
    found, tests = 0, 0
    while found < len(out) and queue.size[0] > 0:
        promise, item = pop(queue)
        if item < 0:
            out[found], value[found] = ~item, promise
            found += 1
            continue
        tests += 1
        height = 1
        while tree.level[height + 1] <= item:
            height += 1
        first = (item - tree.level[height]) * fan_out
        if height == 1:
            for position in range(first, min(first + fan_out, len(tree.id))):
                i = tree.id[position]
                dx, dy = columns.place[i, 0] - x, columns.place[i, 1] - y
                near = 1 - np.sqrt(dx * dx + dy * dy) / max_distance
                push(queue, columns.alpha[i] * near, ~i)
        else:
            start, stop = tree.level[height - 1], tree.level[height]
            for child in range(start + first, min(start + first + fan_out, stop)):
                push(queue, _promise(tree, child, x, y, max_distance), child)
    return found, tests


@njit
def merge_round(
    columns: PlaceColumns,
    where: Where,
    asked: Ints,
    came: Ints,
    counts: Ints,
    shares: Floats,
    last: Floats,
    seen: npt.NDArray[np.int32],
    mark: int,
    scores: Floats,
    ids: Ints,
    size: int,
) -> tuple[int, bool, int]:
    """Take in what the walks brought: (kept, whether it is done, predicates tested).

    `came[j, :counts[j]]` came from the walk of attribute `asked[j]`, the last row from that of places, and `shares`
    are what they were ordered by; `last[j]` is what walk j stands at.
    """
    walks = len(asked)
    new, found = np.empty(walks + 1, np.int64), np.empty(walks + 1)
    tests = 0
    for at in range(came.shape[1]):
        if at >= counts[walks]:
            return size, True, tests
        unseen = 0
        for j in range(walks + 1):
            if at >= counts[j]:
                last[j] = 0.0
                continue
            i = came[j, at]
            last[j] = shares[j, at]
            if seen[i] != mark:
                seen[i] = mark
                new[unseen] = i
                unseen += 1
        tests += similarities(columns, new[:unseen], where, found)
        for of in range(unseen):
            if found[of] == found[of] and (size < len(ids) or found[of] >= scores[0]):
                size = keep(scores, ids, size, found[of], new[of])
        threshold = last.sum()
        if size == len(ids) and scores[0] > threshold + TOLERANCE * (1 + abs(last[walks])):
            return size, True, tests
    return size, False, tests


class ThresholdPlaces(PlaceOwner[Part]):
    """The k best subscriptions for an event, merged from one walk per attribute and one over places.

    Long walks where many subscriptions hold on many attributes with little weight each. O(n log n) space per
    attribute with n subscriptions.
    """

    _seen: npt.NDArray[np.int32] = np.empty(0, np.int32)
    _mark = 0

    def _built(self, ids: Ints) -> Part:
        columns = self.columns
        tree = packed_places(ids, columns.place, columns.alpha, self.fan_out)
        counts = columns.offset[ids + 1] - columns.offset[ids]
        behind = np.cumsum(counts)
        p = np.arange(behind[-1]) + np.repeat(columns.offset[ids] - (behind - counts), counts)
        owner = np.repeat(ids, counts)
        order = np.argsort(columns.attribute[p], kind="stable")
        p, owner = p[order], owner[order]
        attributes, starts = np.unique(columns.attribute[p], return_index=True)
        trees = {}
        for attribute, start, stop in zip(attributes.tolist(), starts, [*starts[1:], p.size], strict=True):
            here, of = p[start:stop], owner[start:stop]
            possible = columns.low[here] <= columns.high[here]
            here, of = here[possible], of[possible]
            score = (1 - columns.alpha[of]) * columns.weight[here]
            trees[attribute] = ScoredSegmentTree(columns.low[here], columns.high[here], score), of, score
        return Part(tree, trees)

    def _search(self, part: Part, where: Where, best: BestSoFar) -> int:
        if self._seen.size < self._issued:
            self._seen, self._mark = np.zeros(self._issued * 5 // 4, np.int32), 0
        self._mark += 1
        event = where[0]
        asked = np.array([a for a in np.flatnonzero(event == event).tolist() if a in part.attributes], np.int64)
        indexes = [part.attributes[a] for a in asked.tolist()]
        before = sum(index.evaluations for index, *_ in indexes)
        walks = [
            (index.ranked(float(event[a])), of, score)
            for a, (index, of, score) in zip(asked.tolist(), indexes, strict=True)
        ]
        queue = open_places(part.tree, where)
        last, made, done, step = np.full(asked.size + 1, np.inf), 0, False, FIRST_STEP
        while not done:
            came, counts = np.empty((asked.size + 1, step), np.int64), np.empty(asked.size + 1, np.int64)
            shares = np.empty(came.shape)
            for j, (walk, of, score) in enumerate(walks):
                some = walk.take(step)
                came[j, : some.size], shares[j, : some.size], counts[j] = of[some], score[some], some.size
            counts[-1], nodes = take_places(part.tree, self.columns, queue, where, came[-1], shares[-1])
            best.size, done, tests = merge_round(
                *(self.columns, where, asked, came, counts, shares, last),
                *(self._seen, self._mark, best.scores, best.ids, best.size),
            )
            made += nodes + tests
            step = min(2 * step, LONGEST_STEP)
        return made + sum(index.evaluations for index, *_ in indexes) - before

    def _bytes(self, part: Part) -> int:
        return bytes_of(part.tree) + sum(
            index.nbytes + of.nbytes + score.nbytes for index, of, score in part.attributes.values()
        )

    def _check_part(self, part: Part, ids: Ints) -> None:
        check_packed(part.tree, ids, self.columns.place, self.columns.alpha)
        for index, of, score in part.attributes.values():
            index._check()
            assert len(index) == of.size == score.size
            assert np.isin(of, ids).all()
