"""Tables for a terminal of limited width: columns that do not fit go into a further table; no number is broken."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from floor.text import visible

__all__ = ["Column", "tables_within"]

_MEASURING = Console(width=10_000)
_NARROWER = (None, 40, 28, 20, 14, 10)
"""Widths that columns of words are folded to, one after the other, until a number fits beside them."""


class Column(NamedTuple):
    """A heading and what stands below it."""

    heading: str
    cells: Sequence[str]
    words: bool = False
    """Whether cells may be broken into several lines."""


def tables_within(width: int, keys: Sequence[Column], values: Sequence[Column], title: str) -> list[Table]:
    """Lay columns out in as few tables as there must be, each with the columns of `keys` before its own.

    Parameters
    ----------
    width : int
        Of the terminal; a table is wider only where a single column of numbers beside the keys is.
    keys, values : sequence of Column
        All of the same length.
    title : str
        Stands above every table.
    """
    tables: list[Table] = []
    rest = list(values)
    while rest:
        fold = next(
            (fold for fold in _NARROWER if _width(_table(keys, rest[:1], title, fold)) <= width), _NARROWER[-1]
        )
        fit = next((n for n in range(len(rest), 1, -1) if _width(_table(keys, rest[:n], title, fold)) <= width), 1)
        tables.append(_table(keys, rest[:fit], title, fold))
        rest = rest[fit:]
    return tables


def _table(keys: Sequence[Column], values: Sequence[Column], title: str, fold: int | None) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=Text(title, "italic"), title_justify="left")
    for column in (*keys, *values):
        table.add_column(
            Text(_heading(column, fold)),
            justify="left" if column.words else "right",
            no_wrap=not column.words,
            overflow="fold",
            max_width=fold if column.words else None,
        )
    for cells in zip(*(column.cells for column in (*keys, *values)), strict=True):
        table.add_row(*(Text(visible(cell)) for cell in cells))
    return table


def _heading(column: Column, fold: int | None) -> str:
    """A heading in lines no longer than what stands below, if it has dots, dashes or spaces to break it at."""
    most = max(map(cell_len, column.cells), default=0)
    most = min(most, fold) if fold and column.words else most
    lines = [""]
    for piece in re.findall(r"[^._ ]+[._ ]?|[._ ]", visible(column.heading)):
        if lines[-1] and cell_len((lines[-1] + piece).rstrip()) > most:
            lines.append("")
        lines[-1] += piece
    return "\n".join(line.rstrip() for line in lines)


def _width(table: Table) -> int:
    return _MEASURING.measure(table).maximum
