"""From the records of a run to its table: one row per approach, what it cost per event."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

from floor.files import reason_of, whole
from pipeline.errors import PipelineError, spark_errors
from pipeline.records import read_events
from pipeline.schemas import BATCH_QUANTILE, BATCHES, COUNTS, EVENTS, SUMMARY

__all__ = ["rehearse_summary", "summarise", "write_summary"]

_WAITS = ("latency_p50", "latency_p95", "latency_p99", "stale")


def summarise(events: DataFrame, by: Sequence[str] = ()) -> DataFrame:
    """
    One row per approach, with the columns of `pipeline.schemas.SUMMARY`, in O(rows) time.

    * `messages` to `received_exposed`, `first_k` to `paper_snap`: means per event; `_max`: the largest of an event,
      or of a window of a batch approach.
    * `redundancy`: notifications that carry the updated object, over the lists that events changed, minus 1.
      `redundancy_total`: the same with exposed objects counted on both sides. The paper's tables (Section V) fit the
      first. Null where nothing was needed. Unicast has less than 0 of the second, because it tells of an exposed
      object in the message of the update; a batch of both, because events that undo each other are never told.
    * `latency_p50`, `_p95`, `_p99`: means over the events (windows) that reached somebody of their own percentiles;
      `latency_max`: the largest latency of all. `stale`: the mean over the events (windows) that changed a list of
      how long such lists took to take it in; `stale_half_width`: half of its 95% confidence interval, from the means
      of 20 runs of consecutive rows, null for fewer than 40 rows.
    * `wrong_share`: seconds that lists were wrong over seconds of all lists that count.
    * `offered_load`: null; the run fills it in (`write_summary`), since it follows from no event by itself.
    * `stretch`: IP hops from the source to the gateways reached along the overlay, over those of the shortest paths.

    Parameters
    ----------
    events
        Rows of `pipeline.schemas.EVENTS`.
    by
        Columns of `events` to keep apart, for instance the replication: they come first in the rows.
    """
    keys = ", ".join(f"`{name}`" for name in (*by, "approach"))
    columns = ",\n".join(f"{value} AS {name}" for name, value in _columns().items())
    # As one text: to make each of some hundred expressions by calls takes longer than all else.
    return events.sparkSession.sql(
        f"""
        WITH stated AS (SELECT {keys}, {columns} FROM {{events}} GROUP BY {keys}),
        numbered AS (
            SELECT {keys}, stale, ntile({BATCHES}) OVER (PARTITION BY {keys} ORDER BY event) AS batch
            FROM {{events}} WHERE stale IS NOT NULL
        ),
        batches AS (SELECT {keys}, avg(stale) AS mean, count(*) AS rows FROM numbered GROUP BY {keys}, batch),
        widths AS (
            SELECT {keys}, CASE WHEN sum(rows) >= {2 * BATCHES}
                THEN {BATCH_QUANTILE / BATCHES**0.5!r}D * stddev_samp(mean) END AS stale_half_width
            FROM batches GROUP BY {keys}
        )
        SELECT {", ".join((*(f"`{name}`" for name in by), *SUMMARY.names))}
        FROM stated LEFT JOIN widths USING ({keys})
        """,
        events=events,
    )


def _columns() -> dict[str, str]:
    """Columns of the summary that are sums, means and largest values over the rows, in SQL."""
    received, needed = "sum(received_update)", "sum(needed_update)"
    received_total, needed_total = f"({received} + sum(received_exposed))", f"({needed} + sum(needed_exposed))"
    return {
        "events": "sum(events)",
        **{name: f"sum({name}) / sum(events)" for name in COUNTS},
        **{name: f"avg({name})" for name in _WAITS},
        "stretch": "try_divide(cast(sum(path_hops) AS double), sum(direct_hops))",
        **{f"{name}_max": f"max({name})" for name in ("bytes_in", "bytes_out")},
        "latency_max": "max(latency_max)",
        "wrong_share": "try_divide(sum(wrong_s), sum(counted_s))",
        "redundancy": f"try_divide(cast({received} AS double), {needed}) - 1",
        "redundancy_total": f"try_divide(cast({received_total} AS double), {needed_total}) - 1",
        "offered_load": "cast(NULL AS double)",
    }


def rehearse_summary(spark: SparkSession, directory: Path) -> None:
    """
    Summarise one row in a file of its own: the first summary takes Spark seconds, later ones find all loaded.

    Parameters
    ----------
    directory
        Where the file is for as long as it takes.
    """
    path = directory / "rehearsal.parquet"  # Spark passes over names that begin with a dot
    try:
        pq.write_table(pa.table([pa.array([1]).cast(column.type) for column in EVENTS], schema=EVENTS), path)
        summarise(read_events(spark, path)).collect()
    finally:
        path.unlink(missing_ok=True)


def write_summary(
    summary: DataFrame,
    path: Path,
    approaches: Sequence[str],
    known: Mapping[str, Mapping[str, float | None]] = MappingProxyType({}),
) -> None:
    """
    Write a summary as CSV, whole or not at all; rows in the order of `approaches`, an empty field for null.

    Parameters
    ----------
    known
        By approach, columns that do not follow from the records, with their values.

    Raises
    ------
    PipelineError
        If the summary lacks one of the approaches, or the file cannot be written.
    """
    with spark_errors(f"make {path}"):
        rows = {row["approach"]: row.asDict() | dict(known.get(row["approach"], {})) for row in summary.collect()}
    missing = [name for name in approaches if name not in rows]
    if missing:
        raise PipelineError(f"the records have no events of {', '.join(missing)}, only of {', '.join(sorted(rows))}")
    try:
        with whole(path) as partial, partial.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(SUMMARY.names)
            writer.writerows([rows[name][column] for column in SUMMARY.names] for name in approaches)
    except OSError as error:
        raise PipelineError(f"cannot write {path}: {reason_of(error)}") from error
