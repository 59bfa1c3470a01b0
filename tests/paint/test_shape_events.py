"""Halfspaces and disks under events and windows against brute force: exact lists, nobody told twice or in vain."""

import os
import subprocess
import sys
from itertools import product
from typing import Any

import numpy as np
import pytest

import paint
from tests.oracles.boxes import Objects, reaches
from tests.oracles.shapes import ShapeSubscribers, contains

SPACES = (("halfspaces", 2), ("halfspaces", 3), ("disks", 2))
KINDS = ("update", "insert", "delete", "move")
LEGS = np.array([(0.75, 1.0, 1.25), (1.0, 0.75, 1.25), (0.0, 0.5, 0.5), (-3.0, 4.0, 5.0), (0.0, 0.0, 0.0)])
"""From the middle of a disk to its border, and its radius."""
EVERYTHING: list[dict[str, Any]] = [
    {"algorithm": "sparse"},
    {"algorithm": "sparse", "descending": True},
    {"algorithm": "unicast"},
    {"algorithm": "unicast", "descending": True},
]


def some_rows(rng: np.random.Generator, shape: str, d: int, count: int, places: Any) -> Any:
    """Subscriptions of few values, half of them with an object on their border, many of them twice."""
    rows = rng.integers(-12, 13, (count, 3 if shape == "disks" else d)) / 4.0
    places = np.asarray(places, np.float64).reshape(-1, d)
    if len(places) and count:
        at = places[rng.integers(0, len(places), count)]
        border = rng.random(count) < 0.5
        if shape == "disks":
            legs = np.array(
                [(0.75, 1.0, 1.25), (1.0, 0.75, 1.25), (0.0, 0.5, 0.5), (-3.0, 4.0, 5.0), (0.0, 0.0, 0.0)]
            )
            leg = legs[rng.integers(0, len(legs), count)]
            onto = np.concatenate((at + leg[:, :2], leg[:, 2:]), axis=1)
        else:
            onto = rows.round()
            onto[:, -1] = at[:, -1] - (at[:, :-1] * onto[:, :-1]).sum(axis=1)
        rows[border] = onto[border]
    if shape == "disks":
        rows[:, 2] = np.abs(rows[:, 2])
    again = rng.random(count) < 0.3
    rows[again] = rows[rng.integers(0, max(count, 1), int(again.sum()))]
    return rows


class Run:
    """A server under events of every kind, each checked against brute force."""

    def __init__(
        self, seed: int, space: tuple[str, int], *, events: int = 8, most: int = 300, **options: Any
    ) -> None:
        rng = self.rng = np.random.default_rng(seed)
        shape, self.d = space
        self.distinct = int(rng.choice([3, 8, 40]))
        n, k = int(rng.choice([0, 1, 3, 6, 12, 25])), int(rng.choice([1, 2, 3, 5]))
        x, y = self.places(n), self.values(n)
        self.objects: Objects = {i: (tuple(x[i].tolist()), float(y[i])) for i in range(n)}
        kinds = rng.choice(KINDS, events, p=[0.5, 0.15, 0.15, 0.2])
        self.stream = [
            (str(kind), int(rng.integers(1000)), tuple(self.places(1)[0].tolist()), float(self.values()))
            for kind in kinds
        ]
        every = [*(place for place, _ in self.objects.values()), *(event[2] for event in self.stream)]
        rows = some_rows(rng, shape, self.d, int(rng.choice([0, 1, 10, 60, most])), every)
        self.algorithm = options["algorithm"]
        sign = -1.0 if options.get("descending") else 1.0
        self.server = paint.Server(x, y, k=k, dimensions=self.d, shape=shape, subscriptions=rows, **options)
        self.subscribers = ShapeSubscribers(self.objects, k, shape, rows, sign=sign)

    def values(self, *shape: int) -> Any:
        return self.rng.integers(0, self.distinct, shape) * 1.0

    def places(self, count: int) -> Any:
        return self.rng.integers(-self.distinct // 2, self.distinct // 2 + 1, (count, self.d)) / 2.0

    def run(self) -> None:
        for kind, which, place, value in self.stream:
            messages = self._send(kind, which, place, value)
            if messages is None:
                continue
            self.server._index._check()
            if self.algorithm == "unicast":
                self.subscribers.unicast_event(messages.table, self.objects)
            else:
                self.subscribers.event(messages.table, self.objects)

    def _send(self, kind: str, which: int, place: tuple[float, ...], value: float) -> paint.Messages | None:
        server, objects = self.server, self.objects
        if kind == "insert":
            i, messages = server.insert(place, value)
            objects[i] = (place, value)
            return messages
        if not objects:
            return None
        i = sorted(objects)[which % len(objects)]
        x, y = objects[i]
        if kind == "update":
            objects[i] = (x, value)
            return server.update(i, value)
        if kind == "delete":
            del objects[i]
            return server.delete(i)
        objects[i] = (place, y)
        return server.move(i, place)


class Windows(Run):
    """A server under windows of events, each checked against brute force."""

    def run(self) -> None:
        self.issued = len(self.objects)
        for _ in range(4):
            only_y = bool(self.rng.random() < 0.4)
            events = [event for _ in range(int(self.rng.integers(1, 9))) if (event := self._event(only_y))]
            messages = self.server.window(events)
            self.server._index._check()
            self.subscribers.event(messages.table, self.objects)

    def _event(self, only_y: bool) -> tuple[int, tuple[float, ...], float] | None:
        """Draw an event, mostly of an object that ranks high, apply it to the truth, give it as a server takes it."""
        rng, objects, sign = self.rng, self.objects, self.subscribers.sign
        kind, place, value = rng.random(), self.stream[int(rng.integers(len(self.stream)))][2], float(self.values())
        if not only_y and (kind < 0.2 or not objects):
            self.issued += 1
            objects[self.issued - 1] = (place, value)
            return self.issued - 1, place, value
        if not objects:
            return None
        order = sorted(objects, key=lambda i: sign * objects[i][1])
        i = order[int(rng.integers(len(order) if rng.random() < 0.4 else 1 + len(order) // 4))]
        x, y = objects[i]
        if kind < 0.3:
            del objects[i]
            return i, x, sign * np.inf
        objects[i] = (x, value)
        if kind < 0.6 and not only_y:
            objects[i] = (place, value if rng.random() < 0.5 else y)
        return i, *objects[i]


def run_all(seeds: int, most: int) -> None:
    for seed, space, options in product(range(seeds), SPACES, EVERYTHING):
        Run(seed, space, most=most, **options).run()
        if options["algorithm"] == "sparse":
            Windows(seed, space, most=most, **options).run()


def objects_that_sink_are_told_worst_first() -> None:
    """Told first, object 1 would not stay in a list that shows object 0 as it was."""
    x, rows = [(0.0, 0.0)] * 3, [(0.0, 0.0, 1.0)]
    server = paint.Server(
        x, [1.0, 2.0, 7.0], k=1, dimensions=2, shape="disks", algorithm="sparse", subscriptions=rows
    )
    assert server.batch([(1, 5.0), (0, 10.0)]).table["object"].tolist() == [0, 1]


def a_move_that_only_some_of_a_cell_follow() -> None:
    """All exchange object 0 for object 1. Those that hold its new place need not hear of it, unless its y grows."""
    rows = np.array([(a, 0.0, 2.0) for a in np.arange(-4, 5) / 8.0] * 30)
    objects: Objects = {0: ((0.0, 0.0), 2.0), 1: ((0.0, 0.5), 3.0)}
    for y in (2.0, 4.0):
        server = paint.Server(
            [x for x, _ in objects.values()], [y for _, y in objects.values()], k=1, dimensions=2, shape="disks",
            algorithm="sparse", subscriptions=rows,
        )  # fmt: skip
        subscribers = ShapeSubscribers(objects, 1, "disks", rows)
        after: Objects = {0: ((2.0, 0.0), y), 1: ((0.0, 0.5), 1.0)}
        table = server.window([(0, *after[0]), (1, *after[1])]).table
        subscribers.event(table, after)
        told = np.zeros(len(rows), bool)
        for message in table[table["object"] == 0]:
            told |= reaches(message, subscribers.left, subscribers.right)
        assert (told == (~contains("disks", rows, (2.0, 0.0)) | (y > 2.0))).all()


def run_without_compilation() -> None:
    run_all(3, 100)
    objects_that_sink_are_told_worst_first()
    a_move_that_only_some_of_a_cell_follow()


def test_every_algorithm_is_exact_without_compilation() -> None:
    """In a process of its own, where Numba is switched off: small instances need no compiler."""
    code = "from tests.paint.test_shape_events import run_without_compilation as run; run()"
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("options", EVERYTHING, ids=str)
@pytest.mark.parametrize("space", SPACES, ids=str)
def test_every_algorithm_is_exact(space: tuple[str, int], options: dict[str, Any]) -> None:
    for seed in range(150):
        Run(seed, space, most=1000, **options).run()
        if options["algorithm"] == "sparse":
            Windows(seed, space, most=1000, **options).run()
