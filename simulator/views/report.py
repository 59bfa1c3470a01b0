"""The report: finished runs side by side, as one HTML page that works offline, prints, and needs no script.

Charts are SVG in the page: a few hundred kilobytes, where a charting library would bring megabytes of script; they
are printed, read aloud and follow the reader into dark mode. Whatever comes from a run is escaped.
"""

from collections.abc import Sequence
from pathlib import Path

from simulator.results.errors import RunError
from simulator.views.output import check_out, write_out
from simulator.views.page import render
from simulator.views.report_runs import read_run
from simulator.views.report_sections import facts_of, sections_of

__all__ = ["report_page", "write_report"]


def write_report(directories: Sequence[Path], out: Path) -> None:
    """Write finished runs as one page, whole or not at all.

    Raises
    ------
    RunError, OutputError
        One line for the user; then nothing is written.
    """
    check_out(out, (".html",))
    write_out(report_page(directories).encode(), out)


def report_page(directories: Sequence[Path]) -> str:
    """The page of some run directories.

    Raises
    ------
    RunError
        A directory that is not a finished run, or the same one twice.
    """
    places = [directory.resolve() for directory in directories]
    if len(set(places)) < len(places):
        twice = next(directory for directory in places if places.count(directory) > 1)
        raise RunError(f"{twice}: given twice; name each run once")
    names = [directory.name for directory in places]
    runs = [
        read_run(directory, place.name if names.count(place.name) == 1 else str(directory))
        for directory, place in zip(directories, places, strict=True)
    ]
    title = f"Rangecast report: {', '.join(run.name for run in runs)}"
    return render("report.html", title=title, facts=facts_of(runs), sections=sections_of(runs))
