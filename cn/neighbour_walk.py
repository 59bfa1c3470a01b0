"""Neighbours of zones, found by a walk of the split tree with each zone's closed box, for any number of sides.

`neighbours_of` compiles it for boxes as `cn.plane` or `cn.side_space` has them.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from floor.kernel_parts import with_parts
from floor.kernels import njit

__all__ = ["neighbours_of"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@njit
def is_there(box: Any) -> bool:
    """Whether a zone is that of a broker that is present."""
    raise NotImplementedError


@njit
def face_of(box: Any, other: Any, about: Any) -> int:
    """Face of a box that another shares a part of positive size with, or -1."""
    raise NotImplementedError


@njit
def touches(box: Any, splits: Any, node: int, child: int, about: Any) -> bool:
    """Whether a closed box reaches into a child of a split."""
    raise NotImplementedError


def _neighbours(splits: Any, extents: Floats, faces: int, about: Any) -> tuple[Ints, Ints, Floats]:
    """Where the neighbours of each zone begin, face by face, these, and their extents.

    O(n log n) for zones of bounded aspect.
    """
    n = len(extents)
    begin = np.zeros((n, faces + 1), np.int64)
    found = np.empty(4 * faces * n, np.int64)
    touching = np.empty((n, 2), np.int64)
    stack = np.empty(len(splits.cut) + 1, np.int64)
    filled = 0
    for b in range(n):
        box = extents[b]
        count = 0
        depth = 0
        if is_there(box):
            stack[0] = splits.root
            depth = 1
        while depth > 0:
            depth -= 1
            node = stack[depth]
            if node < 0:
                face = face_of(box, extents[-1 - node], about)
                if face >= 0:
                    touching[count, 0] = face
                    touching[count, 1] = -1 - node
                    count += 1
                continue
            for child in range(2):
                if touches(box, splits, node, child, about):
                    stack[depth] = splits.children[node, child]
                    depth += 1
        if filled + count > len(found):
            found = np.concatenate((found, np.empty(len(found) + count, np.int64)))
        for face in range(faces):
            begin[b, face] = filled
            for i in range(count):
                if touching[i, 0] == face:
                    found[filled] = touching[i, 1]
                    filled += 1
        begin[b, faces] = filled
    neighbours = found[:filled].copy()
    return begin, neighbours, extents[neighbours]


def neighbours_of(
    module: str, is_there: Callable[..., bool], face_of: Callable[..., int], touches: Callable[..., bool]
) -> Callable[..., tuple[Ints, Ints, Floats]]:
    """Compile the walk of a module's boxes.

    Gives a kernel that takes the splits, the extents, the number of faces of a zone, and what `face_of` and `touches`
    want to know about the space; it gives where the neighbours of each zone begin, these, and their extents.
    """
    return with_parts(module, _neighbours, is_there=is_there, face_of=face_of, touches=touches)[0]
