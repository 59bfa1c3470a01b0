"""Rows of `summary.csv` from records in memory, without Spark."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from scipy.special import stdtrit

import pipeline
from pipeline.schemas import COUNTS
from simulator.approaches.registry import parse_approach
from simulator.results.errors import RunError

__all__ = ["Row", "summary_rows"]


_BATCHES = 20
_QUANTILE = float(stdtrit(_BATCHES - 1, 0.975))

Row = dict[str, str | int | float | None]
"""A row of `summary.csv`: columns of `pipeline.SUMMARY`."""


def summary_rows(approaches: Sequence[str], records: Sequence[pa.Table], warm_up: int = 0) -> list[Row]:
    """Rows of `summary.csv`, as `pipeline.summarise` defines them, from records in memory and without Spark.

    Parameters
    ----------
    approaches : sequence of str
        Names, the order of the rows.
    records : sequence of pyarrow.Table
        Rows of `pipeline.EVENTS` of each approach.
    warm_up : int
        Events with smaller numbers are left out.

    Raises
    ------
    RunError
        No event is left.
    """
    rows: list[Row] = []
    for name, table in zip(approaches, records, strict=True):
        kept = table.filter(pc.greater_equal(table["event"], warm_up))
        if len(kept) == 0:
            raise RunError(f"{name}: no event is left after warm_up = {warm_up}; lower it or add events")
        rows.append(_totals(kept) | {"approach": name, "events": pc.sum(kept["events"]).as_py()})
    exact = [name for name in approaches if parse_approach(name).exact]
    paint = [name for name in exact if name.startswith("paint")]
    _compare(rows, exact[:1], "redundancy", ("received_update",))
    _compare(rows, paint[:1], "redundancy_total", ("received_update", "received_exposed"))
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
    batches = [part.mean() for part in np.array_split(stale, _BATCHES)] if len(stale) >= 2 * _BATCHES else None
    spread = None if batches is None else float(np.std(batches, ddof=1))
    totals["stale_half_width"] = None if spread is None else _QUANTILE * spread / _BATCHES**0.5
    return totals


def _compare(rows: list[Row], yardsticks: Sequence[str], column: str, received: Sequence[str]) -> None:
    """What each approach sends beyond the yardstick, as a share of what that sends."""

    def sent(row: Row) -> float:
        return sum(float(row[name] or 0) for name in received)

    needed = next((sent(row) for row in rows if row["approach"] in yardsticks), 0.0)
    for row in rows:
        row[column] = sent(row) / needed - 1 if needed else None
