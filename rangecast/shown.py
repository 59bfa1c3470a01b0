"""How results are shown: tables as text and as HTML, figures in notebooks."""

import io
from collections.abc import Sequence
from functools import partial

from matplotlib.figure import Figure
from rich.console import Console
from rich.table import Table

from simulator.views.page import render

__all__ = ["html_of", "shown", "text_of"]

_WIDEST = 1000


def text_of(table: Table) -> str:
    """A table for a terminal, as wide as it needs: a number must not lose digits."""
    stream = io.StringIO()
    console = Console(file=stream, width=_WIDEST, color_system=None, force_jupyter=False)
    console.print(table, width=console.measure(table).maximum, crop=False)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()).strip("\n")


def html_of(tables: Sequence[Table], sentences: Sequence[str] = ()) -> str:
    """Tables for a notebook, below sentences."""
    told = [
        {
            "title": str(table.title or ""),
            "head": [str(column.header) for column in table.columns],
            "rows": [
                list(map(str, cells)) for cells in zip(*(column.cells for column in table.columns), strict=True)
            ],
        }
        for table in tables
    ]
    return render("notebook.html", sentences=sentences, tables=told)


def shown(figure: Figure) -> Figure:
    """Let notebooks show a figure that pyplot does not know of, whatever backend they have chosen."""
    vars(figure)["_repr_png_"] = partial(_png, figure)
    return figure


def _png(figure: Figure) -> bytes:
    stream = io.BytesIO()
    figure.savefig(stream, format="png")
    return stream.getvalue()
