"""The drawing of a journey: brokers over time, to be read in grey."""

from collections.abc import Mapping
from typing import NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from numpy.typing import NDArray

from simulator.runs.event_journey import EventJourney

__all__ = ["draw_journey"]

_HALF_WAY = ("link", "partition")
"""Losses that happen between the brokers; others happen at one of them."""


class _Hops(NamedTuple):
    """Some transmissions: brokers at both ends, and when or how far from the source that was."""

    brokers: NDArray[np.int64]
    ends: NDArray[np.float64]
    rows: NDArray[np.int64]


def draw_journey(followed: EventJourney) -> Figure:
    """Draw every hop as a line from broker to broker, over time or, without a clock, over the hops from the source.

    Dots are deliveries, larger for more subscriptions. A hop that was lost ends with a cross where that happened, one
    that repeats another is dashed, and a broker has a bar while it is down.
    """
    timed = followed.sent.depart_s is not None
    got, lost = _hops(followed)
    gateways, moments = _deliveries(followed, got)
    times = np.concatenate((got.ends.ravel(), lost.ends.ravel(), moments))
    order = np.argsort(times, kind="stable")
    order = np.concatenate((got.brokers.ravel(), lost.brokers.ravel(), gateways))[order]
    rank = {broker: place for place, broker in enumerate(dict.fromkeys(order.tolist()))}
    with mpl.rc_context({"font.size": 9, "axes.grid": True, "grid.alpha": 0.3, "axes.axisbelow": True}):
        figure = Figure(figsize=(8.4, min(max(3.0, 0.22 * len(rank) + 1.2), 9.0)), layout="constrained")
        axes = figure.subplots()
        _draw_hops(axes, followed, got, rank)
        _draw_losses(axes, followed, lost, rank)
        reached = followed.carried.received[followed.deliveries]
        areas = 8 + 90 * np.sqrt(reached / max(int(reached.max(initial=0)), 1))
        places = [rank[broker] for broker in gateways.tolist()]
        label = "delivery, by subscriptions reached"
        axes.scatter(moments, places, areas, label=label, facecolor="white", edgecolor="black", zorder=3)
        _draw_outages(axes, followed, rank)
        count = len(got.rows) + len(lost.rows)
        axes.set_title(f"{followed.scenario.name}, {followed.name}: event {followed.event}, {count:,} hops")
        axes.set_xlabel("time since the event (ms)" if timed else "overlay hops from the source")
        axes.set_ylabel("broker, by first use")
        if len(rank) <= 40:
            axes.set_yticks(range(len(rank)), [str(broker) for broker in rank])
        axes.set_ylim(-0.8, max(len(rank), 1) - 0.2)
        if followed.faults:
            figure.legend(loc="outside lower center", ncols=5, fontsize=8)
        else:
            axes.legend(loc="lower right", fontsize=8)
    return figure


def _draw_hops(axes: Axes, followed: EventJourney, got: _Hops, rank: Mapping[int, int]) -> None:
    """Lines from broker to broker, dashed where something is sent again."""
    lines = np.stack((got.ends, _heights(got, rank)), axis=2)
    repeated = followed.sent.again[got.rows]
    first = list(lines[~repeated])
    axes.add_collection(LineCollection(first, colors="0.35", linewidths=0.8, alpha=0.6, label="hop"))
    if repeated.any():
        dashed = LineCollection(list(lines[repeated]), colors="0.1", linewidths=0.9, linestyles="dashed")
        dashed.set_label("sent again")
        axes.add_collection(dashed)


def _draw_losses(axes: Axes, followed: EventJourney, lost: _Hops, rank: Mapping[int, int]) -> None:
    """Lines up to where a hop was lost, with a cross there."""
    if not len(lost.rows):
        return
    heights, reasons = _heights(lost, rank), followed.losses
    down = list(followed.spans("crash", "return"))
    for place, row in enumerate(lost.rows.tolist()):
        loss = reasons.get(_key(followed, row))
        at_s = followed.arose_s + lost.ends[place, 1] / 1e3
        receiver = int(lost.brokers[place, 1])
        if loss is None or loss.why in _HALF_WAY:
            heights[place, 1] = heights[place].mean()
        elif loss.why == "crash" and not any(
            span.broker == receiver and span.start_s <= at_s <= span.end_s for span in down
        ):
            heights[place, 1] = heights[place, 0]  # it has not left its sender, who crashed
    lines = list(np.stack((lost.ends, heights), axis=2))
    axes.add_collection(LineCollection(lines, colors="0.35", linewidths=0.8, linestyles="dotted"))
    axes.scatter(lost.ends[:, 1], heights[:, 1], 26, marker="x", color="black", linewidths=1, label="lost", zorder=3)


def _draw_outages(axes: Axes, followed: EventJourney, rank: Mapping[int, int]) -> None:
    """Bars while brokers are down, as far as the drawing goes."""
    if followed.sent.depart_s is None:
        return
    last, label = (followed.end_s - followed.arose_s) * 1e3, "broker down"
    for span in followed.spans("crash", "return"):
        if span.broker in rank:
            times = np.clip((np.array(span[1:]) - followed.arose_s) * 1e3, 0.0, last)
            axes.plot(times, [rank[span.broker]] * 2, color="0.75", linewidth=5, label=label, zorder=1)
            label = "_"  # named once


def _heights(hops: _Hops, rank: Mapping[int, int]) -> NDArray[np.float64]:
    return np.array([rank[broker] for broker in hops.brokers.ravel().tolist()], np.float64).reshape(-1, 2)


def _key(followed: EventJourney, row: int) -> tuple[int, int, int, float]:
    sent = followed.sent
    depart_s = np.nan if sent.depart_s is None else float(sent.depart_s[row])
    return int(sent.message[row]), int(sent.sender[row]), int(sent.receiver[row]), depart_s


def _hops(followed: EventJourney) -> tuple[_Hops, _Hops]:
    """Hops that arrived, and those that were lost, until then."""
    sent, rows = followed.sent, followed.hops
    brokers = np.column_stack((sent.sender[rows], sent.receiver[rows]))
    if sent.arrive_s is None or sent.depart_s is None:
        return _Hops(brokers, _depths(followed), rows), _Hops(brokers[:0], np.empty((0, 2)), rows[:0])
    ends = np.column_stack((sent.depart_s[rows], sent.arrive_s[rows]))
    lost, reasons = np.isnan(sent.arrive_s[rows]), followed.losses
    for place in np.flatnonzero(lost).tolist():
        loss = reasons.get(_key(followed, int(rows[place])))
        ends[place, 1] = ends[place, 0] + (0.0 if loss is None else loss.seconds or 0.0)
    ends = (ends - followed.arose_s) * 1e3
    return _Hops(brokers[~lost], ends[~lost], rows[~lost]), _Hops(brokers[lost], ends[lost], rows[lost])


def _depths(followed: EventJourney) -> NDArray[np.float64]:
    sent, depth, ends = followed.sent, dict[tuple[int, int], int](), []
    for row in followed.hops.tolist():  # a message comes to a broker before it leaves it
        message, far = int(sent.message[row]), depth.get((int(sent.message[row]), int(sent.sender[row])), 0)
        depth[message, int(sent.receiver[row])] = far + 1
        ends.append((far, far + 1))
    return np.array(ends, np.float64).reshape(-1, 2)


def _deliveries(followed: EventJourney, got: _Hops) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Gateways of the deliveries, and when or how far from the source they are."""
    traffic, rows = followed.carried.traffic, followed.deliveries
    if traffic.time_s is not None:
        return traffic.broker[rows], (traffic.time_s[rows] - followed.arose_s) * 1e3
    messages = followed.sent.message[got.rows].tolist()
    far = dict(zip(zip(messages, got.brokers[:, 1].tolist(), strict=True), got.ends[:, 1].tolist(), strict=True))
    at = zip(traffic.message[rows].tolist(), traffic.broker[rows].tolist(), strict=True)
    return traffic.broker[rows], np.array([far.get(place, 0.0) for place in at])
