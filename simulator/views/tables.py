"""Tables of finished runs, for the terminal."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rich import box
from rich.table import Table
from rich.text import Text

from floor.text import visible
from simulator.results.distinct_directories import distinct_names
from simulator.results.finished_run import FinishedRun

__all__ = ["LABELS", "METRICS", "comparison_of", "comparison_table"]


def _count(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:,.1f}"


def _calls(value: float) -> str:
    return f"{round(value, 2) + 0.0:,.2f}" if value < 1000 else _count(value)  # + 0.0 takes the sign off a zero


def _load(value: float) -> str:
    return f"{value:.2f}" if value < 1 else f"{value:.2f}, not steady"


METRICS: tuple[tuple[str, str, Callable[[float], str]], ...] = (
    ("messages sent", "messages", _count),
    ("bytes out of the server", "bytes_out", _count),
    ("overlay traffic, bytes", "overlay_bytes", _count),
    ("of that sent again, bytes", "resent_bytes", _count),
    ("of that control messages, bytes", "control_bytes", _count),
    ("IP traffic, bytes", "ip_bytes", _count),
    ("received, updated object", "received_update", _count),
    ("received, exposed object", "received_exposed", _count),
    ("redundancy", "redundancy", _calls),
    ("server calls: first_k", "first_k", _calls),
    ("server calls: min_y", "min_y", _calls),
    ("server calls: snap", "snap", _calls),
    ("path stretch", "stretch", _calls),
    ("latency p50, ms", "latency_p50", _count),
    ("latency p99, ms", "latency_p99", _count),
    ("latency max, ms", "latency_max", _count),
    ("lists stale for, ms", "stale", _count),
    ("lists wrong, share of time", "wrong_share", "{:.2%}".format),
    ("offered load", "offered_load", _load),
)
"""What is compared: label, column of `summary.csv`, and how its values are written."""

LABELS = {column: label.removeprefix("of that ") for label, column, _ in METRICS}
"""Labels of columns that stand by themselves, without the row above."""


def comparison_table(directories: Sequence[Path], columns: Sequence[str] | None = None) -> Table:
    """Means per event of every approach of the given runs, one column each (latency max: of all events).

    Parameters
    ----------
    directories : sequence of Path
        The runs.
    columns : sequence of str, optional
        Columns of `summary.csv` to show, of those in `METRICS`; by default all that say something.

    Raises
    ------
    RunError
        A directory that is not a finished run.
    """
    names = distinct_names(directories) if len(directories) > 1 else [""]
    named = zip(names, directories, strict=True)
    return comparison_of([(name, row) for name, one in named for row in FinishedRun(one).summary], columns)


def comparison_of(rows: Sequence[tuple[str, Mapping[str, object]]], columns: Sequence[str] | None = None) -> Table:
    """The same of rows of `summary.csv`, each with the name of its run, or none if there is one run only."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("per event, mean", no_wrap=True)
    for run, row in rows:
        name = visible(str(row["approach"])).replace("-", "-\n", 1)
        # Text, not str: what looks like markup in a name is a part of it.
        table.add_column(Text(f"{visible(run)}\n{name}" if run else name), justify="right", no_wrap=True)
    for label, column, show in METRICS:
        if _says_something(column, rows) if columns is None else column in columns:
            table.add_row(label, *(_cell(row[column], show) for _, row in rows))
    return table


def _says_something(column: str, rows: Sequence[tuple[str, Mapping[str, object]]]) -> bool:
    """Whether any run has it, as none without a clock has a latency; what is sent again counts where something is."""
    found = [row[column] for _, row in rows if row[column] is not None]
    return any(found) if column in ("resent_bytes", "control_bytes") else bool(found)


def _cell(value: object, show: Callable[[float], str]) -> str:
    return show(float(value)) if isinstance(value, int | float) else "-"
