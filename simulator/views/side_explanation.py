"""One event over several attributes explained: kept and exposed objects, influence polygon, slices of S.

The kept objects are those that Paint-Dense's own search finds (`paint.corner_sweep`), and the messages those that the
approach's own session sends. The influence polygon (Section IV-C, Appendix D) holds every place at which an object
would be in the way of the updated one: fewer than k kept corners are below it. S has too many sides to be drawn: a
slice of it is the plane of l1 and r1 for one value of each other side, and the last side is cut into slabs, in each
of which the slice is the same.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from paint.algorithm import COUNTERS, Plan
from paint.corner_index import CornerIndex
from paint.corner_sweep import kept_corners, make_corner_sweep, open_sweep
from paint.geometry import EACH
from paint.messages import EXPOSED
from paint.sides import Sides, boxes_of, points_of, sides_of
from simulator.inputs.fault_plan import Churn
from simulator.views.explain_state import answer_to, state_after, subscriptions_at
from simulator.views.explanation import VERBS, lettered
from simulator.views.labels import object_name
from simulator.workload.events import INSERT, KINDS, MOVE, EventStream
from simulator.workload.workload import Workload

__all__ = ["SideExplanation", "Slices", "Spot", "explain_over_sides", "slices_of", "told"]

Floats = NDArray[np.float64]

_MARGIN = 0.08
_OPEN = np.finfo(np.float64).max
_SAMPLE = 4000
"""Subscriptions that are looked at for a drawing."""


class Spot(NamedTuple):
    """Where an object is: its attributes, and y = +inf when it is not there."""

    x: tuple[float, ...]
    y: float


@dataclass(frozen=True, eq=False, kw_only=True)
class SideExplanation:
    """An event over several attributes, answered by an approach."""

    approach: str
    k: int
    event: int
    span: range
    dimensions: float
    names: Sequence[str]
    kind: str
    object: int
    before: Spot
    after: Spot
    x: Floats
    """Objects just before the event; y = +inf for those that are not there."""
    y: Floats
    l: Floats
    r: Floats
    messages: NDArray[np.void]
    kept: Floats
    """Corners of the kept objects, (kept, D), seen from the updated one where it ranks best, or moves away from."""
    kept_objects: NDArray[np.int64]
    """These objects, best first."""

    @cached_property
    def sides(self) -> Sides:
        """Sides of S."""
        return sides_of(self.dimensions)

    @property
    def side_names(self) -> list[str]:
        """What each side is called: l1, r1, ..."""
        return [("l" if sign < 0 else "r") + str(j + 1) for j, sign in zip(*self.sides[:2], strict=True)]

    @property
    def unicast(self) -> bool:
        """Whether messages go to single subscriptions, not to boxes."""
        return "l_in" not in (self.messages.dtype.names or ())

    @property
    def exposed(self) -> list[int]:
        """Exposed objects in the order in which messages tell of them."""
        if self.unicast:
            return [i for i in dict.fromkeys(self.messages["object"].tolist()) if i not in (-1, self.object)]
        return list(dict.fromkeys(self.messages["object"][self.messages["cause"] == EXPOSED].tolist()))

    def letter(self, i: int) -> str:
        """Short name of an exposed object; "" for the updated one."""
        return lettered(self.exposed.index(i) + 1) if i in self.exposed else ""

    @property
    def own(self) -> Spot:
        """Where the updated object is drawn: where it was, or where it comes to be."""
        return self.after if self.before.y == np.inf else self.before

    @property
    def above(self) -> NDArray[np.bool_]:
        """Whether each object ranks above the updated one, before and after."""
        best = min(self.before.y, self.after.y)
        return np.asarray((self.y < best) | ((self.y == best) & (np.arange(len(self.y)) < self.object)))

    def called(self, i: int) -> str:
        """How a reader is told of an object."""
        return object_name(i, self.names)

    @property
    def deed(self) -> str:
        """What happens to the object."""
        own = f"{self.called(self.object)} at ({told(self.own.x)})"
        where = f" to ({told(self.after.x)})" if self.kind == "move" else ""
        ys = " → ".join(dict.fromkeys(f"{y:.4g}" for y in (self.before.y, self.after.y) if np.isfinite(y)))
        return f"{own} {VERBS[self.kind]}{where}, y = {ys}"

    @property
    def title(self) -> str:
        """The event in one line."""
        return f"Event {self.event}: {self.deed} ({self.approach}, k = {self.k})"

    @property
    def facts(self) -> list[str]:
        """What is worth printing."""
        names = (f"{self.letter(h)} {self.called(h).removeprefix('object ')}" for h in self.exposed)
        exposed = ", ".join(names) or "none"
        kept = f"kept objects: {len(self.kept):,}; exposed objects, in order: {exposed}"
        return [self.title, kept, f"messages: {len(self.messages):,}"]

    @cached_property
    def boxes(self) -> tuple[Floats, Floats]:
        """Least and greatest coordinates of the messages in the sides, (messages, D) each; none if to single ones."""
        if self.unicast:
            nothing = np.empty((0, len(self.sides.sign)))
            return nothing, nothing
        return boxes_of(self.sides, self.messages)

    def reach(self, message: int) -> int:
        """How many subscriptions get a message; O(m)."""
        if self.unicast:
            return 1
        lo, hi = (ends[message] for ends in self.boxes)
        return int(((lo <= self.points) & (self.points < hi)).all(axis=1).sum())

    @cached_property
    def points(self) -> Floats:
        """The subscriptions as points of the sides; those that are not there are beyond every message."""
        return points_of(self.sides, self.l, self.r)

    def sample(self) -> NDArray[np.int64]:
        """Some subscriptions, all if there are few: always the same ones."""
        there = np.flatnonzero(np.isfinite(self.r).all(axis=1))
        if len(there) > _SAMPLE:
            there = np.sort(np.random.default_rng(0).choice(there, _SAMPLE, replace=False))
        return there

    def told(self, chosen: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether each of some subscriptions gets any message."""
        if self.unicast:
            return np.isin(chosen, self.messages["subscription"])
        points, got = self.points[chosen], np.zeros(len(chosen), np.bool_)
        for lo, hi in zip(*self.boxes, strict=True):
            got |= ((lo <= points) & (points < hi)).all(axis=1)
        return got

    def near(self) -> list[tuple[float, float]]:
        """What of the first two attributes the map of objects shows: around those kept, exposed and updated."""
        # The corners of kept objects lie between these and the updated one.
        places = [self.own.x, self.after.x, *self.x[self.exposed], *self.x[self.kept_objects]]
        spans = []
        for j in range(2):
            ends = [float(place[j]) for place in places]
            low, high = min(ends), max(ends)
            margin = _MARGIN * (high - low) or 0.5
            spans.append((low - margin, high + margin))
        return spans

    def polygon(self) -> list[tuple[float, float, float, float]]:
        """The influence polygon in rectangles x1_lo, x1_hi, x2_lo, x2_hi, cut off where the map ends.

        Further attributes, if any, are those of the updated object.
        """
        sides, own = self.sides, np.array(self.own.x)
        origin = own[sides.attribute] * sides.sign
        edges = []
        for j, (low, high) in enumerate(self.near()):
            values = (self.kept[:, sides.attribute == j] * sides.sign[sides.attribute == j]).ravel()
            inside = values[(values > low) & (values < high)]
            edges.append(np.unique(np.concatenate(([low, high, own[j]], inside))))
        middles = [(one[:-1] + one[1:]) / 2 for one in edges]
        cells = []
        for at, first in enumerate(middles[0].tolist()):
            spots = np.tile(own, (len(middles[1]), 1))
            spots[:, 0], spots[:, 1] = first, middles[1]
            corners = np.maximum(spots[:, sides.attribute] * sides.sign, origin)
            below = (self.kept[None] <= corners[:, None]).all(axis=2).sum(axis=1)
            for start, stop in _runs(below < self.k):
                cells.append((edges[0][at], edges[0][at + 1], edges[1][start], edges[1][stop]))
        return cells


class Slices(NamedTuple):
    """Cuts of S: the last side in slabs, the others but l1 and r1 at one value each."""

    edges: Floats
    """Ends of the slabs in the last side, ascending, one more than there are slabs."""
    fixed: Floats
    """The value of each side; that of l1, r1 and the last one counts for nothing."""

    def fixed_names(self, explained: SideExplanation) -> list[str]:
        """The sides that are neither drawn nor cut into slabs, with their values."""
        return [
            f"{explained.side_names[side]} = {self.fixed[side] * explained.sides.sign[side]:.4g}"
            for side in range(2, len(self.fixed) - 1)
        ]

    def spans(self, explained: SideExplanation) -> NDArray[np.int64]:
        """First and last slab in which each message is seen, (messages, 2); -1 for those that no slice meets."""
        lo, hi = explained.boxes
        seen = _at(lo, hi, self.fixed)
        first = np.searchsorted(self.edges, lo[:, -1], side="left")
        last = np.searchsorted(self.edges, hi[:, -1], side="left") - 1
        last = np.minimum(last, len(self.edges) - 2)
        return np.where((seen & (first <= last))[:, None], np.column_stack((first, last)), -1)


def slices_of(explanations: Sequence[SideExplanation]) -> Slices:
    """Slices that show most of the messages of several approaches to one event.

    A side that is not drawn gets the value that the most messages have in common, the least of equals.
    """
    lo = np.concatenate([one.boxes[0] for one in explanations])
    hi = np.concatenate([one.boxes[1] for one in explanations])
    own, sides = np.array(explanations[0].own.x), explanations[0].sides
    fixed = own[sides.attribute] * sides.sign
    for side in range(2, len(fixed) - 1):
        values = np.unique(lo[np.isfinite(lo[:, side]), side])
        if len(values):
            common = ((lo[:, side] <= values[:, None]) & (values[:, None] < hi[:, side])).sum(axis=1)
            fixed[side] = values[int(common.argmax())]
    seen = _at(lo, hi, fixed)
    ends = np.unique(np.concatenate((lo[seen, -1], hi[seen, -1])))
    if len(ends) < 2:
        ends = np.array([fixed[-1], np.inf])
    return Slices(ends, fixed)


def _at(lo: Floats, hi: Floats, fixed: Floats) -> NDArray[np.bool_]:
    """Which boxes hold the values of the sides that are not drawn."""
    hidden = slice(2, len(fixed) - 1)
    within: NDArray[np.bool_] = (lo[:, hidden] <= fixed[hidden]) & (fixed[hidden] < hi[:, hidden])
    return np.asarray(within.all(axis=1))


def _runs(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Where runs of true values begin and end."""
    turns = np.flatnonzero(np.diff(np.concatenate(([False], flags, [False])).astype(np.int8)))
    return [(int(start), int(stop)) for start, stop in turns.reshape(-1, 2)]


def explain_over_sides(
    workload: Workload,
    events: EventStream,
    event: int,
    approach: str,
    churn: Churn | None = None,
    names: Sequence[str] = (),
    warm_up: int = 0,
) -> SideExplanation:
    """Follow a stream over several attributes up to an event and lay out what happens there.

    Parameters are those of `simulator.views.explain.explain`.

    Raises
    ------
    ExplainError
        The approach answers those who ask.
    """
    answer = answer_to(workload, events, event, approach, churn, warm_up)
    x, y = state_after(workload, events, event)
    l, r = subscriptions_at(workload, churn, event)
    i, kind = int(events.object[event]), int(events.kind[event])
    after = Spot(tuple(events.x[event].tolist()), float(events.y[event]))
    before = Spot(after.x, np.inf) if kind == INSERT else Spot(tuple(x[i].tolist()), float(y[i]))
    # A move exposes objects where it was, whatever its y becomes.
    best = before if kind == MOVE or before.y <= after.y else after
    kept = _kept(workload, (x, y), i, best)
    common: dict[str, Any] = {"approach": approach, "k": workload.k, "event": event, "span": answer.span}
    return SideExplanation(
        **common, dimensions=workload.dimensions, names=names, kind=KINDS[kind], object=i, before=before, after=after,
        x=x, y=y, l=l, r=r, messages=answer.messages, kept=kept,
        kept_objects=_owners(kept, (x, y), i, best, sides_of(workload.dimensions)),
    )  # fmt: skip


def _kept(workload: Workload, state: tuple[Floats, Floats], i: int, best: Spot) -> Floats:
    """Corners of the objects kept when object i is at its best place."""
    x, y = (values.copy() for values in state)
    x[i], y[i] = best
    there = np.flatnonzero(np.isfinite(y))  # ascending, so that ties keep their order
    sides = sides_of(workload.dimensions)
    plan = Plan(workload.k, EACH, 1.0, np.zeros(COUNTERS, np.int64))
    sweep = make_corner_sweep(sides, workload.k, len(there))
    index = CornerIndex(x[there], y[there])
    nowhere = np.full(x.shape[1], np.nan)
    open_sweep(index.arrays, plan, sweep, int(np.searchsorted(there, i)), -np.inf, nowhere, True)
    corners, size = kept_corners(sweep, workload.k)
    return corners[:size].copy()


def _owners(kept: Floats, state: tuple[Floats, Floats], i: int, best: Spot, sides: Sides) -> NDArray[np.int64]:
    """Whose the kept corners are, best first; where several share one, as many of them as are kept."""
    x, y = state
    better = np.flatnonzero((y < best.y) | ((y == best.y) & (np.arange(len(y)) < i)))
    corners = np.maximum(x[better][:, sides.attribute] * sides.sign, np.array(best.x)[sides.attribute] * sides.sign)
    likely = np.flatnonzero(np.isin(corners, kept).all(axis=1))
    left, found = Counter(map(tuple, kept.tolist())), []
    for at in likely[np.argsort(y[better[likely]], kind="stable")].tolist():
        corner = tuple(corners[at].tolist())
        if left[corner] > 0:
            left[corner] -= 1
            found.append(int(better[at]))
    return np.array(found, np.int64)


def told(x: Iterable[float]) -> str:
    """Attributes of a place, as a reader is told them."""
    return ", ".join(f"{value:.4g}" for value in x)
