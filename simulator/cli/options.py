"""Arguments and options that several commands share, and how tables are printed."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from floor.text import visible

__all__ = [
    "Changes",
    "Master",
    "Metrics",
    "Plugins",
    "ScenarioFile",
    "SimulationMaster",
    "print_lines",
    "print_table",
]

ScenarioFile = Annotated[
    Path, typer.Argument(help="A scenario file in TOML, or a name of `rangecast scenario list`.", show_default=False)
]
Changes = Annotated[
    list[str] | None, typer.Option("--set", help="key=value, instead of the scenario's.", show_default=False)
]
Master = Annotated[str, typer.Option(help="Spark master.")]
SimulationMaster = Annotated[
    str | None, typer.Option(help="Spark master to run the simulations on.", show_default=False)
]
Metrics = Annotated[
    str | None,
    typer.Option(help="What to show: names of metrics, with commas between (default: a few).", show_default=False),
]
Plugins = Annotated[
    list[Path] | None,
    typer.Option("--with", help="A Python file of yours that registers approaches or the like.", show_default=False),
]


def print_table(table: Table) -> None:
    """Print a table in full, wider than the terminal if need be: a number must not lose digits."""
    console = Console()
    needed = console.measure(table, options=console.options.update(width=1000)).maximum
    Console(width=max(console.width, needed)).print(table, crop=False)


def print_lines(lines: Iterable[str]) -> None:
    """Print lines as they are, however long; what is not to be seen in them is made visible."""
    console = Console()
    for line in lines:
        console.print(visible(line), markup=False, highlight=False, soft_wrap=True)
