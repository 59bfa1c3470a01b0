"""The object index over several attributes under churn: what an event keeps and exposes, against plain scans."""

from typing import Any

import numpy as np
import pytest

from paint.algorithm import COUNTERS, Plan
from paint.corner_batch import _find_exposed
from paint.corner_index import CornerIndex, IntervalIndex, OneSidedIndex
from paint.corner_sweep import make_corner_sweep
from paint.geometry import EACH
from paint.sides import sides_of
from tests.oracles.corners import exposed, kept
from tests.uncompiled import run_uncompiled

INDEXES = ((1.5, OneSidedIndex), (1.5, IntervalIndex), (2, CornerIndex), (2.5, CornerIndex), (3, CornerIndex))


class Churn:
    """An index of many objects, all that is live beside it, and random changes of both."""

    def __init__(self, seed: int, dimensions: float, index: Any, n: int, distinct: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.dimensions, self.distinct = dimensions, distinct
        self.x, self.y = self.values(n, int(np.ceil(dimensions))), self.values(n)
        self.index = index(self.x, self.y)
        self.fresh = n
        self.live = {i: (tuple(self.x[i].tolist()), float(self.y[i])) for i in range(n)}
        self.gone: list[int] = []

    def values(self, *shape: int) -> Any:
        return self.rng.integers(0, self.distinct, shape) * 1.0

    def change(self) -> None:
        kind, place, y = self.rng.random(), self.values(self.x.shape[1]), float(self.values())
        i = int(self.rng.choice(list(self.live)))
        if kind < 0.4:
            self.index.update(i, y)
            self.live[i] = (self.live[i][0], y)
            return
        if kind < 0.7:
            self.index.delete(i)
            del self.live[i]
            self.gone.append(i)
            return
        back = bool(self.gone) and self.rng.random() < 0.3
        i = self.gone.pop() if back else self.fresh
        self.fresh += not back
        self.index.insert(i, place, y)
        self.live[i] = (tuple(place.tolist()), y)

    def ask(self, k: int) -> tuple[int, int]:
        """Compare what the event of one object keeps and exposes; how many objects these are."""
        sides, arrays = sides_of(self.dimensions), self.index.arrays
        sweep = make_corner_sweep(sides, k, len(arrays.y), by_intervals=self.index.by_intervals)
        plan = Plan(k, EACH, 1.0, np.zeros(COUNTERS, np.int64))
        order = sorted(self.live, key=lambda i: (self.live[i][1], i))
        i = order[int(self.rng.integers(len(order) // 4))]
        y_end = self.live[order[int(self.rng.integers(len(order) // 2, len(order)))]][1] + 0.5
        nowhere, level = np.full(self.x.shape[1], np.nan), len(sides.sign) - 2
        _find_exposed(arrays, plan, sweep, i, -np.inf, nowhere)
        found = sweep.band.corner[level, : sweep.band.size[level]]
        right = kept(self.live, i, k, self.dimensions)
        assert sorted(map(tuple, found.tolist())) == right
        assert (np.diff(found[:, -1]) >= 0).all()
        met = _find_exposed(arrays, plan, sweep, i, y_end, nowhere).tolist()
        assert met == exposed(self.live, i, y_end, k, self.dimensions)
        return len(right), len(met)


def churn(steps: int) -> None:
    for seed, (dimensions, index) in enumerate(INDEXES):
        for distinct in (8, 10**6):
            it = Churn(seed, dimensions, index, 300, distinct)
            found: list[tuple[int, int]] = []
            for step in range(steps):
                it.change()
                if step % 12 == 0:
                    it.index._check()
                    found += [it.ask(k) for k in (2, 5)]
            assert (np.sum(found, axis=0) > 10).all()


def test_kept_and_exposed_are_those_of_scans_without_compilation() -> None:
    run_uncompiled("from tests.paint.test_corner_index import churn; churn(60)")


@pytest.mark.slow
def test_kept_and_exposed_are_those_of_scans() -> None:
    churn(1000)
