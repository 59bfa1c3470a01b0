"""Commands that run scenarios: run, demo, sweep, capacity, and warm-up."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console

from scenarios import DIRECTORY
from simulator.cli.app import app
from simulator.cli.options import (
    Changes,
    Master,
    Metrics,
    Plugins,
    ScenarioFile,
    SimulationMaster,
    print_lines,
    print_table,
)

if TYPE_CHECKING:
    from simulator.scenario.scenario import Scenario

__all__ = ["capacity", "demo", "run", "sweep", "warm_up"]

Out = Annotated[
    Path | None, typer.Option(help="Directory to make for the results (default: runs/NAME).", show_default=False)
]


@app.command()
def run(
    scenario: ScenarioFile,
    out: Out = None,
    engine: Annotated[
        str | None, typer.Option(help="tally or des, instead of the scenario's.", show_default=False)
    ] = None,
    changes: Changes = None,
    deliveries: Annotated[
        Literal["memory", "spark"],
        typer.Option(help="Where to count whom messages reach; spark leaves the population on disk."),
    ] = "memory",
    master: Master = "local[*]",
    plugins: Plugins = None,
) -> None:
    """Run a scenario and compare its approaches."""
    # Deferred: loading Spark and the kernels takes a second that --help need not wait for.
    from simulator.inputs.plugins import load_plugins
    from simulator.scenario.loading import load_scenario

    load_plugins(plugins or ())
    overrides = [*(changes or ()), *([f'engine="{engine}"'] if engine else ())]
    _run(load_scenario(scenario, tuple(overrides)), out, master, deliveries)


@app.command()
def demo(out: Out = None, master: Master = "local[*]") -> None:
    """Run a small scenario that comes with Rangecast: three approaches on the same events, a table and a figure."""
    from simulator.scenario.loading import load_scenario

    directory = _run(load_scenario(DIRECTORY / "demo.toml"), out, master)
    print_lines(
        [
            f"next     rangecast explain {directory} --out event.html    one of these events, drawn",
            "next     rangecast scenario new mine.toml    a scenario of your own, for rangecast run",
        ]
    )


def _run(
    scenario: "Scenario", out: Path | None, master: str, deliveries: Literal["memory", "spark"] = "memory"
) -> Path:
    """Run a scenario and tell the outcome; where it is."""
    from simulator.runs.run import run_scenario
    from simulator.views.progress import step_progress
    from simulator.views.tables import comparison_table

    result = run_scenario(scenario, out, master=master, deliveries=deliveries, progress=step_progress())
    print_table(comparison_table([result.directory]))
    where = (f"figure   {result.figure}", f"results  {result.directory}")
    print_lines([*result.verdicts, *result.notes, *where])
    if not result.right:
        raise typer.Exit(1)
    return result.directory


@app.command()
def sweep(
    grid: Annotated[
        Path, typer.Argument(help="A grid file in TOML, or a name of `rangecast scenario list`.", show_default=False)
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            help="Directory of the sweep; continued if it exists (default: sweeps/NAME).", show_default=False
        ),
    ] = None,
    processes: Annotated[
        int | None, typer.Option(help="Simulations at a time (default: one per core).", show_default=False)
    ] = None,
    metric: Metrics = None,
    master: SimulationMaster = None,
    plugins: Plugins = None,
) -> None:
    """Run every point of a grid with several seeds; continue where an earlier start stopped."""
    from simulator.inputs.plugins import load_plugins
    from simulator.runs.finished_sweep import FinishedSweep
    from simulator.runs.metric_choice import choose_metrics, metrics_of_grid
    from simulator.runs.sweep import run_sweep
    from simulator.scenario.grid import load_grid
    from simulator.views.progress import sweep_progress
    from simulator.views.sweep_figure import write_figures
    from simulator.views.sweep_table import shown_keys, sweep_tables

    load_plugins(plugins or ())
    chosen = load_grid(grid)
    metrics = choose_metrics(metric, metrics_of_grid(chosen))
    result = run_sweep(chosen, out, master=master, processes=processes, progress=sweep_progress())
    finished = FinishedSweep(result.directory)
    tables = sweep_tables(finished.results, shown_keys(finished), metrics, Console().width)
    for table in tables if metric else tables[:1]:
        print_table(table)
    figures = write_figures(finished, metrics)
    drawn = [f"figures  {figures[0].parent}: {', '.join(path.name for path in figures)}"] if figures else []
    print_lines([*result.lines, *drawn])
    if result.failures:
        raise typer.Exit(1)


@app.command()
def capacity(
    scenario: ScenarioFile,
    bound: Annotated[str, typer.Option(help="What the p99 of notification latency must stay under.")] = "100ms",
    warm_up: Annotated[
        str | None,
        typer.Option(help="Time at the start that does not count (default: a tenth).", show_default=False),
    ] = None,
    replications: Annotated[int, typer.Option(help="Seeds to search with.")] = 3,
    changes: Changes = None,
    master: Master = "local[*]",
    plugins: Plugins = None,
) -> None:
    """Find the highest rate of events with latency under a bound, per approach, and what limits it."""
    from simulator.inputs.plugins import load_plugins
    from simulator.runs.capacity import measure_capacity, parse_time
    from simulator.scenario.loading import load_scenario
    from simulator.views.capacity_table import capacity_table
    from simulator.views.progress import step_progress

    load_plugins(plugins or ())
    bound_ms = parse_time("--bound", bound) * 1e3
    warm_up_s = None if warm_up is None else parse_time("--warm-up", warm_up)
    chosen = load_scenario(scenario, tuple(changes or ()))
    found = measure_capacity(
        chosen, bound_ms, warm_up_s=warm_up_s, replications=replications, master=master, progress=step_progress()
    )
    print_table(capacity_table(found, bound_ms))


@app.command(name="warm-up")
def warm_up(
    scenario: Annotated[
        Path | None, typer.Argument(help="Compile only what this scenario needs.", show_default=False)
    ] = None,
) -> None:
    """Compile kernels, and archive Spark's classes, now instead of at their first use; without a scenario all."""
    import pipeline
    from simulator.runs.warm_up import warm_up
    from simulator.scenario.loading import load_scenario
    from simulator.views.progress import sweep_progress

    chosen = None if scenario is None else load_scenario(scenario)
    with pipeline.archiving_classes() as finish:
        warm_up(chosen, sweep_progress())
        with Console(stderr=True).status("archiving Spark's classes, half a minute"):
            finish()
