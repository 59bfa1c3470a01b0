"""Sweeps side by side, for the terminal: means, and what is told on the same seeds, each table for one metric."""

from collections.abc import Callable, Sequence
from typing import Any

from rich.table import Table

from simulator.runs.sweep_comparison import SweepComparison
from simulator.views.sweep_table import key_columns, mean_cell, number, with_unit
from simulator.views.wide_table import Column, tables_within

__all__ = ["comparison_lines", "comparison_tables"]

Row = dict[str, Any]
Tell = Callable[[Row | None], str]

_NOTHING = "-"
"""Where there is no value; a row or a column of nothing else is left out."""


def comparison_tables(comparison: SweepComparison, width: int) -> list[Table]:
    """Tables of a comparison, those of a metric after each other.

    Of one sweep, a table with a row per point and approach: its mean, and its difference from and quotient by the
    approach that it is held against. Of several, one of means, one of changes from the first sweep, one of
    differences and one of quotients, with a column per sweep.
    """
    rows = comparison.table.to_pylist()
    sweeps = list(dict.fromkeys(row["sweep"] for row in rows))
    return [
        table
        for metric in dict.fromkeys(row["metric"] for row in rows)
        for table in _of_metric(comparison, [row for row in rows if row["metric"] == metric], sweeps, width)
    ]


def comparison_lines(comparison: SweepComparison) -> list[str]:
    """What else to tell: how many seeds are shared, and which sweeps have nothing in common with the first."""
    rows = comparison.table.to_pylist()
    first, *later = dict.fromkeys(row["sweep"] for row in rows)
    if later and not comparison.seeds:
        return ["seeds    these sweeps share none, so changes from one to the other are not taken"]
    meeting = {row["sweep"] for row in rows if row["change_difference"] is not None}
    return [
        f"seeds    {comparison.seeds}, the same for all approaches{' and sweeps' if later else ''}",
        *(
            f"points   {one} has no approach at a point of {first}, so changes from that are not taken"
            for one in later
            if one not in meeting
        ),
    ]


def _of_metric(comparison: SweepComparison, rows: Sequence[Row], sweeps: Sequence[str], width: int) -> list[Table]:
    keys = (*comparison.keys, "approach")
    found = {(*(row[key] for key in keys), row["sweep"]): row for row in rows}
    places = {place[:-1]: row for place, row in found.items()}
    other = {place: row for place, row in places.items() if row["approach"] != comparison.against}
    base, name = comparison.against, with_unit(rows[0]["metric"])

    def column(heading: str, of: dict[tuple[Any, ...], Row], sweep: str, tell: Tell) -> Column:
        return Column(heading, [tell(found.get((*place, sweep))) for place in of])

    def tables(title: str, of: dict[tuple[Any, ...], Row], columns: Sequence[Column]) -> list[Table]:
        told = [one for one in columns if any(cell != _NOTHING for cell in one.cells)]
        kept = [at for at in range(len(of)) if any(one.cells[at] != _NOTHING for one in told)]
        rows = list(of.values())
        shown = [one._replace(cells=[one.cells[at] for at in kept]) for one in told]
        return tables_within(width, key_columns([rows[at] for at in kept], keys), shown, title) if told else []

    if len(sweeps) == 1:
        columns = [column("mean", places, sweeps[0], mean_cell)]
        columns += [column(f"minus {base}", places, sweeps[0], _difference)]
        columns += [column(f"over {base}", places, sweeps[0], _ratio)]
        beside = f"; minus and over {base} on the same seeds" if other else ""
        return tables(f"{name}: mean ± 95% interval{beside}", places, columns)
    changes = [column(f"{one} minus {sweeps[0]}", places, one, _change) for one in sweeps[1:]]
    changes += [column(f"{one} over {sweeps[0]}", places, one, _growth) for one in sweeps[1:]]
    return [
        *tables(f"{name}: mean ± 95% interval", places, [column(one, places, one, mean_cell) for one in sweeps]),
        *tables(f"{name}: change from {sweeps[0]}, on the same seeds", places, changes),
        *tables(
            f"{name}: minus {base}, on the same seeds", other, [column(s, other, s, _difference) for s in sweeps]
        ),
        *tables(f"{name}: over {base}, on the same seeds", other, [column(s, other, s, _ratio) for s in sweeps]),
    ]


def _difference(row: Row | None, start: str = "") -> str:
    if row is None or row[f"{start}difference"] is None:
        return _NOTHING
    half = row[f"{start}difference_half_width"]
    return number(row[f"{start}difference"]) + ("" if half is None else f" ± {number(half)}")


def _ratio(row: Row | None, start: str = "") -> str:
    if row is None or row[f"{start}ratio"] is None:
        return _NOTHING
    low, high = row[f"{start}ratio_low"], row[f"{start}ratio_high"]
    return number(row[f"{start}ratio"]) + ("" if low is None else f" ({_end(low)} to {_end(high)})")


def _end(value: float) -> str:
    """An end of an interval of a ratio; one that is not 1, at which chance begins, does not read as 1."""
    return number(value) if number(value) != "1" or value == 1 else f"{value:.6g}"


def _change(row: Row | None) -> str:
    return _difference(row, "change_")


def _growth(row: Row | None) -> str:
    return _ratio(row, "change_")
