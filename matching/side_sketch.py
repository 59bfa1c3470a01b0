"""The sketch over any number of sides: `matching.sketch` with a coordinate for each, as `SideIndex` has them.

Queries know solid leaves only: what a leaf shares with a box may hold somebody, all of it.
"""

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.blocks import CHILD, LARGEST, PAIRS_USED, SIZE, SOLID, Floats, following
from matching.cover import check_cover, checked_parts, cover_kernels
from matching.owned_tree import OwnedTree
from matching.side_tree import KERNELS, SideTree, fit_box, new_side_tree

__all__ = ["SideSketch", "clear_between", "snap_cover"]


@njit
def _clear_box(tree: SideTree, node: int) -> None:
    for side in range(tree.box.shape[2]):
        tree.box[node, 0, side], tree.box[node, 1, side] = np.inf, -np.inf


@njit
def _box_holds(tree: SideTree, node: int, points: Floats, i: int) -> bool:
    inside = True
    for side in range(len(points)):
        inside = inside and tree.box[node, 0, side] <= points[side, i] <= tree.box[node, 1, side]
    return inside


_COVER = cover_kernels(__name__, KERNELS, fit_box, _clear_box, _box_holds)


@njit
def snap_cover(tree: SideTree, lo: Floats, hi: Floats, out_lo: Floats, out_hi: Floats) -> int:
    """Write a box inside a closed box that holds all who are in that; whether there may be any, 0 or 1. O(B)."""
    count = len(lo)
    for side in range(count):
        out_lo[side], out_hi[side] = np.inf, -np.inf
    found = 0
    node = 0
    while node >= 0:
        meets, news = tree.link[node, SIZE] > 0, False
        for side in range(count):
            lower, upper = max(tree.box[node, 0, side], lo[side]), min(tree.box[node, 1, side], hi[side])
            meets = meets and lower <= upper
            news = news or lower < out_lo[side] or upper > out_hi[side]
        if meets and news:
            if tree.link[node, CHILD] != SOLID:
                node = tree.link[node, CHILD]
                continue
            found = 1
            for side in range(count):
                out_lo[side] = min(out_lo[side], max(tree.box[node, 0, side], lo[side]))
                out_hi[side] = max(out_hi[side], min(tree.box[node, 1, side], hi[side]))
        node = following(tree.link, node, 0)
    return found


@njit
def clear_between(tree: SideTree, around: Floats, one: Floats, other: Floats) -> bool:
    """Whether a box, (2, D), holds nobody but those of two boxes in it, as far as the cover can tell. O(B)."""
    node = 0
    while node >= 0:
        meets, in_one, in_other = tree.link[node, SIZE] > 0, True, True
        for side in range(around.shape[1]):
            lower, upper = (
                max(tree.box[node, 0, side], around[0, side]),
                min(tree.box[node, 1, side], around[1, side]),
            )
            meets = meets and lower <= upper
            in_one = in_one and one[0, side] <= lower and upper <= one[1, side]
            in_other = in_other and other[0, side] <= lower and upper <= other[1, side]
        if meets and not (in_one or in_other):
            if tree.link[node, CHILD] == SOLID:
                return False
            node = tree.link[node, CHILD]
            continue
        node = following(tree.link, node, 0)
    return True


class SideSketch(OwnedTree):
    """A cover of subscriptions, points of D sides, by boxes, with a `snap` in O(B) space.

    That `snap` gives a box inside the one around all subscriptions there, not always the smallest.

    Parameters
    ----------
    points : float64 array of shape (m, D)
        Coordinates of the first subscriptions, not NaN; their distribution decides where the boxes lie.
    rectangles
        B, the largest number of boxes.

    Examples
    --------
    >>> sketch = SideSketch(np.array([[0.0, 2.0, 1.0], [-1.0, 3.0, 1.0], [-8.0, 9.0, 9.0]]), rectangles=2)
    >>> [bound.tolist() for bound in sketch.snap(([-2.0, 2.5, 0.0], [0.0, 5.0, 5.0]))]
    [[-1.0, 2.5, 1.0], [0.0, 3.0, 1.0]]
    """

    _tree: SideTree

    def __init__(self, points: Floats, rectangles: int) -> None:
        columns = _columns(points)
        parts = checked_parts(rectangles, columns.shape[1])
        made = new_side_tree(len(columns), 0, 0)
        self._tree = made._replace(
            box=np.empty((2 * parts, 2, len(columns))),
            link=np.zeros((2 * parts, 4), np.int32),
            split=np.zeros(2 * parts),
            state=np.zeros(8, np.int64),
        )
        self._tree.link[:, CHILD] = SOLID
        self._tree.state[PAIRS_USED] = 1
        _COVER.cut_parts(self._tree, columns.copy(), parts)
        _COVER.insert(self._tree, columns)

    @property
    def arrays(self) -> SideTree:
        """The arrays, for the queries of this module; they stay the same."""
        return self._tree

    @property
    def rectangles(self) -> Floats:
        """The cover: lo and hi, (boxes, 2, D), of each box that holds a subscription."""
        used = slice(0, 2 * int(self._tree.state[PAIRS_USED]))
        leaf = (self._tree.link[used, CHILD] == SOLID) & (self._tree.link[used, SIZE] > 0)
        leaf[1] = False
        cover: Floats = self._tree.box[used][leaf]
        return cover

    def insert(self, points: Floats) -> None:
        """Add subscriptions, one row each: O(log B) each."""
        _COVER.insert(self._tree, _columns(points))

    def delete(self, points: Floats) -> None:
        """Remove subscriptions that were added before, by their points: O(log B) each.

        Raises
        ------
        ValueError
            A point lies in no box of the cover, so it cannot have been added; nothing is removed.
        """
        columns = _columns(points)
        missing = _COVER.delete(self._tree, columns)
        if missing >= 0:
            raise ValueError(
                f"no subscription {columns[:, missing].tolist()} can be in the sketch: it covers no such point"
            )

    def snap(self, box: npt.ArrayLike) -> tuple[Floats, Floats] | None:
        """A closed box inside a closed box, (2, D), around those who are in it, or None if nobody can be."""
        lo, hi = np.ascontiguousarray(box, np.float64)
        found = np.empty((2, len(lo)))
        return (found[0], found[1]) if snap_cover(self._tree, lo, hi, found[0], found[1]) else None

    def _check(self) -> None:
        """Raise AssertionError unless every invariant of the sketch holds."""
        check_cover(self._tree, KERNELS.refit)


def _columns(points: Floats) -> Floats:
    """Finite coordinates, a row per side, as new memory."""
    return np.ascontiguousarray(np.clip(np.asarray(points, np.float64).T, -LARGEST, LARGEST))
