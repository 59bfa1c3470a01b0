"""How results are shown: tables as text and as HTML, figures in notebooks."""

import html
import io
from functools import partial

from matplotlib.figure import Figure
from rich.console import Console
from rich.table import Table

__all__ = ["html_of", "shown", "text_of"]

_WIDEST = 1000


def text_of(table: Table) -> str:
    """A table for a terminal, as wide as it needs: a number must not lose digits."""
    stream = io.StringIO()
    console = Console(file=stream, width=_WIDEST, color_system=None)
    width = console.measure(table).maximum
    Console(file=stream, width=width, color_system=None).print(table, crop=False)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()).strip("\n")


def html_of(table: Table) -> str:
    """A table for a notebook: real cells, which can be copied and are read aloud in order."""
    head = "".join(f'<th scope="col">{_escaped(column.header)}</th>' for column in table.columns)
    lines = []
    for first, *rest in zip(*(column.cells for column in table.columns), strict=True):
        cells = "".join(f'<td style="text-align: right">{_escaped(cell)}</td>' for cell in rest)
        lines.append(f'<tr><th scope="row" style="text-align: left">{_escaped(first)}</th>{cells}</tr>')
    title = f"<caption>{_escaped(table.title)}</caption>" if table.title else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def shown(figure: Figure) -> Figure:
    """Let notebooks show a figure that pyplot does not know of, whatever backend they have chosen."""
    vars(figure)["_repr_png_"] = partial(_png, figure)
    return figure


def _png(figure: Figure) -> bytes:
    stream = io.BytesIO()
    figure.savefig(stream, format="png")
    return stream.getvalue()


def _escaped(cell: object) -> str:
    return html.escape(str(cell)).replace("\n", "<br>")
