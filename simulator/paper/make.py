"""The papers' evaluations, table by table and figure by figure: sweeps or trials, then claims judged by them.

ROOT/sweeps-SCALE/GRID/   the sweeps, each shared by all tables and figures that are made from it
ROOT/trials-SCALE/        what trials of indexes and servers measured
ROOT/NAME-SCALE/          results.csv      of the sweep or trial; of several, results-GRID.csv
                          NAME.csv         the table, or the points of the figure's curves
                          NAME.png, .svg   the figure
                          verdicts.csv     every claim: paper, ours, ratio, tolerance, verdict
"""

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from rich.markup import escape
from rich.progress import Progress
from rich.table import Table

from floor.files import write_whole
from simulator.paper.exhibits import (
    BEYOND,
    EXTRAS,
    MATCHING,
    NAMES,
    TRIED,
    Exhibit,
    PaperError,
    Scale,
    grid_path,
    load_exhibit,
    views_of,
)
from simulator.paper.figures import draw_exhibit, exhibit_csv
from simulator.paper.trials import Trial, load_trial, measured_trial, run_trial, trial_csv, trial_path
from simulator.paper.verdicts import DIFFERS, HOLDS, NEEDS_PAPER, NOT_RUN, Measured, Verdict, judge
from simulator.runs.sweep import check_workers, run_sweeps
from simulator.runs.sweep_tables import read_replications
from simulator.scenario.grid import load_grid
from simulator.views.labels import short

__all__ = ["Made", "make_paper", "measured_in", "summary_table"]


class Made(NamedTuple):
    """A table or figure as it was made."""

    view: Exhibit
    directory: Path
    verdicts: list[Verdict]
    failures: list[str]
    """One line for each point of its sweeps that failed."""


def _silent() -> Progress:
    return Progress(disable=True)


def make_paper(
    name: str,
    *,
    scale: str = "small",
    out: Path = Path("paper"),
    processes: int | None = None,
    master: str | None = None,
    progress: Callable[[], Progress] = _silent,
    directory: Path | None = None,
) -> list[Made]:
    """Make a table or figure of the paper's evaluation, or all of them; or those of the papers on matching.

    Sweeps that are finished below `out` are not run again, and one that was stopped goes on; so do trials.

    Parameters
    ----------
    name : str
        One of `NAMES`, `BEYOND`, `EXTRAS` or `MATCHING`; "all" for the first three, "matching" for the last.
    scale : {"small", "paper"}
        The paper's sizes, or small ones that show the same trends in seconds.
    out : Path
        Where directories are made.
    processes : int, optional
        Simulations, or servers tried, at a time; by default one per core. Trials with timings go one at a time.
    master : str, optional
        Spark master whose executors run the simulations; by default processes of this machine do.
    progress : callable
        Makes what shows the progress of a sweep.
    directory : Path
        Where the tables and figures are described; by default where those of Rangecast are.

    Raises
    ------
    PaperError
        There is no such table or figure.
    """
    size = _scale(scale)
    check_workers(master, processes)
    groups = {"all": (*NAMES, *BEYOND, *EXTRAS), "matching": MATCHING}
    views = [load_exhibit(one, directory) for one in groups.get(name, (name,))]
    home = directory or views_of(views[0].name)
    for trial in dict.fromkeys(one for view in views if view.name in TRIED for one in view.sweeps):
        run_trial(load_trial(trial_path(trial, size, home)), _trials_path(out, size), progress(), processes)
    names = list(dict.fromkeys(one for view in views if view.name not in TRIED for one in view.sweeps))
    failures: dict[str, list[str]] = {}
    if names:
        sweeps = [(load_grid(grid_path(one, size, home)), _sweep_path(out, size, one)) for one in names]
        results = run_sweeps(sweeps, master=master, processes=processes, progress=progress())
        failures = {
            one: [f"{one}: {line}" for line in result.failures] for one, result in zip(names, results, strict=True)
        }
    return [
        _make(view, size, out, home, [line for sweep in view.sweeps for line in failures.get(sweep, [])])
        for view in views
    ]


def measured_in(out: Path, view: Exhibit, scale: Scale, directory: Path | None = None) -> dict[str, Measured]:
    """What is finished of the sweeps or trials of a table or figure."""
    home = directory or views_of(view.name)
    if view.name in TRIED:
        trials = {one: load_trial(trial_path(one, scale, home)) for one in view.sweeps}
        return {one: measured_trial(trial, _trials_path(out, scale)) for one, trial in trials.items()}
    return {sweep: _finished(out, scale, sweep, home) for sweep in view.sweeps}


def summary_table(made: Iterable[Made]) -> Table:
    """How many claims about each table and figure hold, for the terminal."""
    table = Table(title="the paper's claims, judged by the tolerances fixed beforehand", title_justify="left")
    columns = (HOLDS, DIFFERS, NEEDS_PAPER, NOT_RUN)
    table.add_column("name")
    for column in columns:
        table.add_column(column, justify="right")
    total: Counter[str] = Counter()
    for one in made:
        counts = Counter(verdict.verdict for verdict in one.verdicts)
        total += counts
        table.add_row(one.view.name, *(str(counts[column]) for column in columns))
    table.add_section()
    table.add_row("all", *(str(total[column]) for column in columns))
    return table


def verdict_table(made: Made) -> Table:
    """Every number and claim about one table or figure beside ours, for the terminal."""
    table = Table(title=made.view.title, title_justify="left")
    for column in ("claim", "at"):
        table.add_column(column, overflow="fold")
    for column in ("paper", "ours", "rule"):
        table.add_column(column, justify="right")
    table.add_column("verdict")
    for one in made.verdicts:
        table.add_row(*map(escape, (one.claim, one.place, short(one.paper), one.outcome, one.rule, one.verdict)))
    return table


def _scale(text: str) -> Scale:
    if text == "small":
        return "small"
    if text == "paper":
        return "paper"
    raise PaperError(f"--scale {text}: must be small or paper; choose one of them")


def _sweep_path(out: Path, scale: Scale, sweep: str) -> Path:
    return out / f"sweeps-{scale}" / sweep


def _trials_path(out: Path, scale: Scale) -> Path:
    return out / f"trials-{scale}"


def _finished(out: Path, scale: Scale, sweep: str, directory: Path) -> Measured:
    grid = load_grid(grid_path(sweep, scale, directory))
    return Measured(grid, read_replications(_sweep_path(out, scale, sweep), len(grid.points), len(grid.seeds)))


def _make(view: Exhibit, scale: Scale, out: Path, directory: Path, failures: list[str]) -> Made:
    measured = measured_in(out, view, scale, directory)
    verdicts = judge(view, measured, scale)
    target = out / f"{view.name}-{scale}"
    for sweep in view.sweeps:
        copy = target / ("results.csv" if len(view.sweeps) == 1 else f"results-{sweep}.csv")
        if isinstance(plan := measured[sweep].grid, Trial):
            write_whole(copy, trial_csv(plan, measured[sweep]))
        else:
            write_whole(copy, (_sweep_path(out, scale, sweep) / "results.csv").read_bytes())
    write_whole(target / f"{view.name}.csv", exhibit_csv(view, measured, verdicts))
    write_whole(target / "verdicts.csv", _verdicts_csv(verdicts))
    if view.panels:
        draw_exhibit(view, measured, scale, [target / f"{view.name}{suffix}" for suffix in (".png", ".svg")])
    return Made(view, target, verdicts, failures)


def _verdicts_csv(verdicts: Sequence[Verdict]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    plain = Verdict._fields[: Verdict._fields.index("beside")]
    writer.writerow([*plain, "beside", "cause"])
    writer.writerows(
        [*one[: len(plain)], "; ".join(short(value) for _, value in one.beside), one.cause] for one in verdicts
    )
    return text.getvalue()
