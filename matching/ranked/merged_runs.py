"""Ranked walks that merge runs (`matching.ranked.cursor`): the next ranges of a walk, and the k best of many points.

An index brings the parts in the form of the three functions at the top, and gets `take` and `top_all`, kernels of
`matching.ranked.walking`, from `merged_runs`.
"""

from collections.abc import Callable
from typing import Any

from floor.kernel_parts import by_name, with_parts
from floor.kernels import njit
from matching.range_index import Floats, Ints
from matching.ranked.cursor import EVALUATIONS, LIVE, Cursor, leave, resettle

__all__ = ["merged_runs"]


@njit
def open_walk(arrays: Any, x: float) -> Cursor:
    """Make a walk that stands before the best range that holds x."""
    raise NotImplementedError


@njit
def head(arrays: Any, cursor: Cursor, run: int) -> int:
    """Id of the head of a run."""
    raise NotImplementedError


@njit
def next_head(arrays: Any, cursor: Cursor, run: int) -> bool:
    """Set the head of a run to its next range that holds the point, if there is one."""
    raise NotImplementedError


@njit
def take(arrays: Any, cursor: Cursor, out: Ints) -> int:
    """Write the ids of the next ranges, as many as there is room for; how many there were."""
    found = 0
    while found < len(out) and cursor.state[LIVE] > 0:
        run = cursor.heap[0]
        out[found] = head(arrays, cursor, run)
        found += 1
        if next_head(arrays, cursor, run):
            resettle(cursor)
        else:
            leave(cursor)
    return found


@njit
def top_all(arrays: Any, xs: Floats, k: int, out: Ints, counts: Ints) -> int:
    """Write the k best at each point one after the other, and their numbers; how many evaluations it took."""
    evaluations, filled = 0, 0
    for i in range(len(xs)):
        cursor = open_walk(arrays, xs[i])
        counts[i] = take(arrays, cursor, out[filled : filled + k])
        filled += counts[i]
        evaluations += cursor.state[EVALUATIONS]
    return evaluations


def merged_runs(module: str, *parts: Callable[..., Any]) -> tuple[Callable[..., int], Callable[..., int]]:
    """Compile `take` and `top_all` for the module that brings the three parts; they go by their names."""
    made = with_parts(module, take, top_all, **by_name(parts))
    return made[0], made[1]
