"""Finished sweeps: every file of a sweep's directory is read here, and checked as it is read."""

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.csv as csv

from floor.text import first_line
from simulator.runs.sweep import SweepError
from simulator.runs.sweep_tables import Replications, read_replications

__all__ = ["FinishedSweep", "SweepFacts", "is_sweep", "read_estimates", "read_sweep_facts"]

_TYPES = {
    "point": pa.int64(),
    "approach": pa.string(),
    "against": pa.string(),
    "metric": pa.string(),
    "mean": pa.float64(),
    "half_width": pa.float64(),
    "replications": pa.int64(),
    "ratio": pa.float64(),
    "ratio_low": pa.float64(),
    "ratio_high": pa.float64(),
}
"""Of the columns that every sweep has; those of the grid's keys follow from their values."""


class SweepFacts(NamedTuple):
    """What a sweep's directory tells beside its tables."""

    keys: tuple[str, ...]
    """Dotted scenario keys that the points differ in, each a column of the tables."""
    failures: list[str]
    """One line for each point that failed."""
    axes: tuple[tuple[str, ...], ...]
    """The same keys, those that change together in one group."""
    seeds: tuple[int, ...]
    """Of the replications, the same at every point."""
    unsteady: list[str]
    """One line for each point and approach of which a run was not steady."""
    scenarios: list[dict[str, Any]]
    """Scenario of every point in full, without a seed."""


class FinishedSweep:
    """A directory that `rangecast sweep` made; a table is read when it is first asked for.

    Parameters
    ----------
    directory : Path
        Where the sweep is.

    Raises
    ------
    SweepError, TableError
        Here and below: something is missing or broken, in one line that names it.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.facts = read_sweep_facts(directory)

    @cached_property
    def results(self) -> pa.Table:
        """`results.csv`: mean over the replications and half its interval, per point, approach and metric."""
        return read_estimates(self.directory / "results.csv")

    @cached_property
    def paired(self) -> pa.Table:
        """`paired.csv`: difference and quotient on the same events, per point, pair of approaches and metric."""
        return read_estimates(self.directory / "paired.csv")

    @property
    def metrics(self) -> tuple[str, ...]:
        """Metrics that there are, in the order of `summary.csv`; none if every point failed."""
        return tuple(self.results["metric"].unique().to_pylist())

    @property
    def approaches(self) -> tuple[str, ...]:
        """Approaches of all points, in the order in which scenarios list them."""
        return tuple(self.results["approach"].unique().to_pylist())

    @property
    def varied(self) -> tuple[tuple[str, ...], ...]:
        """Of `facts.axes` the keys that have several values; groups of which no key has are left out."""
        several = (tuple(key for key in axis if len(self.results[key].unique()) > 1) for axis in self.facts.axes)
        return tuple(axis for axis in several if axis)

    @cached_property
    def replications(self) -> Replications:
        """Rows of every simulation, by point from 0 and in the order of `facts.seeds`; failed points are missing."""
        return read_replications(self.directory, len(self.facts.scenarios), len(self.facts.seeds))


def is_sweep(directory: Path) -> bool:
    """Whether a directory is that of a sweep, finished or not."""
    return (directory / "points.json").is_file()


def read_sweep_facts(directory: Path) -> SweepFacts:
    """Read what was swept and what failed.

    Raises
    ------
    SweepError
        A directory that is not a finished sweep.
    """
    wanted = ("points.json", "manifest.json", "results.csv", "paired.csv")
    missing = next((name for name in wanted if not (directory / name).is_file()), None)
    if missing is not None:
        reason = f"it has no {missing}" if directory.is_dir() else "there is no such directory"
        raise SweepError(f"{directory}: not a finished sweep: {reason}; give a directory that `rangecast sweep` made")
    try:
        points = json.loads((directory / "points.json").read_text(encoding="utf-8"))
        manifest = json.loads((directory / "manifest.json").read_text(encoding="utf-8"))
        keys = _keys(read_estimates(directory / "results.csv").column_names)
        return SweepFacts(
            keys=keys,
            failures=list(map(str, manifest["failures"])),
            axes=_axes(list(map(str, points["keys"])), keys),
            seeds=tuple(map(int, points["seeds"])),
            unsteady=list(map(str, manifest["unsteady"])),
            scenarios=[dict(point) for point in points["points"]],
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise SweepError(f"{directory}: its points.json or manifest.json is damaged; sweep again") from error


def read_estimates(path: Path) -> pa.Table:
    """Read the `results.csv` or `paired.csv` of a sweep.

    Raises
    ------
    SweepError
        It is missing or damaged.
    """
    try:
        return csv.read_csv(path, convert_options=csv.ConvertOptions(column_types=_TYPES))
    except (OSError, ValueError) as error:  # Arrow's errors are among these
        reason = "there is no such file" if not path.exists() else first_line(error)
        raise SweepError(f"{path}: cannot be read: {reason}; sweep again") from error


def _keys(columns: Sequence[str]) -> tuple[str, ...]:
    """Columns of the grid's keys: what stands between the number of the point and the approach."""
    return tuple(columns[columns.index("point") + 1 : columns.index("approach")])


def _axes(lists: Sequence[str], keys: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Keys by the list of the grid file that they come from."""
    groups = (tuple(key for key in keys if key == one or key.startswith(f"{one}.")) for one in lists)
    return tuple(group for group in groups if group)
