"""Commands that make or inspect one ingredient: events, population."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from simulator.cli.app import app
from simulator.cli.options import Master, Plugins, print_lines

__all__ = ["events", "population"]


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
    x: Annotated[
        list[str] | None,
        typer.Option(help="Column with x; of several attributes once for each.", show_default=False),
    ] = None,
    y: Annotated[str | None, typer.Option(help="Column with y, the smaller the better.", show_default=False)] = None,
    fixed_x: Annotated[bool, typer.Option("--fixed-x", help="Let the first x of an object stand.")] = False,
    gone_after: Annotated[
        str | None, typer.Option(help="Silence after which an object is gone, as in 3d.", show_default=False)
    ] = None,
    x_range: Annotated[
        list[str] | None,
        typer.Option(
            help="LOW:HIGH, where subscriptions lie (default: that of x); of several attributes once or for each.",
            show_default=False,
        ),
    ] = None,
    stocks: Annotated[bool, typer.Option("--stocks", help="Make the synthetic stock trace instead.")] = False,
    seed: Annotated[int, typer.Option(min=0, max=2**63 - 1, help="Of --stocks.")] = 1,
    master: Master = "local[*]",
) -> None:
    """Turn a history of objects into a trace that scenarios can run."""
    from simulator.inputs.trace_making import make_stock_trace, make_trace, trace_spec

    columns = {"object": object_column, "time": time, "x": tuple(x or ()) or None, "y": y}
    ranges = x_range or ()
    spec = trace_spec(source, columns, fixed_x=fixed_x, gone_after=gone_after, x_range=ranges, stocks=stocks)
    with Console(stderr=True).status("making the trace on Spark"):
        if source is None or spec is None:
            lines = make_stock_trace(seed, out, master=master)
        else:
            lines = make_trace(source, spec, out, master=master)
    print_lines(lines)


@app.command()
def population(
    directory: Annotated[
        Path | None, typer.Argument(help="A population to look at, instead of making one.", show_default=False)
    ] = None,
    distribution: Annotated[
        str,
        typer.Option(
            help="How the ranges are spread: uniform, clustered, correlated, anti-correlated; in more dimensions "
            "uniform, squares, halfspaces, disks, and in 1.5 dataset-1, dataset-2, dataset-3; or one that a file "
            "given by --with registers."
        ),
    ] = "uniform",
    dimensions: Annotated[
        float | None,
        typer.Option(
            help="1, 1.5, 2, 2.5 or 3; .5 is an attribute with an upper bound only. Left out, the fewest that the "
            "distribution is offered in.",
            show_default=False,
        ),
    ] = None,
    count: Annotated[int, typer.Option(help="Subscriptions.")] = 20_000,
    seed: Annotated[int, typer.Option(help="Same seed, same rows.")] = 1,
    out: Annotated[Path | None, typer.Option(help="Directory to make.", show_default=False)] = None,
    master: Master = "local[*]",
    plugins: Plugins = None,
) -> None:
    """Make a population of subscriptions, or say what one on disk holds."""
    from simulator.inputs.plugins import load_plugins
    from simulator.inputs.populations import inspect_population, make_population

    load_plugins(plugins or ())
    if (directory is None) == (out is None):
        raise typer.BadParameter("give either --out, to make a population, or the directory of one")
    with Console(stderr=True).status("reading the population" if out is None else "making the population on Spark"):
        if out is None:
            lines = inspect_population(Path(str(directory)))
        else:
            lines = make_population(distribution, count, seed, out, master=master, dimensions=dimensions)
    print_lines(lines)
