"""What `rangecast compare` shows: runs side by side, or sweeps."""

from collections.abc import Sequence
from pathlib import Path

from rich.table import Table

from simulator.results.distinct_directories import distinct_names, refuse_twice
from simulator.results.errors import RunError
from simulator.runs.finished_sweep import FinishedSweep, is_sweep
from simulator.runs.metric_choice import MetricError, choose_metrics
from simulator.runs.sweep_comparison import choose_against, compare_sweeps, metrics_of_all
from simulator.views.sweep_comparison import comparison_lines, comparison_tables
from simulator.views.tables import METRICS, comparison_table

__all__ = ["compared"]

_MOST = 3
"""Metrics of sweeps that are shown if none is named."""


def compared(
    directories: Sequence[Path], metric: str | None, against: str | None, width: int
) -> tuple[list[Table], list[str]]:
    """Tables of runs or of sweeps, and lines to be told after them.

    Raises
    ------
    RunError
        Runs and sweeps together, a directory that is neither, or the same run twice.
    SweepError
        A sweep that is not finished, or the same one twice.
    MetricError
        No such metric or approach.
    """
    sweeps = [directory for directory in directories if is_sweep(directory)]
    if not sweeps:
        if against is not None:
            raise MetricError(f"--against {against}: only a sweep has approaches held against one; leave it out")
        columns = None if metric is None else choose_metrics(metric, [column for _, column, _ in METRICS])
        refuse_twice(directories, "run", RunError)
        return [comparison_table(directories, columns)], []
    other = next((directory for directory in directories if directory not in sweeps), None)
    if other is not None:
        raise RunError(f"{other}: not a sweep, and {sweeps[0]} is one; compare runs with runs and sweeps with sweeps")
    finished = [FinishedSweep(directory) for directory in sweeps]
    chosen = choose_metrics(metric, metrics_of_all(finished), _MOST)
    named = list(zip(distinct_names(sweeps), finished, strict=True))
    comparison = compare_sweeps(named, chosen, choose_against(against, finished))
    return comparison_tables(comparison, width), comparison_lines(comparison)
