"""Covers of subscriptions by boxes, whatever the number of their sides: how a sketch is cut, filled and emptied.

A cover is a kd-tree of solid leaves. Its planes cut the first subscriptions into equal parts and then stay; the boxes
stretch with insertions and vanish when the last subscription of their part is deleted. Until then a box does not
shrink: the sketch does not know what is left. Points are arrays of shape (D, m), a row per side. A kind of tree
brings the parts in the form of the functions at the top, and gets the others from `cover_kernels`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from floor.kernel_parts import by_name, with_parts
from floor.kernels import njit
from matching.balanced_tree import TreeKernels
from matching.blocks import AXIS, CHILD, PARENT, SIZE, SOLID, Floats

__all__ = ["CoverKernels", "check_cover", "checked_parts", "cover_kernels"]


class CoverKernels(NamedTuple):
    """The kernels of a kind of cover; see the functions of these names."""

    cut_parts: Callable[..., None]
    insert: Callable[..., None]
    delete: Callable[..., int]


@njit
def fit_box(tree: Any, node: int, points: Floats, lo: int, hi: int) -> None:
    """Set a node's box to the smallest one around the points [lo, hi)."""
    raise NotImplementedError


@njit
def clear_box(tree: Any, node: int) -> None:
    """Make a node's box that of nobody."""
    raise NotImplementedError


@njit
def box_holds(tree: Any, node: int, points: Floats, i: int) -> bool:
    """Whether a point lies in a node's box."""
    raise NotImplementedError


@njit
def cut(tree: Any, node: int, points: Floats, ids: Any, lo: int, hi: int, middle: int) -> int:
    """Split a node, as `matching.balanced_tree` does."""
    raise NotImplementedError


@njit
def grow(tree: Any, node: int, points: Floats, i: int) -> None:
    """Count one more point, as `matching.balanced_tree` does."""
    raise NotImplementedError


@njit
def shrink(tree: Any, leaf: int, changed: bool) -> None:
    """Count one point less, as `matching.balanced_tree` does."""
    raise NotImplementedError


@njit
def cut_parts(tree: Any, points: Floats, boxes: int) -> None:
    """Choose the planes from points, which are reordered: O(m log B). Leaves all parts empty."""
    ids = np.empty(points.shape[1], np.int32)
    pending = [(0, 0, ids.size, boxes)]
    while len(pending) > 0:
        node, lo, hi, parts = pending.pop()
        if parts > 1 and hi - lo > 1:
            fit_box(tree, node, points, lo, hi)
            middle = lo + (hi - lo) * (parts // 2) // parts
            first = cut(tree, node, points, ids, lo, hi, middle)
            pending.append((first, lo, middle, parts // 2))
            pending.append((first + 1, middle, hi, parts - parts // 2))
        clear_box(tree, node)


@njit
def _part_of(tree: Any, points: Floats, i: int) -> int:
    """The part that a point belongs to, always the same one: a point on a plane is in the second child."""
    node = 0
    while tree.link[node, CHILD] != SOLID:
        value = points[tree.link[node, AXIS], i]
        node = tree.link[node, CHILD] + (value >= tree.split[node])
    return node


@njit
def insert(tree: Any, points: Floats) -> None:
    """Add points: O(log B) each."""
    for i in range(points.shape[1]):
        grow(tree, _part_of(tree, points, i), points, i)


@njit
def delete(tree: Any, points: Floats) -> int:
    """Delete points; on the first one that cannot be there, put the others back and return its position, else -1."""
    parts = np.empty(points.shape[1], np.int64)
    for i in range(parts.size):
        parts[i] = _part_of(tree, points, i)
        there = tree.link[parts[i], SIZE] > 0 and box_holds(tree, parts[i], points, i)
        tree.link[parts[i], SIZE] -= 1
        if not there:
            for j in range(i + 1):
                tree.link[parts[j], SIZE] += 1
            return i
    for i in range(parts.size):
        node = parts[i]
        changed = tree.link[node, SIZE] == 0
        if changed:
            clear_box(tree, node)
        shrink(tree, node, changed)
    return -1


def cover_kernels(module: str, kernels: TreeKernels, *parts: Callable[..., Any]) -> CoverKernels:
    """Compile the kernels of a kind of cover: of its tree, and its own parts by their names."""
    shared = {"cut": kernels.cut, "grow": kernels.grow, "shrink": kernels.shrink}
    return CoverKernels(*with_parts(module, _part_of, cut_parts, insert, delete, **shared, **by_name(parts))[1:])


def checked_parts(rectangles: object, points: int) -> int:
    """How many parts a cover of so many points has: as many as it may, but not more than there are points.

    Raises
    ------
    TypeError, ValueError
        It is not a number from 1 on.
    """
    if isinstance(rectangles, bool) or not isinstance(rectangles, int | np.integer):
        raise TypeError(f"rectangles must be an integer, got {rectangles!r}")
    if rectangles < 1:
        raise ValueError(f"rectangles must be at least 1 (the size of the cover), got {rectangles}")
    return min(int(rectangles), max(points, 1))


def check_cover(tree: Any, refit: Callable[..., bool]) -> None:
    """Raise AssertionError unless every invariant of a cover holds."""
    pending = [0]
    while pending:
        node = pending.pop()
        child = int(tree.link[node, CHILD])
        if child != SOLID:
            pending += [child, child + 1]
            assert tree.link[child, PARENT] == tree.link[child + 1, PARENT] == node
            assert tree.link[node, SIZE] == tree.link[child, SIZE] + tree.link[child + 1, SIZE]
            assert not refit(tree, node)
        box = tree.box[node]
        least, most = (box[0], box[1]) if box.ndim == 1 else (box[0, 0], box[1, 0])
        assert (tree.link[node, SIZE] > 0) == (least <= most)
