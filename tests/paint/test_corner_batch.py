"""Paint-Batch over several attributes against brute force: windows of events of every kind."""

from itertools import product
from typing import Any

import numpy as np
import pytest

import paint
from tests.oracles.boxes import Objects, Subscribers, attributes_of, distinct_subscriptions
from tests.paint.test_sides import DIMENSIONS, ends_as_rows
from tests.uncompiled import run_uncompiled

OPTIONS: list[dict[str, Any]] = [{}, {"algorithm": "sparse"}, {"epsilon": 0.5}, {"descending": True}]


class Windows:
    """A server under windows of events, each checked against brute force."""

    def __init__(self, seed: int, dimensions: float, *, most: int = 200, **options: Any) -> None:
        rng = self.rng = np.random.default_rng(seed)
        d, self.distinct = attributes_of(dimensions), int(rng.choice([3, 6, 1000]))
        n, k = int(rng.choice([0, 1, 3, 6, 9, 12])), int(rng.choice([1, 2, 3, 5]))
        x, y = self.values(n, d), self.values(n)
        self.objects: Objects = {i: (tuple(x[i].tolist()), float(y[i])) for i in range(n)}
        self.places = [tuple(self.values(d).tolist()) for _ in range(12)]
        ends = distinct_subscriptions([*map(tuple, x.tolist()), *self.places], dimensions, most, rng)
        if options.get("algorithm") == "sparse":
            some = rng.integers(0, len(ends[0]), int(rng.choice([0, 1, 10, 60, most])))
            ends = ends[0][some], ends[1][some]
            options = {**options, "subscriptions": ends_as_rows(ends, dimensions)}
        self.sign = -1.0 if options.get("descending") else 1.0
        self.server = paint.Server(x, y, k=k, dimensions=dimensions, **options)
        self.subscribers = Subscribers(self.objects, k, ends, epsilon=options.get("epsilon"), sign=self.sign)
        self.issued = n

    def values(self, *shape: int) -> Any:
        return self.rng.integers(0, self.distinct, shape) * 1.0

    def run(self, windows: int) -> None:
        for _ in range(windows):
            only_y = bool(self.rng.random() < 0.3)
            events = [event for _ in range(int(self.rng.integers(1, 7))) if (event := self._event(only_y))]
            messages = self.server.window(events)
            self.server._index._check()
            self.subscribers.event(messages.table, self.objects)

    def _event(self, only_y: bool) -> tuple[int, tuple[float, ...], float] | None:
        """Draw an event, apply it to the truth, and give it as a server takes it."""
        rng, objects = self.rng, self.objects
        kind, place, value = rng.random(), self.places[int(rng.integers(12))], float(self.values())
        if not only_y and (kind < 0.2 or not objects):
            self.issued += 1
            objects[self.issued - 1] = (place, value)
            return self.issued - 1, place, value
        if not objects:
            return None
        i = int(rng.choice(sorted(objects)))
        x, y = objects[i]
        if kind < 0.35:
            del objects[i]
            return i, x, self.sign * np.inf
        if kind < 0.6 and not only_y:
            objects[i] = (place, value if rng.random() < 0.5 else y)
        else:
            objects[i] = (x, value)
        return i, *objects[i]


def run_some() -> None:
    for seed, dimensions, options in product((0, 3), DIMENSIONS, OPTIONS):
        Windows(seed, dimensions, most=60, **options).run(3)


def test_windows_are_exact_without_compilation() -> None:
    run_uncompiled("from tests.paint.test_corner_batch import run_some; run_some()")


@pytest.mark.slow
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("dimensions", DIMENSIONS)
def test_windows_are_exact(dimensions: float, options: dict[str, Any]) -> None:
    for seed in range(30):
        Windows(seed, dimensions, most=500, **options).run(5)


@pytest.mark.slow
def test_a_batch_is_a_window_of_updates() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.random((20, 2)), rng.random(20)
    one, other = (paint.Server(x, y, k=3, dimensions=1.5) for _ in range(2))
    batch = [(3, 0.9), (4, 0.1), (5, np.inf), (3, 0.5)]
    places = [tuple(x[i].tolist()) for i, _ in batch]
    window = [(i, place, value) for (i, value), place in zip(batch, places, strict=True)]
    assert one.batch(batch).table.tobytes() == other.window(window).table.tobytes()
    with pytest.raises(ValueError, match="'printed' is for one dimension"):
        one.batch([(3, 0.1)], variant="printed")
