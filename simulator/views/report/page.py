"""The page of a report, put together and written."""

from collections.abc import Sequence
from pathlib import Path

from simulator.results.errors import RunError
from simulator.runs.finished_sweep import FinishedSweep, is_sweep
from simulator.views.output import check_out, write_out
from simulator.views.page import render
from simulator.views.report.runs import read_runs, sides_of
from simulator.views.report.sections import colours_of, facts_of, sections_of
from simulator.views.report.sweep_rows import read_sweep_rows
from simulator.views.report.sweep_sections import sweep_colours, sweep_facts, sweep_sections

__all__ = ["report_page", "write_report"]


def write_report(directories: Sequence[Path], out: Path, metric: str | None = None) -> None:
    """Write finished runs, or a finished sweep, as one page, whole or not at all.

    Parameters
    ----------
    metric : str, optional
        Of a sweep, what to draw and list: names of metrics, with commas between.

    Raises
    ------
    RunError, SweepError, MetricError, OutputError
        One line for the user; then nothing is written.
    """
    check_out(out, (".html",))
    write_out(report_page(directories, metric).encode(), out)


def report_page(directories: Sequence[Path], metric: str | None = None) -> str:
    """The page of some run directories, or of the directory of one sweep.

    Raises
    ------
    RunError, SweepError, MetricError
        A directory that is not a finished run or sweep, the same one twice, or a sweep beside something else;
        `metric` for runs, or one that the sweep has not.
    """
    sweeps = [directory for directory in directories if is_sweep(directory)]
    if not sweeps:
        if metric is not None:
            raise RunError(f"--metric {metric}: a report of runs shows every metric; leave it out, or report a sweep")
        return _page_of_runs(directories)
    if len(directories) > 1:
        raise RunError(f"{sweeps[0]}: a sweep has a report of its own; give it alone, or compare sweeps by `compare`")
    return _page_of_sweep(sweeps[0], metric)


def _page_of_runs(directories: Sequence[Path]) -> str:
    runs = read_runs(directories)
    sides = sides_of(runs)
    return render(
        "report.html",
        title=f"Rangecast report: {', '.join(run.name for run in runs)}",
        facts=facts_of(runs),
        colours=colours_of(sides),
        sections=sections_of(runs, sides),
    )


def _page_of_sweep(directory: Path, metric: str | None) -> str:
    sweep, name = FinishedSweep(directory), directory.resolve().name
    rows = read_sweep_rows(sweep, metric)
    return render(
        "report.html",
        title=f"Rangecast report of the sweep {name}",
        facts=sweep_facts(sweep, name),
        colours=sweep_colours(rows),
        sections=sweep_sections(sweep, rows),
    )
