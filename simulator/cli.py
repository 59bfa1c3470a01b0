"""The command `rangecast`."""

import json
import sys
from pathlib import Path
from typing import Annotated, Literal

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


_INTERRUPTED = 130
"""Exit code of what was ended by the user, as shells have it."""


def main() -> None:
    """Run the command; a mistake of the user's ends in one line and exit code 2."""
    try:
        code = app(prog_name="rangecast", standalone_mode=False)
    except typer.TyperException as error:
        context: typer.Context | None = getattr(error, "ctx", None)
        command = context.command_path if context else "rangecast"
        told = error.format_message().rstrip(".") if hasattr(error, "format_message") else str(error)
        print(f"rangecast: {told}. See `{command} --help`.", file=sys.stderr)
        sys.exit(2)
    except RangecastError as error:
        print(f"rangecast: {error}", file=sys.stderr)
        sys.exit(2)
    except (typer.Abort, KeyboardInterrupt):
        code = _INTERRUPTED
    if code == _INTERRUPTED:
        resumes = sys.argv[1:2] in (["sweep"], ["paper"])
        print(f"rangecast: interrupted{'; the same command goes on from here' if resumes else ''}", file=sys.stderr)
    sys.exit(code)


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


ScenarioFile = Annotated[Path, typer.Argument(help="A scenario file in TOML.", show_default=False)]
Changes = Annotated[
    list[str] | None, typer.Option("--set", help="key=value, instead of the scenario's.", show_default=False)
]
Master = Annotated[str, typer.Option(help="Spark master.")]
SimulationMaster = Annotated[
    str | None, typer.Option(help="Spark master to run the simulations on.", show_default=False)
]
Plugins = Annotated[
    list[Path] | None,
    typer.Option("--with", help="A Python file of yours that registers approaches or the like.", show_default=False),
]


@app.command()
def run(
    scenario: ScenarioFile,
    out: Annotated[
        Path | None, typer.Option(help="Directory to make for the results (default: runs/NAME).", show_default=False)
    ] = None,
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
    from .plugins import load_plugins
    from .run import run_scenario
    from .scenario import load_scenario
    from .tables import comparison_table

    load_plugins(plugins or ())
    overrides = [*(changes or ()), *([f'engine="{engine}"'] if engine else ())]
    chosen = load_scenario(scenario, tuple(overrides))
    result = run_scenario(chosen, out, master=master, deliveries=deliveries, progress=_progress())
    console = Console()
    _print_table(comparison_table([result.directory]))
    for line in (*result.verdicts, *result.notes):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    console.print(f"figure   {result.figure}", markup=False, highlight=False, soft_wrap=True)
    console.print(f"results  {result.directory}", markup=False, highlight=False, soft_wrap=True)
    if not result.right:
        raise typer.Exit(1)


@app.command()
def topology(
    scenario: ScenarioFile,
    out: Annotated[Path, typer.Option(help="Picture (.svg, .png or .pdf).")] = Path("topology.png"),
    changes: Changes = None,
    master: Master = "local[*]",
    plugins: Plugins = None,
) -> None:
    """Describe and draw the networks of a scenario, coloured by the load its first approach puts on brokers."""
    from .plugins import load_plugins
    from .scenario import load_scenario
    from .topology import describe_topology

    load_plugins(plugins or ())
    chosen = load_scenario(scenario, tuple(changes or ()))
    with Console(stderr=True).status("gathering population, topology and events"):
        lines = describe_topology(chosen, out, master=master)
    for line in (*lines, f"drawing             {out}"):
        print(line)


@app.command()
def explain(
    target: Annotated[Path, typer.Argument(help="A run directory, or a scenario file in TOML.", show_default=False)],
    event: Annotated[
        int | None,
        typer.Option(help="Number of the event (default: one that exposes a few objects).", show_default=False),
    ] = None,
    approach: Annotated[
        str | None, typer.Option(help="Whose messages to draw (default: the first there is).", show_default=False)
    ] = None,
    out: Annotated[Path, typer.Option(help="Picture (.svg, .png or .pdf), or a page with a slider (.html).")] = Path(
        "explain.svg"
    ),
    changes: Changes = None,
    master: Master = "local[*]",
    plugins: Plugins = None,
) -> None:
    """Draw one event: objects, influence region with levels, exposed objects, tiles and their messages."""
    from .explanations import explain_to_file
    from .plugins import load_plugins

    load_plugins(plugins or ())
    with Console(stderr=True).status("gathering objects, subscriptions and events"):
        lines = explain_to_file(
            target, out, event=event, approach=approach, changes=tuple(changes or ()), master=master
        )
    print("\n".join([*lines, f"drawing  {out}"]))


@app.command()
def report(
    directories: Annotated[list[Path], typer.Argument(help="Directories of finished runs.", show_default=False)],
    out: Annotated[Path, typer.Option(help="Page to write (.html).")] = Path("report.html"),
    plugins: Plugins = None,
) -> None:
    """Write finished runs, side by side, as one page that works offline."""
    from .plugins import load_plugins
    from .report import write_report

    load_plugins(plugins or ())
    write_report(directories, out)
    print(f"report  {out}")


@app.command()
def compare(
    directories: Annotated[list[Path], typer.Argument(help="Directories of finished runs.", show_default=False)],
) -> None:
    """Show finished runs side by side."""
    from .tables import comparison_table

    _print_table(comparison_table(directories))


@app.command()
def trace(
    run: Annotated[Path, typer.Argument(help="Directory of a finished run.", show_default=False)],
    event: Annotated[int, typer.Option(help="Number of the event, from 0.", show_default=False)],
    approach: Annotated[
        str | None, typer.Option(help="One of the run's approaches (default: its first).", show_default=False)
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Picture (.svg, .png or .pdf).", show_default=False)] = None,
    everything: Annotated[bool, typer.Option("--all", help="Show all messages and hops.")] = False,
    master: Master = "local[*]",
    plugins: Plugins = None,
) -> None:
    """Follow one event of a run message by message and hop by hop."""
    from .plugins import load_plugins
    from .trace import trace_run

    load_plugins(plugins or ())
    with Console(stderr=True).status("simulating the run up to the event"):
        lines = trace_run(run, event, approach, out, everything=everything, master=master)
    for line in (*lines, *([f"drawing  {out}"] if out else ())):
        print(line)


@app.command()
def capacity(
    scenario: ScenarioFile,
    bound: Annotated[str, typer.Option(help="What the p99 of notification latency must stay under.")] = "100ms",
    warm_up: Annotated[
        int | None,
        typer.Option(help="Events at the start that do not count (default: a tenth).", show_default=False),
    ] = None,
    changes: Changes = None,
    master: Master = "local[*]",
    plugins: Plugins = None,
) -> None:
    """Find the highest rate of events with latency under a bound, per approach, and what limits it."""
    from .capacity import capacity_notes, capacity_table, measure_capacity, parse_bound
    from .plugins import load_plugins
    from .scenario import load_scenario

    load_plugins(plugins or ())
    bound_ms = parse_bound(bound)
    chosen = load_scenario(scenario, tuple(changes or ()))
    found = measure_capacity(chosen, bound_ms, warm_up=warm_up, master=master, progress=_progress())
    _print_table(capacity_table(found))
    for line in capacity_notes(found, bound_ms):
        print(line)


@app.command()
def sweep(
    grid: Annotated[Path, typer.Argument(help="A grid file in TOML.", show_default=False)],
    out: Annotated[
        Path | None,
        typer.Option(
            help="Directory of the sweep; continued if it exists (default: sweeps/NAME).", show_default=False
        ),
    ] = None,
    processes: Annotated[
        int | None, typer.Option(help="Simulations at a time (default: one per core).", show_default=False)
    ] = None,
    master: SimulationMaster = None,
    plugins: Plugins = None,
) -> None:
    """Run every point of a grid with several seeds; continue where an earlier start stopped."""
    from .grid import load_grid
    from .plugins import load_plugins
    from .sweep import run_sweep, sweep_progress
    from .sweep_tables import sweep_table

    load_plugins(plugins or ())
    chosen = load_grid(grid)
    result = run_sweep(chosen, out, master=master, processes=processes, progress=sweep_progress())
    console = Console()
    console.print(sweep_table(chosen, result.directory / "results.csv"))
    for line in result.lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    if result.failures:
        raise typer.Exit(1)


@app.command()
def events(
    out: Annotated[Path, typer.Option(help="Directory to make for the trace.", show_default=False)],
    source: Annotated[
        Path | None, typer.Argument(help="A history in CSV with a header, or Parquet.", show_default=False)
    ] = None,
    object_column: Annotated[
        str | None, typer.Option("--object", help="Column that names the object.", show_default=False)
    ] = None,
    time: Annotated[str | None, typer.Option(help="Column with the time.", show_default=False)] = None,
    x: Annotated[str | None, typer.Option(help="Column with x.", show_default=False)] = None,
    y: Annotated[str | None, typer.Option(help="Column with y, the smaller the better.", show_default=False)] = None,
    fixed_x: Annotated[bool, typer.Option("--fixed-x", help="Let the first x of an object stand.")] = False,
    gone_after: Annotated[
        str | None, typer.Option(help="Silence after which an object is gone, as in 3d.", show_default=False)
    ] = None,
    x_range: Annotated[
        str | None, typer.Option(help="LOW:HIGH, where subscriptions lie (default: that of x).", show_default=False)
    ] = None,
    stocks: Annotated[bool, typer.Option("--stocks", help="Make the synthetic stock trace instead.")] = False,
    seed: Annotated[int, typer.Option(min=0, help="Of --stocks.")] = 1,
    master: Master = "local[*]",
) -> None:
    """Turn a history of objects into a trace that scenarios can run."""
    from .trace_events import make_stock_trace, make_trace, trace_spec

    columns = {"object": object_column, "time": time, "x": x, "y": y}
    spec = trace_spec(source, columns, fixed_x=fixed_x, gone_after=gone_after, x_range=x_range, stocks=stocks)
    with Console(stderr=True).status("making the trace on Spark"):
        if source is None or spec is None:
            lines = make_stock_trace(seed, out, master=master)
        else:
            lines = make_trace(source, spec, out, master=master)
    print("\n".join(lines))


@app.command()
def population(
    directory: Annotated[
        Path | None, typer.Argument(help="A population to look at, instead of making one.", show_default=False)
    ] = None,
    distribution: Annotated[
        str,
        typer.Option(
            help="How the ranges are spread: uniform, clustered, correlated, anti-correlated; in 1.5 dimensions "
            "dataset-1, dataset-2, dataset-3."
        ),
    ] = "uniform",
    count: Annotated[int, typer.Option(help="Subscriptions.")] = 20_000,
    seed: Annotated[int, typer.Option(help="Same seed, same rows.")] = 1,
    out: Annotated[Path | None, typer.Option(help="Directory to make.", show_default=False)] = None,
    master: Master = "local[*]",
) -> None:
    """Make a population of subscriptions, or say what one on disk holds."""
    from .population import inspect_population, make_population

    if (directory is None) == (out is None):
        raise typer.BadParameter("give either --out, to make a population, or the directory of one")
    with Console(stderr=True).status("reading the population" if out is None else "making the population on Spark"):
        if out is None:
            lines = inspect_population(Path(str(directory)))
        else:
            lines = make_population(distribution, count, seed, out, master=master)
    print("\n".join(lines))


@app.command()
def paper(
    name: Annotated[str, typer.Argument(help="table1 to table6, fig11 to fig17, or all.", show_default=False)],
    scale: Annotated[str, typer.Option(help="small, or paper for the paper's sizes.")] = "small",
    out: Annotated[Path, typer.Option(help="Directory to make results in; continued if it exists.")] = Path("paper"),
    processes: Annotated[
        int | None, typer.Option(help="Simulations at a time (default: one per core).", show_default=False)
    ] = None,
    master: SimulationMaster = None,
    reproduction: Annotated[
        Path | None, typer.Option(help="Markdown file to write on all that is in OUT.", show_default=False)
    ] = None,
) -> None:
    """Make a table or figure of the paper's evaluation, and judge what the paper claims of it."""
    from .output import check_out
    from .paper import make_paper, summary_table, verdict_table
    from .reproduction import write_reproduction
    from .sweep import sweep_progress

    if reproduction is not None:
        check_out(reproduction, (".md",), "--reproduction")
    made = make_paper(name, scale=scale, out=out, processes=processes, master=master, progress=sweep_progress)
    console = Console()
    _print_table(summary_table(made) if len(made) > 1 else verdict_table(made[0]))
    for line in dict.fromkeys(line for one in made for line in one.failures):
        console.print(f"FAILED   {line}", markup=False, highlight=False, soft_wrap=True)
    for one in made:
        told = "every claim, its rule and outcome in verdicts.csv"
        console.print(f"results  {one.directory}: {told}", markup=False, highlight=False, soft_wrap=True)
    if reproduction is not None:
        write_reproduction(out, reproduction)
    if any(one.failures for one in made):
        raise typer.Exit(1)


@app.command(name="warm-up")
def warm_up() -> None:
    """Compile all kernels now instead of at their first use, and archive the classes that Spark needs to start."""
    import pipeline

    from .warm_up import warm_up

    with Console(stderr=True).status("compiling kernels"):
        warm_up()
    with Console(stderr=True).status("archiving Spark's classes"):
        pipeline.archive_classes()


@scenarios.command()
def check(
    files: Annotated[list[Path], typer.Argument(help="Scenario files in TOML.", show_default=False)],
    plugins: Plugins = None,
) -> None:
    """Say of each file that it is ok, or what is wrong with it, one line for each mistake; exit code 2 if any is."""
    from .plugins import load_plugins
    from .scenario import ScenarioError, load_scenario

    load_plugins(plugins or ())
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
