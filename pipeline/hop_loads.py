"""From hop records to loads: what each link of the overlay and each zone carried, per approach."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from pipeline.schemas import LINK_LOAD, ZONE_LOAD

__all__ = ["link_load", "zone_load"]


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
