"""A small copy of the part of a subscription tree that a burst of queries stays inside.

An event asks dozens of questions about one corner of the subscription space. When that corner holds few
subscriptions, it pays to copy them once into a tree of their own, which fits the fastest caches, and to ask that one:
it has the same type and gives the same answers for every rectangle within the corner.
"""

import numpy as np

from matching.kdtree import (
    BLOCK,
    BLOCKS_USED,
    FILL,
    FIRST_BLOCK,
    FREE_BLOCKS,
    FREE_PAIRS,
    PAIRS_USED,
    SOLID,
    Tree,
    build,
    following,
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
    box = tree.box
    found = 0
    node = 0
    while True:
        l_min, l_max, r_min, r_max = box[node, 0], box[node, 1], box[node, 2], box[node, 3]
        if l_min <= l_hi and l_max >= l_lo and r_min <= r_hi and r_max >= r_lo:
            child = tree.child[node]
            if child == SOLID:
                return False
            whole = l_min >= l_lo and l_max <= l_hi and r_min >= r_lo and r_max <= r_hi
            if whole and found + tree.size[node] > most:
                return False
            if child > 0:
                node = child
                continue
            start = (FIRST_BLOCK - child) * BLOCK
            for i in range(start, start + tree.size[node]):
                if l_lo <= tree.left[i] <= l_hi and r_lo <= tree.right[i] <= r_hi:
                    if found == most:
                        return False
                    left[found] = tree.left[i]
                    right[found] = tree.right[i]
                    found += 1
        node = following(tree, node)
        if node == 0:
            break
    small.state[PAIRS_USED] = 1
    small.state[BLOCKS_USED] = small.state[FREE_PAIRS] = small.state[FREE_BLOCKS] = 0
    build(small, 0, left[:found], right[:found], np.arange(found).astype(np.int32), FILL)
    return True
