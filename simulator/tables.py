"""Tables of finished runs, for the terminal."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow.csv as csv
from rich.table import Table

from pipeline import SUMMARY

from .run import RunError

__all__ = ["comparison_table"]


def _count(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:,.1f}"


def _calls(value: float) -> str:
    return f"{value:,.2f}"


def _milliseconds(value: float) -> str:
    return f"{value:,.1f}"


_COLUMNS: tuple[tuple[str, str, Callable[[float], str]], ...] = (
    ("messages", "messages", _count),
    ("bytes out", "bytes_out", _count),
    ("overlay bytes", "overlay_bytes", _count),
    ("IP bytes", "ip_bytes", _count),
    ("received (update)", "received_update", _count),
    ("received (exposed)", "received_exposed", _count),
    ("redundancy", "redundancy", _calls),
    ("first_k", "first_k", _calls),
    ("min_y", "min_y", _calls),
    ("snap", "snap", _calls),
    ("latency p50 ms", "latency_p50", _milliseconds),
    ("p99 ms", "latency_p99", _milliseconds),
    ("max ms", "latency_max", _milliseconds),
)


def comparison_table(directories: Sequence[Path]) -> Table:
    """Means per event of every approach of the given runs, one row each.

    Raises
    ------
    RunError
        A directory that is not a finished run.
    """
    table = Table(title="per event, mean over events", title_justify="left")
    many = len(directories) > 1
    for heading in (["run"] if many else []) + ["approach"]:
        table.add_column(heading)
    for heading, _, _ in _COLUMNS:
        table.add_column(heading, justify="right")
    for directory in directories:
        for row in _summary(directory):
            cells = [_cell(row[column], show) for _, column, show in _COLUMNS]
            table.add_row(*([directory.name] if many else []), str(row["approach"]), *cells)
    return table


def _cell(value: object, show: Callable[[float], str]) -> str:
    return show(float(value)) if isinstance(value, int | float) else "-"


def _summary(directory: Path) -> list[dict[str, object]]:
    path = directory / "summary.csv"
    try:
        rows = csv.read_csv(path, convert_options=csv.ConvertOptions(column_types=SUMMARY)).to_pylist()
    except (OSError, ValueError) as error:
        raise RunError(f"{directory}: not a finished run ({path.name}: {error}); give a directory that `run` made") from error
    missing = [column for _, column, _ in _COLUMNS if rows and column not in rows[0]]
    if missing:
        raise RunError(f"{path}: lacks the columns {', '.join(missing)}; run the scenario again with this version")
    return list(rows)
