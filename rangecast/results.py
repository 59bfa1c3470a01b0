"""Runs from Python: made, opened again, shown, compared."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

import pipeline
from floor.text import visible
from rangecast.arguments import AnyPath, as_mapping, as_path, in_python_words
from rangecast.scenarios import AnyScenario, load_scenario
from simulator.results.distinct_directories import distinct_names, refuse_twice
from simulator.results.errors import RunError
from simulator.results.finished_run import FinishedRun
from simulator.scenario.scenario import Scenario

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure
    from rich.table import Table

__all__ = ["Comparison", "Result", "compare", "run"]


class Result:
    """A finished run: what `run` returns, or an earlier run opened again.

    Its tables are Arrow tables, read from the directory when they are first asked for; every one of them has
    `to_pandas()`. docs/results.md explains their columns.

    Parameters
    ----------
    directory : path
        A directory that `run`, or the command `rangecast run`, made.

    Attributes
    ----------
    directory : Path
        Where the run is.
    manifest : dict
        What `manifest.json` holds: scenario, seed, versions, topology, verdicts, faults, timings.

    Raises
    ------
    RangecastError
        It is not a finished run; of a table or of what follows from it: a file is missing or damaged.
    """

    @in_python_words()
    def __init__(self, directory: AnyPath) -> None:
        self.directory = as_path(directory, "directory", "the path of a run directory")
        self._run = FinishedRun(self.directory)
        self._rows = self._run.summary
        self.manifest: dict[str, Any] = self._run.manifest

    @cached_property
    def scenario(self) -> Scenario:
        """What was run; approaches of your own must be registered, and files that it names must be there."""
        return self._run.scenario

    @property
    def verified(self) -> dict[str, str]:
        """Verdict on each approach that was verified: "right", or the first list that was wrong, and why."""
        return dict(self.manifest["verified"])

    @property
    def right(self) -> bool | None:
        """Whether every list that was verified was right; None if none was."""
        verdicts = self.verified.values()
        return all(verdict == "right" for verdict in verdicts) if verdicts else None

    @cached_property
    def summary(self) -> pa.Table:
        """One row per approach: means per event, and more."""
        return pa.Table.from_pylist(self._rows, pipeline.SUMMARY)

    @cached_property
    def events(self) -> pa.Table:
        """One row per approach and event."""
        return self._run.table("events")

    @cached_property
    def brokers(self) -> pa.Table:
        """One row per approach and broker."""
        return self._run.table("brokers")

    @cached_property
    def links(self) -> pa.Table:
        """One row per approach and IP link that carried something."""
        return self._run.table("links")

    @cached_property
    def hops(self) -> pa.Table:
        """One row per hop, if the scenario has `record = ["hops"]`."""
        return self._run.table("hops")

    @cached_property
    def faults(self) -> pa.Table:
        """One row per thing that went wrong, if the scenario has faults."""
        return self._run.table("faults")

    @cached_property
    def series(self) -> pa.Table:
        """One row per approach and slice of time, of the engine `des`."""
        return self._run.table("series")

    def plot(self) -> "Figure":
        """Draw what the approaches cost: traffic, notifications received and, of the engine `des`, latency."""
        from rangecast.shown import shown
        from simulator.results.comparison_figure import comparison_figure, comparison_title

        names = [str(row["approach"]) for row in self._rows]
        title, warm_up = comparison_title(self.scenario), self.scenario.events.warm_up
        return shown(comparison_figure(self._run, names, title, warm_up))

    def report(self, out: AnyPath = "report.html") -> Path:
        """Write the run as one page that works offline; its path."""
        return compare(self).report(out)

    def __repr__(self) -> str:
        return f"{self._verdict()}\n{compare(self)!r}"

    def _repr_html_(self) -> str:
        from rangecast.shown import html_of

        return html_of([compare(self)._shown()], [self._verdict()])

    def _verdict(self) -> str:
        verdicts = {None: "not verified", True: "verified, all right", False: "verified, WRONG"}
        return f"{visible(str(self.directory))}: {verdicts[self.right]}"


class Comparison:
    """Finished runs side by side; shown, it is the table that `rangecast compare` prints.

    Attributes
    ----------
    runs : tuple of Result
        What is compared, in order.
    """

    def __init__(self, runs: Sequence[Result]) -> None:
        self.runs = tuple(runs)

    @property
    def _names(self) -> list[str]:
        """A name for each run: of its directory, with those above it that tell it apart."""
        return distinct_names([run.directory for run in self.runs])

    @property
    def table(self) -> pa.Table:
        """The summaries of all runs under each other, with the name of the run as first column."""
        tables = [
            run.summary.add_column(0, "run", pa.array([name] * len(run.summary), pa.string()))
            for name, run in zip(self._names, self.runs, strict=True)
        ]
        return pa.concat_tables(tables)

    def to_pandas(self) -> "pd.DataFrame":
        """`table` as a DataFrame, indexed by run and approach."""
        frame: pd.DataFrame = self.table.to_pandas().set_index(["run", "approach"])
        return frame

    @in_python_words()
    def report(self, out: AnyPath = "report.html") -> Path:
        """Write the runs, side by side, as one page that works offline; its path."""
        from simulator.views.report import write_report

        path = as_path(out, "out")
        write_report([run.directory for run in self.runs], path)
        return path

    def _shown(self) -> "Table":
        from simulator.views.tables import comparison_of

        names = self._names if len(self.runs) > 1 else [""]
        return comparison_of([(name, row) for name, run in zip(names, self.runs, strict=True) for row in run._rows])

    def __repr__(self) -> str:
        from rangecast.shown import text_of

        return text_of(self._shown())

    def _repr_html_(self) -> str:
        from rangecast.shown import html_of

        return html_of([self._shown()])


def compare(*runs: Result | AnyPath) -> Comparison:
    """Put finished runs side by side.

    Parameters
    ----------
    *runs : Result or path
        Results, or run directories.

    Raises
    ------
    RangecastError
        A directory that is not a finished run, or the same run twice.
    TypeError
        None is given, or something else.
    """
    if not runs:
        raise TypeError("runs must name at least one run, got none; give results or run directories")
    kinds = "a Result or the path of a run directory"
    results = [run if isinstance(run, Result) else Result(as_path(run, "run", kinds)) for run in runs]
    refuse_twice([result.directory for result in results], "run", RunError)
    return Comparison(results)


@in_python_words()
def run(
    scenario: AnyScenario,
    out: AnyPath | None = None,
    *,
    changes: Mapping[str, Any] | None = None,
    engine: Literal["tally", "des"] | None = None,
    deliveries: Literal["memory", "spark"] = "memory",
    master: str = "local[*]",
    progress: bool = False,
) -> Result:
    """Run every approach of a scenario on the same events.

    Parameters
    ----------
    scenario : Scenario, mapping or path
        What to run, as `load_scenario` takes it.
    out : path, optional
        Directory to make; it must not exist. By default the first free one of runs/NAME, runs/NAME-2, ...
    changes : mapping, optional
        Values instead of the scenario's, as `load_scenario` takes them.
    engine : str, optional
        "tally" or "des" instead of the scenario's.
    deliveries : str
        Where to count whom messages reach: "memory" reads the population, "spark" leaves it on disk.
    master : str
        Spark master for the population and the summary.
    progress : bool
        Whether the steps are shown on stderr.

    Raises
    ------
    RangecastError
        A scenario that cannot be run, a directory that exists or cannot be made, no Java, no such Spark master.
    """
    from simulator.runs.run import run_scenario
    from simulator.views.progress import step_progress

    if engine is not None:
        changes = {**as_mapping(changes, "changes"), "engine": engine}
    chosen = load_scenario(scenario, changes)
    bars = step_progress() if progress else None
    path = None if out is None else as_path(out, "out")
    made = run_scenario(chosen, path, master=master, deliveries=deliveries, progress=bars)
    return Result(made.directory)
