"""A sketch of the subscriptions: a cover by at most B rectangles that answers `snap` in place of the whole index.

The remark after Theorem 5 of the paper: a server that cannot keep every subscription keeps a cover, sends more
messages the coarser the cover is, and every list stays exact, because a rectangle of the cover promises only that
there may be subscriptions in it. The cover is a kd-tree of solid leaves (`matching.kdtree`): its planes cut the
first subscriptions into equal parts and then stay; the rectangles stretch with insertions and vanish when the last
subscription of their part is deleted. Until then a rectangle does not shrink: the sketch does not know what is left.
"""

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.blocks import AXIS, BLOCK, CHILD, PAIRS_USED, PARENT, SIZE, SOLID, Floats
from matching.kdtree import Tree, cut, fit_box, grow, refit, shrink
from matching.owned_tree import SnappingTree, checked_ranges

__all__ = ["SubscriptionSketch"]


@njit
def _cut(tree: Tree, points: Floats, rectangles: int) -> None:
    """Choose the planes from points, which are reordered: O(m log B). Leaves all parts empty."""
    ids = np.empty(points.shape[1], np.int32)
    pending = [(0, 0, ids.size, rectangles)]
    while len(pending) > 0:
        node, lo, hi, parts = pending.pop()
        if parts > 1 and hi - lo > 1:
            fit_box(tree, node, points, lo, hi)
            middle = lo + (hi - lo) * (parts // 2) // parts
            first = cut(tree, node, points, ids, lo, hi, middle)
            pending.append((first, lo, middle, parts // 2))
            pending.append((first + 1, middle, hi, parts - parts // 2))
        _clear(tree, node)


@njit
def _clear(tree: Tree, node: int) -> None:
    for side in range(4):
        tree.box[node, side] = -np.inf if side & 1 else np.inf


@njit
def _part_of(tree: Tree, points: Floats, i: int) -> int:
    """The part that a point belongs to, always the same one: a point on a plane is in the second child."""
    node = 0
    while tree.link[node, CHILD] != SOLID:
        value = points[tree.link[node, AXIS], i]
        node = tree.link[node, CHILD] + (value >= tree.split[node])
    return node


@njit
def _insert(tree: Tree, points: Floats) -> None:
    for i in range(points.shape[1]):
        grow(tree, _part_of(tree, points, i), points, i)


@njit
def _delete(tree: Tree, points: Floats) -> int:
    """Delete points; on the first one that cannot be there, put the others back and return its position, else -1."""
    parts = np.empty(points.shape[1], np.int64)
    for i in range(parts.size):
        parts[i] = _part_of(tree, points, i)
        box, left, right = tree.box[parts[i]], points[0, i], points[1, i]
        there = tree.link[parts[i], SIZE] > 0 and box[0] <= left <= box[1] and box[2] <= right <= box[3]
        tree.link[parts[i], SIZE] -= 1
        if not there:
            for j in range(i + 1):
                tree.link[parts[j], SIZE] += 1
            return i
    for i in range(parts.size):
        node = parts[i]
        changed = tree.link[node, SIZE] == 0
        if changed:
            _clear(tree, node)
        shrink(tree, node, changed)
    return -1


class SubscriptionSketch(SnappingTree):
    """A cover of subscriptions by rectangles, with the `snap` of `SubscriptionIndex` in O(B) space.

    That `snap` gives a box inside the rectangle around all subscriptions there, not always the smallest.

    Parameters
    ----------
    l, r
        Ends of the first subscriptions; their distribution decides where the rectangles lie.
    rectangles
        B, the largest number of rectangles.

    Examples
    --------
    >>> sketch = SubscriptionSketch([0.0, 1.0, 8.0, 9.0], [2.0, 3.0, 9.0, 9.0], rectangles=2)
    >>> sketch.snap((0.5, 5.0, 2.5, 5.0))
    (0.5, 1.0, 2.5, 3.0)
    >>> sketch.delete([0.0, 1.0], [2.0, 3.0])
    >>> sketch.snap((0.5, 5.0, 2.5, 5.0)) is None
    True
    """

    def __init__(self, l: npt.ArrayLike, r: npt.ArrayLike, rectangles: int) -> None:
        if isinstance(rectangles, bool) or not isinstance(rectangles, int | np.integer):
            raise TypeError(f"rectangles must be an integer, got {rectangles!r}")
        if rectangles < 1:
            raise ValueError(f"rectangles must be at least 1 (the size of the cover), got {rectangles}")
        points = checked_ranges(l, r)
        parts = min(int(rectangles), max(points.shape[1], 1))
        self._tree = Tree(
            box=np.empty((2 * parts, 4)),
            link=np.zeros((2 * parts, 4), np.int32),
            split=np.zeros(2 * parts),
            ends=np.empty((0, 2, BLOCK), np.int64),
            id=np.empty(0, np.int32),
            node_of=np.empty(0, np.int32),
            slot=np.empty(0, np.int32),
            state=np.zeros(8, np.int64),
        )
        self._tree.link[:, CHILD] = SOLID
        self._tree.state[PAIRS_USED] = 1
        _cut(self._tree, points.copy(), parts)
        _insert(self._tree, points)

    @property
    def rectangles(self) -> npt.NDArray[np.float64]:
        """The cover: one row l_min, l_max, r_min, r_max per rectangle that holds a subscription."""
        used = slice(0, 2 * int(self._tree.state[PAIRS_USED]))
        leaf = (self._tree.link[used, CHILD] == SOLID) & (self._tree.link[used, SIZE] > 0)
        leaf[1] = False
        cover: npt.NDArray[np.float64] = self._tree.box[used][leaf]
        return cover

    def insert(self, l: npt.ArrayLike, r: npt.ArrayLike) -> None:
        """Add one subscription, or several given as arrays: O(log B) each."""
        _insert(self._tree, checked_ranges(l, r))

    def delete(self, l: npt.ArrayLike, r: npt.ArrayLike) -> None:
        """Remove subscriptions that were added before, by their ends: O(log B) each.

        Raises
        ------
        ValueError
            A range lies in no rectangle of the cover, so it cannot have been added; nothing is removed.
        """
        points = checked_ranges(l, r)
        missing = _delete(self._tree, points)
        if missing >= 0:
            l_end, r_end = points[:, missing]
            raise ValueError(f"no subscription [{l_end}, {r_end}] can be in the sketch: it covers no such range")

    def _check(self) -> None:
        """Raise AssertionError unless every invariant of the sketch holds."""
        tree = self._tree
        pending = [0]
        while pending:
            node = pending.pop()
            child = int(tree.link[node, CHILD])
            if child != SOLID:
                pending += [child, child + 1]
                assert tree.link[child, PARENT] == tree.link[child + 1, PARENT] == node
                assert tree.link[node, SIZE] == tree.link[child, SIZE] + tree.link[child + 1, SIZE]
                assert not refit(tree, node)
            assert (tree.link[node, SIZE] > 0) == (tree.box[node, 0] <= tree.box[node, 1])
