"""Hops: rows of `hops.parquet`, every transmission of a message from one broker to another."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cn import Hops
from pipeline import HOPS
from topologies import Routes

from .approaches import Approach, Outgoing
from .ingredients import Ingredients
from .journeys import Times, journeys_of, sources_of, transmission_s
from .models import Sizes
from .stretches import Stretch
from .traffic import Carried, Transmissions, message_bytes

__all__ = ["hop_table", "timed_transmissions", "untimed_transmissions"]


def timed_transmissions(routes: Routes, hops: Hops, times: Times, size: int, broker_s: float) -> Transmissions:
    """What was sent where nothing went wrong; a transmission departs when the uplink begins with it. O(hops)."""
    rows, message = len(hops.receivers), _message_of(hops)
    arrive_s = times.arrived[:rows]
    transmit_s = transmission_s(size, routes.bandwidth_mbps[hops.senders, hops.receivers])
    depart_s = arrive_s - routes.delay_ms[hops.senders, hops.receivers] / 1e3 - transmit_s
    had_s = times.arrived[np.where(hops.previous >= 0, hops.previous, rows + message)]
    wait_s = np.maximum(depart_s - broker_s - had_s, 0.0)  # not below it by rounding
    return Transmissions(message, hops.senders, hops.receivers, depart_s, arrive_s, wait_s)


def untimed_transmissions(
    ingredients: Ingredients, approach: Approach, stretch: Stretch, outgoing: Outgoing
) -> Transmissions:
    """What is sent for a stretch, without a clock. O(hops x neighbours of a broker)."""
    hops = journeys_of(ingredients, approach, outgoing, sources_of(ingredients, approach, stretch, outgoing))
    return Transmissions(_message_of(hops), hops.senders, hops.receivers)


def _message_of(hops: Hops) -> NDArray[np.int64]:
    return np.repeat(np.arange(len(hops.at_source)), np.diff(hops.offsets))


def hop_table(name: str, approach: Approach, carried: Carried, sizes: Sizes) -> pa.Table:
    """One row per transmission of a stretch, in the columns of `hops.parquet`. O(hops)."""
    stretch, offsets, sent = carried.stretch, carried.outgoing.offsets, carried.sent
    if sent is None:
        raise ValueError("the transmissions of this stretch were not recorded; run it with record = ['hops']")
    window = np.searchsorted(offsets, sent.message, side="right") - 1
    count = len(window)

    def milliseconds(seconds: NDArray[np.float64] | None) -> pa.Array:
        if seconds is None:
            return pa.nulls(count, pa.float64())
        return pa.array(seconds * 1e3, pa.float64(), from_pandas=True)  # NaN, never arrived, becomes null

    columns = [
        pa.repeat(name, count),
        stretch.first + stretch.starts[window],
        sent.message - offsets[window],
        sent.sender,
        sent.receiver,
        np.full(count, message_bytes(sizes, approach)),
        milliseconds(sent.depart_s),
        milliseconds(sent.arrive_s),
    ]
    return pa.table([pa.array(column) for column in columns], schema=HOPS)
