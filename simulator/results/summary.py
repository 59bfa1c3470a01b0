"""Rows of `summary.csv` from records in memory, without Spark."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

import pipeline
from pipeline.schemas import BATCH_QUANTILE, BATCHES, COUNTS
from simulator.results.errors import RunError

__all__ = ["Row", "summary_rows"]


Row = dict[str, str | int | float | None]
"""A row of `summary.csv`: columns of `pipeline.SUMMARY`."""


def summary_rows(
    approaches: Sequence[str],
    records: Sequence[pa.Table],
    warm_up: int = 0,
    offered_loads: Sequence[float | None] | None = None,
) -> list[Row]:
    """Rows of `summary.csv`, as `pipeline.summarise` defines them, from records in memory and without Spark.

    Parameters
    ----------
    approaches : sequence of str
        Names, the order of the rows.
    records : sequence of pyarrow.Table
        Rows of `pipeline.EVENTS` of each approach.
    warm_up : int
        Events with smaller numbers are left out.
    offered_loads : sequence of float, optional
        Of each approach, where there was a clock.

    Raises
    ------
    RunError
        No event is left.
    """
    rows: list[Row] = []
    offered = [None] * len(approaches) if offered_loads is None else offered_loads
    for name, table, load in zip(approaches, records, offered, strict=True):
        kept = table.filter(pc.greater_equal(table["event"], warm_up))
        if len(kept) == 0:
            raise RunError(f"{name}: no event is left after warm_up = {warm_up}; lower it or add events")
        told: Row = {"approach": name, "events": pc.sum(kept["events"]).as_py(), "offered_load": load}
        rows.append(_totals(kept) | told)
    return [{column: row[column] for column in pipeline.SUMMARY.names} for row in rows]


def _totals(kept: pa.Table) -> Row:
    """Means per event, and the largest of a window; latencies: means over windows. None where none has a value."""
    totals: Row = {}
    events = pc.sum(kept["events"]).as_py()
    for column in pipeline.SUMMARY.names:
        name = column.removesuffix("_max") if column not in kept.column_names else column
        if name in kept.column_names and column not in ("approach", "events"):
            values: NDArray[np.float64] | NDArray[np.int64] = kept[name].drop_null().to_numpy()
            if len(values) == 0:
                totals[column] = None
            elif column.endswith("_max"):
                totals[column] = values.max().item()
            else:
                totals[column] = values.sum().item() / (events if column in COUNTS else len(values))
    path, direct = (pc.sum(kept[name]).as_py() for name in ("path_hops", "direct_hops"))
    totals["stretch"] = path / direct if direct else None
    wrong_s, counted_s = (pc.sum(kept[name]).as_py() for name in ("wrong_s", "counted_s"))
    totals["wrong_share"] = wrong_s / counted_s if counted_s else None
    stale = kept["stale"].drop_null().to_numpy()
    batches = [part.mean() for part in np.array_split(stale, BATCHES)] if len(stale) >= 2 * BATCHES else None
    spread = None if batches is None else float(np.std(batches, ddof=1))
    totals["stale_half_width"] = None if spread is None else BATCH_QUANTILE * spread / BATCHES**0.5
    update, exposed, needed_update, needed_exposed = (
        pc.sum(kept[name]).as_py()
        for name in ("received_update", "received_exposed", "needed_update", "needed_exposed")
    )
    totals["redundancy"] = update / needed_update - 1 if needed_update else None
    needed = needed_update + needed_exposed
    totals["redundancy_total"] = (update + exposed) / needed - 1 if needed else None
    return totals
