"""A sketch of the subscriptions: a cover by at most B rectangles that answers `snap` in place of the whole index.

The remark after Theorem 5 of the paper: a server that cannot keep every subscription keeps a cover, sends more
messages the coarser the cover is, and every list stays exact, because a rectangle of the cover promises only that
there may be subscriptions in it. `matching.cover` has how it is made and changed.
"""

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.blocks import BLOCK, CHILD, PAIRS_USED, SIZE, SOLID, Floats
from matching.cover import check_cover, checked_parts, cover_kernels
from matching.kdtree import KERNELS, Tree, fit_box, refit
from matching.owned_tree import SnappingTree, checked_ranges

__all__ = ["SubscriptionSketch"]


@njit
def _clear_box(tree: Tree, node: int) -> None:
    for side in range(4):
        tree.box[node, side] = -np.inf if side & 1 else np.inf


@njit
def _box_holds(tree: Tree, node: int, points: Floats, i: int) -> bool:
    box, left, right = tree.box[node], points[0, i], points[1, i]
    return bool(box[0] <= left <= box[1] and box[2] <= right <= box[3])


_COVER = cover_kernels(__name__, KERNELS, fit_box, _clear_box, _box_holds)


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
        checked_parts(rectangles, 1)
        points = checked_ranges(l, r)
        parts = checked_parts(rectangles, points.shape[1])
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
        _COVER.cut_parts(self._tree, points.copy(), parts)
        _COVER.insert(self._tree, points)

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
        _COVER.insert(self._tree, checked_ranges(l, r))

    def delete(self, l: npt.ArrayLike, r: npt.ArrayLike) -> None:
        """Remove subscriptions that were added before, by their ends: O(log B) each.

        Raises
        ------
        ValueError
            A range lies in no rectangle of the cover, so it cannot have been added; nothing is removed.
        """
        points = checked_ranges(l, r)
        missing = _COVER.delete(self._tree, points)
        if missing >= 0:
            l_end, r_end = points[:, missing]
            raise ValueError(f"no subscription [{l_end}, {r_end}] can be in the sketch: it covers no such range")

    def _check(self) -> None:
        """Raise AssertionError unless every invariant of the sketch holds."""
        check_cover(self._tree, refit)
