"""The command `rangecast` itself: its name, its version, and where other modules add their commands."""

from typing import Annotated

import typer

from floor.version import VERSION

__all__ = ["app"]

app = typer.Typer(
    help="Simulate how updates reach range top-k subscriptions over a wide-area network.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"rangecast {VERSION}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Hold the options that come before a command's name."""
