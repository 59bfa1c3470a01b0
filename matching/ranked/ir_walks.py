"""Questions to an IR-tree: a ranked walk merges the R-trees on the path of a point.

Seed 000, Section 3.1. The skeleton's nodes on the path are those that can hold ranges with the point; the R-tree of
each gives them best first, since it stands in the order of ranks, and never enters a block in vain.
"""

from floor.kernels import njit
from matching.range_index import Floats, Ints
from matching.ranked.cursor import EVALUATIONS, Cursor, enter, new_cursor
from matching.ranked.ir_arrays import (
    ABOVE,
    BELOW,
    CENTRE,
    COUNT,
    HIGH,
    LEVEL,
    LOW,
    PARENT,
    ROOT,
    START,
    TOP,
    IRArrays,
)
from matching.ranked.ir_blocks import slot_of
from matching.ranked.merged_runs import merged_runs

__all__ = ["open_walk", "stab_all", "take", "top_all"]


@njit
def _following(t: IRArrays, x: float, block: int, place: int) -> tuple[int, int, int]:
    """The next range that holds a point from a place of a block on, as (leaf, place), and the entries tested.

    The leaf is -1 when the R-tree has no more.
    """
    tests = 0
    while True:
        start, count = t.block[block, START], t.block[block, COUNT]
        first = place
        while place < count and not (t.l[start + place] <= x <= t.r[start + place]):
            place += 1
        tests += min(place + 1, count) - first
        if place < count:
            if t.block[block, LEVEL] == 0:
                return block, place, tests
            block = t.ref[start + place]
            place = 0
        else:
            parent = t.block[block, PARENT]
            if parent < 0:
                return -1, 0, tests
            place = slot_of(t, parent, block) + 1
            block = parent


@njit
def _next_head(t: IRArrays, cursor: Cursor, run: int) -> bool:
    """Set the head of a run to the next range of its R-tree that holds the point, if there is one."""
    leaf, place, tests = _following(t, cursor.x[0], cursor.place[run], cursor.at[run])
    cursor.state[EVALUATIONS] += tests
    if leaf < 0:
        return False
    at = t.block[leaf, START] + place
    cursor.place[run] = leaf
    cursor.at[run] = place + 1
    cursor.key[run] = -t.score[at]
    cursor.id[run] = t.ref[at]
    return True


@njit
def _below(t: IRArrays, node: int, x: float) -> int:
    """The next node on the path of a point; -1 at its end."""
    c = t.span[node, CENTRE]
    if x == c:
        return -1
    return int(t.link[node, BELOW if x < c else ABOVE])


@njit
def _path(t: IRArrays, x: float) -> tuple[int, int]:
    """Nodes on the path of a point, and how many of them have ranges that hold it."""
    nodes, hits = 0, 0
    node = t.state[TOP]
    while node >= 0:
        nodes += 1
        hits += t.span[node, LOW] <= x <= t.span[node, HIGH]
        node = _below(t, node, x)
    return nodes, hits


@njit
def open_walk(t: IRArrays, x: float) -> Cursor:
    """Kernel of `matching.ranked.walking`: a run for each R-tree with a range that holds the point."""
    nodes, hits = _path(t, x)
    cursor = new_cursor(x, hits)
    cursor.state[EVALUATIONS] += 2 * nodes
    run = 0
    node = t.state[TOP]
    while node >= 0:
        if t.span[node, LOW] <= x <= t.span[node, HIGH]:
            cursor.place[run] = t.link[node, ROOT]
            cursor.at[run] = 0
            if _next_head(t, cursor, run):
                enter(cursor, run)
                run += 1
        node = _below(t, node, x)
    return cursor


@njit
def _head(_t: IRArrays, cursor: Cursor, run: int) -> int:
    return int(cursor.id[run])


take, top_all = merged_runs(__name__, open_walk, _head, _next_head)


@njit
def stab_all(t: IRArrays, xs: Floats, bounds: Ints, out: Ints, counts: Ints) -> int:
    """Kernel of `matching.array_index`; what is only counted needs no merging."""
    evaluations = 0
    for i in range(len(xs)):
        x = xs[i]
        if bounds[i] < bounds[i + 1]:
            counts[i] = take(t, open_walk(t, x), out[bounds[i] : bounds[i + 1]])
            continue
        counts[i] = 0
        node = t.state[TOP]
        while node >= 0:
            evaluations += 2
            if t.span[node, LOW] <= x <= t.span[node, HIGH]:
                block, place, tests = _following(t, x, t.link[node, ROOT], 0)
                evaluations += tests
                while block >= 0:
                    counts[i] += 1
                    block, place, tests = _following(t, x, block, place + 1)
                    evaluations += tests
            node = _below(t, node, x)
    return evaluations
