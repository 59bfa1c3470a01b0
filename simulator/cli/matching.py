"""The command that asks an index of `matching` by itself: match."""

from pathlib import Path
from typing import Annotated

import typer

from simulator.cli.app import app
from simulator.cli.options import print_lines

__all__ = ["match"]


@app.command()
def match(
    population: Annotated[
        Path,
        typer.Argument(
            help="Ranges (l, r, score) or predicates (subscription, attribute, operator, low, high, set, weight), "
            "with x, y and alpha for places.",
            show_default=False,
        ),
    ],
    events: Annotated[
        Path,
        typer.Argument(help="A column for each attribute; one for ranges; x and y for places.", show_default=False),
    ],
    index: Annotated[
        str, typer.Option(help="An index of docs/matching.md, or all, to compare them.", show_default=False)
    ],
    top: Annotated[int | None, typer.Option(help="Only the K best of each event.", show_default=False)] = None,
    max_distance: Annotated[
        float | None,
        typer.Option(help="With places: where nearness is 0 (default: their diagonal).", show_default=False),
    ] = None,
    out: Annotated[Path, typer.Option(help="Parquet file to write, ids per event.")] = Path("matches.parquet"),
) -> None:
    """Find the subscriptions that events match, by one index or by all."""
    from simulator.runs.matching import DisagreementError, match_files
    from simulator.views.output import check_out

    check_out(out, (".parquet",))
    try:
        print_lines(match_files(population, events, index, top, out, max_distance))
    except DisagreementError as error:
        print_lines([str(error)])
        raise typer.Exit(1) from error
