"""Tables over replications: distributions of what events cost, and means with 95% confidence intervals.

Replications are runs that differ only in their seed. They are independent, so Student's t applies to their means.
"""

from collections.abc import Mapping, Sequence
from functools import reduce
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sf

from pipeline.records import read_events
from pipeline.schemas import COUNTS, INTERVALS, PERCENTILES, SUMMARY
from pipeline.summary import summarise

__all__ = ["MEASURES", "event_percentiles", "read_replications", "replication_intervals"]

LEVEL = 0.95
#: What `event_percentiles` describes; latencies are the events' own largest.
MEASURES = (*COUNTS, "latency_max")
_MOST_EXACT = 200


def read_replications(spark: SparkSession, paths: Mapping[str, Path]) -> DataFrame:
    """
    Records of several runs under the names of their replications: `schemas.EVENTS` and `replication`.

    Raises
    ------
    ValueError
        Without a run.
    PipelineError
        If a file cannot be read or lacks columns.
    """
    if not paths:
        raise ValueError("paths must name at least one replication, got none")
    frames = [read_events(spark, path).withColumn("replication", sf.lit(name)) for name, path in paths.items()]
    return reduce(DataFrame.unionByName, frames)


def event_percentiles(events: DataFrame) -> DataFrame:
    """
    How each measure is distributed over all events of an approach: `schemas.PERCENTILES`, one row per measure.

    Percentiles are exact and interpolated linearly, as numpy's; nulls (nobody was reached, no clock) are left out.
    O(n log n) in the distinct values.
    """
    long = _unpivoted(events, ["approach"], MEASURES)
    shares = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
    described = long.groupBy("approach", "measure").agg(
        sf.count("value").alias("events"),
        sf.avg("value").alias("mean"),
        *(sf.percentile("value", share).alias(name) for name, share in shares.items()),
        sf.max("value").alias("max"),
    )
    return described.select(*PERCENTILES.names)


def replication_intervals(events: DataFrame) -> DataFrame:
    """
    Mean of each measure over replications with its 95% confidence interval: `schemas.INTERVALS`.

    Measures are the columns of the summary; those of a replication come from its own events, so that a run with more
    events weighs no more than another.
    `low` and `high` are null for a single replication.
    """
    measures = [name for name in SUMMARY.names if name not in ("approach", "events")]
    long = _unpivoted(summarise(events, by=["replication"]), ["approach"], measures)
    stated = long.groupBy("approach", "measure").agg(
        sf.count("value").alias("replications"),
        sf.avg("value").alias("mean"),
        sf.stddev_samp("value").alias("sd"),
    )
    half = _t_quantile(sf.col("replications")) * sf.col("sd") / sf.sqrt("replications")
    return stated.withColumns({"low": sf.col("mean") - half, "high": sf.col("mean") + half}).select(*INTERVALS.names)


def _unpivoted(rows: DataFrame, keys: Sequence[str], measures: Sequence[str]) -> DataFrame:
    values = [sf.col(name).cast("double").alias(name) for name in measures]
    return (
        rows.select(*keys, *values).unpivot(list(keys), list(measures), "measure", "value").where("value IS NOT NULL")
    )


def _t_quantile(count: Column) -> Column:
    """Student's t for a two-sided interval of `count` values; null for one."""
    from scipy.special import stdtrit  # a quarter of a second that runs need not wait for

    share = (1 + LEVEL) / 2
    table = sf.array(*(sf.lit(float(stdtrit(freedom, share))) for freedom in range(1, _MOST_EXACT)))
    # With more freedom than the table holds, its last value is at most 0.6% too large: never too narrow.
    return sf.when(count > 1, sf.get(table, sf.least(count - 2, sf.lit(_MOST_EXACT - 2)).cast("int")))
