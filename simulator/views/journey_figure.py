"""The drawing of a journey: brokers over time, to be read in grey."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from numpy.typing import NDArray

from simulator.runs.event_journey import EventJourney
from simulator.views.journey_hops import Told, Travels, deliveries_of, hops_of

__all__ = ["draw_journey"]


_LOWEST, _HIGHEST = 3.0, 9.0
"""Height of a drawing of one approach, in inches."""


class _Drawn(NamedTuple):
    """A journey, and the rows of its brokers."""

    followed: EventJourney
    hops: Travels
    told: Told
    rank: Mapping[int, int]

    @property
    def height(self) -> float:
        """Inches that it wants."""
        return min(max(_LOWEST, 0.22 * len(self.rank) + 1.2), _HIGHEST)


def draw_journey(*journeys: EventJourney) -> Figure:
    """Draw every hop as a line from broker to broker, over time or, without a clock, over the hops from the source.

    Dots are deliveries, larger for more subscriptions. A hop that was lost ends with a cross where that happened, one
    that repeats another is dashed, and a broker has a bar while it is down. Approaches stand below each other.
    """
    drawn = [_ranked(followed) for followed in journeys]
    heights = [one.height for one in drawn]
    with mpl.rc_context({"font.size": 9, "axes.grid": True, "grid.alpha": 0.3, "axes.axisbelow": True}):
        figure = Figure(figsize=(8.4, sum(heights)), layout="constrained")
        panels = figure.subplots(len(drawn), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
        named: dict[str, Any] = {}
        for axes, one in zip(panels, drawn, strict=True):
            _draw_one(axes, one)
            handles, names = axes.get_legend_handles_labels()
            named |= dict(zip(names, handles, strict=True))
        timed = journeys[0].timed
        panels[-1].set_xlabel("time since the event (ms)" if timed else "overlay hops from the source")
        if len(drawn) > 1 or journeys[0].faults:
            figure.legend(list(named.values()), list(named), loc="outside lower center", ncols=5, fontsize=8)
        else:
            panels[0].legend(loc="lower right", fontsize=8)
    return figure


def _ranked(followed: EventJourney) -> _Drawn:
    """Give brokers rows by when they are first used."""
    hops = hops_of(followed)
    told = deliveries_of(followed, hops)
    order = np.argsort(np.concatenate((hops.ends.ravel(), told.moment)), kind="stable")
    order = np.concatenate((hops.brokers.ravel(), told.gateway))[order]
    return _Drawn(followed, hops, told, {broker: row for row, broker in enumerate(dict.fromkeys(order.tolist()))})


def _draw_one(axes: Axes, drawn: _Drawn) -> None:
    followed, hops, told, rank = drawn
    _draw_hops(axes, hops, rank)
    _draw_losses(axes, hops, rank)
    areas = 8 + 90 * np.sqrt(told.received / max(int(told.received.max(initial=0)), 1))
    places = [rank[broker] for broker in told.gateway.tolist()]
    label = "delivery, by subscriptions reached"
    axes.scatter(told.moment, places, areas, label=label, facecolor="white", edgecolor="black", zorder=3)
    _draw_outages(axes, followed, rank)
    axes.set_title(f"{followed.scenario.name}, {followed.name}: event {followed.event}, {len(hops.rows):,} hops")
    axes.set_ylabel("broker, by first use")
    if len(rank) <= 40:
        axes.set_yticks(range(len(rank)), [str(broker) for broker in rank])
    axes.set_ylim(-0.8, max(len(rank), 1) - 0.2)


def _draw_hops(axes: Axes, hops: Travels, rank: Mapping[int, int]) -> None:
    """Lines from broker to broker, dashed where something is sent again."""
    lines = np.stack((hops.ends, _heights(hops, rank)), axis=2)
    first = list(lines[~hops.lost & ~hops.again])
    axes.add_collection(LineCollection(first, colors="0.35", linewidths=0.8, alpha=0.6, label="hop"))
    repeated = ~hops.lost & hops.again
    if repeated.any():
        dashed = LineCollection(list(lines[repeated]), colors="0.1", linewidths=0.9, linestyles="dashed")
        dashed.set_label("sent again")
        axes.add_collection(dashed)


def _draw_losses(axes: Axes, hops: Travels, rank: Mapping[int, int]) -> None:
    """Lines up to where a hop was lost, with a cross there."""
    lost = hops.lost
    if not lost.any():
        return
    ends, heights = hops.ends[lost], _heights(hops, rank)[lost]
    heights[:, 1] = heights[:, 0] + hops.share[lost] * (heights[:, 1] - heights[:, 0])
    lines = list(np.stack((ends, heights), axis=2))
    axes.add_collection(LineCollection(lines, colors="0.35", linewidths=0.8, linestyles="dotted"))
    axes.scatter(ends[:, 1], heights[:, 1], 26, marker="x", color="black", linewidths=1, label="lost", zorder=3)


def _draw_outages(axes: Axes, followed: EventJourney, rank: Mapping[int, int]) -> None:
    """Bars while brokers are down, as far as the drawing goes."""
    if not followed.timed:
        return
    last, label = (followed.end_s - followed.event_s) * 1e3, "broker down"
    for span in followed.spans("crash", "return"):
        if span.broker in rank:
            times = np.clip((np.array(span[1:]) - followed.event_s) * 1e3, 0.0, last)
            axes.plot(times, [rank[span.broker]] * 2, color="0.75", linewidth=5, label=label, zorder=1)
            label = "_"  # named once


def _heights(hops: Travels, rank: Mapping[int, int]) -> NDArray[np.float64]:
    return np.array([rank[broker] for broker in hops.brokers.ravel().tolist()], np.float64).reshape(-1, 2)
