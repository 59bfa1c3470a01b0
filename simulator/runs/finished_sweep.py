"""Finished sweeps: the files of a sweep's directory, read and checked."""

import json
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.csv as csv

from simulator.runs.sweep import SweepError

__all__ = ["SweepFacts", "read_estimates", "read_sweep_facts"]

_TYPES = {
    "point": pa.int64(),
    "approach": pa.string(),
    "against": pa.string(),
    "metric": pa.string(),
    "mean": pa.float64(),
    "half_width": pa.float64(),
    "replications": pa.int64(),
}
"""Of the columns that every sweep has; those of the grid's keys follow from their values."""


class SweepFacts(NamedTuple):
    """What a sweep's directory tells beside its tables."""

    keys: tuple[str, ...]
    """Dotted scenario keys that the points differ in."""
    failures: list[str]
    """One line for each point that failed."""


def read_sweep_facts(directory: Path) -> SweepFacts:
    """Read what was swept and what failed.

    Raises
    ------
    SweepError
        A directory that is not a finished sweep.
    """
    missing = next(
        (name for name in ("points.json", "manifest.json", "results.csv") if not (directory / name).is_file()), None
    )
    if missing is not None:
        reason = f"it has no {missing}" if directory.is_dir() else "there is no such directory"
        raise SweepError(f"{directory}: not a finished sweep: {reason}; give a directory that `rangecast sweep` made")
    try:
        points = json.loads((directory / "points.json").read_text(encoding="utf-8"))
        manifest = json.loads((directory / "manifest.json").read_text(encoding="utf-8"))
        return SweepFacts(tuple(map(str, points["keys"])), list(map(str, manifest["failures"])))
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
        reason = "there is no such file" if not path.exists() else str(error).splitlines()[0]
        raise SweepError(f"{path}: cannot be read: {reason}; sweep again") from error
