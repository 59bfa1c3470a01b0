"""Figures of a run, drawn to be read in grey: hatches as well as colours, labelled axes with units."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pyarrow.compute as pc
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from simulator.approaches.colours import colour_of
from simulator.results.finished_run import FinishedRun
from simulator.scenario.scenario import Scenario

__all__ = ["comparison_figure", "comparison_title", "draw_comparison"]

_HATCHES = ("", "///", "...", "xxx", "\\\\\\", "++", "ooo", "---")
_TRAFFIC = (("bytes_out", "out of the server"), ("overlay_bytes", "overlay"), ("ip_bytes", "IP"))
_LETTERS = 44
"""So many of the names below an axis stand side by side."""
_NAME, _BESIDE = 22, 18
"""Letters of a name that is not cut, and of one beside which another stands in a legend."""
_INSIDE = 5
"""So many lines of short names leave room for their legend."""
_STYLE: Any = {"font.size": 9, "axes.grid": True, "grid.alpha": 0.3, "axes.axisbelow": True}


def comparison_title(scenario: Scenario) -> str:
    """What was run, in one line."""
    return (
        f"{scenario.name}: {scenario.subscriptions.count:,} subscriptions, {scenario.objects.count:,} objects, "
        f"k = {scenario.k}, {scenario.network.brokers} brokers, {scenario.events.extent}"
    )


def draw_comparison(run: FinishedRun, approaches: Sequence[str], title: str, warm_up: int, path: Path) -> None:
    """Draw what `comparison_figure` makes to a file; the ending of its path gives the format."""
    with mpl.rc_context(_STYLE):
        comparison_figure(run, approaches, title, warm_up).savefig(path, dpi=130)


def comparison_figure(run: FinishedRun, approaches: Sequence[str], title: str, warm_up: int) -> Figure:
    """Draw what the approaches of a run cost on the same events.

    Three panels: bytes per event, messages that subscriptions receive per event, and, where the run had a clock,
    the distribution of notification latency over events.

    Parameters
    ----------
    run : FinishedRun
        What is drawn; of its events only the latencies are read.
    approaches : sequence of str
        Approaches in the order they are drawn.
    warm_up : int
        Events at the start that are left out, as the summary leaves them out.
    """
    means: dict[str, Any] = {str(row["approach"]): row for row in run.summary}
    timed = any(row["latency_p50"] is not None for row in means.values())
    with mpl.rc_context(_STYLE):
        outside = 1.8 if _crowded(approaches) else 0.0
        figure = Figure(figsize=(12 + outside if timed else 8.4, 3.8), layout="constrained")
        axes = figure.subplots(1, 3 if timed else 2, squeeze=False)[0]
        figure.suptitle(title)
        _draw_traffic(axes[0], {name: means[name] for name in approaches})
        _draw_received(axes[1], {name: means[name] for name in approaches})
        if timed:
            _draw_latency(axes[2], run, approaches, warm_up)
    return figure


def _draw_bars(
    axes: Axes, bars: Mapping[str, Sequence[float]], groups: Sequence[str], colours: Sequence[str]
) -> None:
    """Bars side by side on a log axis that starts at 1; a bar of nothing is marked with a 0."""
    width = 0.8 / len(bars)
    for at, (label, heights) in enumerate(bars.items()):
        places = np.arange(len(groups)) + at * width
        hatch = _HATCHES[at % len(_HATCHES)]
        axes.bar(places, heights, width, label=_short(label), color=colours[at], edgecolor="black", hatch=hatch)
        for place, height in zip(places, heights, strict=True):
            if height == 0:
                axes.text(place, 1.1, "0", ha="center", va="bottom")
    highest = max(max(heights) for heights in bars.values())
    columns = 2 if max(len(_short(label)) for label in bars) <= _BESIDE else 1
    rows = -(-len(bars) // columns)
    axes.set_ylim(1, max(highest, 1) ** (1 / (1 - 0.07 * rows)) * 2)  # room for the legend
    axes.set_yscale("log")  # after the limits, which bars of nothing but 0 cannot have
    named = [_short(name) for name in groups]
    long = sum(map(len, named)) > _LETTERS
    slant: Any = {"rotation": 20, "ha": "right"} if long else {}
    axes.set_xticks(np.arange(len(groups)) + 0.4 - width / 2, named, **slant)
    axes.legend(fontsize=8, ncols=columns, loc="upper left")


def _crowded(approaches: Sequence[str]) -> bool:
    """Whether the legend of lines would lie on them."""
    return len(approaches) > _INSIDE or max(map(len, approaches), default=0) > _BESIDE


def _short(name: str) -> str:
    """A name that a figure has room for; a long one is cut in its midst, since its ends tell it from others."""
    return name if len(name) <= _NAME else f"{name[: _NAME // 2]}…{name[-(_NAME // 2 - 1) :]}"


def _draw_traffic(axes: Axes, means: Mapping[str, Mapping[str, float]]) -> None:
    bars = {name: [row[column] for column, _ in _TRAFFIC] for name, row in means.items()}
    _draw_bars(axes, bars, [label for _, label in _TRAFFIC], [colour_of(name).light for name in means])
    axes.set_ylabel("traffic per event (bytes, mean)")


def _draw_received(axes: Axes, means: Mapping[str, Mapping[str, float]]) -> None:
    received = {"the updated object": "received_update", "an exposed object": "received_exposed"}
    bars = {label: [row[column] for row in means.values()] for label, column in received.items()}
    _draw_bars(axes, bars, list(means), ["0.75", "white"])
    axes.set_ylabel("notifications received by\nsubscriptions per event (mean)")


def _draw_latency(axes: Axes, run: FinishedRun, approaches: Sequence[str], warm_up: int) -> None:
    styles: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (8, 2, 1, 2, 1, 2)))
    table = run.table("events", ["approach", "event", "latency_p50"])
    for at, name in enumerate(approaches):
        chosen = table.filter((pc.field("approach") == name) & (pc.field("event") >= warm_up))
        waits = np.sort(chosen["latency_p50"].drop_null().to_numpy())
        shares = np.arange(1, len(waits) + 1) / max(len(waits), 1)
        pen: Any = {"color": colour_of(name).light, "linestyle": styles[at % len(styles)]}
        axes.step(waits, shares, where="post", label=_short(name), **pen)
    axes.set_xlabel("median notification latency of an event (ms)")
    axes.set_ylabel("share of events at or below")
    beside: Any = {"loc": "center left", "bbox_to_anchor": (1.01, 0.5)} if _crowded(approaches) else {}
    axes.legend(fontsize=8, **beside)
