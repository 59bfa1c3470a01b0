"""What an explanation is made of: objects and subscriptions at a moment of a stream, and what was sent then.

The functions of the paper's algorithms come from `paint`; nothing of them is written here a second time.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from floor.errors import RangecastError
from paint.geometry import EACH, START, influence_tiles
from paint.index import open_sweep
from paint.indexes import INDEXES
from paint.sweep import EAST, WEST, Sweep, make_sweep
from simulator.approaches.approach import Approach
from simulator.approaches.registry import parse_approach
from simulator.inputs.fault_plan import Churn
from simulator.views.explanation import Tiles
from simulator.workload.events import EventStream
from simulator.workload.places import more_places
from simulator.workload.windows import chunks_of
from simulator.workload.workload import Workload

__all__ = [
    "Answer",
    "ExplainError",
    "Objects",
    "answer_to",
    "approach_of",
    "region_of",
    "state_after",
    "subscriptions_at",
]


class ExplainError(RangecastError):
    """An event that cannot be explained; the text is one line for the user."""


class Answer(NamedTuple):
    """What an approach sends for an event."""

    messages: NDArray[np.void]
    span: range
    """Numbers of the events that it answers together with it."""
    windowed: bool
    """Whether it answers windows of events, be they of one."""


def approach_of(name: str) -> Approach:
    """The approach of a name.

    Raises
    ------
    ExplainError
        There is none, or it answers those who ask instead of events.
    """
    try:
        approach = parse_approach(name)
    except ValueError as error:
        raise ExplainError(f"--approach {name}: {error}") from error
    if approach.asked:
        raise ExplainError(
            f"--approach {name}: it only answers those who ask, and no event; choose unicast or another"
        )
    return approach


def answer_to(
    workload: Workload, events: EventStream, event: int, name: str, churn: Churn | None, warm_up: int
) -> Answer:
    """Follow a stream up to an event; what the approach of that name sends for it or for its window.

    Raises
    ------
    ExplainError
        There is no such approach.
    """
    approach = approach_of(name)
    session = approach.open(workload, approach)
    for chunk in chunks_of(events, approach.window, None if churn is None else churn.moments, warm_up):
        if churn is not None and chunk.first in churn.moments:
            first = len(workload.l)
            for subscription in churn.leaving(chunk.first).tolist():
                session.unsubscribe(subscription)
            for subscription in churn.joining(chunk.first).tolist():
                session.subscribe(*(end[subscription - first].tolist() for end in (churn.l, churn.r)))
        outgoing = session.answer(chunk)
        if event < chunk.first + len(chunk.events.object):
            break
    window = int(np.searchsorted(chunk.starts, event - chunk.first, side="right")) - 1
    start, end = (chunk.first + chunk.starts[window : window + 2]).tolist()
    rows = outgoing.table[outgoing.offsets[window] : outgoing.offsets[window + 1]].copy()
    return Answer(rows, range(start, end), approach.window is not None)


def state_after(
    workload: Workload, events: EventStream, count: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give x and y of all objects that ever are, after so many events."""
    absent = max(len(workload.x), int(events.object.max(initial=-1)) + 1) - len(workload.x)
    x, y = more_places(workload.x, absent), np.append(workload.y, np.full(absent, np.inf))
    for i, new_x, new_y in zip(*(column[:count].tolist() for column in events[:3]), strict=True):
        x[i], y[i] = new_x, new_y
    return x, y


def subscriptions_at(
    workload: Workload, churn: Churn | None, event: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Ends of all subscriptions that ever are; those that are not there at an event are no ranges."""
    if churn is None:
        return workload.l, workload.r
    there = (churn.joined <= event) & (event < churn.left)
    # Those that are gone, or not there yet, keep their place, so that ids stay ids; a point below S reaches nobody.
    l, r = np.concatenate((workload.l, churn.l)), np.concatenate((workload.r, churn.r))
    if l.ndim > 1:
        there = there[:, None]
    return np.where(there, l, np.inf), np.where(there, r, -np.inf)


class Objects:
    """The objects that are there at one moment, under an index; ids as in the stream."""

    def __init__(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> None:
        self.ids = np.flatnonzero(np.isfinite(y))  # ascending, so that ties keep their order
        self.arrays: Any = INDEXES["tournament"](x[self.ids], y[self.ids]).arrays

    def open(self, i: int, y_end: float, k: int) -> tuple[Sweep, int]:
        """Begin a sweep of object i; its lists, and the number that the index knows it by."""
        sweep, own = make_sweep(k), int(np.searchsorted(self.ids, i))
        open_sweep(self.arrays, sweep, own, y_end, k)
        return sweep, own

    def region(self, i: int, k: int) -> Tiles:
        """IR(i), the subscriptions whose lists hold object i, in exact tiles; none if it is not there."""
        if i not in self.ids:
            return np.empty((0, 4))
        sweep, own = self.open(i, -np.inf, k)
        return region_of(float(self.arrays.x[own]), sweep, k, -np.inf, np.inf)

    def levels(self, i: int, k: int) -> Tiles:
        """Cut IR(i) into rectangles of one level (Section II-C): p objects of the west and q of the east in range."""
        if i not in self.ids:
            return np.empty((0, 5))
        sweep, own = self.open(i, -np.inf, k)
        x = float(self.arrays.x[own])
        west = [x, *sweep.xs[WEST, : sweep.counts[WEST]].tolist(), -np.inf]
        east = [x, *sweep.xs[EAST, : sweep.counts[EAST]].tolist(), np.inf]
        cells = [
            (west[p], east[q], west[p + 1], east[q + 1], p + q + 1)
            for p in range(min(len(west) - 1, k))
            for q in range(min(len(east) - 1, k - p))
            if west[p + 1] < west[p] and east[q] < east[q + 1]
        ]
        return np.array(cells, np.float64).reshape(-1, 5)


def region_of(x: float, sweep: Sweep, k: int, l_limit: float, r_limit: float) -> Tiles:
    """The influence region that the lists of a sweep give to an object at x, between limits, in exact tiles."""
    tiles = np.empty((k, 4))
    return tiles[: influence_tiles(x, sweep.xs, sweep.counts, k, EACH, (l_limit, r_limit), tiles, START)]
