"""The tables of a sweep: from the rows of every replication to means, differences and their confidence intervals."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path

import pyarrow.csv

from pipeline import SUMMARY
from simulator.results.summary import Row
from simulator.runs.statistics import Estimate, estimate, paired
from simulator.scenario.grid import Grid

__all__ = ["METRICS", "Replications", "paired_csv", "read_rows", "results_csv", "rows_csv"]

METRICS = tuple(name for name in SUMMARY.names if name not in ("approach", "events", "stale_half_width"))
"""Columns of `summary.csv` that are averaged over replications."""


Replications = Mapping[int, Sequence[Sequence[Row]]]
"""For each point that is complete, in the order of the grid, the rows of every replication."""


def rows_csv(rows: Iterable[Row]) -> str:
    """Rows of one simulation as CSV with the columns of `pipeline.SUMMARY`; floats survive exactly."""
    return _csv(SUMMARY.names, ([row[name] for name in SUMMARY.names] for row in rows))


def read_rows(path: Path) -> list[Row]:
    """Read what `rows_csv` wrote."""
    types = pyarrow.csv.ConvertOptions(column_types=SUMMARY)
    return list(pyarrow.csv.read_csv(path, convert_options=types).to_pylist())


def results_csv(grid: Grid, replications: Replications) -> str:
    """One row per point, approach and metric: mean over the replications and half its 95% interval.

    A metric that no replication has, such as a latency without a clock, has no row.
    """
    rows = []
    for number, runs in replications.items():
        for approach in grid.points[number].scenario.approaches:
            for metric in METRICS:
                values = [value for value in _values(runs, approach, metric) if value is not None]
                if values:
                    rows.append([*_place(grid, number), approach, metric, *estimate(values)])
    return _csv(["point", *grid.keys, "approach", "metric", *Estimate._fields], rows)


def paired_csv(grid: Grid, replications: Replications) -> str:
    """One row per point, pair of approaches and metric: mean of `approach` minus `against` on the same events."""
    rows = []
    for number, runs in replications.items():
        for against, approach in combinations(grid.points[number].scenario.approaches, 2):
            for metric in METRICS:
                both = zip(_values(runs, approach, metric), _values(runs, against, metric), strict=True)
                pairs = [(one, other) for one, other in both if one is not None and other is not None]
                if pairs:
                    rows.append(
                        [*_place(grid, number), approach, against, metric, *paired(*zip(*pairs, strict=True))]
                    )
    return _csv(["point", *grid.keys, "approach", "against", "metric", *Estimate._fields], rows)


def _values(runs: Sequence[Sequence[Row]], approach: str, metric: str) -> list[float | None]:
    found = [row[metric] for rows in runs for row in rows if row["approach"] == approach]
    return [float(value) if isinstance(value, int | float) else None for value in found]


def _place(grid: Grid, number: int) -> list[str | int]:
    return [number + 1, *grid.points[number].values]


def _csv(header: Sequence[str], rows: Iterable[Sequence[str | int | float | None]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()
