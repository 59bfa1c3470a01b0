"""The arrays of an IR-tree: entries, blocks, nodes of the skeleton, and where each range is."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = [
    "ABOVE",
    "BELOW",
    "BEST",
    "BLOCKS_USED",
    "BRANCHING",
    "CENTRE",
    "COUNT",
    "FREE_BLOCK",
    "FREE_NODE",
    "FREE_PIECES",
    "HIGH",
    "ISSUED",
    "LEVEL",
    "LOW",
    "NODES_USED",
    "NODE_PARENT",
    "PARENT",
    "REBUILD",
    "ROOM",
    "ROOT",
    "SLOTS_USED",
    "START",
    "TOP",
    "WEIGHT",
    "IRArrays",
]

START, ROOM, COUNT, LEVEL, PARENT, BEST = range(6)
"""Columns of `IRArrays.block`."""
CENTRE, LOW, HIGH = range(3)
"""Columns of `IRArrays.span`."""
BELOW, ABOVE, ROOT, NODE_PARENT, WEIGHT = range(5)
"""Columns of `IRArrays.link`."""
BRANCHING, ISSUED, TOP, REBUILD, SLOTS_USED, BLOCKS_USED, NODES_USED, FREE_BLOCK, FREE_NODE, FREE_PIECES = range(10)
"""Positions in `IRArrays.state`; from FREE_PIECES on, the first free piece of each length."""


class IRArrays(NamedTuple):
    """The arrays of an IR-tree; -1 stands for none."""

    l: npt.NDArray[np.float64]
    """(slots,): left ends of entries."""
    r: npt.NDArray[np.float64]
    """(slots,): right ends."""
    score: npt.NDArray[np.float64]
    """(slots,): scores; of a block, its best one."""
    ref: npt.NDArray[np.int32]
    """(slots,): the id of a range, or a block; in a free piece, where the next one starts."""
    block: npt.NDArray[np.int32]
    """(blocks, 6): start and length of its piece, entries, level, block above or ~node, id of its best range.
    Of a free block, PARENT is the next one."""
    span: npt.NDArray[np.float64]
    """(nodes, 3): centre and extent of a node of the skeleton."""
    link: npt.NDArray[np.int32]
    """(nodes, 5): nodes below and above its centre, highest block, parent, ranges in the subtree.
    Of a free node, NODE_PARENT is the next one."""
    home: npt.NDArray[np.int32]
    """(ids,): the leaf of a range; -1 of one that is deleted."""
    state: npt.NDArray[np.int64]
    """b, ids given so far, highest node, node to rebuild, what is used of slots, blocks and nodes, free lists."""
