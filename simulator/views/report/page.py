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


def write_report(directories: Sequence[Path], out: Path) -> None:
    """Write finished runs, or a finished sweep, as one page, whole or not at all.

    Raises
    ------
    RunError, SweepError, OutputError
        One line for the user; then nothing is written.
    """
    check_out(out, (".html",))
    write_out(report_page(directories).encode(), out)


def report_page(directories: Sequence[Path]) -> str:
    """The page of some run directories, or of the directory of one sweep.

    Raises
    ------
    RunError, SweepError
        A directory that is not a finished run or sweep, the same one twice, or a sweep beside something else.
    """
    sweeps = [directory for directory in directories if is_sweep(directory)]
    if not sweeps:
        return _page_of_runs(directories)
    if len(directories) > 1:
        raise RunError(f"{sweeps[0]}: a sweep has a report of its own; give it alone, or compare sweeps by `compare`")
    return _page_of_sweep(sweeps[0])


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


def _page_of_sweep(directory: Path) -> str:
    sweep, name = FinishedSweep(directory), directory.resolve().name
    rows = read_sweep_rows(sweep)
    return render(
        "report.html",
        title=f"Rangecast report of the sweep {name}",
        facts=sweep_facts(sweep, name),
        colours=sweep_colours(rows),
        sections=sweep_sections(sweep, rows),
    )
