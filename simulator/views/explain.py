"""One event explained: objects, influence region with levels, the sweep step by step, and an approach's messages.

What is shown of the sweep comes from the functions that Paint-Dense itself is made of (`paint.index`, `paint.sweep`,
`paint.geometry`), called one at a time; the messages are those that the approach's own session sends. Nothing of the
algorithm is written here a second time. Drawing is in `explain_figure` and `explain_page`.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from floor.errors import RangecastError
from paint.geometry import EACH, START, exposed_tiles, influence_tiles
from paint.index import next_exposed, open_sweep
from paint.indexes import INDEXES
from paint.messages import EXPOSED, UPDATE
from paint.sweep import EAST, WEST, Sweep, expose, influence_interval, make_sweep
from simulator.approaches.registry import parse_approach
from simulator.inputs.fault_plan import Churn
from simulator.views.explanation import Explanation, Place, Step, Tiles, in_message
from simulator.workload.events import DELETE, INSERT, KINDS, LOWER, MOVE, RAISE, EventStream
from simulator.workload.windows import chunks_of
from simulator.workload.workload import Workload

__all__ = ["ExplainError", "explain", "pick_event", "single_update"]

_ALL = (-np.inf, np.inf)


class ExplainError(RangecastError):
    """An event that cannot be explained; the text is one line for the user."""


def single_update(workload: Workload, object_id: int, y: float) -> EventStream:
    """A stream of one event, which gives an object a new y."""
    kind = RAISE if y < workload.y[object_id] else LOWER
    nowhere = np.zeros(1, np.int64)
    columns = (np.array([object_id]), workload.x[[object_id]], np.array([y]), np.array([kind], np.int8))
    return EventStream(*columns, np.zeros(1), nowhere)


def explain(
    workload: Workload,
    events: EventStream,
    event: int = 0,
    approach: str = "paint-dense",
    churn: Churn | None = None,
    names: Sequence[str] = (),
) -> Explanation:
    """Follow a stream up to an event and lay out what happens there.

    Parameters
    ----------
    workload : Workload
        Objects and subscriptions at the start.
    events : EventStream
        The stream; events before `event` happen first.
    approach : str
        Whose messages to show, named as in a scenario.
    churn : Churn, optional
        Subscriptions that come and go.
    names : sequence of str
        Of the objects, by id, if they have any.

    Raises
    ------
    ExplainError
        There is no such event or approach, or the approach answers several events at once.

    Notes
    -----
    O(n log n + e T) time for e events before it that take the approach T each.
    """
    if not 0 <= event < len(events.object):
        raise ExplainError(f"event {event}: must be between 0 and {len(events.object) - 1}; choose one of these")
    messages = _messages(workload, events, event, approach, churn)
    x, y = _state(workload, events, event)
    i, kind = int(events.object[event]), int(events.kind[event])
    before = Place(float(events.x[event]), np.inf) if kind == INSERT else Place(float(x[i]), float(y[i]))
    after = Place(float(events.x[event]), float(events.y[event]))
    old, new = _Objects(x, y), _Objects(*_state(workload, events, event + 1))
    steps = tuple(_steps(old, new, workload.k, i, kind, before, after))
    what = (approach, workload.k, event, KINDS[kind], i, before, after)
    state = (x, y, *_subscriptions(workload, churn, event))
    levels = (old.levels(i, workload.k), new.levels(i, workload.k))
    return Explanation(*what, *state, *levels, steps, messages, _step_of(messages, steps), names)


def pick_event(workload: Workload, events: EventStream) -> int:
    """The first event that makes a good picture: a fall that exposes two to four objects, with few messages.

    Best each object is heard of by somebody, else it is not, else the number of objects it exposes is the nearest to
    that; of equals the first.

    Raises
    ------
    ExplainError
        No event exposes an object.
    """
    best: tuple[bool, int, int] | None = None
    session = parse_approach("paint-dense").open(workload, parse_approach("paint-dense"))
    for chunk in chunks_of(events):
        table, offsets, _ = session.answer(chunk)
        for at in np.flatnonzero(chunk.events.kind == LOWER).tolist():
            rows = table[offsets[at] : offsets[at + 1]]
            exposed = np.unique(rows["object"][rows["cause"] == EXPOSED])
            few = 2 <= len(exposed) <= 4 and len(rows) <= 16
            if few and _all_heard(workload, rows):
                return chunk.first + at
            if len(exposed):
                away = max(2 - len(exposed), len(exposed) - 4, 0)
                judged = (not few, away, chunk.first + at)
                best = judged if best is None else min(best, judged)
    if best is None:
        raise ExplainError("no event lowers an object so far that it exposes another; choose one with --event")
    return best[-1]


def _all_heard(workload: Workload, rows: NDArray[np.void]) -> bool:
    """Whether some subscription gets a message about each of the objects."""
    heard = [in_message(row, workload.l, workload.r).any() for row in rows]
    return set(rows["object"][heard].tolist()) == set(rows["object"].tolist())


def _messages(
    workload: Workload, events: EventStream, event: int, name: str, churn: Churn | None
) -> NDArray[np.void]:
    """What an approach sends for one event of the stream."""
    try:
        approach = parse_approach(name)
    except ValueError as error:
        raise ExplainError(f"--approach {name}: {error}") from error
    if approach.window is not None:
        raise ExplainError(
            f"--approach {name}: it answers several events at once, and one is drawn; choose paint-dense or another"
        )
    session = approach.open(workload, approach)
    cuts = None if churn is None else churn.moments[churn.moments <= event]
    for chunk in chunks_of(events.part(0, event + 1), None, cuts):
        if churn is not None and chunk.first in churn.moments:
            first = len(workload.l)
            for subscription in churn.leaving(chunk.first).tolist():
                session.unsubscribe(subscription)
            for subscription in churn.joining(chunk.first).tolist():
                session.subscribe(float(churn.l[subscription - first]), float(churn.r[subscription - first]))
        outgoing = session.answer(chunk)
    return outgoing.table[outgoing.offsets[-2] : outgoing.offsets[-1]].copy()


def _state(workload: Workload, events: EventStream, count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give x and y of all objects that ever are, after so many events."""
    absent = max(len(workload.x), int(events.object.max(initial=-1)) + 1) - len(workload.x)
    x, y = np.append(workload.x, np.zeros(absent)), np.append(workload.y, np.full(absent, np.inf))
    for i, new_x, new_y in zip(*(column[:count].tolist() for column in events[:3]), strict=True):
        x[i], y[i] = new_x, new_y
    return x, y


def _subscriptions(
    workload: Workload, churn: Churn | None, event: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if churn is None:
        return workload.l, workload.r
    there = (churn.joined <= event) & (event < churn.left)
    # Those that are gone, or not there yet, keep their place, so that ids stay ids; a point below S reaches nobody.
    l, r = np.append(workload.l, churn.l), np.append(workload.r, churn.r)
    return np.where(there, l, np.inf), np.where(there, r, -np.inf)


class _Objects:
    """The objects that are there at one moment, under an index; ids as in the stream."""

    def __init__(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> None:
        self.ids = np.flatnonzero(np.isfinite(y))  # ascending, so that ties keep their order
        self.arrays: Any = INDEXES["tournament"](x[self.ids], y[self.ids]).arrays

    def open(self, i: int, y_end: float, k: int) -> tuple[Sweep, int]:
        """Begin a sweep of object i; its lists, and the number that the index knows it by."""
        sweep, own = make_sweep(k), int(np.searchsorted(self.ids, i))
        open_sweep(self.arrays, sweep, own, y_end, k)
        return sweep, own

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


def _steps(old: _Objects, new: _Objects, k: int, i: int, kind: int, before: Place, after: Place) -> Iterator[Step]:
    if kind in (LOWER, DELETE):
        yield from _sweep(old, k, i, after, after.y, *_ALL)
    elif kind == MOVE:
        # Those that contain the new x keep the object; the others lose it as by a deletion.
        limits = (-np.inf, after.x) if after.x > before.x else (after.x, np.inf)
        yield from _sweep(old, k, i, after, np.inf, *limits)
    if kind in (RAISE, INSERT, MOVE):
        sweep, own = new.open(i, -np.inf, k)
        region = _region(new.arrays.x[own], sweep, k, *_ALL)
        yield Step(i, after, UPDATE, region, region, influence_interval(sweep, k))


def _sweep(
    objects: _Objects, k: int, i: int, told: Place, y_end: float, l_limit: float, r_limit: float
) -> Iterator[Step]:
    """Take Paint-Dense's sweep one exposed object at a time (Algorithm 3)."""
    sweep, own = objects.open(i, y_end, k)
    arrays, x = objects.arrays, objects.arrays.x[own]
    region = _region(x, sweep, k, l_limit, r_limit)
    yield Step(i, told, UPDATE, region, region, influence_interval(sweep, k))
    while True:
        left, right = influence_interval(sweep, k)
        h = next_exposed(arrays, sweep, max(left, l_limit), min(right, r_limit))
        if h < 0:
            return
        x_h, tiles = sweep.ys[2], np.empty((k, 4))
        end = exposed_tiles(x_h, x, sweep.xs, sweep.counts, k, EACH, (l_limit, r_limit), tiles, START)
        place = Place(float(x_h), float(sweep.ys[0]))
        expose(sweep, h, x_h, x, k)
        region = _region(x, sweep, k, l_limit, r_limit)
        yield Step(int(objects.ids[h]), place, EXPOSED, tiles[:end], region, influence_interval(sweep, k))


def _region(x: float, sweep: Sweep, k: int, l_limit: float, r_limit: float) -> Tiles:
    tiles = np.empty((k, 4))
    return tiles[: influence_tiles(x, sweep.xs, sweep.counts, k, EACH, (l_limit, r_limit), tiles, START)]


def _step_of(messages: NDArray[np.void], steps: tuple[Step, ...]) -> NDArray[np.int64]:
    """The step that tells of the same object for the same reason; the first one for a message that fits none."""
    names = messages.dtype.names or ()
    of = np.zeros(len(messages), np.int64)
    for at, row in enumerate(messages):
        fitting = [
            number
            for number, step in enumerate(steps)
            if step.object == row["object"] and ("cause" not in names or step.cause == row["cause"])
        ]
        if len(fitting) > 1 and "l_in" in names:  # a move tells of its object twice, each time other subscriptions
            fitting = [number for number in fitting if _meet(steps[number].tiles, row)]
        of[at] = fitting[0] if fitting else 0
    return of


def _meet(tiles: Tiles, row: np.void) -> bool:
    l_in, r_in, l_out, r_out = tiles.T
    inner, outer = np.minimum(l_in, row["l_in"]), np.maximum(l_out, row["l_out"])
    low, high = np.maximum(r_in, row["r_in"]), np.minimum(r_out, row["r_out"])
    return bool(((outer < inner) & (low < high)).any())
