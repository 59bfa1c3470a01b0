"""The tables of a sweep: from the rows of every replication to means, differences and their confidence intervals."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path

import pyarrow.csv

from floor.errors import RangecastError
from floor.text import first_line
from pipeline import SUMMARY
from simulator.results.summary import Row
from simulator.runs.statistics import Estimate, Quotient, estimate, paired, quotient
from simulator.scenario.grid import Grid

__all__ = [
    "METRICS",
    "Replications",
    "TableError",
    "paired_csv",
    "read_replications",
    "read_rows",
    "results_csv",
    "rows_csv",
    "task_file",
    "values_of",
]

METRICS = tuple(name for name in SUMMARY.names if name not in ("approach", "events", "stale_half_width"))
"""Columns of `summary.csv` that are averaged over replications."""


class TableError(RangecastError):
    """A file of a simulation that cannot be used; the text is one line for the user."""


Replications = Mapping[int, Sequence[Sequence[Row]]]
"""For each point that is complete, in the order of the grid, the rows of every replication."""


def task_file(directory: Path, point: int, replication: int) -> Path:
    """Where the rows of a simulation stand in the directory of a sweep; points and replications count from 0."""
    return directory / "tasks" / f"point-{point + 1:04d}-replication-{replication + 1:03d}.csv"


def read_replications(directory: Path, points: int, seeds: int) -> Replications:
    """Read the rows of all points that are complete in the directory of a sweep."""
    files = {point: [task_file(directory, point, one) for one in range(seeds)] for point in range(points)}
    whole = {point: paths for point, paths in files.items() if all(path.exists() for path in paths)}
    return {point: [read_rows(path) for path in paths] for point, paths in whole.items()}


def rows_csv(rows: Iterable[Row]) -> str:
    """Rows of one simulation as CSV with the columns of `pipeline.SUMMARY`; floats survive exactly."""
    return _csv(SUMMARY.names, ([row[name] for name in SUMMARY.names] for row in rows))


def read_rows(path: Path) -> list[Row]:
    """Read what `rows_csv` wrote.

    Raises
    ------
    TableError
        It cannot be read, or another version wrote it, with other columns.
    """
    types = pyarrow.csv.ConvertOptions(column_types=SUMMARY)
    try:
        table = pyarrow.csv.read_csv(path, convert_options=types)
    except (OSError, ValueError) as error:  # Arrow's errors are among these
        raise TableError(f"{path}: cannot be read: {first_line(error)}; remove it and start again") from error
    if table.column_names != SUMMARY.names:
        raise TableError(f"{path}: its columns are those of another version; remove it and start again")
    return list(table.to_pylist())


def results_csv(grid: Grid, replications: Replications) -> str:
    """One row per point, approach and metric: mean over the replications and half its 95% interval.

    A metric that no replication has, such as a latency without a clock, has no row.
    """
    rows = []
    for number, runs in replications.items():
        for approach in grid.points[number].scenario.approaches:
            for metric in METRICS:
                values = [value for value in values_of(runs, approach, metric) if value is not None]
                if values:
                    rows.append([*_place(grid, number), approach, metric, *estimate(values)])
    return _csv(["point", *grid.columns, "approach", "metric", *Estimate._fields], rows)


def paired_csv(grid: Grid, replications: Replications) -> str:
    """One row per point, pair of approaches and metric: `approach` minus and over `against` on the same events."""
    rows = []
    for number, runs in replications.items():
        for against, approach in combinations(grid.points[number].scenario.approaches, 2):
            for metric in METRICS:
                both = zip(values_of(runs, approach, metric), values_of(runs, against, metric), strict=True)
                pairs = [(one, other) for one, other in both if one is not None and other is not None]
                if pairs:
                    these, those = zip(*pairs, strict=True)
                    told = (*paired(these, those), *quotient(these, those))
                    rows.append([*_place(grid, number), approach, against, metric, *told])
    columns = ["point", *grid.columns, "approach", "against", "metric"]
    return _csv([*columns, *Estimate._fields, *Quotient._fields], rows)


def values_of(runs: Sequence[Sequence[Row]], approach: str, metric: str) -> list[float | None]:
    """A metric of an approach in every replication; None where a simulation has no value."""
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
