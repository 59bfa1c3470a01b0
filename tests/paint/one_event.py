"""One event among objects with distinct coordinates: who has to hear of what, and by how many boxes it is told.

All that matters of a subscription is its cell in the grid of ends that differ.
"""

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

import paint
from tests.oracles.boxes import LARGEST, Flags, Floats, Objects, attributes_of, fewest_boxes, holders, holds
from tests.oracles.topk import reaches

__all__ = ["KINDS", "OneEvent", "sparse_and_fewest"]

KINDS = ("raise", "lower", "insert", "delete")
Cell = tuple[int, ...]


def grid_of(places: Floats, dimensions: float) -> list[tuple[Cell, list[float], list[float], list[float]]]:
    """A subscription in every cell of the grid of ends that differ: its cell, ascending as ranges widen, l and r, and
    all its ends in the order of the sides.
    """
    d = attributes_of(dimensions)
    choices = []
    for j in range(d):
        ends = sorted(places[:, j].tolist())
        lefts = [-LARGEST] if dimensions != d and j == d - 1 else ends[::-1]
        choices.append([((a, b), l, r) for a, l in enumerate(lefts) for b, r in enumerate(ends) if l <= r])
    found = []
    for one in product(*choices):
        left, right = [part[1] for part in one], [part[2] for part in one]
        row = [end for pair in zip(left, right, strict=True) for end in pair if end != -LARGEST]
        found.append((tuple(at for part in one for at in part[0]), left, right, row))
    return found


class OneEvent:
    """Objects with distinct coordinates, a server over them, one event, and who has to hear of what.

    The object in the middle changes: half of the others rank above it, before the event or after. Paint-Sparse is
    taken where only a share of the cells holds somebody.
    """

    def __init__(self, seed: int, dimensions: float, n: int, k: int, kind: str, share: float | None = None) -> None:
        rng = np.random.default_rng(seed)
        d = attributes_of(dimensions)
        x = np.stack([rng.permutation(n) + 1.0 for _ in range(d)], axis=1)
        i = self.changed = n - 1
        middle = int(np.argmin(np.abs(x - (n + 1) / 2).max(axis=1)))
        x[[i, middle]] = x[[middle, i]]
        y = np.append(rng.permutation(n - 1) * 1.0, {"raise": 2.0 * n}.get(kind, n / 2 + 0.25))
        grid = grid_of(x, dimensions)
        options: dict[str, Any] = {}
        if share is not None:
            grid = [one for one in grid if rng.random() < share]
            options = {"algorithm": "sparse", "subscriptions": [row for _, _, _, row in grid]}
        self.cells = [one[0] for one in grid]
        self.left, self.right = (np.array([one[end] for one in grid]).reshape(-1, d) for end in (1, 2))
        objects: Objects = {h: (tuple(x[h].tolist()), float(y[h])) for h in range(n)}
        before, after = dict(objects), dict(objects)
        there = n - 1 if kind == "insert" else n
        server = paint.Server(x[:there], y[:there], k=k, dimensions=dimensions, **options)
        if kind == "insert":
            del before[i]
            self.table = server.insert(*objects[i])[1].table
        elif kind == "delete":
            del after[i]
            self.table = server.delete(i).table
        else:
            after[i] = (objects[i][0], n / 2 + 0.25 if kind == "raise" else 2.0 * n)
            self.table = server.update(i, after[i][1]).table
        self._before, self._after = (
            holders(partial(holds, self.left, self.right), state, k) for state in (before, after)
        )

    def region(self, h: int) -> set[Cell]:
        """The cells of those that have to hear of an object."""
        nobody: Flags = np.zeros(len(self.cells), bool)
        held, holds = self._before.get(h, nobody), self._after.get(h, nobody)
        needed = held | holds if h == self.changed else holds & ~held
        return {self.cells[at] for at in np.flatnonzero(needed).tolist()}

    def told(self, h: int) -> tuple[int, set[Cell]]:
        """Number of messages about an object, and the cells that they reach."""
        rows = self.table[self.table["object"] == h]
        reached = [np.flatnonzero(reaches(row, self.left, self.right)).tolist() for row in rows]
        return len(rows), {self.cells[at] for some in reached for at in some}


def sparse_and_fewest(dimensions: float, n: int, k: int, share: float, seeds: int) -> Iterator[tuple[int, int]]:
    """Messages of Paint-Sparse about an object, and the fewest that would do, over all that must be told of."""
    for seed, kind in product(range(seeds), KINDS):
        event = OneEvent(seed, dimensions, n, k, kind, share)
        for h in range(n):
            sent, reached = event.told(h)
            region = event.region(h)
            assert reached == region
            if region:
                yield sent, fewest_boxes(region, set(event.cells))
