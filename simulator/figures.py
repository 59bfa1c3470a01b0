"""Figures of a run, drawn to be read in grey: hatches as well as colours, labelled axes with units."""

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from matplotlib.axes import Axes
from matplotlib.figure import Figure

__all__ = ["draw_comparison"]

_HATCHES = ("", "///", "...", "xxx", "\\\\\\", "++", "ooo", "---")
_TRAFFIC = (("bytes_out", "out of the server"), ("overlay_bytes", "overlay"), ("ip_bytes", "IP"))


def draw_comparison(events: pa.Table, approaches: Sequence[str], title: str, path: Path) -> None:
    """Draw what the approaches of a run cost on the same events.

    Three panels: bytes per event, messages that subscriptions receive per event, and, where the run had a clock,
    the distribution of notification latency over events.

    Parameters
    ----------
    events : pyarrow.Table
        Rows of `events.parquet`.
    approaches : sequence of str
        Approaches in the order they are drawn.
    path : Path
        Where the picture goes; the ending gives the format.
    """
    columns = {name: events.filter(pc.field("approach") == name) for name in approaches}
    timed = events["latency_p50"].null_count < len(events)
    with mpl.rc_context({"font.size": 9, "axes.grid": True, "grid.alpha": 0.3, "axes.axisbelow": True}):
        figure = Figure(figsize=(12 if timed else 8.4, 3.8), layout="constrained")
        axes = figure.subplots(1, 3 if timed else 2, squeeze=False)[0]
        figure.suptitle(title)
        _draw_traffic(axes[0], columns)
        _draw_received(axes[1], columns)
        if timed:
            _draw_latency(axes[2], columns)
        figure.savefig(path, dpi=130)


def _mean(table: pa.Table, column: str) -> float:
    return float(pc.mean(table[column]).as_py() or 0.0)


def _draw_traffic(axes: Axes, columns: dict[str, pa.Table]) -> None:
    width = 0.8 / len(columns)
    for at, (name, table) in enumerate(columns.items()):
        means = [_mean(table, column) for column, _ in _TRAFFIC]
        places = np.arange(len(_TRAFFIC)) + at * width
        axes.bar(
            places, means, width, label=name, color=f"C{at}", edgecolor="black", hatch=_HATCHES[at % len(_HATCHES)]
        )
    axes.set_yscale("log")
    axes.set_xticks(np.arange(len(_TRAFFIC)) + 0.4 - width / 2, [label for _, label in _TRAFFIC])
    axes.set_ylabel("traffic per event (bytes, mean)")
    axes.legend(fontsize=8)


def _draw_received(axes: Axes, columns: dict[str, pa.Table]) -> None:
    places = np.arange(len(columns))
    update = np.array([_mean(table, "received_update") for table in columns.values()])
    exposed = np.array([_mean(table, "received_exposed") for table in columns.values()])
    axes.bar(places, update, 0.6, label="the updated object", color="0.75", edgecolor="black")
    axes.bar(
        places, exposed, 0.6, bottom=update, label="an exposed object", color="white", edgecolor="black", hatch="///"
    )
    axes.set_yscale("log")
    axes.set_xticks(places, list(columns))
    axes.set_ylabel("messages received by\nsubscriptions per event (mean)")
    axes.legend(fontsize=8)


def _draw_latency(axes: Axes, columns: dict[str, pa.Table]) -> None:
    styles = ("-", "--", "-.", ":")
    for at, (name, table) in enumerate(columns.items()):
        waits = np.sort(table["latency_p50"].drop_null().to_numpy())
        shares = np.arange(1, len(waits) + 1) / max(len(waits), 1)
        axes.step(waits, shares, where="post", label=name, color=f"C{at}", linestyle=styles[at % len(styles)])
    axes.set_xlabel("median notification latency of an event (ms)")
    axes.set_ylabel("share of events at or below")
    axes.legend(fontsize=8)
