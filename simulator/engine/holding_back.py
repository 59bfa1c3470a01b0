"""Holding back: what acknowledgements and watermarks add to a chunk that was carried by the clock."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.engine.carried import ACKNOWLEDGEMENT, WATERMARK, Carried
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
    depart_s: Floats | None = None
    """None without a clock."""


def held_back(
    ingredients: Ingredients,
    carried: Carried,
    starts: Ints,
    heard: Heard,
    leaving: Watermarks | None = None,
    complete_s: Floats | None = None,
) -> Carried:
    """Add what order "hold" sends and, with a clock, when.

    Parameters
    ----------
    starts : int64 array
        Where messages that begin together begin, and their number at the end: the first speaks for all.
    leaving : Watermarks, optional
        Tells when those of a window can leave; None without a clock.
    complete_s : (messages,) float64 array, optional
        When the broker where each message starts knew that everyone had it.
    """
    traffic, window_of, server = carried.traffic, carried.window_of, ingredients.server
    firsts = starts[:-1]
    elsewhere = firsts[carried.sources[firsts] != server]
    acknowledged = Ends(window_of[heard.message], heard.sender, heard.receiver)
    told = words_to_server(window_of[elsewhere], carried.sources[elsewhere], server)
    marks = watermarks(window_of, traffic.message, traffic.broker, server)
    rows = control_rows(len(ingredients.network), acknowledged, told, marks)
    if traffic.control is not None:
        rows = np.concatenate((traffic.control, rows))
    watermark_s = depart_s = told_s = None
    if leaving is not None and complete_s is not None:
        watermark_s = leaving.leave_s(carried.chunk.windows, window_of, carried.sources, complete_s)
        depart_s, told_s = watermark_s[marks.window], complete_s[elsewhere]
    sent, moments = carried.sent, carried.moments
    if sent is not None:
        sent = joined(
            sent,
            control_transmissions(ACKNOWLEDGEMENT, acknowledged, heard.message, heard.depart_s, ingredients.routes),
            control_transmissions(ACKNOWLEDGEMENT, told, elsewhere, told_s, ingredients.routes),
            control_transmissions(WATERMARK, marks, None, depart_s, ingredients.routes),
        )
    if moments is not None:
        left_s = [times for times in (heard.depart_s, told_s, depart_s) if times is not None]
        moments = moments._replace(control_s=np.concatenate((moments.control_s, *left_s)))
    traffic = traffic._replace(control=rows, watermark_s=watermark_s)
    return carried._replace(traffic=traffic, sent=sent, moments=moments)
