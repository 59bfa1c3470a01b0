"""A kd-tree over subscriptions as points with one coordinate per side, any number of them: arrays, building, changes.

It is `matching.kdtree` with D coordinates in place of l and r, and built and changed by the same kernels
(`matching.balanced_tree`). `matching.side_queries` holds the queries.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.balanced_tree import tree_kernels
from matching.blocks import BLOCK, FILL, Floats, block_arrays

__all__ = ["KERNELS", "SideTree", "fit_box", "new_side_tree"]

HIGHER = 1
"""Second index of `SideTree.box`; the first is 0, the least coordinates."""


class SideTree(NamedTuple):
    """The arrays of a kd-tree over D sides; those named as in `matching.kdtree.Tree` are as there.

    Attributes
    ----------
    box : float64 array of shape (nodes, 2, D)
        Least and greatest coordinates of a node's subscriptions; +inf and -inf when it has none.
    ends : float64 array of shape (blocks, D, BLOCK)
        Coordinates in a block, its subscriptions first.
    """

    box: npt.NDArray[np.float64]
    link: npt.NDArray[np.int32]
    split: npt.NDArray[np.float64]
    ends: npt.NDArray[np.float64]
    id: npt.NDArray[np.int32]
    node_of: npt.NDArray[np.int32]
    slot: npt.NDArray[np.int32]
    state: npt.NDArray[np.int64]


def new_side_tree(sides: int, subscriptions: int, ids: int) -> SideTree:
    """Arrays with room for a number of subscriptions and ids, holding nothing: an empty leaf as root."""
    blocks = max(1, -(-subscriptions // FILL))
    box, ends = np.empty((2 * blocks, 2, sides)), np.empty((blocks, sides, BLOCK))
    box[0, 0], box[0, HIGHER] = np.inf, -np.inf
    return SideTree(box=box, ends=ends, **block_arrays(blocks, ids))


@njit
def _sides(tree: SideTree) -> int:
    return int(tree.box.shape[2])


@njit
def _least(tree: SideTree, node: int, side: int) -> float:
    value: float = tree.box[node, 0, side]
    return value


@njit
def _most(tree: SideTree, node: int, side: int) -> float:
    value: float = tree.box[node, HIGHER, side]
    return value


@njit
def _set_bounds(tree: SideTree, node: int, side: int, lower: float, upper: float) -> None:
    tree.box[node, 0, side], tree.box[node, HIGHER, side] = lower, upper


@njit
def fit_box(tree: SideTree, node: int, points: Floats, lo: int, hi: int) -> None:
    """Set a node's box to the smallest one around the points [lo, hi)."""
    for side in range(len(points)):
        lower, upper = np.inf, -np.inf
        for i in range(lo, hi):
            lower, upper = min(lower, points[side, i]), max(upper, points[side, i])
        _set_bounds(tree, node, side, lower, upper)


@njit
def _end_at(tree: SideTree, block: int, side: int, at: int) -> float:
    value: float = tree.ends[block, side, at]
    return value


@njit
def _set_end(tree: SideTree, block: int, side: int, at: int, value: float) -> None:
    tree.ends[block, side, at] = value


@njit
def _clear(_tree: SideTree, _block: int, _start: int, _stop: int) -> None:
    """Do nothing: queries look at no place that is free."""


KERNELS = tree_kernels(__name__, _sides, _least, _most, _set_bounds, fit_box, _end_at, _set_end, _clear)
"""How the tree is built and changed; points are arrays of shape (D, m), a row per side."""
