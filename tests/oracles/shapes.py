"""Brute force for halfspaces and disks: what holds what by definition, points of S, the subscribers' side.

A halfspace (a_1, ..., a_d) holds x if x_d >= a_1 x_1 + ... + a_(d-1) x_(d-1) + a_d, a disk (a, b, radius) what is no
further from (a, b) than its radius. All numbers are multiples of 1/8 and small, so that floats are exact, and it does
not matter how something is computed.
"""

from functools import partial
from typing import Any

import numpy as np

from tests.oracles.boxes import LARGEST, Flags, Floats, Objects, Subscribers, holders


def exact(rows: Any) -> Floats:
    """Numbers of which sums of products are exact."""
    array = np.asarray(rows, np.float64)
    assert (array * 8 == np.round(array * 8)).all()
    assert (np.abs(array) < 2**16).all()
    return array


def contains(shape: str, rows: Floats, place: tuple[float, ...]) -> Flags:
    """Which subscriptions hold a place."""
    x = exact(place)
    if shape == "disks":
        away = (rows[:, :2] - x) ** 2
        return np.asarray(away.sum(axis=1) <= rows[:, 2] ** 2)
    return np.asarray(x[-1] >= (rows[:, :-1] * x[:-1]).sum(axis=1) + rows[:, -1])


def point(shape: str, row: Any) -> tuple[float, ...]:
    """A subscription as a point of S."""
    if shape == "disks":
        a, b, radius = (float(one) for one in row)
        return (a, b, a * a + b * b - radius * radius)
    return tuple(float(one) for one in row)


class ShapeSubscribers(Subscribers):
    """Subscriptions to halfspaces or disks, their lists, and checks of what an event sent."""

    def __init__(self, objects: Objects, k: int, shape: str, rows: Floats, *, sign: float = 1.0) -> None:
        self.shape, self.rows = shape, exact(rows)
        points = np.array([point(shape, row) for row in rows]).reshape(np.shape(rows))
        super().__init__(objects, k, (np.full(points.shape, -LARGEST), points), sign=sign)

    def contains(self, place: tuple[float, ...]) -> Flags:
        return contains(self.shape, self.rows, place)


def relax_lists(inboxes: dict[int, Any], rows: Floats, shape: str, k: int, sign: float) -> list[list[int]]:
    """The lists of subscriptions that keep every object of their range, from what they were told last of each."""
    known = {i: told for i, told in inboxes.items() if np.isfinite(told[1])}
    flags = holders(partial(contains, shape, rows), known, k, sign)
    return [[i for i, held in flags.items() if held[s]] for s in range(len(rows))]
