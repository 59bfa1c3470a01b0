"""What a report says of a sweep, as rows: a metric of an approach at a point, and against the reference there."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from simulator.results.ratios import Ratio
from simulator.runs.finished_sweep import FinishedSweep
from simulator.runs.metric_choice import choose_metrics
from simulator.runs.sweep_comparison import compare_sweeps, metrics_of_all
from simulator.runs.sweep_tables import values_of
from simulator.views.report.runs import needs_no_server
from simulator.views.report.side_by_side import BY_THE_CLOCK, OF_A_SERVER
from simulator.views.sweep_axes import told

__all__ = ["Measured", "Place", "SweepRows", "read_sweep_rows"]

_TOLD = ("bytes_out", "overlay_bytes", "stale", "wrong_share")
"""Metrics that sentences tell of, shown or not."""

Place = tuple[Any, ...]
"""Values of the keys that tell points apart."""


class Measured(NamedTuple):
    """A metric of an approach at a point, over the replications."""

    place: Place
    approach: str
    mean: float
    half_width: float | None
    values: tuple[float | None, ...]
    """By seed, in the same order at every point; None where a simulation has no value."""
    ratio: Ratio | None
    """To the reference at the same point and on the same seeds; None where there is none, or it is the reference."""


class SweepRows(NamedTuple):
    """The tables of a sweep as the report needs them."""

    keys: tuple[str, ...]
    axes: tuple[tuple[str, ...], ...]
    """The same keys, those that change together in one tuple."""
    approaches: tuple[str, ...]
    reference: str
    shown: tuple[str, ...]
    """Metrics to draw and list."""
    metrics: dict[str, dict[tuple[Place, str], Measured]]
    """Rows of these and a few more, by place and approach."""

    def at(self, metric: str, place: Place, approach: str) -> Measured | None:
        """A row, if there is one."""
        return self.metrics.get(metric, {}).get((place, approach))

    @property
    def places(self) -> list[Place]:
        """Points that did not fail."""
        return list(dict.fromkeys(place for rows in self.metrics.values() for place, _ in rows))

    def unsteady(self, place: Place, approach: str) -> bool:
        """Whether runs of an approach at a point were not steady, in the mean."""
        load = self.at("offered_load", place, approach)
        return load is not None and load.mean >= 1

    def competing(self, metric: str, place: Place) -> list[Measured]:
        """Rows that compete for the least of a metric at a point."""
        found = [self.at(metric, place, name) for name in self.approaches]
        return [
            one
            for one in found
            if one is not None
            and not (metric in BY_THE_CLOCK and self.unsteady(place, one.approach))
            and not (metric in OF_A_SERVER and needs_no_server(one.approach))
        ]

    def named(self, place: Place, keys: Iterable[str] | None = None) -> str:
        """A point in words, by all keys or some: `k = 5, events.rate = 50/s`."""
        wanted = set(self.keys if keys is None else keys)
        pairs = zip(self.keys, place, strict=True)
        return ", ".join(f"{key} = {told((value,))}" for key, value in pairs if key in wanted)


def read_sweep_rows(sweep: FinishedSweep, metric: str | None = None) -> SweepRows:
    """Compare the approaches of a sweep with Unicast, else the first with a server, else the first.

    Parameters
    ----------
    metric : str, optional
        Metrics to draw and list, with commas between; by default the usual ones and all that sentences tell of.

    Raises
    ------
    SweepError
        Every point failed.
    MetricError
        There is no such metric.
    """
    there = metrics_of_all([sweep])
    shown = choose_metrics(metric, there)
    if metric is None:
        shown = tuple(one for one in dict.fromkeys((*_TOLD, *shown)) if one in there)
    wanted = [one for one in there if one in (*shown, *_TOLD, "offered_load")]
    approaches = sweep.approaches
    served = [name for name in approaches if not needs_no_server(name)]
    reference = "unicast" if "unicast" in approaches else (served or list(approaches))[0]
    compared = compare_sweeps([("", sweep)], wanted, reference)
    metrics: dict[str, dict[tuple[Place, str], Measured]] = {one: {} for one in wanted}
    points = _points(sweep, compared.keys)
    for row in compared.table.to_pylist():
        ratio = None if row["ratio"] is None else Ratio(row["ratio"], row["ratio_low"], row["ratio_high"])
        place = tuple(row[key] for key in compared.keys)
        own = None if row["approach"] == reference else ratio
        values = values_of(sweep.replications[points[place, row["approach"]] - 1], row["approach"], row["metric"])
        measured = Measured(place, row["approach"], row["mean"], row["half_width"], tuple(values), own)
        metrics[row["metric"]][place, row["approach"]] = measured
    axes = _axes(sweep.varied, compared.keys)
    return SweepRows(compared.keys, axes, approaches, reference, shown, metrics)


def _points(sweep: FinishedSweep, keys: Sequence[str]) -> dict[tuple[Place, str], int]:
    """Number of the first point of a place that has an approach."""
    found: dict[tuple[Place, str], int] = {}
    for row in sweep.results.select(["point", *keys, "approach"]).to_pylist():
        place = tuple(None if row[key] == "" else row[key] for key in keys)
        found.setdefault((place, row["approach"]), row["point"])
    return found


def _axes(varied: Sequence[tuple[str, ...]], keys: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    kept = (tuple(key for key in axis if key in keys) for axis in varied)
    return tuple(axis for axis in kept if axis)
