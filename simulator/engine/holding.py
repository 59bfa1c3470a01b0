"""Holding back: what acknowledgements and watermarks add to a chunk that was carried by the clock."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.engine.carried import Carried
from simulator.engine.control import Ends, Watermarks, control_rows, watermarks, words_to_server
from simulator.engine.transmissions import control_transmissions, joined
from simulator.inputs.ingredients import Ingredients

__all__ = ["Heard", "held_back"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Heard(NamedTuple):
    """Acknowledgements that nothing is missing beyond a broker, as columns."""

    message: Ints
    sender: Ints
    receiver: Ints
    depart_s: Floats


def held_back(
    ingredients: Ingredients, leaving: Watermarks, carried: Carried, heard: Heard, complete_s: Floats
) -> Carried:
    """Add what order "hold" sends, and when watermarks leave.

    Parameters
    ----------
    complete_s : (messages,) float64 array
        When the broker where each message starts knew that everyone had it.
    """
    traffic, window_of, server = carried.traffic, carried.window_of, ingredients.server
    watermark_s = leaving.leave_s(carried.chunk.windows, window_of, carried.sources, complete_s)
    elsewhere = np.flatnonzero(carried.sources != server)
    acknowledged = Ends(window_of[heard.message], heard.sender, heard.receiver)
    told = words_to_server(window_of, carried.sources, server)
    marks = watermarks(window_of, traffic.message, traffic.broker, server)
    rows = control_rows(len(ingredients.network), acknowledged, told, marks)
    if traffic.control is not None:
        rows = np.concatenate((traffic.control, rows))
    sent = carried.sent
    if sent is not None:
        routes = ingredients.routes
        sent = joined(
            sent,
            control_transmissions(acknowledged, heard.message, heard.depart_s, routes),
            control_transmissions(told, elsewhere, complete_s[elsewhere], routes),
            control_transmissions(marks, None, watermark_s[marks.window], routes),
        )
    moments = carried.moments
    if moments is not None:
        left_s = (moments.control_s, heard.depart_s, complete_s[elsewhere], watermark_s[marks.window])
        moments = moments._replace(control_s=np.concatenate(left_s))
    traffic = traffic._replace(control=rows, watermark_s=watermark_s)
    return carried._replace(traffic=traffic, sent=sent, moments=moments)
