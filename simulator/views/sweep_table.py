"""Metrics of a sweep as tables for the terminal."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from rich.table import Table

from pipeline.schemas import TIMES
from simulator.runs.finished_sweep import FinishedSweep
from simulator.views.wide_table import Column, tables_within

__all__ = ["key_columns", "mean_cell", "number", "shown_keys", "sweep_tables", "with_unit"]


def sweep_tables(results: pa.Table, keys: Sequence[str], metrics: Sequence[str], width: int) -> list[Table]:
    """Means of metrics with their intervals, one row per point and approach; as many tables as the width asks for.

    Parameters
    ----------
    results : Table
        The `results.csv` of a sweep.
    keys : sequence of str
        Those of its columns that tell points apart.
    metrics : sequence of str
        What to show, in this order; what `results` does not hold is left out.
    """
    found = {(row["point"], row["approach"], row["metric"]): row for row in results.to_pylist()}
    places = {(point, approach): row for (point, approach, _), row in found.items()}
    values = [
        Column(with_unit(metric), [mean_cell(found.get((*place, metric))) for place in places])
        for metric in metrics
        if any(metric == one for _, _, one in found)
    ]
    seeds = max((row["replications"] for row in found.values()), default=0)
    title = f"mean over {seeds} seeds ± 95% interval" if seeds > 1 else "of one seed"
    return tables_within(width, key_columns(list(places.values()), (*keys, "approach")), values, title)


def shown_keys(sweep: FinishedSweep) -> tuple[str, ...]:
    """Keys that tell points of a sweep apart; without those that have one value throughout."""
    return tuple(key for axis in sweep.varied for key in axis)


def key_columns(rows: Sequence[dict[str, Any]], keys: Sequence[str]) -> list[Column]:
    """Columns of keys, numbers to the right and words to the left."""
    columns = [(key, [row[key] for row in rows]) for key in keys]
    return [
        Column(key, [_value(value) for value in values], words=any(isinstance(value, str) for value in values))
        for key, values in columns
    ]


def with_unit(metric: str) -> str:
    """A metric by its name, with its unit where the name does not tell it."""
    return f"{metric}, ms" if metric in TIMES and not metric.endswith("_s") else metric


def mean_cell(row: dict[str, Any] | None) -> str:
    """A mean and half its interval as a share of it; a dash where there is none."""
    if row is None:
        return "-"
    mean, half = row["mean"], row["half_width"]
    text = number(mean)
    if half is None:
        return text
    return f"{text} ± {half / (abs(mean) or 1.0):>3.0%}" if mean or not half else f"{text} ± {half:.2g}"


def number(value: float) -> str:
    """A number with three digits, or all before the point."""
    return f"{value:,.3g}" if abs(value) < 100 else f"{value:,.0f}"


def _value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return f"{value:,}"
    return "-" if value in (None, "") else str(value)
