"""What event indexes take on the populations of seed 004.

For the benchmark: time per event in processor time, against a compiled scan in the same run, bytes, evaluations, and
for UB-trees the leaves and points of Fig. 8.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from floor.errors import RangecastError
from matching.conjunctions import UBTree
from matching.event_index import EventIndex
from matching.predicates import Predicates
from matching.registry import EVENT_INDEXES

__all__ = ["EventCost", "event_costs"]

Floats = npt.NDArray[np.float64]
RUNS = 3
SLOW_EVENTS = 20
"""Events by which an index that takes milliseconds is timed."""
SLOW_US = 500.0


class EventCost(NamedTuple):
    """What an index took for a population and events."""

    name: str
    build_s: float
    batch_us: float
    """Microseconds per event, all events in one call."""
    single_us: float
    """Microseconds per event, one call each."""
    over_scan: float
    """How many times the scan takes as long per event in a batch."""
    bytes: float
    """Per subscription."""
    evaluations: float
    """Per event."""
    hits: float
    """Subscriptions that an event matches, on average."""
    leaves: float = 0.0
    points: float = 0.0
    tested: float = 0.0
    """Of UB-trees, per event: leaves looked through, points in them, points tested (seed 004, Fig. 8)."""


def _best(task: Callable[[], object]) -> float:
    times = []
    for _ in range(RUNS):
        start = time.process_time()
        task()
        times.append(time.process_time() - start)
    return min(times)


def event_costs(predicates: Predicates, events: Floats, names: Sequence[str]) -> list[EventCost]:
    """Costs of event indexes by name of `matching.registry`, the scan among them first.

    Raises
    ------
    RangecastError
        Two indexes gave different answers.
    """
    costs: list[EventCost] = []
    scanned: Any = None
    for name in ("scan", *(one for one in names if one != "scan")):
        start = time.process_time()
        index = EVENT_INDEXES[name].make(predicates)
        built = time.process_time() - start
        first = index.matches(events)
        scanned = first if scanned is None else scanned
        if not all(np.array_equal(a, b) for a, b in zip(first, scanned, strict=True)):
            raise RangecastError(f"{name} and scan disagree on what events match")
        costs.append(_cost(name, index, events, built, costs[0].batch_us if costs else 0.0))
    return costs


def _cost(name: str, index: EventIndex, events: Floats, built: float, scan_us: float) -> EventCost:
    """Time an index that is compiled; a batch first of a few events, to see how many can be afforded."""
    few = events[:SLOW_EVENTS]
    quick = _best(lambda: index.matches(few)) / len(few) * 1e6 < SLOW_US
    asked = events if quick else few
    evaluations, work = index.evaluations, _work(index)
    offsets, _ = index.matches(asked)
    made = (index.evaluations - evaluations) / len(asked)
    leaves, points, tested = (float(done) / len(asked) for done in _work(index) - work)
    batch = _best(lambda: index.matches(asked)) / len(asked) * 1e6
    single = _best(lambda: [index.match(event) for event in asked]) / len(asked) * 1e6
    over = scan_us / batch if scan_us else 1.0
    size, hits = index.nbytes / max(len(index), 1), offsets[-1] / len(asked)
    return EventCost(name, built, batch, single, over, size, made, hits, leaves, points, tested)


def _work(index: EventIndex) -> npt.NDArray[np.int64]:
    """Leaves, points and tests of a UB-tree so far, zeros of another index."""
    return np.array(index.work if isinstance(index, UBTree) else (0, 0, 0))
