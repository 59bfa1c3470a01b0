"""Sweeps from Python: run, opened again, shown."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from floor.text import visible
from rangecast.arguments import AnyPath, as_path, in_python_words, plain
from simulator.runs.finished_sweep import FinishedSweep
from simulator.scenario.scenario import Scenario

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure
    from rich.table import Table

    from simulator.runs.sweep_comparison import SweepComparison as Compared

__all__ = ["SweepComparison", "SweepResult", "sweep"]

_WIDTH = 100
"""Of a terminal that tables are to fit in."""

_BLAMED = Path("grid")
"""The file to blame where there is none; files that it names are seen from the current directory."""


class SweepResult:
    """A sweep: what `sweep` returns, or an earlier one opened again.

    Parameters
    ----------
    directory : path
        A directory that `sweep`, or the command `rangecast sweep`, made.

    Attributes
    ----------
    directory : Path
        Where the sweep is.
    keys : tuple of str
        Scenario keys, dotted, in which its points differ: columns of the tables.
    failures : list of str
        One line for each point that failed; such points are in no table.

    Raises
    ------
    RangecastError
        It is not a sweep that has come to its end, or a file is damaged.
    """

    @in_python_words()
    def __init__(self, directory: AnyPath) -> None:
        self.directory = as_path(directory, "directory", "the path of a sweep's directory")
        self._sweep = FinishedSweep(self.directory)
        self.keys, self.failures = self._sweep.facts.keys, self._sweep.facts.failures

    @cached_property
    def results(self) -> pa.Table:
        """Per point, approach and metric: mean over the replications and half its 95% confidence interval."""
        return self._sweep.results

    @cached_property
    def paired(self) -> pa.Table:
        """Per point, pair of approaches and metric: difference and quotient on the same events, with intervals."""
        return self._sweep.paired

    @property
    def metrics(self) -> tuple[str, ...]:
        """Metrics that it has."""
        return self._sweep.metrics

    @in_python_words()
    def to_pandas(self, *metrics: str) -> "pd.DataFrame":
        """Means as a DataFrame: a row per point and approach, indexed by `keys` and approach, a column per metric.

        Parameters
        ----------
        *metrics : str
            Some of `metrics`; by default all.

        Raises
        ------
        RangecastError
            There is no such metric.
        """
        from simulator.runs.metric_choice import choose_metrics

        chosen = choose_metrics(",".join(metrics) or ",".join(self.metrics), self.metrics)
        rows: dict[tuple[int, str], dict[str, Any]] = {}
        for row in self.results.to_pylist():
            place = rows.setdefault((row["point"], row["approach"]), {})
            place |= {key: row[key] for key in (*self.keys, "approach")} | {row["metric"]: row["mean"]}
        frame: pd.DataFrame = pa.Table.from_pylist(list(rows.values())).to_pandas()
        return frame.set_index([*self.keys, "approach"])[list(chosen)]

    def plot(
        self, metric: str = "bytes_out", along: str | None = None, where: Mapping[str, Any] | None = None
    ) -> "Figure":
        """Draw a metric over a key of the grid: a line per approach with 95% intervals, a panel per other point.

        Parameters
        ----------
        metric : str
            One of `metrics`.
        along : str, optional
            One of `keys`, or "point"; by default the first that has several values which are numbers, or else the
            first that has several.
        where : mapping, optional
            Keys and the one value of each whose points are drawn: `{"k": 5}`.

        Raises
        ------
        ValueError
            There is no such metric, key or value.
        """
        from rangecast.shown import shown
        from simulator.views.sweep_figure import draw_sweep

        return shown(draw_sweep(self.results, self._sweep.facts.axes, metric, along, where))

    @in_python_words()
    def report(self, out: AnyPath = "report.html", metric: str | Sequence[str] | None = None) -> Path:
        """Write the sweep as one page that works offline and opens with what was found; its path.

        Parameters
        ----------
        metric : str or sequence of str, optional
            What to draw and list, of `metrics`; by default a few.

        Raises
        ------
        RangecastError
            There is no such metric, or the page cannot be written.
        """
        from simulator.views.report import write_report

        path = as_path(out, "out")
        wanted = metric if metric is None or isinstance(metric, str) else ",".join(metric)
        write_report([self.directory], path, wanted)
        return path

    @in_python_words()
    def compare(
        self,
        *others: "SweepResult",
        metric: str | Sequence[str] | None = None,
        against: str | None = None,
    ) -> "SweepComparison":
        """Hold approaches against one of them, and other sweeps against this one, on the same seeds.

        Parameters
        ----------
        *others : SweepResult
            Further sweeps to put beside this one.
        metric : str or sequence of str, optional
            What to compare, of `metrics`; by default all.
        against : str, optional
            An approach; by default the first.

        Raises
        ------
        RangecastError
            There is no such metric or approach, or a sweep has no point that did not fail.
        """
        from simulator.results.distinct_directories import distinct_names
        from simulator.runs.metric_choice import choose_metrics
        from simulator.runs.sweep_comparison import choose_against, compare_sweeps, metrics_of_all

        sweeps = [self._sweep, *(other._sweep for other in others)]
        there = metrics_of_all(sweeps)
        wanted = there if metric is None else (metric,) if isinstance(metric, str) else metric
        names = distinct_names([one.directory for one in sweeps])
        chosen = choose_metrics(",".join(wanted), there)
        return SweepComparison(
            compare_sweeps(list(zip(names, sweeps, strict=True)), chosen, choose_against(against, sweeps))
        )

    def _told(self) -> list[str]:
        return [str(self.directory), *(f"FAILED {line}" for line in self.failures)]

    def _tables(self, width: int) -> "list[Table]":
        from simulator.runs.metric_choice import choose_metrics
        from simulator.views.sweep_table import shown_keys, sweep_tables

        metrics = choose_metrics(None, self.metrics)
        return sweep_tables(self.results, shown_keys(self._sweep), metrics, width)[:1]

    def __repr__(self) -> str:
        from rangecast.shown import text_of

        return "\n".join([*map(visible, self._told()), *map(text_of, self._tables(_WIDTH))])

    def _repr_html_(self) -> str:
        from rangecast.shown import html_of

        return html_of(self._tables(_WIDTH), self._told())


class SweepComparison:
    """Sweeps side by side, or the approaches of one; shown, it is what `rangecast compare` prints.

    Attributes
    ----------
    table : Table
        One row per metric, point, approach and sweep: `mean` and `half_width`; `difference` from the approach that
        the others are held against, `difference_half_width`, `ratio`, `ratio_low` and `ratio_high`; the same from
        the first sweep in columns that begin with `change_`.
    against : str
        That approach.
    """

    def __init__(self, comparison: "Compared") -> None:
        self._comparison = comparison
        self.table, self.against = comparison.table, comparison.against

    def to_pandas(self) -> "pd.DataFrame":
        """`table` as a DataFrame, indexed by metric, keys, approach and sweep."""
        frame: pd.DataFrame = self.table.to_pandas()
        return frame.set_index(["metric", *self._comparison.keys, "approach", "sweep"])

    def _tables(self) -> "list[Table]":
        from simulator.views.sweep_comparison import comparison_tables

        return comparison_tables(self._comparison, _WIDTH)

    def __repr__(self) -> str:
        from rangecast.shown import text_of

        return "\n\n".join(map(text_of, self._tables()))

    def _repr_html_(self) -> str:
        from rangecast.shown import html_of

        return html_of(self._tables())


@in_python_words()
def sweep(
    grid: AnyPath | Mapping[str, Any],
    out: AnyPath | None = None,
    *,
    processes: int | None = None,
    master: str | None = None,
    progress: bool = False,
) -> SweepResult:
    """Run every point of a grid with several seeds; a directory with a part of it is continued.

    Parameters
    ----------
    grid : path or mapping
        A grid file in TOML, or what it would hold: `{"scenario": ..., "grid": {"k": [5, 10]}, "replications": 3}`,
        where the scenario is one that `load_scenario` takes, and its path is seen from the current directory.
    out : path, optional
        Directory of the sweep; by default sweeps/NAME, after the grid file, or after the scenario if there is none.
    processes : int, optional
        Simulations at a time; by default, and on this machine at most, one per core.
    master : str, optional
        Spark master to run the simulations on; by default processes of this machine do.
    progress : bool
        Whether progress is shown on stderr.

    Raises
    ------
    RangecastError
        A grid that cannot be run, or a directory that holds something else, is in use or cannot be written.

    Notes
    -----
    A script that sweeps must do so under `if __name__ == "__main__":`, because its processes load it again.
    """
    from rich.progress import Progress

    from simulator.runs.sweep import run_sweep
    from simulator.scenario.grid import load_grid, make_grid
    from simulator.views.progress import sweep_progress

    path = None if out is None else as_path(out, "out")
    if isinstance(grid, Mapping):
        wanted = dict(grid)
        if isinstance(wanted.get("scenario"), Scenario):
            wanted["scenario"] = wanted["scenario"].model_dump(exclude_unset=True, exclude_none=True)
        chosen = make_grid(plain(wanted, ""), path=_BLAMED)
        path = path or Path("sweeps") / chosen.points[0].scenario.name
    else:
        chosen = load_grid(as_path(grid, "grid", "a mapping or the path of a grid file"))
    bars = sweep_progress() if progress else Progress(disable=True)
    return SweepResult(run_sweep(chosen, path, master=master, processes=processes, progress=bars).directory)
