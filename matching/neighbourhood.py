"""A small copy of the part of a subscription tree that a burst of queries stays inside.

An event asks dozens of questions about one corner of the subscription space. When that corner holds few
subscriptions, it pays to copy them once into a tree of their own, which fits the fastest caches, and to ask that one:
it has the same type and gives the same answers for every rectangle within the corner.
"""

import numpy as np

from matching.kdtree import (
    BLOCK,
    BLOCKS_USED,
    CHILD,
    FILL,
    FREE_BLOCKS,
    FREE_PAIRS,
    PAIRS_USED,
    SIZE,
    SOLID,
    Tree,
    build,
    following,
    inside,
    new_tree,
)
from rangecast import njit

__all__ = ["copy_neighbourhood", "new_neighbourhood"]


def new_neighbourhood(subscriptions: int) -> Tree:
    """Allocate a tree that `copy_neighbourhood` can fill with up to so many subscriptions."""
    return new_tree(subscriptions, subscriptions)


@njit
def copy_neighbourhood(
    tree: Tree, l_lo: float, l_hi: float, r_lo: float, r_hi: float, most: int, small: Tree
) -> bool:
    """Make `small` the tree of the subscriptions inside a rectangle, under new ids.

    Returns
    -------
    bool
        False when there are more than `most`, which `small` must have room for, or the rectangle meets a solid leaf;
        `small` is of no use then. O(c log c) for c subscriptions, beside finding them.
    """
    left, right = np.empty(most), np.empty(most)
    box, link, ends = tree.box, tree.link, tree.ends
    found = 0
    node = 0
    while True:
        l_min, l_max, r_min, r_max = box[node, 0], box[node, 1], box[node, 2], box[node, 3]
        if l_min <= l_hi and l_max >= l_lo and r_min <= r_hi and r_max >= r_lo:
            child = link[node, CHILD]
            if child == SOLID:
                return False
            whole = l_min >= l_lo and l_max <= l_hi and r_min >= r_lo and r_max <= r_hi
            if whole and found + link[node, SIZE] > most:
                return False
            if child > 0:
                node = child
                continue
            start = ~child * BLOCK
            for i in range(start, start + link[node, SIZE]):
                if inside(ends[i, 0], ends[i, 1], l_lo, l_hi, r_lo, r_hi):
                    if found == most:
                        return False
                    left[found] = ends[i, 0]
                    right[found] = ends[i, 1]
                    found += 1
        node = following(link, node)
        if node == 0:
            break
    small.state[PAIRS_USED] = 1
    small.state[BLOCKS_USED] = small.state[FREE_PAIRS] = small.state[FREE_BLOCKS] = 0
    build(small, 0, left[:found], right[:found], np.arange(found).astype(np.int32), FILL)
    return True
