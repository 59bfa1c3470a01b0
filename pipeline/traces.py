"""From price histories to events: what became of every row, and the objects as they come and go.

A history has one row per observation: which object, when, its x and its y. Objects that are there at the first
time are the initial ones; later ones are inserted; an object leaves when its y stops being a rank (negative or
infinite, as the price/earnings ratio of a company without earnings) or when nothing is heard of it for too long, and
is a new object when it returns, because the server never gives an id twice.
"""

from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import NamedTuple

from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as sf
from pyspark.sql.types import DateType, NumericType, TimestampNTZType, TimestampType

from pipeline.errors import PipelineError, spark_errors
from pipeline.schemas import TRACE_EVENTS, TRACE_OBJECTS, TRACE_REPORT

__all__ = ["KEPT", "OUTCOMES", "Trace", "TraceSpec", "read_history", "trace_frames"]

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

_HISTORY = ("name", "seconds", "x", "y", "file", "row")
_STEP = "struct<seconds:double,step:int,kind:string,x:double,y:double>"


@dataclass(frozen=True)
class TraceSpec:
    """
    How a history is read.

    Parameters
    ----------
    object, time, x, y
        Names of its columns. Times are numbers (seconds), dates or timestamps, or text of either kind.
    fixed_x
        Whether the first x known of an object stands; otherwise a new x is a `move`.
    gone_after_s
        Seconds without a row after which an object is gone; None if silence means no change.
    x_range
        Lowest and highest x, over which subscriptions are spread; by default that of the values seen.
    """

    object: str
    time: str
    x: str
    y: str
    fixed_x: bool = False
    gone_after_s: float | None = None
    x_range: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        for name in ("object", "time", "x", "y"):
            value = getattr(self, name)
            if not isinstance(value, str) or not value:
                raise TypeError(f"{name} must be the name of a column, got {value!r}")
        if self.gone_after_s is not None and not (isfinite(self.gone_after_s) and self.gone_after_s > 0):
            raise ValueError(f"gone_after_s must be a finite number above 0, got {self.gone_after_s}; leave it out")
        if self.x_range is not None:
            low, high = self.x_range
            if not -float("inf") < low < high < float("inf"):
                raise ValueError(f"x_range must be two finite values in ascending order, got {self.x_range}")


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


def read_history(spark: SparkSession, path: Path, spec: TraceSpec) -> DataFrame:
    """
    Rows of a CSV file with a header (`.csv`, `.csv.gz`) or of Parquet: name, seconds, x, y, file, row.

    What cannot be read as a number or a time is null.

    Raises
    ------
    PipelineError
        If the file cannot be read or lacks one of the columns.
    """
    if not path.exists():
        raise PipelineError(f"{path}: there is no such file; give a history in CSV or Parquet")
    with spark_errors(f"read {path}"):
        if path.name.endswith((".csv", ".csv.gz")):
            # Doubled quotes, as spreadsheets write them, instead of Spark's backslash.
            rows = spark.read.option("header", True).option("escape", '"').csv(str(path.absolute()))
        else:
            if path.is_dir() and not any(path.glob("**/*.parquet")):
                raise PipelineError(f"{path} holds no Parquet files; give a history in CSV or Parquet")
            rows = spark.read.parquet(str(path.absolute()))
        wanted = (spec.object, spec.time, spec.x, spec.y)
        missing = [name for name in wanted if name not in rows.columns]
        if missing:
            raise PipelineError(f"{path} lacks the columns {', '.join(missing)}; it has {', '.join(rows.columns)}")
        order = [sf.col("_metadata.file_name").alias("file"), sf.monotonically_increasing_id().alias("row")]
        quoted = [rows[f"`{name}`"] for name in wanted]
        name = sf.nullif(sf.trim(quoted[0].cast("string")), sf.lit(""))
        seconds = _seconds(rows, spec.time, quoted[1])
        x, y = (_number(column) for column in quoted[2:])
        return rows.select(name.alias("name"), seconds.alias("seconds"), x.alias("x"), y.alias("y"), *order)


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
    Events, objects and a report of a history (columns name, seconds, x, y, file, row).

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
    judged = _judge(history.select(*_HISTORY), spec).persist()
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
    time_s = sf.col("seconds") - sf.lit(first)
    number = sf.row_number().over(Window.orderBy("seconds", "name")).cast("long") - 1
    objects = steps.where(sf.col("kind") == "insert").withColumns({"object": number, "time_s": time_s})
    is_event = (sf.col("kind") != "insert") | (sf.col("seconds") > sf.lit(first))
    events = (
        steps.where(is_event)
        .join(objects.select("name", "stay", "object"), ["name", "stay"])
        .withColumn("time_s", time_s)
        .orderBy("time_s", "object", "step")
        .select(*TRACE_EVENTS.names)
    )
    return Trace(events, objects.select(*TRACE_OBJECTS.names).orderBy("object"), _report(judged), judged)


def _report(judged: DataFrame) -> DataFrame:
    place = sf.array_position(sf.array(*map(sf.lit, OUTCOMES)), sf.col("outcome"))
    counted = judged.groupBy("outcome").agg(sf.count("*").alias("rows"))
    return counted.orderBy(place).select(*TRACE_REPORT.names)


def _judge(history: DataFrame, spec: TraceSpec) -> DataFrame:
    """Rows of the history with their outcome and the steps, entry to exit, that each of them makes."""
    no_object, no_time, no_y, no_x, replaced, negative, infinite, unchanged, kept = map(sf.lit, OUTCOMES)
    in_order = Window.partitionBy("name").orderBy("seconds", "file", "row")
    so_far = in_order.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    known_x = sf.when(sf.abs("x") < sf.lit(float("inf")), sf.col("x"))
    timed = sf.col("name").isNotNull() & sf.col("seconds").isNotNull()
    pick = sf.first if spec.fixed_x else sf.last
    rows = history.withColumn("x", pick(sf.when(timed, known_x), ignorenulls=True).over(so_far)).withColumn(
        "outcome",
        sf.when(sf.col("name").isNull(), no_object)
        .when(sf.col("seconds").isNull(), no_time)
        .when(sf.col("y").isNull(), no_y)
        .when(sf.col("x").isNull(), no_x),
    )
    usable = sf.col("outcome").isNull()
    alike = Window.partitionBy("name", "usable").orderBy("seconds", "file", "row")
    same_time = sf.lead("seconds").over(alike) == sf.col("seconds")
    rows = rows.withColumn("usable", usable)
    rows = rows.withColumn("outcome", sf.when(usable & same_time, replaced).otherwise(sf.col("outcome")))
    rows = rows.withColumn("usable", usable).withColumn("ranks", (sf.col("y") >= 0) & (sf.col("y") < float("inf")))
    rows = rows.withColumns({f"old_{name}": sf.lag(name).over(alike) for name in ("seconds", "x", "y", "ranks")})
    if spec.gone_after_s is not None:
        rows = rows.withColumns({"next_seconds": sf.lead("seconds").over(alike), "end": _end_of(rows)})
    rows = rows.withColumn("steps", sf.when(usable, _steps(spec)).otherwise(sf.array().cast(f"array<{_STEP}>")))
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


def _steps(spec: TraceSpec) -> Column:
    """Array of what a usable row does to its object, empty if nothing."""

    def step(place: int, kind: Column | str, *, at: Column | None = None, x: str = "x", y: str = "y") -> Column:
        name = sf.lit(kind) if isinstance(kind, str) else kind
        return sf.struct(sf.col("seconds") if at is None else at, sf.lit(place), name, sf.col(x), sf.col(y)).cast(
            _STEP
        )

    ranks = sf.col("ranks")
    present = sf.coalesce(sf.col("old_ranks"), sf.lit(False))
    silent = sf.lit(False)
    silence = sf.lit(spec.gone_after_s).cast("double")
    if spec.gone_after_s is not None:
        present &= sf.col("seconds") - sf.col("old_seconds") <= silence
        silent = sf.coalesce("next_seconds", "end") - sf.col("seconds") > silence
    direction = sf.when(sf.col("y") < sf.col("old_y"), "raise").otherwise("lower")
    return sf.array_compact(
        sf.array(
            sf.when(ranks & ~present, step(0, "insert")),
            sf.when(ranks & present & (sf.col("x") != sf.col("old_x")), step(1, "move", y="old_y")),
            sf.when(ranks & present & (sf.col("y") != sf.col("old_y")), step(2, direction)),
            sf.when(~ranks & present, step(3, "delete", x="old_x", y="old_y")),
            sf.when(ranks & silent, step(4, "delete", at=sf.col("seconds") + silence)),
        )
    )
