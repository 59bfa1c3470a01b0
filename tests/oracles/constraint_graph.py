"""The constraint graph of scored ranges by its definition, and what a walk over a packed R-tree enters."""

from itertools import pairwise

Ends = tuple[float, float]


def witnesses(ranges: list[Ends]) -> list[float]:
    """A point for everything that can differ: every end, one between any two neighbours, one on either side."""
    ends = sorted({end for one in ranges for end in one})
    if not ends:
        return [0.0]
    between = [(a + b) / 2 for a, b in pairwise(ends)]
    return [ends[0] - 1, *ends, *between, ends[-1] + 1]


def constraint_edges(ranges: list[Ends]) -> set[tuple[int, int]]:
    """Pairs (i, j) of ranges in the order of ranks with a point in both that no range between them holds."""
    points = witnesses(ranges)
    holds = [{x for x in points if l <= x <= r} for l, r in ranges]
    edges = set()
    for j in range(len(ranges)):
        for i in range(j):
            common = holds[i] & holds[j]
            for between in range(i + 1, j):
                common = common - holds[between]
            if common:
                edges.add((i, j))
    return edges


def entered(arranged: list[Ends], b: int, x: float, k: int) -> list[tuple[int, int]]:
    """How many nodes a walk for the k first ranges at x enters, and how many in vain, level by level from the lowest.

    A node is entered when its extent holds x and the walk has not ended before it; the walk ends with the k-th range
    that holds x.
    """
    hits = [place for place, (l, r) in enumerate(arranged) if l <= x <= r]
    last = hits[k - 1] if len(hits) >= k else len(arranged)
    levels = []
    width = b
    while width < len(arranged) * b:
        entered_here, holes = 0, 0
        for first in range(0, len(arranged), width):
            below = arranged[first : first + width]
            if first <= last and min(l for l, _ in below) <= x <= max(r for _, r in below):
                entered_here += 1
                holes += not any(l <= x <= r for l, r in below)
        levels.append((entered_here, holes))
        width *= b
    return levels
