"""The schema of every file this project writes, once, as Arrow schemas; Spark's are derived from them."""

import pyarrow as pa
from pyspark.sql.types import DataType, DoubleType, LongType, StringType, StructField, StructType

__all__ = ["COUNTS", "EVENTS", "POPULATION", "POPULATION_VERSION", "SUMMARY", "spark_schema"]

#: Raise it when the same spec gives other rows or other columns: caches of earlier versions are then left alone.
POPULATION_VERSION = 1


def _required(arrow_type: pa.DataType, *names: str) -> list[pa.Field]:
    return [pa.field(name, arrow_type, nullable=False) for name in names]


def _optional(arrow_type: pa.DataType, *names: str) -> list[pa.Field]:
    return [pa.field(name, arrow_type) for name in names]


#: A population: one row per subscription [l, r]; `location` in [0, 1) places it on a node of any network.
POPULATION = pa.schema([*_required(pa.int64(), "id"), *_required(pa.float64(), "l", "r", "location")])

#: What is counted for every event.
COUNTS = (
    "messages",
    "bytes_in",
    "bytes_out",
    "overlay_bytes",
    "ip_bytes",
    "overlay_hops",
    "ip_hops",
    "zones_reached",
    "resent_bytes",
    "received_update",
    "received_exposed",
    "first_k",
    "min_y",
    "snap",
)
_LATENCIES = ("latency_p50", "latency_p95", "latency_p99", "latency_max")

#: `events.parquet`: one row per (approach, event). Latencies are in milliseconds, null where nobody was reached or
#: the engine has no clock. `origin` is the broker where the event arose, `object` is null for a batch.
EVENTS = pa.schema(
    [
        *_required(pa.string(), "approach"),
        *_required(pa.int64(), "event"),
        *_required(pa.float64(), "time"),
        *_required(pa.int64(), "origin"),
        *_optional(pa.int64(), "object"),
        *_required(pa.string(), "kind"),
        *_required(pa.int64(), *COUNTS),
        *_optional(pa.float64(), *_LATENCIES),
    ]
)

#: `summary.csv`: one row per approach; see `pipeline.traffic.summarise` for what each column means.
SUMMARY = pa.schema(
    [
        *_required(pa.string(), "approach"),
        *_required(pa.int64(), "events"),
        *_required(pa.float64(), "messages", "bytes_in"),
        *_required(pa.int64(), "bytes_in_max"),
        *_required(pa.float64(), "bytes_out"),
        *_required(pa.int64(), "bytes_out_max"),
        *_required(pa.float64(), "overlay_bytes", "ip_bytes", "overlay_hops", "ip_hops", "zones_reached"),
        *_required(pa.float64(), "resent_bytes", "received_update", "received_exposed"),
        *_optional(pa.float64(), "redundancy", "redundancy_total"),
        *_required(pa.float64(), "first_k", "min_y", "snap"),
        *_optional(pa.float64(), *_LATENCIES),
    ]
)

_SPARK_TYPES: dict[pa.DataType, DataType] = {
    pa.float64(): DoubleType(),
    pa.int64(): LongType(),
    pa.string(): StringType(),
}


def spark_schema(schema: pa.Schema) -> StructType:
    """Spark's form of one of the schemas above."""
    return StructType([StructField(field.name, _SPARK_TYPES[field.type], field.nullable) for field in schema])
