"""The command `rangecast`."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from rangecast import RangecastError, __version__

__all__ = ["app", "main"]

app = typer.Typer(
    help="Simulate how updates reach range top-k subscriptions over a wide-area network.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def main() -> None:
    """Run the command; a mistake of the user's ends in one line and exit code 2."""
    try:
        app()
    except RangecastError as error:
        print(f"rangecast: {error}", file=sys.stderr)
        sys.exit(2)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"rangecast {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Hold the options that come before a command's name."""


scenarios = typer.Typer(help="Check scenario files, or describe what they may hold.", no_args_is_help=True)
app.add_typer(scenarios, name="scenario")


@app.command()
def run(
    scenario: Annotated[Path, typer.Argument(help="A scenario file in TOML.", show_default=False)],
    out: Annotated[
        Path | None, typer.Option(help="Directory to make for the results [default: runs/NAME].", show_default=False)
    ] = None,
    engine: Annotated[
        str | None, typer.Option(help="tally or des, instead of the scenario's.", show_default=False)
    ] = None,
    changes: Annotated[
        list[str] | None, typer.Option("--set", help="key=value, instead of the scenario's.", show_default=False)
    ] = None,
    master: Annotated[str, typer.Option(help="Spark master.")] = "local[*]",
) -> None:
    """Run a scenario and compare its approaches."""
    # Deferred: loading Spark and the kernels takes a second that --help need not wait for.
    from .run import run_scenario
    from .scenario import load_scenario
    from .tables import comparison_table

    overrides = [*(changes or ()), *([f'engine="{engine}"'] if engine else ())]
    chosen = load_scenario(scenario, tuple(overrides))
    result = run_scenario(chosen, out, master=master, progress=_progress())
    console = Console()
    _print_table(comparison_table([result.directory]))
    for line in result.verdicts:
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    console.print(f"figure   {result.figure}", markup=False, highlight=False, soft_wrap=True)
    console.print(f"results  {result.directory}", markup=False, highlight=False, soft_wrap=True)
    if not result.right:
        raise typer.Exit(1)


@app.command()
def topology(
    scenario: Annotated[Path, typer.Argument(help="A scenario file in TOML.", show_default=False)],
    out: Annotated[Path, typer.Option(help="Picture to draw (.png, .svg or .pdf).")] = Path("topology.png"),
    changes: Annotated[
        list[str] | None, typer.Option("--set", help="key=value, instead of the scenario's.", show_default=False)
    ] = None,
    master: Annotated[str, typer.Option(help="Spark master.")] = "local[*]",
) -> None:
    """Describe and draw the networks of a scenario, coloured by the load its first approach puts on brokers."""
    from .scenario import load_scenario
    from .topology import describe_topology

    chosen = load_scenario(scenario, tuple(changes or ()))
    with Console(stderr=True).status("gathering population, topology and events"):
        lines = describe_topology(chosen, out, master=master)
    for line in (*lines, f"drawing             {out}"):
        print(line)


@app.command()
def compare(
    directories: Annotated[list[Path], typer.Argument(help="Directories of finished runs.", show_default=False)],
) -> None:
    """Show finished runs side by side."""
    from .tables import comparison_table

    _print_table(comparison_table(directories))


@app.command()
def sweep(
    grid: Annotated[Path, typer.Argument(help="A grid file in TOML.", show_default=False)],
    out: Annotated[
        Path | None,
        typer.Option(
            help="Directory of the sweep; continued if it exists [default: sweeps/NAME].", show_default=False
        ),
    ] = None,
    processes: Annotated[
        int | None, typer.Option(help="Simulations at a time [default: one per core].", show_default=False)
    ] = None,
    master: Annotated[
        str | None, typer.Option(help="Spark master to run the simulations on.", show_default=False)
    ] = None,
) -> None:
    """Run every point of a grid with several seeds; continue where an earlier start stopped."""
    from .grid import load_grid
    from .sweep import run_sweep, sweep_progress
    from .sweep_tables import sweep_table

    chosen = load_grid(grid)
    result = run_sweep(chosen, out, master=master, processes=processes, progress=sweep_progress())
    console = Console()
    console.print(sweep_table(chosen, result.directory / "results.csv"))
    for line in result.lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    if result.failures:
        raise typer.Exit(1)


@app.command(name="warm-up")
def warm_up() -> None:
    """Compile all kernels now instead of at their first use."""
    from .warm_up import warm_up

    with Console(stderr=True).status("compiling kernels"):
        warm_up()


@scenarios.command()
def check(
    files: Annotated[list[Path], typer.Argument(help="Scenario files in TOML.", show_default=False)],
) -> None:
    """Say of each file that it is ok, or what is wrong with it, one line for each mistake; exit code 2 if any is."""
    from .scenario import ScenarioError, load_scenario

    right = True
    for file in files:
        try:
            load_scenario(file)
        except ScenarioError as error:
            right = False
            print("\n".join(error.mistakes), file=sys.stderr)
        else:
            print(f"{file}: ok")
    if not right:
        raise typer.Exit(2)


@scenarios.command()
def schema() -> None:
    """Print the JSON schema of scenario files, for editors."""
    from .schema import scenario_schema

    print(json.dumps(scenario_schema(), indent=2, ensure_ascii=False))


def _print_table(table: Table) -> None:
    """Print a table in full, wider than the terminal if need be: a number must not lose digits."""
    console = Console()
    needed = console.measure(table, options=console.options.update(width=1000)).maximum
    Console(width=max(console.width, needed)).print(table, crop=False)


def _progress() -> Progress:
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
    )


if __name__ == "__main__":
    main()
