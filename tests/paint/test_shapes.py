"""Halfspaces and disks against brute force: one predicate, exact lists, nobody told twice or for nothing."""

import os
import subprocess
import sys
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

import paint
from paint.shapes import CROSSED, INSIDE, OUTSIDE, holds, lift, plane_of, planes_of, relation, under
from tests.oracles.boxes import Objects
from tests.oracles.shapes import ShapeSubscribers

SPACES = (("halfspaces", 2), ("halfspaces", 3), ("disks", 2))
KINDS = ("update", "insert", "delete", "move")
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
            legs = np.array([(0.75, 1.0, 1.25), (1.0, 0.75, 1.25), (0.0, 0.5, 0.5), (-3.0, 4.0, 5.0), (0.0, 0.0, 0.0)])
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

    def __init__(self, seed: int, space: tuple[str, int], *, events: int = 8, most: int = 300, **options: Any) -> None:
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
        rng, issued = self.rng, len(self.objects)
        every = [place for _, _, place, _ in self.stream]
        for _ in range(4):
            only_y = bool(rng.random() < 0.3)
            events = []
            for _ in range(int(rng.integers(1, 7))):
                place, value = every[int(rng.integers(len(every)))], float(self.values())
                kind = rng.random()
                if not only_y and (kind < 0.2 or not self.objects):
                    self.objects[issued] = (place, value)
                    events.append((issued, place, value))
                    issued += 1
                elif self.objects:
                    i = int(rng.choice(sorted(self.objects)))
                    x, y = self.objects[i]
                    if kind < 0.35:
                        events.append((i, x, self.subscribers.sign * np.inf))
                        del self.objects[i]
                        continue
                    self.objects[i] = (x, value)
                    if kind < 0.6 and not only_y:
                        self.objects[i] = (place, value if rng.random() < 0.5 else y)
                    events.append((i, *self.objects[i]))
            messages = self.server.window(events)
            self.server._index._check()
            self.subscribers.event(messages.table, self.objects)


def run_all(seeds: int, most: int) -> None:
    for seed, space, options in product(range(seeds), SPACES, EVERYTHING):
        Run(seed, space, most=most, **options).run()
        if options["algorithm"] == "sparse":
            Windows(seed, space, most=most, **options).run()


def test_every_algorithm_is_exact_without_compilation() -> None:
    """In a process of its own, where Numba is switched off: small instances need no compiler."""
    code = "from tests.paint.test_shapes import run_all; run_all(4, 100)"
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
