"""Halfspaces and disks under events and windows against brute force: exact lists, nobody told twice or in vain."""

from itertools import product
from typing import Any

import numpy as np
import pytest

import paint
from tests.oracles.boxes import Objects
from tests.oracles.shapes import ShapeSubscribers, contains
from tests.oracles.topk import reaches
from tests.paint.event_runs import EventRun
from tests.uncompiled import run_uncompiled

SPACES = (("halfspaces", 2), ("halfspaces", 3), ("disks", 2))
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
            leg = LEGS[rng.integers(0, len(LEGS), count)]
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


class Run(EventRun):
    """A server over halfspaces or disks."""

    COUNTS = (0, 1, 3, 6, 12, 25)
    DISTINCT = (3, 8, 40)

    def __init__(
        self, seed: int, space: tuple[str, int], *, events: int = 8, most: int = 300, **options: Any
    ) -> None:
        shape, d = space
        super().__init__(seed, d, events)
        rows = some_rows(self.rng, shape, d, int(self.rng.choice([0, 1, 10, 60, most])), self.every_place())
        sign = -1.0 if options.get("descending") else 1.0
        self.server = paint.Server(self.x, self.y, k=self.k, dimensions=d, shape=shape, subscriptions=rows, **options)
        self.subscribers = ShapeSubscribers(self.objects, self.k, shape, rows, sign=sign)

    def places(self, count: int) -> Any:
        return self.rng.integers(-self.distinct // 2, self.distinct // 2 + 1, (count, self.d)) / 2.0


def run_all(seeds: int, most: int) -> None:
    for seed, space, options in product(range(seeds), SPACES, EVERYTHING):
        Run(seed, space, most=most, **options).run()
        if options["algorithm"] == "sparse":
            Run(seed, space, most=most, **options).run_windows(4, 8)


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
    run_uncompiled("from tests.paint.test_shape_events import run_without_compilation as run; run()")


@pytest.mark.slow
@pytest.mark.parametrize("options", EVERYTHING, ids=str)
@pytest.mark.parametrize("space", SPACES, ids=str)
def test_every_algorithm_is_exact(space: tuple[str, int], options: dict[str, Any]) -> None:
    for seed in range(150):
        Run(seed, space, most=1000, **options).run()
        if options["algorithm"] == "sparse":
            Run(seed, space, most=1000, **options).run_windows(4, 8)
