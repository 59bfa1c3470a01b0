"""Rows of `hops.parquet`: every transmission of a message from one broker to another."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline import HOPS
from simulator.engine.carried import ACKNOWLEDGEMENT, KINDS, Carried

__all__ = ["hop_table"]


def hop_table(name: str, carried: Carried, control_bytes: int) -> pa.Table:
    """One row per transmission of a chunk, in the columns of `hops.parquet`. O(hops)."""
    chunk, offsets, sent = carried.chunk, carried.outgoing.offsets, carried.sent
    if sent is None:
        raise ValueError("the transmissions of this chunk were not recorded; run it with record = ['hops']")
    window, count = sent.window, len(sent.window)
    size = np.where(sent.kind < ACKNOWLEDGEMENT, sent.size, control_bytes)

    def milliseconds(seconds: NDArray[np.float64] | None) -> pa.Array:
        if seconds is None:
            return pa.nulls(count, pa.float64())
        return pa.array(seconds * 1e3, pa.float64(), from_pandas=True)  # NaN, never arrived, becomes null

    columns = [
        pa.repeat(name, count),
        chunk.first + chunk.starts[window],
        np.where(sent.message < 0, -1, sent.message - offsets[window]),
        sent.sender,
        sent.receiver,
        size,
        np.array(KINDS)[sent.kind],
        milliseconds(sent.depart_s),
        milliseconds(sent.arrive_s),
    ]
    return pa.table([pa.array(column) for column in columns], schema=HOPS)
