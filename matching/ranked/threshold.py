"""Relaxed matching by the Threshold Algorithm, and exact matching, over one ranked index per dimension.

Seed 000, Sections 1 and 4, after Fagin, Lotem and Naor, "Optimal aggregation algorithms for middleware" (2003).

*Relaxed*: a subscription matches an event when one of its ranges holds its coordinate, and is worth the sum of the
weights of those that do. All walks go forward in step; what one brings is looked up in the other dimensions. None of
what has not come yet is worth more than the threshold, the sum of the weights that the walks stand at, where a walk
that has ended stands at 0: weights must therefore not be negative. It stops when the k-th best is worth more than the
threshold; at equality another one of smaller id may still come. Sums are taken in the order of dimensions on both
sides, so rounding cannot let one slip through.

*Exact*: all ranges hold their coordinates, and a subscription has one score. Every walk gives every answer, in the
one order of ranks; the first walk to have given k answers, or to end, has the best ones. Its cost is at most d times
that of the best single walk.

The text of Section 4 says "matches in each dimension" where its formula is that of relaxed matching.
"""

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.best_so_far import best_first, keep
from matching.range_index import Floats, Ints, RankedIndex
from matching.ranked.boxes import FIRST_STEP, LONGEST_STEP, BoxMatching
from matching.ranked.sopt_rtree import SOPTRTree

__all__ = ["ExactMatching", "RelaxedMatching"]


def _first_step(k: int) -> int:
    """How many ranges to ask the walks for in the first round."""
    return min(max(k, FIRST_STEP), LONGEST_STEP)


@njit
def _relaxed_round(
    low: Floats,
    high: Floats,
    weight: Floats,
    x: Floats,
    came: Ints,
    counts: Ints,
    step: int,
    last: Floats,
    seen: npt.NDArray[np.int32],
    mark: int,
    totals: Floats,
    ids: Ints,
    size: int,
) -> tuple[int, bool, int]:
    """Take in what the walks brought: (best so far, whether they are the best of all, ranges tested).

    `came[j, :counts[j]]` came from walk j, fewer than `step` at its end; `last[j]` is the weight that it stands at.
    """
    d = len(x)
    tests = 0
    for at in range(step):
        live = False
        for j in range(d):
            if at >= counts[j]:
                last[j] = 0.0
                continue
            live = True
            of = came[j, at]
            last[j] = weight[of, j]
            if seen[of] == mark:
                continue
            seen[of] = mark
            total = 0.0
            for i in range(d):
                if low[of, i] <= x[i] <= high[of, i]:
                    total += weight[of, i]
            tests += d
            size = keep(totals, ids, size, total, of)
        if not live:
            return size, True, tests
        threshold = 0.0
        for j in range(d):
            threshold += last[j]
        if size == len(ids) and totals[0] > threshold:
            return size, True, tests
    return size, False, tests


class RelaxedMatching(BoxMatching):
    """The k subscriptions worth most to an event, where any range that holds its coordinate counts.

    Cost: that of the ranges that the walks give until the threshold stops them, d look-ups each; with many dimensions
    nearly all that hold a coordinate. 24 bytes per range beside the indexes, and 4 per subscription.

    Parameters
    ----------
    l, r
        Ends of the ranges, shape (n, d), l <= r; the row of a subscription is its id.
    weight
        What each range is worth, shape (n, d), not negative.
    kind
        The ranked index of each dimension. With `IRTree` subscriptions come and go.

    Examples
    --------
    >>> matching = RelaxedMatching([[0, 0], [0, 5]], [[9, 4], [9, 9]], weight=[[0.2, 0.5], [0.4, 0.4]])
    >>> matching.top([1, 1], k=2).tolist()
    [0, 1]
    >>> matching.top([1, float("nan")], k=1).tolist()
    [1]
    """

    def __init__(
        self, l: npt.ArrayLike, r: npt.ArrayLike, weight: npt.ArrayLike, kind: type[RankedIndex] = SOPTRTree
    ) -> None:
        super().__init__(l, r, weight, kind)
        self._seen = np.zeros(len(self._low), np.int32)
        self._mark = 0

    def _checked_scores(self, score: npt.ArrayLike, shape: tuple[int, ...]) -> Floats:
        weight = np.atleast_2d(np.asarray(score, np.float64))
        if weight.shape != shape:
            raise ValueError(f"weight must have one number per range, shape {shape}, got {np.shape(score)}: mend it")
        wrong = np.argwhere(~(weight >= 0))
        if wrong.size:
            i, j = wrong[0]
            raise ValueError(
                f"weights must not be negative or NaN, got {weight[i, j]} of subscription {i} in dimension {j} "
                f"({len(wrong)} in all): shift them, or leave the range out"
            )
        return weight.copy()

    def _best(self, x: Floats, k: int) -> Ints:
        if self._seen.size < len(self._low):
            self._seen = np.zeros(max(len(self._low), 2 * self._seen.size), np.int32)
            self._mark = 0
        self._mark += 1
        d = len(x)
        walks = {j: self.indexes[j].ranked(float(x[j])) for j in range(d) if x[j] == x[j]}
        most = min(k, max(len(self), 1))
        totals, ids, last = np.empty(most), np.empty(most, np.int64), np.full(d, np.inf)
        size, done, step = 0, False, _first_step(k)
        while not done:
            came, counts = np.empty((d, step), np.int64), np.zeros(d, np.int64)
            for j, walk in list(walks.items()):
                some = walk.take(step)
                came[j, : some.size] = some
                counts[j] = some.size
                if some.size < step:
                    del walks[j]
            size, done, tests = _relaxed_round(
                *(self._low, self._high, self._score, x, came, counts, step, last),
                *(self._seen, self._mark, totals, ids, size),
            )
            self._made += tests
            step = min(2 * step, LONGEST_STEP)
        return best_first(totals, ids, size)

    def rescore(self, ids: npt.ArrayLike, weight: npt.ArrayLike) -> None:
        """Give one subscription or several other weights, a row each; refused by static indexes."""
        weights = self._checked_scores(weight, (np.size(ids), self._low.shape[1]))
        for j, index in enumerate(self.indexes):
            index.rescore(ids, weights[:, j])
        self._score[np.atleast_1d(ids)] = weights


@njit
def _exact_round(low: Floats, high: Floats, x: Floats, came: Ints, out: Ints, found: int) -> int:
    """Add those of some subscriptions to `out` that hold a point, as far as there is room; their number."""
    for of in came:
        if found == len(out):
            break
        j = 0
        while j < len(x) and low[of, j] <= x[j] <= high[of, j]:
            j += 1
        if j == len(x):
            out[found] = of
            found += 1
    return found


class ExactMatching(BoxMatching):
    """The k best of the subscriptions all of whose ranges hold the coordinates of an event.

    Parameters
    ----------
    l, r
        Ends of the ranges, shape (n, d), l <= r; the row of a subscription is its id.
    score
        Scores of the subscriptions.
    kind
        The ranked index of each dimension. With `IRTree` subscriptions come and go.

    Examples
    --------
    >>> matching = ExactMatching([[0, 0], [0, 5], [0, 0]], [[9, 4], [9, 9], [2, 2]], score=[0.2, 0.4, 0.3])
    >>> matching.top([1, 1], k=2).tolist()
    [2, 0]
    """

    def _checked_scores(self, score: npt.ArrayLike, shape: tuple[int, ...]) -> Floats:
        scores = np.atleast_1d(np.asarray(score, np.float64))
        if scores.shape != shape[:1]:
            raise ValueError(
                f"score must have one number per subscription ({shape[0]}), got {np.shape(score)}: mend it"
            )
        if np.isnan(scores).any():
            raise ValueError(
                f"scores must not be NaN, got one at position {int(np.isnan(scores).argmax())}: leave it out"
            )
        return np.repeat(scores[:, None], shape[1], axis=1)

    def _best(self, x: Floats, k: int) -> Ints:
        if np.isnan(x).any():
            return np.empty(0, np.int64)
        most = min(k, max(len(self), 1))
        walks = [index.ranked(float(x[j])) for j, index in enumerate(self.indexes)]
        answers, found = np.empty((len(walks), most), np.int64), [0] * len(walks)
        step = _first_step(k)
        while True:
            for j, walk in enumerate(walks):
                came = walk.take(step)
                found[j] = _exact_round(self._low, self._high, x, came, answers[j], found[j])
                self._made += came.size * len(x)
                if found[j] == most or came.size < step:
                    return answers[j, : found[j]].copy()
            step = min(2 * step, LONGEST_STEP)

    def rescore(self, ids: npt.ArrayLike, score: npt.ArrayLike) -> None:
        """Give one subscription or several another score; refused by static indexes."""
        scores = self._checked_scores(score, (np.size(ids), self._low.shape[1]))
        for j, index in enumerate(self.indexes):
            index.rescore(ids, scores[:, j])
        self._score[np.atleast_1d(ids)] = scores
