"""Sweeps compared: approaches with one of them, and sweeps with the first one, on the same seeds.

What makes a replication expensive makes it expensive for all approaches, and often for another sweep's point too:
within a seed it falls out of differences and quotients. Points of different sweeps belong together where all keys
that any of the grids changes have the same value, in the grid or in the scenario.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from simulator.results.distinct_directories import refuse_twice
from simulator.runs.finished_sweep import FinishedSweep
from simulator.runs.metric_choice import MetricError
from simulator.runs.statistics import Estimate, Quotient, paired, quotient
from simulator.runs.sweep import SweepError
from simulator.runs.sweep_tables import values_of
from simulator.scenario.grid_columns import value_at

__all__ = ["SweepComparison", "choose_against", "compare_sweeps", "metrics_of_all"]

Place = tuple[Any, ...]
"""Values of the keys that tell points apart."""


class SweepComparison(NamedTuple):
    """What several sweeps, or one, say beside each other."""

    keys: tuple[str, ...]
    """Keys that tell points apart."""
    against: str
    """The approach that others are held against."""
    seeds: int
    """Seeds that all sweeps share; without any, sweeps are not held against each other."""
    table: pa.Table
    """One row per metric, point, approach and sweep, in this order."""


def metrics_of_all(sweeps: Sequence[FinishedSweep]) -> tuple[str, ...]:
    """Metrics that at least one sweep has.

    Raises
    ------
    SweepError
        A sweep has none, because every point failed.
    """
    for sweep in sweeps:
        if not sweep.metrics:
            raise SweepError(f"{sweep.directory}: every point failed; mend that and sweep again")
    return tuple(dict.fromkeys(metric for sweep in sweeps for metric in sweep.metrics))


def choose_against(name: str | None, sweeps: Sequence[FinishedSweep]) -> str:
    """The approach that others are held against: the one named, or the first.

    Raises
    ------
    MetricError
        No sweep has it.
    """
    there = list(dict.fromkeys(approach for sweep in sweeps for approach in sweep.approaches))
    if name is not None and name not in there:
        raise MetricError(f"--against {name}: no such approach; choose among {', '.join(there)}")
    return name or there[0]


def compare_sweeps(
    sweeps: Sequence[tuple[str, FinishedSweep]], metrics: Sequence[str], against: str
) -> SweepComparison:
    """Compare sweeps, each with its name, or the approaches of one. O(rows of their tables).

    The columns of the table are `metric`, the keys, `approach`, `sweep`; `mean` and `half_width` over the seeds;
    `difference`, its `difference_half_width`, `ratio`, `ratio_low` and `ratio_high` to the approach `against` of the
    same sweep; the same five, beginning with `change_`, to the first sweep. None where there is no such value.

    Raises
    ------
    SweepError
        The same sweep is given twice.
    """
    refuse_twice([sweep.directory for _, sweep in sweeps], "sweep", SweepError)
    keys = _keys([sweep for _, sweep in sweeps])
    first, shared = sweeps[0][1], set.intersection(*(set(sweep.facts.seeds) for _, sweep in sweeps))
    origin = _places(first, keys)
    points = {place: point for point, place in reversed(origin.items())}
    rows: list[dict[str, Any]] = []
    for name, sweep in sweeps:
        places = _places(sweep, keys)
        pairs = dict(_pairs(sweep, against))
        for row in sweep.results.to_pylist():
            place, approach, metric = places[row["point"]], row["approach"], row["metric"]
            if metric not in metrics:
                continue
            change: tuple[float | None, ...] = (None,) * 5
            if sweep is not first and place in points:
                one = _values(sweep, row["point"], approach, metric, shared)
                change = _change(one, _values(first, points[place], approach, metric, shared))
            rows.append(
                {"metric": metric, **dict(zip(keys, place, strict=True)), "approach": approach, "sweep": name}
                | {"mean": row["mean"], "half_width": row["half_width"]}
                | _named("", pairs.get((row["point"], approach, metric), (None,) * 5))
                | _named("change_", change)
            )
    return SweepComparison(keys, against, len(shared), _table(rows, keys, metrics))


def _keys(sweeps: Sequence[FinishedSweep]) -> tuple[str, ...]:
    """Keys that some points of these sweeps differ in; a row tells its approach, so their lists need no column."""
    every = dict.fromkeys(key for sweep in sweeps for key in sweep.facts.keys if key != "approaches")
    found = {key: {place for sweep in sweeps for place in _places(sweep, (key,)).values()} for key in every}
    return tuple(key for key in every if len(found[key]) > 1)


def _places(sweep: FinishedSweep, keys: Sequence[str]) -> dict[int, Place]:
    """Values of keys at each point that did not fail, by its number; of a key that is not swept, the scenario's."""
    own = [key for key in keys if key in sweep.facts.keys]
    places: dict[int, Place] = {}
    for row in sweep.results.select(["point", *own]).to_pylist():
        if row["point"] not in places:
            scenario = sweep.facts.scenarios[row["point"] - 1]
            places[row["point"]] = tuple(
                _plain(row[key]) if key in own else _plain(_number(value_at(scenario, key))) for key in keys
            )
    return places


def _plain(value: Any) -> Any:
    return None if value == "" else value


def _number(text: str) -> Any:
    """Text of a scenario's value as Arrow reads it from a table."""
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _pairs(sweep: FinishedSweep, against: str) -> Iterator[tuple[tuple[int, str, str], tuple[float | None, ...]]]:
    """Of `paired.csv` what tells of one approach, the other way round where that stands first."""
    for row in sweep.paired.to_pylist():
        told = tuple(row.get(name) for name in ("mean", "half_width", *Quotient._fields))
        if row["against"] == against:
            yield (row["point"], row["approach"], row["metric"]), told
        elif row["approach"] == against:
            mean, half, ratio, low, high = told
            other = (-mean, half, *(None if one is None else 1 / one if one else None for one in (ratio, high, low)))
            yield (row["point"], row["against"], row["metric"]), other


def _values(sweep: FinishedSweep, point: int, approach: str, metric: str, seeds: set[int]) -> dict[int, float]:
    """A metric by seed."""
    found = values_of(sweep.replications[point - 1], approach, metric)
    by_seed = zip(sweep.facts.seeds, found, strict=False)  # an approach that the point does not have has no value
    return {seed: value for seed, value in by_seed if value is not None and seed in seeds}


def _change(values: dict[int, float], origin: dict[int, float]) -> tuple[float | None, ...]:
    both = [(value, origin[seed]) for seed, value in values.items() if seed in origin]
    if not both:
        return (None,) * 5
    these, those = zip(*both, strict=True)
    difference: Estimate = paired(these, those)
    return (difference.mean, difference.half_width, *quotient(these, those))


def _named(start: str, told: Sequence[float | None]) -> dict[str, float | None]:
    names = ("difference", "difference_half_width", "ratio", "ratio_low", "ratio_high")
    return dict(zip((f"{start}{name}" for name in names), told, strict=True))


def _table(rows: list[dict[str, Any]], keys: Sequence[str], metrics: Sequence[str]) -> pa.Table:
    """Rows by metric, point, approach and sweep; of points that differ in lists of approaches only, the first."""
    once: dict[Place, dict[str, Any]] = {}
    for row in rows:
        once.setdefault((row["metric"], *(row[key] for key in keys), row["approach"], row["sweep"]), row)
    ranks: list[dict[Place, int]] = [{}, {}]
    for _, *place, approach, _ in once:
        ranks[0].setdefault(tuple(place), len(ranks[0]))
        ranks[1].setdefault((approach,), len(ranks[1]))
    ordered = sorted(
        once.values(),
        key=lambda row: (
            metrics.index(row["metric"]),
            ranks[0][tuple(row[key] for key in keys)],
            ranks[1][row["approach"],],
        ),
    )
    return pa.table({name: _array([row[name] for row in ordered]) for name in ordered[0]})


def _array(values: list[Any]) -> pa.Array:
    """An Arrow array; of text where a key has numbers in one sweep and words in another."""
    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array([None if value is None else str(value) for value in values])
