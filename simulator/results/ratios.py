"""Ratios of means within a run, with 95% intervals that know that events follow each other.

A mean of `summary.csv` is a sum over rows of `events.parquet` divided by another: bytes by events, seconds that lists
were wrong by seconds that count. The run is cut into 20 parts of consecutive events. How far a part is above or below
the whole, as a share of it, is an observation, and 20 of them are nearly independent where what lies between two
events is forgotten within a part. Approaches of one run answer the same events, so their parts are compared pair by
pair, and what the events do to both falls out. The interval is that of the logarithm of the ratio by Student's t
(delta method): that of the inverse is its inverse, and it never reaches 0.
"""

import math
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from pipeline.schemas import BATCH_QUANTILE, BATCHES, COUNTS

__all__ = ["BatchMean", "Ratio", "batch_mean", "ratio_of"]

_DIVISORS = {"wrong_share": ("wrong_s", "counted_s")}
"""Of columns of `summary.csv` that are no plain mean: what is added up, and what it is divided by."""


class BatchMean(NamedTuple):
    """A mean of a run and how its parts lie around it."""

    mean: float
    parts: NDArray[np.float64] | None
    """Of each part how much more it is than a mean part, as a share of that; None for fewer than 40 rows."""


class Ratio(NamedTuple):
    """A ratio of two means, and its 95% interval where the run is long enough for one."""

    value: float
    low: float | None = None
    high: float | None = None

    @property
    def inverse(self) -> "Ratio":
        """The same the other way round."""
        if self.low is None or self.high is None:
            return Ratio(1 / self.value)
        return Ratio(1 / self.value, 1 / self.high, 1 / self.low)


def batch_mean(events: pa.Table, column: str, warm_up: int = 0) -> BatchMean | None:
    """A column of `summary.csv` from the rows of one approach; None where no row has a value. O(rows).

    Parameters
    ----------
    events : Table
        Rows of `events.parquet` of one approach.
    warm_up : int
        Events with smaller numbers are left out.
    """
    over, per = _DIVISORS.get(column, (column, "events" if column in COUNTS else ""))
    kept = events.filter((pc.field("event") >= warm_up) & pc.field(over).is_valid())
    if len(kept) == 0:
        return None
    above = kept[over].to_numpy().astype(np.float64)
    below = kept[per].to_numpy().astype(np.float64) if per else np.ones(len(kept))
    if below.sum() == 0:
        return None
    mean = float(above.sum() / below.sum())
    if mean == 0 or len(kept) < 2 * BATCHES:
        return BatchMean(mean, None)
    # By the numbers of all events, so that the parts of two approaches are the same whatever rows have a value.
    number = events["event"].to_numpy()
    ends = np.linspace(warm_up, number.max() + 1, BATCHES + 1)[1:-1]
    part = np.searchsorted(ends, kept["event"].to_numpy(), side="right")
    shares = [np.bincount(part, values, BATCHES) / values.sum() for values in (above, below)]
    return BatchMean(mean, BATCHES * (shares[0] - shares[1]))


def ratio_of(one: BatchMean | None, other: BatchMean | None, *, paired: bool = True) -> Ratio | None:
    """Mean of `one` over that of `other`; None where there is no value or one of them is not above 0.

    Parameters
    ----------
    paired : bool
        Whether both answer the same events; else their parts are taken as independent.
    """
    if one is None or other is None or one.mean <= 0 or other.mean <= 0:
        return None
    value = one.mean / other.mean
    if one.parts is None or other.parts is None:
        return Ratio(value)
    spreads = [one.parts - other.parts] if paired else [one.parts, other.parts]
    error = math.sqrt(sum(float(np.var(spread, ddof=1)) for spread in spreads) / BATCHES)
    reach = math.exp(BATCH_QUANTILE * error)
    return Ratio(value, value / reach, value * reach)
