"""From hop records to loads: what each link of the overlay and each zone carried, per approach."""

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from pipeline.errors import PipelineError, spark_errors
from pipeline.schemas import HOPS, LINK_LOAD, ZONE_LOAD, spark_schema

__all__ = ["link_load", "read_hops", "zone_load"]


def read_hops(spark: SparkSession, path: Path) -> DataFrame:
    """
    Hop records with the schema `pipeline.schemas.HOPS`.

    Raises
    ------
    PipelineError
        If `path` cannot be read or lacks columns.
    """
    with spark_errors(f"read {path}"):
        present = spark.read.parquet(str(path.absolute())).columns
        missing = [name for name in HOPS.names if name not in present]
        if missing:
            raise PipelineError(f"{path} lacks the columns {', '.join(missing)}; it has {', '.join(present)}")
        return spark.read.schema(spark_schema(HOPS)).parquet(str(path.absolute())).select(*HOPS.names)


def link_load(hops: DataFrame) -> DataFrame:
    """
    One row per approach and directed overlay link that was used, with the columns of `schemas.LINK_LOAD`; O(hops).

    * `hops`, `bytes`: what it carried in all.
    * `travel_mean`, `travel_max`: milliseconds from departure to arrival; null without a clock.
    """
    travel = sf.col("arrive") - sf.col("depart")
    loads = hops.groupBy("approach", "from", "to").agg(
        sf.count("*").alias("hops"),
        sf.sum("bytes").alias("bytes"),
        sf.avg(travel).alias("travel_mean"),
        sf.max(travel).alias("travel_max"),
    )
    return loads.select(*LINK_LOAD.names)


def zone_load(hops: DataFrame) -> DataFrame:
    """One row per approach and zone (broker) that took part, with the columns of `schemas.ZONE_LOAD`; O(hops).

    `hops_in` and `bytes_in` arrived at its broker over the overlay, `hops_out` and `bytes_out` left it.
    """
    # Links are few: both directions come from their sums, and the hops are read once.
    links = link_load(hops)
    ends = sf.array(
        sf.struct(sf.col("to").alias("zone"), sf.lit(True).alias("inward")),
        sf.struct(sf.col("from").alias("zone"), sf.lit(False).alias("inward")),
    )
    per_end = links.select("approach", "hops", "bytes", sf.inline(ends))
    sums = {
        f"{what}_{way}": sf.sum(sf.when(sf.col("inward") == (way == "in"), sf.col(what)).otherwise(sf.lit(0)))
        for way in ("in", "out")
        for what in ("hops", "bytes")
    }
    loads = per_end.groupBy("approach", "zone").agg(*(value.alias(name) for name, value in sums.items()))
    return loads.select(*ZONE_LOAD.names)
