"""Sweeps from Python: run, opened again, shown."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from floor.text import visible
from rangecast.arguments import AnyPath, as_path, in_python_words, plain
from simulator.runs.finished_sweep import read_estimates, read_sweep_facts
from simulator.scenario.scenario import Scenario

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table

__all__ = ["SweepResult", "sweep"]

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
        Scenario keys, dotted, in which its points differ.
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
        facts = read_sweep_facts(self.directory)
        self.keys, self.failures = facts.keys, facts.failures

    @cached_property
    def results(self) -> pa.Table:
        """Per point, approach and metric: mean over the replications and half its 95% confidence interval."""
        return read_estimates(self.directory / "results.csv")

    @cached_property
    def paired(self) -> pa.Table:
        """Per point, pair of approaches and metric: mean difference on the same events, and half its interval."""
        return read_estimates(self.directory / "paired.csv")

    def plot(self, metric: str = "bytes_out", along: str | None = None) -> "Figure":
        """Draw a metric over a key of the grid: a line per approach with 95% intervals, a panel per other point.

        Parameters
        ----------
        metric : str
            One of those in `results`.
        along : str, optional
            One of `keys`, or "point"; by default the first key that has several values.

        Raises
        ------
        ValueError
            There is no such metric or key.
        """
        from rangecast.shown import shown
        from simulator.views.sweep_figure import draw_sweep

        return shown(draw_sweep(self.results, self.keys, metric, along))

    def _shown(self) -> "Table":
        from simulator.views.sweep_table import sweep_table

        return sweep_table(self.keys, self.directory / "results.csv")

    def __repr__(self) -> str:
        from rangecast.shown import text_of

        told = [str(self.directory), *(f"FAILED {line}" for line in self.failures)]
        return "\n".join([*map(visible, told), text_of(self._shown())])

    def _repr_html_(self) -> str:
        from html import escape

        from rangecast.shown import html_of

        failed = "".join(f"<p>FAILED {escape(line)}</p>" for line in self.failures)
        return f"<p>{escape(str(self.directory))}</p>{failed}{html_of(self._shown())}"


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
