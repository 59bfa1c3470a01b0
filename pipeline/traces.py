"""From price histories to events: what became of every row, and the objects as they come and go.

A history has one row per observation: which object, when, its x and its y. Objects that are there at the first
time are the initial ones; later ones are inserted; an object leaves when its y stops being a rank (negative or
infinite, as the price/earnings ratio of a company without earnings) or when nothing is heard of it for too long, and
is a new object when it returns, because the server never gives an id twice.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from math import isfinite
from operator import or_
from pathlib import Path
from typing import NamedTuple

from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as sf
from pyspark.sql.types import DateType, NumericType, TimestampNTZType, TimestampType

from paint.sides import DIMENSIONS
from pipeline.attributes import XRange, attribute_ranges, attributes_of, x_names
from pipeline.errors import PipelineError, spark_errors
from pipeline.schemas import TRACE_REPORT, trace_schemas

__all__ = ["KEPT", "OUTCOMES", "Trace", "TraceSpec", "check_history", "read_history", "trace_frames"]

KEPT = "kept"
#: What becomes of a row, in the order in which it is asked; all but the last are dropped.
OUTCOMES = (
    "no object",
    "no time",
    "no y",
    "no x yet",
    "replaced by a later row of the same object and time",
    "negative y of an absent object",
    "infinite y of an absent object",
    "unchanged",
    KEPT,
)


@dataclass(frozen=True)
class TraceSpec:
    """
    How a history is read.

    Parameters
    ----------
    object, time, x, y
        Names of its columns. Times are numbers (seconds), dates or timestamps, or text of either kind. Objects with
        several attributes have a column of x for each.
    fixed_x
        Whether the first x known of an object stands; otherwise a new x is a `move`, one for all attributes.
    gone_after_s
        Seconds without a row after which an object is gone; None if silence means no change.
    x_range
        Lowest and highest x, over which subscriptions are spread, of all attributes alike or a pair for each; by
        default that of the values seen.
    """

    object: str
    time: str
    x: str | tuple[str, ...]
    y: str
    fixed_x: bool = False
    gone_after_s: float | None = None
    x_range: XRange | None = None

    def __post_init__(self) -> None:
        columns: list[tuple[str, object]] = [("object", self.object), ("time", self.time), ("y", self.y)]
        for name, value in columns + [("x", x) for x in self.places]:
            if not isinstance(value, str) or not value:
                raise TypeError(f"{name} must be the name of a column, got {value!r}")
        most = attributes_of(max(DIMENSIONS))
        if not 1 <= len(self.places) <= most or len(set(self.places)) < len(self.places):
            raise ValueError(f"x must name 1 to {most} columns, each once, got {self.places}")
        if len(self.places) == 1:
            object.__setattr__(self, "x", self.places[0])
        if self.gone_after_s is not None and not (isfinite(self.gone_after_s) and self.gone_after_s > 0):
            raise ValueError(f"gone_after_s must be a finite number above 0, got {self.gone_after_s}; leave it out")
        if self.x_range is not None:
            try:
                ranges = attribute_ranges(self.x_range, len(self.places))
            except ValueError:
                ranges = attribute_ranges((0.0, 0.0), 1)
            if not all(-float("inf") < low < high < float("inf") for low, high in ranges):
                each = "" if len(self.places) == 1 else ", for all attributes or for each"
                raise ValueError(f"x_range must be two finite values in ascending order{each}, got {self.x_range}")

    @property
    def places(self) -> tuple[str, ...]:
        """Columns of the attributes."""
        return (self.x,) if isinstance(self.x, str) else tuple(self.x)

    @property
    def names(self) -> tuple[str, ...]:
        """What they are called in a trace."""
        return x_names(len(self.places))


class Trace(NamedTuple):
    """A history as frames."""

    events: DataFrame
    """`schemas.TRACE_EVENTS`, in event order."""
    objects: DataFrame
    """`schemas.TRACE_OBJECTS`, by object id."""
    report: DataFrame
    """`schemas.TRACE_REPORT`: one row per outcome that occurs."""
    judged: DataFrame
    """What the three follow from, persisted; unpersist it when they are no longer needed."""


def check_history(path: Path) -> None:
    """Refuse what is no history at a glance, before Spark is started for it."""
    if not path.exists():
        raise PipelineError(f"{path}: there is no such file; give a history in CSV or Parquet")
    if path.is_dir() and not path.name.endswith((".csv", ".csv.gz")) and not any(path.glob("**/*.parquet")):
        raise PipelineError(f"{path} holds no Parquet files; give a history in CSV or Parquet")


def read_history(spark: SparkSession, path: Path, spec: TraceSpec) -> DataFrame:
    """
    Rows of a CSV file with a header (`.csv`, `.csv.gz`) or of Parquet: name, seconds, x, y, file, row.

    Of several attributes there are x1, x2, ... in the place of x. What cannot be read as a number or a time is null.

    Raises
    ------
    PipelineError
        If the file cannot be read or lacks one of the columns.
    """
    check_history(path)
    with spark_errors(f"read {path}"):
        if path.name.endswith((".csv", ".csv.gz")):
            # Doubled quotes, as spreadsheets write them, instead of Spark's backslash.
            rows = spark.read.option("header", True).option("escape", '"').csv(str(path.absolute()))
        else:
            rows = spark.read.parquet(str(path.absolute()))
        wanted = (spec.object, spec.time, *spec.places, spec.y)
        missing = [name for name in wanted if name not in rows.columns]
        if missing:
            raise PipelineError(f"{path} lacks the columns {', '.join(missing)}; it has {', '.join(rows.columns)}")
        order = [sf.col("_metadata.file_path").alias("file"), sf.monotonically_increasing_id().alias("row")]
        quoted = [rows[f"`{name}`"] for name in wanted]
        name = sf.nullif(sf.trim(quoted[0].cast("string")), sf.lit(""))
        seconds = _seconds(rows, spec.time, quoted[1])
        numbers = [_number(column).alias(to) for column, to in zip(quoted[2:], (*spec.names, "y"), strict=True)]
        return rows.select(name.alias("name"), seconds.alias("seconds"), *numbers, *order)


def _number(column: Column) -> Column:
    """A double, or null where there is none; infinite values stay."""
    value = sf.trim(column.cast("string")).try_cast("double")
    return sf.when(~sf.isnan(value), value)


def _seconds(rows: DataFrame, name: str, column: Column) -> Column:
    kind = rows.schema[name].dataType
    if isinstance(kind, DateType | TimestampType | TimestampNTZType):
        return column.cast("timestamp").cast("double")
    value = _number(column)
    if not isinstance(kind, NumericType):
        value = sf.coalesce(value, sf.trim(column.cast("string")).try_cast("timestamp").cast("double"))
    return sf.when(sf.abs(value) < sf.lit(float("inf")), value)


def trace_frames(history: DataFrame, spec: TraceSpec) -> Trace:
    """
    Events, objects and a report of a history (columns as of `read_history`).

    * Of several rows of an object at one time the last stands, by file and place in the file.
    * Where x is missing the last known one of the object stands.
    * A row in which both x and y are new gives two events, `move` and then `raise` or `lower`.
    * Ids follow (time of entry, name); events follow (time, object id). `time_s` counts from the first row used.
    * `x` and `y` of a `delete` are those with which the object leaves.

    O(n log n) in the rows, spread by object; only the entries of objects are numbered in one place.

    Raises
    ------
    PipelineError
        If no row can be used.
    """
    judged = _judge(history.select("name", "seconds", *spec.names, "y", "file", "row"), spec).persist()
    with spark_errors("read the history"):
        entries = judged.where(sf.exists("steps", lambda step: step["kind"] == "insert"))
        first = entries.agg(sf.min("seconds")).collect()[0][0]
        if first is None:
            seen = ", ".join(f"{row['rows']} {row['outcome']}" for row in _report(judged).collect())
            raise PipelineError(
                f"no row of the history can be used ({seen or 'it is empty'}); check the columns named"
            )
    by_name = Window.partitionBy("name").orderBy("seconds", "step")
    steps = judged.select("name", sf.inline("steps")).withColumn(
        "stay", sf.sum((sf.col("kind") == "insert").cast("int")).over(by_name)
    )
    of_events, of_objects = trace_schemas(spec.names)
    time_s = sf.col("seconds") - sf.lit(first)
    number = sf.row_number().over(Window.orderBy("seconds", "name")).cast("long") - 1
    objects = steps.where(sf.col("kind") == "insert").withColumns({"object": number, "time_s": time_s})
    is_event = (sf.col("kind") != "insert") | (sf.col("seconds") > sf.lit(first))
    events = (
        steps.where(is_event)
        .join(objects.select("name", "stay", "object"), ["name", "stay"])
        .withColumn("time_s", time_s)
        .orderBy("time_s", "object", "step")
        .select(*of_events.names)
    )
    return Trace(events, objects.select(*of_objects.names).orderBy("object"), _report(judged), judged)


def _report(judged: DataFrame) -> DataFrame:
    place = sf.array_position(sf.array(*map(sf.lit, OUTCOMES)), sf.col("outcome"))
    counted = judged.groupBy("outcome").agg(sf.count("*").alias("rows"))
    return counted.orderBy(place).select(*TRACE_REPORT.names)


def _judge(history: DataFrame, spec: TraceSpec) -> DataFrame:
    """Rows of the history with their outcome and the steps, entry to exit, that each of them makes."""
    no_object, no_time, no_y, no_x, replaced, negative, infinite, unchanged, kept = map(sf.lit, OUTCOMES)
    in_order = Window.partitionBy("name").orderBy("seconds", "file", "row")
    so_far = in_order.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    timed = sf.col("name").isNotNull() & sf.col("seconds").isNotNull()
    pick = sf.first if spec.fixed_x else sf.last
    known = {x: sf.when(sf.abs(x) < sf.lit(float("inf")), sf.col(x)) for x in spec.names}
    rows = history.withColumns({x: pick(sf.when(timed, known[x]), ignorenulls=True).over(so_far) for x in known})
    rows = rows.withColumn(
        "outcome",
        sf.when(sf.col("name").isNull(), no_object)
        .when(sf.col("seconds").isNull(), no_time)
        .when(sf.col("y").isNull(), no_y)
        .when(_any(sf.col(x).isNull() for x in spec.names), no_x),
    )
    usable = sf.col("outcome").isNull()
    alike = Window.partitionBy("name", "usable").orderBy("seconds", "file", "row")
    same_time = sf.lead("seconds").over(alike) == sf.col("seconds")
    rows = rows.withColumn("usable", usable)
    rows = rows.withColumn("outcome", sf.when(usable & same_time, replaced).otherwise(sf.col("outcome")))
    rows = rows.withColumn("usable", usable).withColumn("ranks", (sf.col("y") >= 0) & (sf.col("y") < float("inf")))
    rows = rows.withColumns(
        {f"old_{name}": sf.lag(name).over(alike) for name in ("seconds", *spec.names, "y", "ranks")}
    )
    if spec.gone_after_s is not None:
        rows = rows.withColumns({"next_seconds": sf.lead("seconds").over(alike), "end": _end_of(rows)})
    nothing = sf.array().cast(f"array<{_step_type(spec)}>")
    rows = rows.withColumn("steps", sf.when(usable, _steps(spec)).otherwise(nothing))
    outcome = (
        sf.when(sf.size("steps") > 0, kept)
        .when(sf.col("ranks"), unchanged)
        .when(sf.col("y") < 0, negative)
        .otherwise(infinite)
    )
    rows = rows.withColumn("outcome", sf.when(usable, outcome).otherwise(sf.col("outcome")))
    return rows.select("name", "seconds", "outcome", "steps")


def _end_of(rows: DataFrame) -> Column:
    """Time of the last usable row of all."""
    with spark_errors("read the history"):
        return sf.lit(rows.where("usable").agg(sf.max("seconds")).collect()[0][0]).cast("double")


def _any(conditions: Iterable[Column]) -> Column:
    return reduce(or_, conditions)


def _step_type(spec: TraceSpec) -> str:
    return f"struct<seconds:double,step:int,kind:string,{','.join(f'{x}:double' for x in spec.names)},y:double>"


def _steps(spec: TraceSpec) -> Column:
    """Array of what a usable row does to its object, empty if nothing."""

    def step(place: int, kind: Column | str, *, at: Column | None = None, x: str = "", y: str = "y") -> Column:
        name, seconds = sf.lit(kind) if isinstance(kind, str) else kind, sf.col("seconds") if at is None else at
        where = (sf.col(f"{x}{attribute}") for attribute in spec.names)
        return sf.struct(seconds, sf.lit(place), name, *where, sf.col(y)).cast(_step_type(spec))

    ranks = sf.col("ranks")
    present = sf.coalesce(sf.col("old_ranks"), sf.lit(False))
    silent = sf.lit(False)
    silence = sf.lit(spec.gone_after_s).cast("double")
    if spec.gone_after_s is not None:
        present &= sf.col("seconds") - sf.col("old_seconds") <= silence
        silent = sf.coalesce("next_seconds", "end") - sf.col("seconds") > silence
    direction = sf.when(sf.col("y") < sf.col("old_y"), "raise").otherwise("lower")
    moved = _any(sf.col(x) != sf.col(f"old_{x}") for x in spec.names)
    return sf.array_compact(
        sf.array(
            sf.when(ranks & ~present, step(0, "insert")),
            sf.when(ranks & present & moved, step(1, "move", y="old_y")),
            sf.when(ranks & present & (sf.col("y") != sf.col("old_y")), step(2, direction)),
            sf.when(~ranks & present, step(3, "delete", x="old_", y="old_y")),
            sf.when(ranks & silent, step(4, "delete", at=sf.col("seconds") + silence)),
        )
    )
