"""The invariants of an IR-tree, stated and checked in interpreted Python."""

import numpy as np

from matching.ranked.ir_arrays import (
    ABOVE,
    BELOW,
    BLOCKS_USED,
    BRANCHING,
    CENTRE,
    COUNT,
    FREE_BLOCK,
    FREE_NODE,
    FREE_PIECES,
    HIGH,
    ISSUED,
    LOW,
    NODE_PARENT,
    NODES_USED,
    PARENT,
    REBUILD,
    ROOM,
    ROOT,
    SLOTS_USED,
    START,
    TOP,
    WEIGHT,
    IRArrays,
)

__all__ = ["check_ir_tree"]


def _free(t: IRArrays, head: int, column: int, *, nodes: bool) -> list[int]:
    rows = t.link if nodes else t.block
    found = []
    here = int(t.state[head])
    while here >= 0:
        found.append(here)
        here = int(rows[here, column])
    return found


def _check_blocks(t: IRArrays, node: int) -> tuple[list[int], list[int]]:
    """Check the R-tree of a node; its blocks, and the ids of its ranges in the order of their leaves."""
    centre = t.span[node, CENTRE]
    blocks: list[int] = []
    ids: list[int] = []

    def visit(block: int, parent: int, level: int | None) -> None:
        start, room, count, height, above, best = t.block[block].tolist()
        blocks.append(block)
        assert above == parent
        assert level is None or height == level
        assert 1 <= count <= room <= t.state[BRANCHING]
        here = slice(start, start + count)
        first = len(ids)
        for at in range(start, start + count):
            assert t.l[at] <= centre <= t.r[at]
            if height == 0:
                assert t.home[t.ref[at]] == block
                ids.append(int(t.ref[at]))
            else:
                child = int(t.ref[at])
                visit(child, block, height - 1)
                inside = slice(t.block[child, START], t.block[child, START] + t.block[child, COUNT])
                assert t.l[at] == t.l[inside].min()
                assert t.r[at] == t.r[inside].max()
                assert t.score[at] == t.score[inside.start]
        assert best == ids[first]
        if parent < 0:
            assert height == 0 or count > 1
            assert (t.span[node, LOW], t.span[node, HIGH]) == (t.l[here].min(), t.r[here].max())

    if t.link[node, ROOT] >= 0:
        visit(int(t.link[node, ROOT]), ~node, None)
    else:
        assert (t.span[node, LOW], t.span[node, HIGH]) == (np.inf, -np.inf)
    keys = [(-float(t.score[t.block[t.home[i], START] + _place(t, i)]), i) for i in ids]
    assert keys == sorted(keys)
    return blocks, ids


def _place(t: IRArrays, of: int) -> int:
    start, count = t.block[t.home[of], START], t.block[t.home[of], COUNT]
    return int(np.flatnonzero(t.ref[start : start + count] == of)[0])


def check_ir_tree(t: IRArrays) -> None:
    """Raise AssertionError unless the tree is sound, extents fit, ranks are in order and no piece is lost."""
    assert t.state[REBUILD] == -1
    nodes: list[int] = []
    blocks: list[int] = []
    ids: list[int] = []

    def visit(node: int, parent: int, low: float, high: float) -> int:
        if node < 0:
            return 0
        nodes.append(node)
        centre = float(t.span[node, CENTRE])
        assert t.link[node, NODE_PARENT] == parent
        assert low <= centre <= high
        own_blocks, own = _check_blocks(t, node)
        blocks.extend(own_blocks)
        ids.extend(own)
        if own and parent >= 0:
            assert low < t.span[node, LOW] or low == -np.inf
            assert t.span[node, HIGH] < high or high == np.inf
        weight = len(own) + visit(int(t.link[node, BELOW]), node, low, centre)
        weight += visit(int(t.link[node, ABOVE]), node, centre, high)
        assert weight == t.link[node, WEIGHT]
        return weight

    visit(int(t.state[TOP]), -1, -np.inf, np.inf)
    assert len(ids) == len(set(ids))
    assert sorted(ids) == np.flatnonzero(t.home >= 0).tolist()
    assert not ids or max(ids) < t.state[ISSUED]
    assert sorted(nodes + _free(t, FREE_NODE, NODE_PARENT, nodes=True)) == list(range(t.state[NODES_USED]))
    assert sorted(blocks + _free(t, FREE_BLOCK, PARENT, nodes=False)) == list(range(t.state[BLOCKS_USED]))
    pieces = [(int(t.block[block, START]), int(t.block[block, ROOM])) for block in blocks]
    for size, head in enumerate(t.state[FREE_PIECES:].tolist()):
        while head >= 0:
            pieces.append((head, min(1 << size, int(t.state[BRANCHING]))))
            head = int(t.ref[head])
    end = 0
    for start, room in sorted(pieces):
        assert start == end
        end += room
    assert end == t.state[SLOTS_USED]
