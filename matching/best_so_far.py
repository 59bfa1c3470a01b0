"""The k best so far: a heap whose worst member stands first, in the one order of all answers.

Best is the higher score, of equal ones the smaller id. `scores` and `ids` are arrays of length k of which the first
`size` are in use; `size` travels with the caller.
"""

import numpy as np

from floor.kernels import njit
from matching.range_index import Floats, Ints

__all__ = ["best_first", "keep"]


@njit
def _better(score: float, of: int, other_score: float, other: int) -> bool:
    return bool(score > other_score or (score == other_score and of < other))


@njit
def keep(scores: Floats, ids: Ints, size: int, score: float, of: int) -> int:
    """Put one among the best so far if it is one of them; their number. O(log k)."""
    if size < len(ids):
        hole = size
        while hole > 0 and _better(scores[(hole - 1) >> 1], ids[(hole - 1) >> 1], score, of):
            scores[hole], ids[hole] = scores[(hole - 1) >> 1], ids[(hole - 1) >> 1]
            hole = (hole - 1) >> 1
        scores[hole], ids[hole] = score, of
        return size + 1
    if not _better(score, of, scores[0], ids[0]):
        return size
    hole = 0
    while 2 * hole + 1 < size:
        child = 2 * hole + 1
        if child + 1 < size and _better(scores[child], ids[child], scores[child + 1], ids[child + 1]):
            child += 1
        if not _better(score, of, scores[child], ids[child]):
            break
        scores[hole], ids[hole] = scores[child], ids[child]
        hole = child
    scores[hole], ids[hole] = score, of
    return size


def best_first(scores: Floats, ids: Ints, size: int) -> Ints:
    """Ids of the members of the heap, best first."""
    order: Ints = np.lexsort((ids[:size], -scores[:size]))
    return ids[:size][order]
