"""The schema of every file this project writes, once, as Arrow schemas; Spark's are derived from them."""

from collections.abc import Iterable

import pyarrow as pa
from pyspark.sql.types import DataType, DoubleType, LongType, StringType, StructField, StructType

__all__ = [
    "BATCHES",
    "BATCH_QUANTILE",
    "BROKERS",
    "COUNTS",
    "EVENTS",
    "FAULTS",
    "HOPS",
    "INTERVALS",
    "LINKS",
    "LINK_LOAD",
    "PERCENTILES",
    "POPULATION",
    "POPULATION_VERSION",
    "SERIES",
    "SUMMARY",
    "TIMES",
    "TRACE_EVENTS",
    "TRACE_OBJECTS",
    "TRACE_REPORT",
    "TRACE_VERSION",
    "ZONE_LOAD",
    "population_schema",
    "spark_schema",
    "trace_schemas",
]

#: Raise it when the same spec gives other rows or other columns: caches of earlier versions are then left alone.
POPULATION_VERSION = 1


def _required(arrow_type: pa.DataType, *names: str) -> list[pa.Field]:
    return [pa.field(name, arrow_type, nullable=False) for name in names]


def _optional(arrow_type: pa.DataType, *names: str) -> list[pa.Field]:
    return [pa.field(name, arrow_type) for name in names]


def population_schema(columns: Iterable[str]) -> pa.Schema:
    """Schema of a population: one row per subscription, with the columns that say what it is.

    These are those of `pipeline.attributes.Form`; `location` in [0, 1) places it on a node of any network.
    """
    return pa.schema([*_required(pa.int64(), "id"), *_required(pa.float64(), *columns, "location")])


#: A population over one attribute, of subscriptions [l, r].
POPULATION = population_schema(("l", "r"))

#: Parts that a run is cut into for the interval of a mean.
BATCHES = 20

#: The 0.975 quantile of Student's t for so many parts less one.
BATCH_QUANTILE = 2.093024054408263

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
    "control_bytes",
    "received_update",
    "received_exposed",
    "first_k",
    "min_y",
    "snap",
    "empty",
    "paper_min_y",
    "paper_snap",
)

_WAITS = ("latency_p50", "latency_p95", "latency_p99", "latency_max", "stale")

#: What an engine with a clock adds, in milliseconds but for those in seconds.
TIMES = (*_WAITS, "wrong_s", "counted_s")

#: `events.parquet`: one row per (approach, event); or per window of a batch approach, which stands for `events`
#: events and has the number, time and origin of the first. Latencies are in milliseconds, null where nobody was
#: reached or the engine has no clock; so is `stale`, the mean time until a list had taken the event in, over the
#: lists that it changed, of those that count. From its time to that of the next row, `wrong_s` are the seconds that
#: lists were wrong, `counted_s` those of all lists that count. `path_hops` are IP hops from source to gateway along
#: the overlay, added up over the deliveries, `direct_hops` those of the shortest IP paths. `needed_update` are the
#: lists that the events changed, event by event, `needed_exposed` those in which another object took the place of the
#: updated one: the same for all approaches. `origin` is the broker where the event arose, `object` is null for a
#: batch.
EVENTS = pa.schema(
    [
        *_required(pa.string(), "approach"),
        *_required(pa.int64(), "event", "events"),
        *_required(pa.float64(), "time"),
        *_required(pa.int64(), "origin"),
        *_optional(pa.int64(), "object"),
        *_required(pa.string(), "kind"),
        *_required(pa.int64(), *COUNTS, "needed_update", "needed_exposed", "path_hops", "direct_hops"),
        *_optional(pa.float64(), *TIMES),
    ]
)

#: `summary.csv`: one row per approach; see `pipeline.summary.summarise` for what each column means.
SUMMARY = pa.schema(
    [
        *_required(pa.string(), "approach"),
        *_required(pa.int64(), "events"),
        *_required(pa.float64(), "messages", "bytes_in"),
        *_required(pa.int64(), "bytes_in_max"),
        *_required(pa.float64(), "bytes_out"),
        *_required(pa.int64(), "bytes_out_max"),
        *_required(pa.float64(), "overlay_bytes", "ip_bytes", "overlay_hops", "ip_hops", "zones_reached"),
        *_required(pa.float64(), "resent_bytes", "control_bytes", "received_update", "received_exposed"),
        *_optional(pa.float64(), "redundancy", "redundancy_total"),
        *_required(pa.float64(), "first_k", "min_y", "snap", "empty", "paper_min_y", "paper_snap"),
        *_optional(pa.float64(), "stretch", *_WAITS, "stale_half_width", "wrong_share", "offered_load"),
    ]
)

#: `brokers.parquet`: one row per approach and broker. Messages that came in, went out and were delivered to own
#: subscriptions, and how many notifications that made; with a clock, the seconds that the broker and its uplink were
#: busy, and that messages waited for the broker, in all and the longest.
BROKERS = pa.schema(
    [
        *_required(pa.string(), "approach"),
        *_required(pa.int64(), "broker", "messages_in", "messages_out", "bytes_out", "control_bytes"),
        *_required(pa.int64(), "deliveries", "notifications"),
        *_optional(pa.float64(), "busy_s", "uplink_busy_s", "waited_s", "longest_wait_s"),
    ]
)

#: `links.parquet`: one row per approach and IP link that carried something; both directions added.
LINKS = pa.schema([*_required(pa.string(), "approach"), *_required(pa.int64(), "from", "to", "bytes")])


def trace_schemas(x: Iterable[str]) -> tuple[pa.Schema, pa.Schema]:
    """Schemas of the events of a trace, in their order, and of its objects as they enter, by id.

    `x` are the columns of the attributes (`pipeline.attributes.x_names`); `kind` is raise, lower, insert, delete or
    move; the initial objects enter at `time_s` 0.
    """
    number, place = _required(pa.int64(), "object"), _required(pa.float64(), *x, "y")
    time = _required(pa.float64(), "time_s")
    events = [*number, *time, *_required(pa.string(), "kind"), *place]
    return pa.schema(events), pa.schema([*number, *_required(pa.string(), "name"), *place, *time])


#: A trace over one attribute.
TRACE_EVENTS, TRACE_OBJECTS = trace_schemas(("x",))

#: What became of the rows of a history.
TRACE_REPORT = pa.schema([*_required(pa.string(), "outcome"), *_required(pa.int64(), "rows")])

TRACE_VERSION = 1

#: `hops.parquet`: one row per hop; `depart` and `arrive` are in milliseconds, null where the engine has no clock.
#: `kind` is message, resent, acknowledgement, watermark, question or no-news; `message` is -1 of the last three.
HOPS = pa.schema(
    [
        *_required(pa.string(), "approach"),
        *_required(pa.int64(), "event", "message", "from", "to", "bytes"),
        *_required(pa.string(), "kind"),
        *_optional(pa.float64(), "depart", "arrive"),
    ]
)

#: `faults.parquet`: one row per thing that went wrong, in the order in which it became known; `time` and `seconds`
#: are in seconds. What does not apply is null.
FAULTS = pa.schema(
    [
        *_required(pa.string(), "approach"),
        *_required(pa.float64(), "time"),
        *_required(pa.string(), "what"),
        *_optional(pa.string(), "why"),
        *_optional(pa.int64(), "broker", "from", "to", "event", "message"),
        *_optional(pa.float64(), "seconds"),
    ]
)

#: `series.parquet`: one row per approach and slice of time, which begins at `time` and lasts `seconds`; see
#: `simulator.results.series`.
SERIES = pa.schema(
    [
        *_required(pa.string(), "approach"),
        *_required(pa.float64(), "time", "seconds"),
        *_required(pa.int64(), "bytes", "notifications"),
        *_required(pa.float64(), "queue_mean"),
        *_required(pa.int64(), "queue_longest"),
        *_optional(pa.float64(), "wrong_lists"),
    ]
)

#: One row per approach and directed overlay link; see `pipeline.hop_loads`.
LINK_LOAD = pa.schema(
    [
        *_required(pa.string(), "approach"),
        *_required(pa.int64(), "from", "to", "hops", "bytes"),
        *_optional(pa.float64(), "travel_mean", "travel_max"),
    ]
)

#: One row per approach and zone.
ZONE_LOAD = pa.schema(
    [
        *_required(pa.string(), "approach"),
        *_required(pa.int64(), "zone", "hops_in", "bytes_in", "hops_out", "bytes_out"),
    ]
)

#: One row per approach and measure, over all events; see `pipeline.replications`.
PERCENTILES = pa.schema(
    [
        *_required(pa.string(), "approach", "measure"),
        *_required(pa.int64(), "events"),
        *_required(pa.float64(), "mean", "p50", "p95", "p99", "max"),
    ]
)

#: One row per approach and measure, over replications.
INTERVALS = pa.schema(
    [
        *_required(pa.string(), "approach", "measure"),
        *_required(pa.int64(), "replications"),
        *_required(pa.float64(), "mean"),
        *_optional(pa.float64(), "sd", "low", "high"),
    ]
)

_SPARK_TYPES: dict[pa.DataType, type[DataType]] = {
    pa.float64(): DoubleType,
    pa.int64(): LongType,
    pa.string(): StringType,
}


def spark_schema(schema: pa.Schema) -> StructType:
    """Spark's form of one of the schemas above."""
    return StructType([StructField(field.name, _SPARK_TYPES[field.type](), field.nullable) for field in schema])
