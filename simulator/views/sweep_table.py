"""The main metrics of a sweep as a table for the terminal."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.table import Table
from rich.text import Text

from floor.text import visible

__all__ = ["sweep_table"]


_SHOWN = ("bytes_out", "overlay_bytes", "received_update", "redundancy", "latency_p99")


def sweep_table(keys: Sequence[str], path: Path) -> Table:
    """Means of the main metrics in a `results.csv`, one row per point and approach, for the terminal."""
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    present = [metric for metric in _SHOWN if any(row["metric"] == metric for row in rows)]
    table = Table(title="mean over replications ± half the 95% confidence interval, in percent", title_justify="left")
    for name in (*keys, "approach"):
        table.add_column(Text(visible(name)), no_wrap=name == "approach", overflow="fold")
    for metric in present:
        table.add_column(metric, justify="right", overflow="fold")
    cells: dict[tuple[str, ...], dict[str, str]] = {}
    for row in rows:
        place = (row["point"], *(row[key] for key in keys), row["approach"])
        cells.setdefault(place, {})[row["metric"]] = _shown(row)
    for place, values in cells.items():
        table.add_row(*(Text(visible(part)) for part in place[1:]), *(values.get(metric, "-") for metric in present))
    return table


def _shown(row: Mapping[str, str]) -> str:
    mean = float(row["mean"])
    text = f"{mean:,.3g}" if abs(mean) < 100 else f"{mean:,.0f}"
    return f"{text} ± {float(row['half_width']) / abs(mean):.0%}" if row["half_width"] and mean else text
