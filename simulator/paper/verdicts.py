"""Verdicts: every claim of a paper beside what our sweeps or trials measured, judged by the tolerance in its file.

A value is taken in every replication by itself, quotients within a replication, and then averaged: what makes a
replication expensive falls out of a quotient.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

from simulator.paper.exhibits import (
    Beside,
    Bound,
    Chain,
    Claim,
    Exhibit,
    Growth,
    Key,
    Number,
    Rise,
    Scale,
    Spread,
    Value,
)
from simulator.runs.statistics import Estimate, estimate
from simulator.runs.sweep_tables import Replications
from simulator.views.labels import short

__all__ = ["DERIVED", "DIFFERS", "HOLDS", "NEEDS_PAPER", "NOT_RUN", "Measured", "Verdict", "judge"]

HOLDS = "holds"
DIFFERS = "differs"
DERIVED = "derived"
"""No evidence of its own: it follows from other numbers of the paper, or the workload was made to fit it."""
NEEDS_PAPER = "needs paper scale"
NOT_RUN = "not run"

_ROUNDING = 1e-9


class Verdict(NamedTuple):
    """A line of `verdicts.csv`."""

    name: str
    claim: str
    place: str
    """For a printed number, the key and value that it stands at."""
    paper: float | None
    ours: float | None
    """Mean over replications; of a claim about several points the lowest."""
    half_width: float | None
    """Half of its 95% confidence interval."""
    highest: float | None
    """Of a claim about several points, the highest mean."""
    ratio: float | None
    """Ours over the paper's."""
    rule: str
    """The tolerance."""
    verdict: str
    beside: tuple[tuple[str, float | None], ...] = ()
    """Of a printed number, other values of ours that are shown next to it, with their titles, and not judged."""
    cause: str = ""
    """Where it differs, whose doing that is and why."""
    apart: str = ""
    """Why it is not counted."""
    mean_only: bool = False
    """Whether it holds, and the interval of a value that it is about reaches beyond the limits."""

    @property
    def outcome(self) -> str:
        """Ours, for a reader."""
        if self.ours is None:
            return ""
        if self.highest is not None:
            return f"{short(self.ours)} to {short(self.highest)}"
        return short(self.ours) + (f" ± {short(self.half_width)}" if self.half_width else "")


class PlannedPoint(Protocol):
    """One combination of values that is measured."""

    def settings(self) -> dict[str, Any]:
        """Its tables of keys and values."""


class Plan(Protocol):
    """What is to be measured: a grid of scenarios, or a trial of indexes."""

    @property
    def points(self) -> Sequence[PlannedPoint]:
        """All combinations of values."""

    @property
    def seeds(self) -> Sequence[int]:
        """One for each replication."""

    @property
    def extent(self) -> str:
        """How much a replication asks, such as "50 events"."""


class Measured(NamedTuple):
    """The finished points of a sweep or of a trial."""

    grid: Plan
    replications: Replications

    def points(self, where: Mapping[str, Key]) -> list[int]:
        """Numbers of the finished points whose scenario has these values."""
        return [one for one in self.replications if all(self.key(one, key) == at for key, at in where.items())]

    def key(self, point: int, key: str) -> Any:
        """Value of a key in the settings of a point; several keys of a table are joined to one text."""
        value: Any = self.grid.points[point].settings()
        for part in key.split("."):
            value = value[part]
        if isinstance(value, dict):
            return ", ".join(f"{part:,}" if isinstance(part, int) else str(part) for part in value.values() if part)
        return value

    def values(self, what: Value, approach: str, point: int) -> list[float]:
        """A metric, or a quotient, in every replication of a point; not a number where it divides by 0."""
        values = self._metric(what.metric, approach, point)
        if what.over is None:
            return values
        below = self._metric(what.metric, what.over, point)
        return [one / other if other else math.nan for one, other in zip(values, below, strict=True)]

    def value(self, what: Value, approach: str, point: int) -> Estimate:
        """Mean of that over the replications."""
        return estimate(self.values(what, approach, point))

    def _metric(self, metric: str, approach: str, point: int) -> list[float]:
        """Values in every replication; of several approaches the lowest."""
        several = [
            [row for run in self.replications[point] for row in run if row["approach"] == one]
            for one in approach.split("|")
        ]
        return [
            min(math.fsum(float(row[name] or 0) for name in metric.split("+")) for row in rows)
            for rows in zip(*several, strict=True)
        ]


def judge(view: Exhibit, measured: Mapping[str, Measured], scale: Scale) -> list[Verdict]:
    """Judge every claim about a table or figure.

    Parameters
    ----------
    measured : mapping of str to Measured
        Of each of the view's sweeps what is finished.
    scale : {"small", "paper"}
        At "small", claims about the paper's sizes are not judged.
    """
    return [
        verdict._replace(
            apart=claim.apart,
            cause=_told(claim) if verdict.verdict == DIFFERS else "",
            mean_only=verdict.mean_only and verdict.verdict == HOLDS,
        )
        for claim in view.claims
        for verdict in _judge(view, claim, measured, scale)
    ]


def _told(claim: Claim) -> str:
    return "open: not explained" if claim.cause is None else f"{claim.cause.whose}: {claim.cause.why}"


def _judge(view: Exhibit, claim: Claim, measured: Mapping[str, Measured], scale: Scale) -> Iterator[Verdict]:
    if isinstance(claim, Number):
        yield from _numbers(view, claim, measured, scale)
        return
    found = measured[claim.sweep or view.sweeps[0]]
    rule, values = _values(claim, found)
    blank = Verdict(view.name, claim.claim, "", None, None, None, None, None, rule.text, NEEDS_PAPER)
    if scale == "small" and not claim.small:
        yield blank
    elif not values or len(values) < _expected(claim, found):
        yield blank._replace(verdict=NOT_RUN)
    else:
        values = _reduced(claim, values)
        lowest, highest = (one(values, key=lambda value: value.mean) for one in (min, max))
        right = all(rule.least - _ROUNDING <= one.mean <= rule.most + _ROUNDING for one in values)
        yield blank._replace(
            ours=lowest.mean,
            half_width=lowest.half_width,
            highest=highest.mean if len(values) > 1 else None,
            verdict=HOLDS if right else DIFFERS,
            mean_only=any(_reaches_beyond(one, rule.least, rule.most) for one in values),
        )


def _reaches_beyond(value: Estimate, least: float, most: float) -> bool:
    """Whether the confidence interval of a value is not within limits."""
    width = (value.half_width or 0.0) - _ROUNDING
    return value.mean - width < least or value.mean + width > most


def _numbers(view: Exhibit, claim: Number, measured: Mapping[str, Measured], scale: Scale) -> Iterator[Verdict]:
    sweep = claim.sweep or view.sweeps[0]
    found = measured[sweep]
    rule = f"±{claim.tolerance:.0%}" if claim.tolerance is not None else f"±{claim.absolute:g}"
    rule += " or interval" if claim.interval else ""
    for at, paper in zip(claim.at, claim.paper, strict=True):
        blank = Verdict(
            view.name, claim.row, f"{claim.along} = {at}", paper, None, None, None, None, rule, NEEDS_PAPER
        )
        points = found.points({**claim.where, claim.along: at})
        judged = scale == "paper" or claim.small
        if not points:
            yield blank._replace(verdict=NOT_RUN if judged else NEEDS_PAPER)
            continue
        ours = found.value(claim, claim.approach, points[0])
        if not judged:
            yield blank._replace(ours=ours.mean, half_width=ours.half_width)
        else:
            allowed = claim.absolute if claim.absolute is not None else (claim.tolerance or 0.0) * abs(paper)
            if claim.interval:
                allowed = max(allowed, ours.half_width or 0.0)
            allowed += _ROUNDING * abs(paper)
            right = abs(ours.mean - paper) <= allowed
            yield blank._replace(
                ours=ours.mean,
                half_width=ours.half_width,
                ratio=ours.mean / paper if paper else None,
                verdict=DERIVED if claim.derived else HOLDS if right else DIFFERS,
                beside=tuple(
                    (one.title, _beside(claim, one, measured[one.sweep or sweep], at)) for one in claim.beside
                ),
                mean_only=_reaches_beyond(ours, paper - allowed, paper + allowed),
            )


def _beside(claim: Number, one: Beside, measured: Measured, at: Key) -> float | None:
    points = measured.points({claim.along: at, **one.where})
    return measured.value(one, one.approach or claim.approach, points[0]).mean if points else None


class _Rule(NamedTuple):
    text: str
    least: float = -math.inf
    most: float = math.inf


def _values(claim: Claim, measured: Measured) -> tuple[_Rule, list[Estimate]]:
    """The rule of a claim, and what it must hold for."""
    points = measured.points(claim.where)
    match claim:
        case Bound():
            what = "" if claim.of == "each" else f"{claim.of} "
            limits = _limits(what, claim.least, claim.most)
            return limits, [measured.value(claim, claim.approach, point) for point in points]
        case Spread():
            found = [_spread(measured, claim, group) for group in _groups(measured, points, claim.along)]
            return _limits("largest over smallest ", claim.least, claim.most), found
        case Chain():
            found = [
                _divide(measured.values(claim, above, point), measured.values(claim, below, point))
                for point in points
                for above, below in pairwise(claim.falling)
            ]
            return _Rule("each over the next at least 1", least=1.0), found
        case Rise():
            found = [
                _step(measured, claim, *pair)
                for group in _groups(measured, points, claim.along)
                for pair in pairwise(_in_order(measured, group, claim))
            ]
            return _Rule("each over the one before at least 1", least=1.0), found
        case Growth():
            found = [
                _power(measured, claim, group) for group in _groups(measured, points, claim.along) if len(group) > 1
            ]
            return _Rule(f"power {_between(claim.least, claim.most)}", claim.least, claim.most), found
    raise TypeError(f"claim must be of a known kind, got {type(claim).__name__}")


def _limits(what: str, least: float | None, most: float | None) -> _Rule:
    return _Rule(
        what + _between(least, most), -math.inf if least is None else least, math.inf if most is None else most
    )


def _reduced(claim: Claim, values: list[Estimate]) -> list[Estimate]:
    """What a bound asks of the values of all points."""
    match claim:
        case Bound(of="mean"):
            return [Estimate(math.fsum(one.mean for one in values) / len(values), None, values[0].replications)]
        case Bound(of="highest"):
            return [max(values, key=lambda value: value.mean)]
    return values


def _expected(claim: Claim, measured: Measured) -> int:
    """Number of values that a claim must hold for when every point of the sweep is finished."""
    whole = Measured(measured.grid, dict.fromkeys(range(len(measured.grid.points)), ()))
    points = whole.points(claim.where)
    match claim:
        case Chain():
            return len(points) * (len(claim.falling) - 1)
        case Rise():
            return sum(len(_in_order(whole, group, claim)) - 1 for group in _groups(whole, points, claim.along))
        case Growth():
            return sum(len(group) > 1 for group in _groups(whole, points, claim.along))
        case Spread():
            return len(_groups(whole, points, claim.along))
    return len(points)


def _between(least: float | None, most: float | None) -> str:
    if least is not None and least == most:
        return f"exactly {least:g}"
    if least is None or most is None:
        return f"at least {least:g}" if most is None else f"at most {most:g}"
    return f"{least:g} to {most:g}"


def _groups(measured: Measured, points: Sequence[int], along: str) -> list[list[int]]:
    """Points that differ in one key only."""
    groups: dict[str, list[int]] = {}
    for point in points:
        values = measured.grid.points[point].settings()
        table = values
        *above, last = along.split(".")
        for part in above:
            table = table[part]
        del table[last]
        groups.setdefault(repr(values), []).append(point)
    return list(groups.values())


def _in_order(measured: Measured, group: Sequence[int], claim: Rise) -> list[int]:
    if claim.at is None:
        return sorted(group, key=lambda point: float(measured.key(point, claim.along)))
    by_value = {measured.key(point, claim.along): point for point in group}
    return [by_value[at] for at in claim.at if at in by_value]


def _divide(above: Sequence[float], below: Sequence[float]) -> Estimate:
    """Mean quotient; two values of 0 are equal."""
    pairs = zip(above, below, strict=True)
    return estimate([one / other if other else math.inf if one else 1.0 for one, other in pairs])


def _step(measured: Measured, claim: Rise, lower: int, upper: int) -> Estimate:
    above, below = (measured.values(claim, claim.approach, point) for point in (upper, lower))
    return _divide(above, below)


def _power(measured: Measured, claim: Growth, group: Sequence[int]) -> Estimate:
    lower, *_, upper = sorted(group, key=lambda point: float(measured.key(point, claim.along)))
    factor = math.log(measured.key(upper, claim.along) / measured.key(lower, claim.along))
    both = (measured.values(claim, claim.approach, point) for point in (lower, upper))
    return estimate([math.log(high / low) / factor for low, high in zip(*both, strict=True)])


def _spread(measured: Measured, claim: Spread, group: Sequence[int]) -> Estimate:
    """The largest value of a group of points over its smallest, in every replication."""
    rows = zip(*(measured.values(claim, claim.approach, point) for point in group), strict=True)
    return estimate([max(row) / min(row) if min(row) else math.inf for row in rows])
