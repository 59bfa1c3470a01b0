"""One event explained: objects, influence region with levels, the sweep step by step, and an approach's messages.

What is shown of the sweep comes from the functions that Paint-Dense itself is made of (`paint.index`, `paint.sweep`,
`paint.geometry`), called one at a time; the messages are those that the approach's own session sends. Nothing of the
algorithm is written here a second time. An event that an approach answers in a window with others is explained with
them. Drawing is in `explain_figure` and `explain_page`.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paint.geometry import EACH, START, exposed_tiles
from paint.index import next_exposed
from paint.messages import EXPOSED, UPDATE
from paint.sweep import expose, influence_interval
from simulator.approaches.registry import parse_approach
from simulator.inputs.fault_plan import Churn
from simulator.views.event_explanation import EventExplanation, Step
from simulator.views.explain_state import (
    ExplainError,
    Objects,
    answer_to,
    region_of,
    state_after,
    subscriptions_at,
)
from simulator.views.explanation import Place, Tiles, in_message
from simulator.views.window_explanation import Outcome, WindowExplanation
from simulator.workload.events import DELETE, INSERT, KINDS, LOWER, MOVE, RAISE, EventStream
from simulator.workload.windows import chunks_of
from simulator.workload.workload import Workload

__all__ = ["ExplainError", "explain", "pick_event", "single_update"]

State = tuple[NDArray[np.float64], NDArray[np.float64]]
"""x and y of all objects."""

_ALL = (-np.inf, np.inf)


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
    warm_up: int = 0,
) -> EventExplanation | WindowExplanation:
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
    warm_up : int
        The event with which windows begin anew, as the scenario has it.

    Returns
    -------
    EventExplanation or WindowExplanation
        The event, or all of its window for an approach that answers several events at once.

    Raises
    ------
    ExplainError
        There is no such event or approach, or the approach answers those who ask instead of events.

    Notes
    -----
    O(n log n + e T) time for e events before it that take the approach T each.
    """
    if not 0 <= event < len(events.object):
        raise ExplainError(f"event {event}: must be between 0 and {len(events.object) - 1}; choose one of these")
    answer = answer_to(workload, events, event, approach, churn, warm_up)
    x, y = state_after(workload, events, answer.span.start)
    l, r = subscriptions_at(workload, churn, answer.span.start)
    after = state_after(workload, events, answer.span.stop)
    old, new = Objects(x, y), Objects(*after)
    common: dict[str, Any] = {
        "approach": approach,
        "k": workload.k,
        "event": event,
        "span": answer.span,
        "names": names,
    }
    common |= {"x": x, "y": y, "l": l, "r": r, "messages": answer.messages}
    if answer.windowed:
        return _window(common, events, after, (old, new))
    return _one_event(common, events, old, new)


def _one_event(common: dict[str, Any], events: EventStream, old: Objects, new: Objects) -> EventExplanation:
    event, k, x, y = (common[key] for key in ("event", "k", "x", "y"))
    i, kind = int(events.object[event]), int(events.kind[event])
    before = Place(float(events.x[event]), np.inf) if kind == INSERT else Place(float(x[i]), float(y[i]))
    after = Place(float(events.x[event]), float(events.y[event]))
    steps = tuple(_steps(old, new, k, i, kind, before, after))
    return EventExplanation(
        **common,
        kind=KINDS[kind],
        object=i,
        before=before,
        after=after,
        levels_before=old.levels(i, k),
        levels_after=new.levels(i, k),
        steps=steps,
        step_of=_step_of(common["messages"], steps),
    )


def _window(
    common: dict[str, Any], events: EventStream, after: State, objects: tuple[Objects, Objects]
) -> WindowExplanation:
    """What a window comes to for each object that it updates or tells of, in the order of the messages."""
    about = common["messages"]["object"].tolist()
    numbers: dict[int, list[int]] = {i: [] for i in about}
    for number in common["span"]:
        numbers.setdefault(int(events.object[number]), []).append(number)
    outcomes = []
    for i, own in numbers.items():
        places = [Place(float(x[i]), float(y[i])) for x, y in ((common["x"], common["y"]), after)]
        # One that is not there before or after stands where it is at the other time, or where it last was.
        there = next((place for place in places if place.y < np.inf), places[1])
        places = [place if place.y < np.inf else place._replace(x=there.x) for place in places]
        regions = [at.region(i, common["k"]) for at in objects]
        outcomes.append(Outcome(i, tuple(own), places[0], places[1], regions[0], regions[1], _kind(own, *places)))
    order = {outcome.object: at for at, outcome in enumerate(outcomes)}
    step_of = np.array([order[i] for i in about], np.int64)
    return WindowExplanation(**common, outcomes=tuple(outcomes), step_of=step_of)


def _kind(events: Sequence[int], before: Place, after: Place) -> str:
    if before == after:
        return "same" if events else "exposed"
    if before.y == np.inf or after.y == np.inf:
        return "insert" if before.y == np.inf else "delete"
    if before.x != after.x:
        return "move"
    return "raise" if after.y < before.y else "lower"


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
        table, offsets = session.answer(chunk)[:2]
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


def _steps(old: Objects, new: Objects, k: int, i: int, kind: int, before: Place, after: Place) -> Iterator[Step]:
    if kind in (LOWER, DELETE):
        yield from _sweep(old, k, i, after, after.y, *_ALL)
    elif kind == MOVE:
        # Those that contain the new x keep the object; the others lose it as by a deletion.
        limits = (-np.inf, after.x) if after.x > before.x else (after.x, np.inf)
        yield from _sweep(old, k, i, after, np.inf, *limits)
    if kind in (RAISE, INSERT, MOVE):
        sweep, own = new.open(i, -np.inf, k)
        region = region_of(new.arrays.x[own], sweep, k, *_ALL)
        yield Step(i, after, UPDATE, region, region, influence_interval(sweep, k))


def _sweep(
    objects: Objects, k: int, i: int, told: Place, y_end: float, l_limit: float, r_limit: float
) -> Iterator[Step]:
    """Take Paint-Dense's sweep one exposed object at a time (Algorithm 3)."""
    sweep, own = objects.open(i, y_end, k)
    arrays, x = objects.arrays, objects.arrays.x[own]
    region = region_of(x, sweep, k, l_limit, r_limit)
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
        region = region_of(x, sweep, k, l_limit, r_limit)
        yield Step(int(objects.ids[h]), place, EXPOSED, tiles[:end], region, influence_interval(sweep, k))


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
