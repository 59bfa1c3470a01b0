"""What indexes of `matching` take on the populations of the papers that they come from: one number per metric.

For the papers' tables and figures. A kind of population knows how to make one and events for it, how to build an
index over it by its name in `matching.registry`, and how to ask it. Time is processor time of a batch of events, the
best of several; evaluations, leaves, points and bytes are counted. Every answer leaves a mark for each event, by
which the answers of two indexes are compared.

Kinds: `boxes` of seed 000, `placed` of seed 001, `profiles` of seed 002, `conjunctions` and `fixed` of seed 004.
"""

import re
import time
import zlib
from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from matching.conjunctions import UBTree
from matching.intervals import ClusterIndex, HybridIndex
from matching.intervals.bit_vectors import both, members
from matching.ranked import RelaxedMatching
from matching.registry import EVENT_INDEXES, PLACE_INDEXES, RANGE_INDEXES
from simulator.workload.conjunctions import (
    Conjunctive,
    closed_profiles,
    length_of_overlap,
    make_conjunctions,
    make_fixed_conjunctions,
    make_point_events,
)
from simulator.workload.placed_predicates import PlacedPredicates, make_placed, make_placed_events
from simulator.workload.zipf_boxes import ZipfBoxes, make_zipf_boxes

__all__ = ["INDEX_METRICS", "KINDS", "Answer", "Ask", "Kind"]

Floats = npt.NDArray[np.float64]

INDEX_METRICS = (
    "us",
    "build_s",
    "megabytes",
    "evaluations",
    "hits",
    "selectivity",
    "share",
    "leaves",
    "points",
    "tested",
    "cut",
)
"""Per event: microseconds, evaluations, ids found (`hits`) and their share of all subscriptions (`selectivity`), the
evaluations as a share of those without an index (`share`), and of UB-trees leaves looked through, points in them,
points tested, and points over points tested (`cut`). Of the index: seconds to build it, and a million bytes."""

LONG_S = 1.0
"""Seconds from which on a batch of events is not timed again."""
DIAGONAL = 2**0.5
"""Of the unit square, where places lie."""


class Ask(NamedTuple):
    """How an index is asked."""

    events: int = 100
    k: int = 1
    """Only so many of each event, where the kind asks for the best."""
    runs: int = 3
    """Of which the quickest counts; after one that takes longer than `LONG_S` there is no other."""


class Answer(NamedTuple):
    """What an index took, and what tells its answers."""

    row: dict[str, float]
    marks: list[int]
    """A check sum of the ids of each event."""


class Kind(NamedTuple):
    """A kind of population."""

    population: type[Any]
    """A named tuple of what one is made from."""
    make: Callable[[Any, int, int], Any]
    """Population and events from (what, number of events, seed)."""
    build: Callable[[str, Any], Any]
    """An index by its name."""
    ask: Callable[[Any, Any, Ask], Answer]
    metrics: tuple[str, ...] = INDEX_METRICS


def _marks(answer: tuple[Any, Any]) -> list[int]:
    offsets, ids = answer
    held = np.ascontiguousarray(ids, np.int64)
    return [zlib.crc32(held[a:b].tobytes()) for a, b in pairwise(offsets)]


def _answer(index: Any, act: Callable[[], tuple[Any, Any]], subscriptions: int, ask: Ask) -> Answer:
    """Count and time a batch of events, and time it again as often as is asked for."""
    evaluations, work = index.evaluations, _work(index)
    start = time.process_time()
    offsets, ids = act()
    took = time.process_time() - start
    row = {
        "evaluations": (index.evaluations - evaluations) / ask.events,
        "megabytes": index.nbytes / 1e6,
        "hits": len(ids) / ask.events,
        "selectivity": len(ids) / ask.events / subscriptions,
    }
    if isinstance(index, UBTree):
        leaves, points, tested = (_work(index) - work) / ask.events
        row |= {"leaves": leaves, "points": points, "tested": tested, "cut": points / tested if tested else 0.0}
    marks = _marks((offsets, ids))
    del offsets, ids
    for _ in range(ask.runs - 1 if took < LONG_S else 0):
        start = time.process_time()
        act()
        took = min(took, time.process_time() - start)
    return Answer({**row, "us": took / ask.events * 1e6}, marks)


def _work(index: Any) -> Floats:
    """Leaves, points and tests of a UB-tree so far, zeros of another index."""
    return np.array(index.work if isinstance(index, UBTree) else (0, 0, 0), np.float64)


class _Boxes(NamedTuple):
    l: Floats
    r: Floats
    weight: Floats
    points: Floats


def _make_boxes(spec: ZipfBoxes, events: int, seed: int) -> _Boxes:
    return _Boxes(*make_zipf_boxes(spec, events, seed))


def _build_boxes(name: str, made: _Boxes) -> Any:
    """An index, or one for each dimension under the Threshold Algorithm; one dimension has nothing to add up."""
    kind: Any = RANGE_INDEXES[name].kind
    if made.l.shape[1] == 1:
        return kind(made.l[:, 0], made.r[:, 0], made.weight[:, 0])
    return RelaxedMatching(made.l, made.r, made.weight, kind)


def _ask_boxes(index: Any, made: _Boxes, ask: Ask) -> Answer:
    points = made.points[: ask.events]
    asked = points[:, 0] if made.l.shape[1] == 1 else points
    index.tops(asked[:1], ask.k)
    return _answer(index, lambda: index.tops(asked, ask.k), len(made.l), ask)


class TableFour(NamedTuple):
    """What a population of seed 001's Table 4 is made from; its keys are those of `PlacedPredicates`."""

    subscriptions: int = 2_000_000
    attributes: int = 400
    values: int = 100
    event_length: int = 10
    subscription_length: int = 4
    alpha: str = "U(0, 1)"
    """As the paper writes it: that, or N(mean, deviation)."""
    skew: float = 0.0


class _Placed(NamedTuple):
    population: tuple[Any, ...]
    values: Floats
    places: Floats


def _make_placed(spec: TableFour, events: int, seed: int) -> _Placed:
    normal = re.fullmatch(r"N\((.*), (.*)\)", spec.alpha)
    alpha = (float(normal[1]), float(normal[2])) if normal else None
    own = PlacedPredicates(**{**spec._asdict(), "alpha": alpha})
    return _Placed(make_placed(own, seed), *make_placed_events(own, events, seed))


def _build_placed(name: str, made: _Placed) -> Any:
    kind: Any = PLACE_INDEXES[name].kind
    return kind(*made.population, max_distance=DIAGONAL)


def _ask_placed(index: Any, made: _Placed, ask: Ask) -> Answer:
    values, places = made.values[: ask.events], made.places[: ask.events]
    index.tops(values[:1], places[:1], ask.k)
    return _answer(index, lambda: index.tops(values, places, ask.k), len(index), ask)


class ClosedProfiles(NamedTuple):
    """What the profiles of seed 002, Section 4.1.6, are made from; its domain is not told."""

    profiles: int = 100
    overlap: float = 0.0
    """Share of pairs that overlap; 0 for ranges of length 10, whatever they overlap."""
    domain: float = 1000.0


class _Profiles(NamedTuple):
    l: Floats
    r: Floats
    documents: Floats


def _make_profiles(spec: ClosedProfiles, events: int, seed: int) -> _Profiles:
    length = length_of_overlap(spec.overlap, spec.domain) if spec.overlap else 10.0
    documents = np.random.default_rng(seed + 1).random((events, 2)) * spec.domain
    return _Profiles(*closed_profiles(spec.profiles, length, spec.domain, seed), documents)


def _build_profiles(name: str, made: _Profiles) -> list[Any]:
    """An index for each of the two attributes."""
    return [RANGE_INDEXES[name].kind(made.l[:, side], made.r[:, side]) for side in range(2)]


def _ask_profiles(indexes: list[Any], made: _Profiles, ask: Ask) -> Answer:
    """Evaluations of a document: those of both searches, and where their sets only say "may" those of profiles.

    As in Section 4.1.1, the sets of the attributes are intersected first; of a profile in both, the second range is
    tested where the first one holds.
    """
    may = isinstance(indexes[0], ClusterIndex | HybridIndex)
    evaluations, tests, hits = sum(index.evaluations for index in indexes), 0, 0
    marks = []
    start = time.process_time()
    for document in made.documents[: ask.events]:
        sets = [index.candidates(float(x)) for index, x in zip(indexes, document, strict=True)]
        ids = members(both(*sets))
        inside = (made.l[ids] <= document) & (document <= made.r[ids])
        tests += int((1 + inside[:, 0]).sum()) if may else 0
        found = ids[inside.all(axis=1)]
        hits += found.size
        marks.append(zlib.crc32(found.astype(np.int64).tobytes()))
    row = {
        "us": (time.process_time() - start) / ask.events * 1e6,
        "evaluations": (sum(index.evaluations for index in indexes) - evaluations + tests) / ask.events,
        "megabytes": sum(index.nbytes for index in indexes) / 1e6,
        "hits": hits / ask.events,
        "selectivity": hits / ask.events / len(made.l),
    }
    row["share"] = row["evaluations"] / (2 * len(made.l))
    return Answer(row, marks)


class TableOne(NamedTuple):
    """What a population of seed 004's Table 1 is made from."""

    subscriptions: int = 1_200_000
    attributes: int = 16
    always: int = 3
    """The first so many attributes are in every subscription ..."""
    often: int = 5
    """... the next in a share of them ..."""
    often_use: float = 0.7
    rare_use: float = 0.01
    """... and the rest in this share."""
    equality: float = 0.8
    half: float = 0.5
    values: int = 8


class _Conjunctions(NamedTuple):
    predicates: Any
    events: Floats


def _make_conjunctions(spec: TableOne, events: int, seed: int) -> _Conjunctions:
    use = ((1.0,) * spec.always + (spec.often_use,) * spec.often + (spec.rare_use,) * spec.attributes)[
        : spec.attributes
    ]
    own = Conjunctive(spec.subscriptions, spec.attributes, use, spec.equality, spec.half, spec.values)
    return _Conjunctions(make_conjunctions(own, seed), make_point_events(own, events, seed + 1))


class Fixed(NamedTuple):
    """What a population of seed 004's Fig. 9(b) is made from."""

    subscriptions: int = 100_000
    fixed: int = 8
    """Attributes that all ask for, beside one of the others."""
    attributes: int = 32
    values: int = 10_000


def _make_fixed(spec: Fixed, events: int, seed: int) -> _Conjunctions:
    made = make_fixed_conjunctions(
        spec.fixed, seed, subscriptions=spec.subscriptions, attributes=spec.attributes, values=spec.values
    )
    rng = np.random.default_rng(seed + 1)
    return _Conjunctions(made, rng.integers(0, spec.values, (events, spec.attributes)).astype(np.float64))


def _build_conjunctions(name: str, made: _Conjunctions) -> Any:
    return EVENT_INDEXES[name].make(made.predicates)


def _ask_conjunctions(index: Any, made: _Conjunctions, ask: Ask) -> Answer:
    events = made.events[: ask.events]
    index.matches(events[:1])
    return _answer(index, lambda: index.matches(events), len(index), ask)


KINDS: dict[str, Kind] = {
    "boxes": Kind(ZipfBoxes, _make_boxes, _build_boxes, _ask_boxes),
    "placed": Kind(TableFour, _make_placed, _build_placed, _ask_placed),
    "profiles": Kind(ClosedProfiles, _make_profiles, _build_profiles, _ask_profiles),
    "conjunctions": Kind(TableOne, _make_conjunctions, _build_conjunctions, _ask_conjunctions),
    "fixed": Kind(Fixed, _make_fixed, _build_conjunctions, _ask_conjunctions),
}
"""Kinds of populations by name."""
