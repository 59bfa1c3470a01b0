"""The IR-tree: an interval tree with an R-tree in every node, for ranges that come and go.

Seed 000, Section 3.1; arrays in `matching.ranked.ir_arrays`, skeleton in `matching.ranked.ir_skeleton`, R-trees in
`matching.ranked.ir_blocks`, questions in `matching.ranked.ir_walks`.
"""

import operator

import numpy as np
import numpy.typing as npt

from matching.flat_arrays import resized
from matching.known_ids import known_ids
from matching.range_index import Floats, Ids, Ints, UnknownRangeError, checked_ends, checked_scores, ranking
from matching.ranked import ir_arrays as at
from matching.ranked import ir_skeleton, ir_walks
from matching.ranked.ir_arrays import IRArrays
from matching.ranked.ir_check import check_ir_tree
from matching.ranked.walking import RankedArrayIndex

__all__ = ["IRTree"]

GROWTH = 0.25
"""Share by which arrays grow that are full."""
LEAST_BRANCHING, MOST_BRANCHING = 4, 1024
PIECES = 11
"""Lengths of pieces: powers of two up to MOST_BRANCHING."""


def _empty(b: int, ids: int) -> IRArrays:
    state = np.full(at.FREE_PIECES + PIECES, -1, np.int64)
    state[[at.BRANCHING, at.ISSUED]] = b, ids
    state[[at.SLOTS_USED, at.BLOCKS_USED, at.NODES_USED]] = 0
    return IRArrays(
        np.empty(0),
        np.empty(0),
        np.empty(0),
        np.empty(0, np.int32),
        np.empty((0, 6), np.int32),
        np.empty((0, 3)),
        np.empty((0, 5), np.int32),
        np.full(ids, -1, np.int32),
        state,
    )


def _with_rows(arrays: IRArrays, slots: int, blocks: int, nodes: int) -> IRArrays:
    """The same tree in arrays of other lengths."""
    rows = {**dict.fromkeys(("l", "r", "score", "ref"), slots), "block": blocks, "span": nodes, "link": nodes}
    return arrays._replace(**{name: resized(getattr(arrays, name), count) for name, count in rows.items()})


class IRTree(RankedArrayIndex):
    """The k best ranges at a point in O((k + log n) b log_b n), with insertion, deletion and rescoring.

    Building takes O(n log n), a change O(b log n) and, for an insertion, O(log^2 n) amortised for the balance; 40 to
    70 bytes per range, ids included. Ids count up from 0 in the order of insertion and are never used again.

    Parameters
    ----------
    l, r
        Ends of the first ranges, l <= r; the position of a range is its id. Infinite ends are allowed.
    score
        Scores of the ranges; without them they are 0, and the order of answers is that of ids.
    b
        Ranges per leaf and blocks per block at most, 4 to 1024. The paper takes 50.

    Examples
    --------
    >>> index = IRTree([0.0, 1.0, 4.0], [2.0, 5.0, 9.0], score=[0.5, 0.9, 0.7])
    >>> index.insert(1.0, 2.0, score=0.6)
    3
    >>> index.rescore(0, 1.0)
    >>> index.delete(1)
    >>> index.top(1.5, k=2).tolist()
    [0, 3]
    """

    arrays: IRArrays
    _stab_all = staticmethod(ir_walks.stab_all)
    _open_walk = staticmethod(ir_walks.open_walk)
    _take = staticmethod(ir_walks.take)
    _top_all = staticmethod(ir_walks.top_all)

    def __init__(
        self,
        l: npt.ArrayLike = (),
        r: npt.ArrayLike = (),
        score: npt.ArrayLike | None = None,
        b: int = 32,
    ) -> None:
        branching = operator.index(b)
        if not LEAST_BRANCHING <= branching <= MOST_BRANCHING:
            raise ValueError(f"b must be between {LEAST_BRANCHING} and {MOST_BRANCHING}, got {b}")
        left, right = checked_ends(l, r)
        scores = checked_scores(0.0 if score is None else score, left.size)
        assert scores is not None
        self.arrays = _empty(branching, left.size)
        self._build(left, right, scores, np.arange(left.size, dtype=np.int32))

    def _build(self, l: Floats, r: Floats, scores: Floats, ids: Ids) -> None:
        """Replace the tree by a new one over ranges with ids that are given."""
        state = self.arrays.state
        home = self.arrays.home
        fresh = _empty(int(state[at.BRANCHING]), 0)._replace(home=home)
        fresh.state[at.ISSUED] = state[at.ISSUED]
        fresh = _with_rows(fresh, *ir_skeleton.needs(ids.size))
        order = np.argsort(ids, kind="stable")
        order = order[ranking(scores[order], ids.size)]
        fresh.state[at.TOP] = ir_skeleton.build(fresh, l[order], r[order], scores[order], ids[order], -1)
        used = fresh.state[[at.SLOTS_USED, at.BLOCKS_USED, at.NODES_USED]].tolist()
        self.arrays = _with_rows(fresh, *used)

    def __len__(self) -> int:
        top = int(self.arrays.state[at.TOP])
        return 0 if top < 0 else int(self.arrays.link[top, at.WEIGHT])

    def insert(self, l: npt.ArrayLike, r: npt.ArrayLike, score: npt.ArrayLike = 0.0) -> int | Ints:
        """Add one range, or several given as arrays, and return the id or the ids.

        O(b log n + log^2 n) amortised each; many at once are cheaper, and more than there are rebuild the index.
        """
        left, right = checked_ends(l, r)
        scores = checked_scores(score, left.size)
        assert scores is not None
        first = int(self.arrays.state[at.ISSUED])
        self._issue(left.size)
        if left.size > len(self):
            held = ir_skeleton.collect(self.arrays, int(self.arrays.state[at.TOP]), left.size, 0)
            here = slice(len(self), None)
            held[0][here], held[1][here], held[2][here] = left, right, scores
            held[3][here] = np.arange(first, first + left.size)
            self._build(*held)
        else:
            done = ir_skeleton.insert_all(self.arrays, left, right, scores, first, 0)
            while done < left.size or self.arrays.state[at.REBUILD] >= 0:
                self._grow()
                done = ir_skeleton.insert_all(self.arrays, left, right, scores, first, done)
        if np.ndim(l) == 0 and np.ndim(r) == 0:
            return first
        return np.arange(first, first + left.size)

    def _issue(self, count: int) -> None:
        """Give out ids."""
        self._changes += 1
        state, home = self.arrays.state, self.arrays.home
        issued = int(state[at.ISSUED]) + count
        if issued > home.size:
            longer = resized(home, max(issued, int(home.size * (1 + GROWTH))))
            longer[home.size :] = -1
            self.arrays = self.arrays._replace(home=longer)
        state[at.ISSUED] = issued

    def _grow(self) -> None:
        """Make room for another range, and for a subtree that is to be built anew."""
        arrays = self.arrays
        state = arrays.state
        pending = int(state[at.REBUILD])
        more = ir_skeleton.needs(int(arrays.link[pending, at.WEIGHT]) if pending >= 0 else 0)
        used = state[[at.SLOTS_USED, at.BLOCKS_USED, at.NODES_USED]].tolist()
        least = (64 * int(state[at.BRANCHING]), 64, 64)
        rows = [int(u * (1 + GROWTH)) + m + s for u, m, s in zip(used, more, least, strict=True)]
        self.arrays = _with_rows(arrays, *rows)

    def _known(self, ids: npt.ArrayLike) -> Ints:
        """Ids as an array, all of them ranges of this index, none of them twice."""
        arrays = self.arrays
        issued = int(arrays.state[at.ISSUED])
        return known_ids(ids, issued, lambda some: arrays.home[some] >= 0, UnknownRangeError, "range", distinct=True)

    def delete(self, ids: npt.ArrayLike) -> None:
        """Remove one range or several by id, O(b log n) amortised each.

        Raises
        ------
        UnknownRangeError
            An id was never issued or is deleted already; nothing is removed.
        ValueError
            An id is given twice; nothing is removed.
        """
        known = self._known(ids)
        self._changes += 1
        done = ir_skeleton.delete_all(self.arrays, known, 0)
        while done < known.size:
            self._grow()
            done = ir_skeleton.delete_all(self.arrays, known, done)
        if self.arrays.state[at.NODES_USED] > 2 * len(self) + 64:
            self._build(*ir_skeleton.collect(self.arrays, int(self.arrays.state[at.TOP]), 0, 0))

    def rescore(self, ids: npt.ArrayLike, score: npt.ArrayLike) -> None:
        """Give one range or several another score, O(b log n) each; raises as `delete` does."""
        known = self._known(ids)
        scores = checked_scores(score, known.size)
        assert scores is not None
        self._changes += 1
        done = ir_skeleton.rescore_all(self.arrays, known, scores, 0)
        while done < known.size:
            self._grow()
            done = ir_skeleton.rescore_all(self.arrays, known, scores, done)

    def _check(self) -> None:
        """Raise AssertionError unless every invariant of the tree holds: O(n) in interpreted Python."""
        check_ir_tree(self.arrays)
