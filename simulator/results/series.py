"""Series: what a run did in each slice of time, in so few slices that they can be drawn whatever its length.

Slices are as long as 1 or 5 times a power of ten seconds, each length a multiple of the one before. A run begins with
the shortest, and whenever it has more than 400 of them goes on with the next: space and number of rows are bounded.
"""

from collections.abc import Sequence
from typing import Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline import SERIES
from simulator.engine.carried import Carried

__all__ = ["Series", "series_table"]

_SHORTEST = -4
"""The first slices last 10 ** -4 s."""
_MOST = 400
Floats = NDArray[np.float64]


class Series:
    """Sums over the chunks of one approach, by slices of time.

    Parameters
    ----------
    control : int
        Bytes of an acknowledgement or watermark.
    broker_s : float
        Time that a broker takes for a message.
    """

    def __init__(self, control: int, broker_s: float) -> None:
        self._control, self._broker_s = control, broker_s
        self._step = 0
        self._bytes, self._notified, self._waited_s, self._wrong_s, self._counted_s, self._longest = np.zeros((6, 0))

    @property
    def step(self) -> int:
        """How often slices have become longer."""
        return self._step

    @property
    def slice_s(self) -> float:
        """Length of a slice in seconds."""
        tens, five = divmod(self._step, 2)
        return float(f"{5 if five else 1}e{_SHORTEST + tens}")

    def __len__(self) -> int:
        return len(self._bytes)

    def take(self, carried: Carried) -> None:
        """Take in a chunk; without a clock nothing is known of it."""
        moments, told_s = carried.moments, carried.traffic.time_s
        if moments is None or told_s is None:
            return
        times = (moments.sent_s, moments.came_s, moments.begun_s, moments.control_s, told_s)
        self._reach(max(float(one.max(initial=0.0)) for one in times))
        slices = len(self)
        self._bytes += np.bincount(self._slice_of(moments.sent_s), moments.sent_bytes, slices)
        self._bytes += np.bincount(self._slice_of(moments.control_s), minlength=slices) * self._control
        self._notified += np.bincount(self._slice_of(told_s), carried.received, slices)
        self._wait(moments.came_s, moments.begun_s)

    def take_wrong(self, start_s: Floats, end_s: Floats, wrong: NDArray[np.int64], counted: int) -> None:
        """Take in how many of the lists that count were wrong, in spans of time."""
        self._reach(float(end_s[-1]))
        self._spread(self._wrong_s, start_s, end_s, wrong)
        self._spread(self._counted_s, start_s[:1], end_s[-1:], np.array([counted]))

    def _slice_of(self, time_s: Floats) -> NDArray[np.int64]:
        return (time_s / self.slice_s).astype(np.int64)

    def _wait(self, came_s: Floats, begun_s: Floats) -> None:
        """Add waits: their time to all slices that they touch, the queue they met to the slice in which they came."""
        first = self._slice_of(came_s)
        self._spread(self._waited_s, came_s, begun_s, np.ones(len(first), np.int64))
        # Service is first come, first served, and takes the same time for all: a wait tells how many were there.
        queue = np.ceil((begun_s - came_s) / self._broker_s - 1e-6) if self._broker_s else np.zeros(len(came_s))
        np.maximum.at(self._longest, first, queue)

    def _spread(self, column: Floats, start_s: Floats, end_s: Floats, weight: NDArray[np.int64]) -> None:
        """Add spans of time, each with a weight, to all slices that they touch."""
        first, last, length = self._slice_of(start_s), self._slice_of(end_s), self.slice_s
        # As if each lasted until the end of its last slice, but for what is missing at both ends.
        whole = np.zeros(len(self) + 1)
        np.add.at(whole, first, weight * length)
        np.add.at(whole, last + 1, -weight * length)
        column += np.cumsum(whole)[:-1]
        np.add.at(column, first, weight * (first * length - start_s))
        np.add.at(column, last, weight * (end_s - (last + 1) * length))

    def _reach(self, time_s: float) -> None:
        """Have slices until a time, longer ones if there would be too many."""
        while time_s / self.slice_s >= _MOST:
            self.lengthen()
        missing = int(time_s / self.slice_s) + 1 - len(self)
        if missing > 0:
            self._columns = [np.append(column, np.zeros(missing)) for column in self._columns]

    @property
    def _columns(self) -> Sequence[Floats]:
        return self._bytes, self._notified, self._waited_s, self._wrong_s, self._counted_s, self._longest

    @_columns.setter
    def _columns(self, columns: Sequence[Floats]) -> None:
        self._bytes, self._notified, self._waited_s, self._wrong_s, self._counted_s, self._longest = columns

    def lengthen(self) -> Self:
        """Go on with slices of the next length."""
        factor = 2 if self._step % 2 else 5
        padded = [np.append(column, np.zeros(-len(column) % factor)).reshape(-1, factor) for column in self._columns]
        self._columns = [*(column.sum(axis=1) for column in padded[:5]), padded[5].max(axis=1, initial=0.0)]
        self._step += 1
        return self

    def table(self, name: str) -> pa.Table:
        """Rows of `series.parquet`."""
        count, length = len(self), self.slice_s
        known = self._counted_s > 1e-6 * length  # not by rounding
        share = np.clip(self._wrong_s / np.where(known, self._counted_s, 1.0), 0.0, 1.0)
        wrong = np.where(known, share, np.nan)
        columns = [
            pa.repeat(name, count),
            pa.array(np.round(np.arange(count) * length, -_SHORTEST)),
            pa.repeat(length, count),
            pa.array(np.rint(self._bytes).astype(np.int64)),
            pa.array(np.rint(self._notified).astype(np.int64)),
            pa.array(np.maximum(self._waited_s, 0.0) / length),
            pa.array(self._longest.astype(np.int64)),
            pa.array(wrong, from_pandas=True),
        ]
        return pa.table(columns, schema=SERIES)


def series_table(series: Sequence[tuple[str, Series]]) -> pa.Table:
    """Rows of all approaches of a run, in slices of one length: the longest that one of them needs."""
    step = max((one.step for _, one in series), default=0)
    tables = [SERIES.empty_table()]
    for name, one in series:
        while one.step < step:
            one.lengthen()
        tables.append(one.table(name))
    return pa.concat_tables(tables)
