"""Commands that look at runs and scenarios: compare, report, explain, trace, topology."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from simulator.cli.app import app
from simulator.cli.options import Changes, Master, Metrics, Plugins, ScenarioFile, print_lines, print_table

__all__ = ["compare", "explain", "report", "topology", "trace"]


@app.command()
def compare(
    directories: Annotated[
        list[Path], typer.Argument(help="Directories of finished runs, or of finished sweeps.", show_default=False)
    ],
    metric: Metrics = None,
    against: Annotated[
        str | None,
        typer.Option(
            help="Approach that others of a sweep are held against (default: the first).", show_default=False
        ),
    ] = None,
) -> None:
    """Show finished runs, or sweeps, side by side."""
    from simulator.views.compared import compared

    tables, lines = compared(directories, metric, against, Console().width)
    for table in tables:
        print_table(table)
    print_lines(lines)


@app.command()
def report(
    directories: Annotated[
        list[Path], typer.Argument(help="Directories of finished runs, or of one finished sweep.", show_default=False)
    ],
    out: Annotated[Path, typer.Option(help="Page to write (.html).")] = Path("report.html"),
    metric: Metrics = None,
    plugins: Plugins = None,
) -> None:
    """Write finished runs side by side, or a sweep, as one page that works offline and opens with what was found."""
    from simulator.inputs.plugins import load_plugins
    from simulator.views.report import write_report

    load_plugins(plugins or ())
    write_report(directories, out, metric)
    print_lines([f"report  {out}"])


@app.command()
def explain(
    target: Annotated[Path, typer.Argument(help="A run directory, or a scenario file in TOML.", show_default=False)],
    event: Annotated[
        int | None,
        typer.Option(help="Number of the event (default: one that exposes a few objects).", show_default=False),
    ] = None,
    approach: Annotated[
        list[str] | None,
        typer.Option(
            help="Whose messages to draw (default: the first there is); repeat it to see several side by side.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="Picture (.svg, .png or .pdf), or a page with a slider (.html).")] = Path(
        "explain.svg"
    ),
    changes: Changes = None,
    master: Master = "local[*]",
    plugins: Plugins = None,
) -> None:
    """Draw one event, or the window it is answered in: objects, influence regions, exposed objects, messages."""
    from simulator.inputs.plugins import load_plugins
    from simulator.views.explain_files import explain_to_file

    load_plugins(plugins or ())
    with Console(stderr=True).status("gathering objects, subscriptions and events"):
        lines = explain_to_file(
            target, out, event=event, approaches=approach or (), changes=tuple(changes or ()), master=master
        )
    print_lines([*lines, f"drawing  {out}"])


@app.command()
def trace(
    run: Annotated[Path, typer.Argument(help="Directory of a finished run.", show_default=False)],
    event: Annotated[int, typer.Option(help="Number of the event, from 0.", show_default=False)],
    approach: Annotated[
        list[str] | None,
        typer.Option(
            help="One of the run's approaches; may be repeated (default: its first, of a moving map all).",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Picture (.svg, .png or .pdf), or a moving map (.html or .gif).", show_default=False),
    ] = None,
    at: Annotated[
        float | None,
        typer.Option(
            help="Draw the map as it is so many ms after the event (picture; hops where a run has no clock).",
            show_default=False,
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Show all messages and hops.")] = False,
    master: Master = "local[*]",
    plugins: Plugins = None,
) -> None:
    """Follow one event of a run message by message and hop by hop."""
    from simulator.inputs.plugins import load_plugins
    from simulator.views.journey_files import tell_journey

    load_plugins(plugins or ())
    with Console(stderr=True).status("simulating the run up to the event"):
        lines = tell_journey(run, event, approach or (), out, at=at, everything=everything, master=master)
    print_lines([*lines, *([f"drawing  {out}"] if out else ())])


@app.command()
def topology(
    scenario: ScenarioFile,
    out: Annotated[Path, typer.Option(help="Picture (.svg, .png or .pdf).")] = Path("topology.png"),
    changes: Changes = None,
    master: Master = "local[*]",
    plugins: Plugins = None,
) -> None:
    """Describe and draw the networks of a scenario, coloured by the load its first approach puts on brokers."""
    from simulator.inputs.plugins import load_plugins
    from simulator.scenario.loading import load_scenario
    from simulator.views.topology import describe_topology

    load_plugins(plugins or ())
    chosen = load_scenario(scenario, tuple(changes or ()))
    with Console(stderr=True).status("gathering population, topology and events"):
        lines = describe_topology(chosen, out, master=master)
    print_lines([*lines, f"drawing             {out}"])
