"""`rangecast match`: indexes of `matching` by themselves, over files, timed and compared."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from floor.errors import RangecastError
from floor.files import whole
from matching.places.place_index import checked_places
from matching.predicates import Predicates
from matching.range_index import checked_count, checked_points
from matching.registry import EVENT_INDEXES, PLACE_INDEXES, RANGE_INDEXES
from simulator.inputs.match_files import Placed, Ranges, read_events, read_population

__all__ = ["DisagreementError", "MatchingMeasures", "match_files", "measure"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MOST_RANGES = 20_000
"""Most ranges for which `all` takes an index of quadratic space."""
QUADRATIC = ("cluster-index", "hybrid-index", "interval-index")


class DisagreementError(RangecastError):
    """Two indexes gave different answers."""


class MatchingMeasures(NamedTuple):
    """What an index answered, and what that took."""

    name: str
    offsets: Ints
    ids: Ints
    build_s: float
    match_s: float
    """Processor time of all events."""
    subscriptions: int
    nbytes: int
    evaluations: int

    def line(self) -> str:
        """Say it in one line."""
        events = self.offsets.size - 1
        return (
            f"{self.name}: {events / max(self.match_s, 1e-9):,.0f} events/s, "
            f"{self.nbytes / max(self.subscriptions, 1):,.1f} bytes per subscription, "
            f"{self.evaluations / max(events, 1):,.1f} evaluations per event "
            f"({self.subscriptions:,} subscriptions, {events:,} events, built in {self.build_s:.2f} s)"
        )


def measure(name: str, make: Any, ask: Any, events: Any) -> MatchingMeasures:
    """Build an index by `make()` and time `ask(index, events)` in processor time, compiled before."""
    start = time.process_time()
    index = make()
    built = time.process_time() - start
    ask(index, events[:1])
    before, start = index.evaluations, time.process_time()
    offsets, ids = ask(index, events)
    took = time.process_time() - start
    return MatchingMeasures(name, offsets, ids, built, took, len(index), index.nbytes, index.evaluations - before)


def match_files(
    population: Path, events: Path, index: str, top: int | None, out: Path, max_distance: float | None = None
) -> Iterator[str]:
    """Match events of a file with a population, write ids per event to a Parquet file, and say what it took.

    Parameters
    ----------
    population, events
        As of `simulator.inputs.match_files`.
    index
        A name of `matching.registry` for the kind of population, or `all`.
    top
        Only so many, best first; None for all.
    out
        The file, with the columns `event` and `ids`.
    max_distance
        Of a population with places, the distance at which nearness is 0; by default the diagonal of the smallest
        rectangle around all places.

    Raises
    ------
    RangecastError
        A file, the index or `top` cannot be.
    DisagreementError
        Two indexes differ; nothing is written.
    """
    if top is not None:
        _refused("--top", lambda: checked_count(top))
    if out.absolute() in (population.absolute(), events.absolute()):
        raise RangecastError(f"--out {out}: must not be a file that is read; choose another path")
    attributes, given = read_events(events)
    held = read_population(population, attributes)
    if isinstance(held, Ranges) and len(attributes) != 1:
        raise RangecastError(
            f"{events} must have one column for a population of ranges, got {', '.join(attributes)}; drop the others"
        )
    if isinstance(held, Ranges):
        _refused(events, lambda: checked_points(given[:, 0]))
    elif isinstance(held, Placed):
        given = _refused(events, lambda: _Asked.of(held, attributes, given, max_distance))
    if max_distance is not None and not isinstance(held, Placed):
        raise RangecastError("--max-distance is of populations with places (x, y, alpha); leave it out")
    first: MatchingMeasures | None = None
    for name in _names(index, held, top):
        found = _refused(population, lambda name=name: _measured(name, held, given, top))
        yield found.line()
        if first is None:
            first = found
        else:
            _compare(first, found)
            first = first._replace(name=f"{first.name}, {name}")
    if first is not None:
        _write(out, first)
        yield f"{first.ids.size:,} ids in {out}" + ("; all indexes agree" if index == "all" else "")


def _refused(source: object, act: Any) -> Any:
    """What an act gives; what it says of its arguments is told to the user, with where they come from."""
    try:
        return act()
    except (ValueError, TypeError) as error:
        raise RangecastError(f"{source}: {error}") from error


@dataclass(frozen=True)
class _Asked:
    """Events with places."""

    values: Floats
    places: Floats
    max_distance: float

    def __getitem__(self, some: slice) -> "_Asked":
        return _Asked(self.values[some], self.places[some], self.max_distance)

    @classmethod
    def of(cls, held: Placed, attributes: tuple[str, ...], events: Floats, distance: float | None) -> "_Asked":
        """Events of a file whose columns x and y are their places."""
        where = [attributes.index(name) for name in ("x", "y")]
        places = checked_places("places of events", events[:, where], len(events))
        if distance is None:
            every = np.concatenate((held.places, places))
            distance = float(np.hypot(*np.ptp(every, axis=0))) if len(every) else 1.0
            if distance == 0:
                raise RangecastError("all places are one, so their diagonal is 0; give --max-distance")
        if not 0 < distance < np.inf:
            raise RangecastError(f"--max-distance must be positive and finite, got {distance:g}; give another one")
        return cls(np.delete(events, where, axis=1), places, distance)


def _names(index: str, held: Ranges | Predicates | Placed, top: int | None) -> list[str]:
    """Names of the indexes to ask."""
    if isinstance(held, Placed):
        if top is None:
            raise RangecastError("--top must say how many for a population with places, where all have a score")
        usable, kind = list(PLACE_INDEXES), "predicates with places"
    elif isinstance(held, Predicates):
        usable, kind = list(EVENT_INDEXES), "predicates"
    else:
        usable = [name for name, entry in RANGE_INDEXES.items() if top is None or entry.ranked]
        kind = "ranges" if top is None else "ranges with --top"
    if index == "all":
        many = isinstance(held, Ranges) and held.l.size > MOST_RANGES
        return [name for name in usable if not (many and name in QUADRATIC)]
    if index not in usable:
        raise RangecastError(f"--index must be a name for {kind} ({', '.join(usable)}) or all, got {index!r}")
    return [index]


def _measured(name: str, held: Ranges | Predicates | Placed, events: Any, top: int | None) -> MatchingMeasures:
    if isinstance(held, Placed):
        place_kind: Any = PLACE_INDEXES[name].kind
        return measure(
            name,
            lambda: place_kind(*held, max_distance=events.max_distance),
            lambda own, some: own.tops(some.values, some.places, top),
            events,
        )
    if isinstance(held, Predicates):
        return measure(
            name, lambda: EVENT_INDEXES[name].make(held), lambda own, some: _first(own.matches(some), top), events
        )
    found = measure(
        name,
        lambda: RANGE_INDEXES[name].kind(held.l, held.r, held.score),
        lambda own, some: own.stabs(some) if top is None else own.tops(some, top),
        events[:, 0],
    )
    return found if held.ids is None else found._replace(ids=held.ids[found.ids])


def _first(answer: tuple[Ints, Ints], top: int | None) -> tuple[Ints, Ints]:
    """The first so many ids of each event."""
    if top is None:
        return answer
    offsets, ids = answer
    sizes = np.minimum(np.diff(offsets), top)
    kept = np.concatenate(([0], np.cumsum(sizes)))
    return kept, ids[np.repeat(offsets[:-1] - kept[:-1], sizes) + np.arange(kept[-1])]


def _compare(first: MatchingMeasures, other: MatchingMeasures) -> None:
    if np.array_equal(first.offsets, other.offsets) and np.array_equal(first.ids, other.ids):
        return
    for event in range(first.offsets.size - 1):
        a, b = (one.ids[one.offsets[event] : one.offsets[event + 1]] for one in (first, other))
        if not np.array_equal(a, b):
            differ = np.setxor1d(a, b)
            about = f"about subscription {differ[0]} ({differ.size} in all)" if differ.size else "about the order"
            raise DisagreementError(
                f"{first.name} and {other.name} disagree on event {event} {about}; nothing is written"
            )


def _write(out: Path, found: MatchingMeasures) -> None:
    lists = pa.LargeListArray.from_arrays(pa.array(found.offsets), pa.array(found.ids))
    table = pa.table({"event": np.arange(found.offsets.size - 1), "ids": lists})
    with whole(out) as partial:
        pq.write_table(table, partial)
