"""The drawing of a journey: brokers over time, to be read in grey."""

import matplotlib as mpl
import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from numpy.typing import NDArray

from simulator.runs.event_journey import EventJourney

__all__ = ["draw_journey"]


def draw_journey(followed: EventJourney) -> Figure:
    """Draw every hop as a line from broker to broker, over time or, without a clock, over the hops from the source.

    Dots are deliveries, larger for more subscriptions. What never arrived is left out.
    """
    timed = followed.sent.depart_s is not None
    brokers, ends = _hops(followed)
    gateways, moments = _deliveries(followed, brokers, ends)
    order = np.argsort(np.append(ends.ravel(), moments), kind="stable")
    order = np.append(brokers.ravel(), gateways)[order]
    rank = {broker: place for place, broker in enumerate(dict.fromkeys(order.tolist()))}
    heights = np.array([rank[broker] for broker in brokers.ravel().tolist()]).reshape(-1, 2)
    with mpl.rc_context({"font.size": 9, "axes.grid": True, "grid.alpha": 0.3, "axes.axisbelow": True}):
        figure = Figure(figsize=(8.4, min(max(3.0, 0.22 * len(rank) + 1.2), 9.0)), layout="constrained")
        axes = figure.subplots()
        lines = list(np.stack((ends, heights), axis=2))
        axes.add_collection(LineCollection(lines, colors="0.35", linewidths=0.8, alpha=0.6, label="hop"))
        reached = followed.carried.received[followed.deliveries]
        areas = 8 + 90 * np.sqrt(reached / max(int(reached.max(initial=0)), 1))
        places = [rank[broker] for broker in gateways.tolist()]
        label = "delivery, by subscriptions reached"
        axes.scatter(moments, places, areas, label=label, facecolor="white", edgecolor="black", zorder=3)
        axes.set_title(f"{followed.scenario.name}, {followed.name}: event {followed.event}, {len(ends):,} hops")
        axes.set_xlabel("time since the event (ms)" if timed else "overlay hops from the source")
        axes.set_ylabel("broker, by first use")
        if len(rank) <= 40:
            axes.set_yticks(range(len(rank)), [str(broker) for broker in rank])
        axes.set_ylim(-0.8, max(len(rank), 1) - 0.2)
        axes.legend(loc="lower right", fontsize=8)
    return figure


def _hops(followed: EventJourney) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Brokers at both ends of every hop that arrived, and when or how far from the source that was."""
    sent, rows = followed.sent, followed.hops
    if sent.arrive_s is None or sent.depart_s is None:
        ends = _depths(followed)
    else:
        rows = rows[~np.isnan(sent.arrive_s[rows])]
        ends = (np.column_stack((sent.depart_s[rows], sent.arrive_s[rows])) - followed.arose_s) * 1e3
    return np.column_stack((sent.sender[rows], sent.receiver[rows])), ends


def _depths(followed: EventJourney) -> NDArray[np.float64]:
    sent, depth, ends = followed.sent, dict[tuple[int, int], int](), []
    for row in followed.hops.tolist():  # a message comes to a broker before it leaves it
        message, far = int(sent.message[row]), depth.get((int(sent.message[row]), int(sent.sender[row])), 0)
        depth[message, int(sent.receiver[row])] = far + 1
        ends.append((far, far + 1))
    return np.array(ends, np.float64).reshape(-1, 2)


def _deliveries(
    followed: EventJourney, brokers: NDArray[np.int64], ends: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Gateways of the deliveries, and when or how far from the source they are."""
    traffic, rows = followed.carried.traffic, followed.deliveries
    if traffic.time_s is not None:
        return traffic.broker[rows], (traffic.time_s[rows] - followed.arose_s) * 1e3
    messages = followed.sent.message[followed.hops].tolist()
    far = dict(zip(zip(messages, brokers[:, 1].tolist(), strict=True), ends[:, 1].tolist(), strict=True))
    at = zip(traffic.message[rows].tolist(), traffic.broker[rows].tolist(), strict=True)
    return traffic.broker[rows], np.array([far.get(place, 0.0) for place in at])
