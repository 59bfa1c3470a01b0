"""Traces on disk: `events.parquet`, `objects.parquet` and `trace.json` in a directory, whole or not at all."""

import dataclasses
import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from floor.files import whole
from pipeline.errors import PipelineError, spark_errors
from pipeline.own_tables import files_digest
from pipeline.schemas import TRACE_EVENTS, TRACE_OBJECTS, TRACE_VERSION
from pipeline.traces import Trace, TraceSpec, trace_frames

__all__ = ["TraceData", "TraceFacts", "read_trace", "trace_facts", "write_trace"]

Floats = npt.NDArray[np.float64]


class TraceData(NamedTuple):
    """A trace in memory. Objects 0 to `initial - 1` are there from the start; inserted ones follow in event order."""

    object: npt.NDArray[np.int64]
    time_s: Floats
    kind: npt.NDArray[np.str_]
    """(events,): raise, lower, insert, delete or move."""
    x: Floats
    y: Floats
    initial: int
    object_x: Floats
    """(objects,): x with which each object enters."""
    object_y: Floats
    names: list[str]
    """(objects,): names in the history; an object that returned has its name twice."""
    x_range: tuple[float, float]
    """Where subscriptions lie: an end u in [0, 1] of a population stands for low + u (high - low)."""
    report: dict[str, int]
    """Rows of the history by what became of them."""


class TraceFacts(NamedTuple):
    """What can be told of a trace on disk without reading its rows."""

    events: int
    initial: int
    x_range: tuple[float, float]
    sha256: str
    """Digest of its files, whatever they are called."""


def write_trace(history: DataFrame, spec: TraceSpec, path: Path) -> dict[str, int]:
    """
    Turn a history (see `pipeline.traces.read_history`) into a trace on disk; returns its report.

    Raises
    ------
    PipelineError
        If `path` exists (nothing is overwritten), no row can be used, all have the same x and the spec gives no
        range for it, or Spark cannot write.
    """
    if path.exists():
        raise PipelineError(f"{path} exists already; remove it or choose another path for the trace")
    trace = trace_frames(history, spec)
    try:
        with whole(path, replace=False) as partial, spark_errors(f"write {path}"):
            partial.mkdir()
            return _write(trace, spec, partial)
    except OSError as error:
        raise PipelineError(f"cannot write {path}: {error.strerror}") from error
    finally:
        trace.judged.unpersist()


def _write(trace: Trace, spec: TraceSpec, partial: Path) -> dict[str, int]:
    trace.events.write.parquet(str((partial / "events.parquet").absolute()))
    trace.objects.write.parquet(str((partial / "objects.parquet").absolute()))
    report = {row["outcome"]: row["rows"] for row in trace.report.collect()}
    x = trace.objects.select("x").union(trace.events.select("x")).agg(sf.min("x"), sf.max("x")).collect()[0]
    low, high = spec.x_range or x
    if not low < high:
        raise PipelineError(
            f"every x of the history is {low}: subscriptions have no range to lie in; give an x_range"
        )
    content = {
        "version": TRACE_VERSION,
        "spec": dataclasses.asdict(spec),
        "initial": trace.objects.where("time_s = 0").count(),
        "x_range": [low, high],
        "report": report,
    }
    (partial / "trace.json").write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    return report


def read_trace(path: Path) -> TraceData:
    """
    Read a trace into memory: 40 bytes per event, 16 per object and its name.

    Raises
    ------
    PipelineError
        If `path` is not a whole trace of this version.
    """
    content = _content(path)
    events = _table(path, "events.parquet", TRACE_EVENTS)
    objects = _table(path, "objects.parquet", TRACE_OBJECTS)
    if len(objects) < content["initial"] or (objects["object"].to_numpy() != np.arange(len(objects))).any():
        raise _refusal(path, "objects.parquet does not hold the ids 0, 1, 2, ... in this order")
    object_, time_s, kind, x, y = (events[name].to_numpy() for name in TRACE_EVENTS.names)
    return TraceData(
        object_,
        time_s,
        kind.astype(np.str_),
        x,
        y,
        content["initial"],
        objects["x"].to_numpy(),
        objects["y"].to_numpy(),
        objects["name"].to_pylist(),
        (content["x_range"][0], content["x_range"][1]),
        content["report"],
    )


def _content(path: Path) -> dict[str, Any]:
    try:
        content = dict(json.loads((path / "trace.json").read_text(encoding="utf-8")))
        version = content["version"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _refusal(path, "no trace.json that can be read") from error
    if version != TRACE_VERSION:
        raise PipelineError(f"{path} is a trace of version {version}, this is version {TRACE_VERSION}; make it again")
    try:
        (low, high), right = content["x_range"], int(content["initial"]) > 0 and isinstance(content["report"], dict)
        right &= -float("inf") < low < high < float("inf")
    except (KeyError, TypeError, ValueError):
        right = False
    if not right:
        raise _refusal(path, "trace.json lacks a value or has a wrong one")
    return content


def trace_facts(path: Path) -> TraceFacts:
    """
    Look at a trace without reading its rows; every byte is read once, for the digest.

    Raises
    ------
    PipelineError
        If `path` is not a whole trace of this version.
    """
    content = _content(path)
    parts = {name: _files(path, name) for name in ("events.parquet", "objects.parquet")}
    try:
        sha256 = files_digest((path / "trace.json", *parts["events.parquet"], *parts["objects.parquet"]))
        events = sum(pq.read_metadata(file).num_rows for file in parts["events.parquet"])
    except (OSError, pa.ArrowException) as error:
        raise _refusal(path, str(error).splitlines()[0]) from error
    low, high = content["x_range"]
    return TraceFacts(events, content["initial"], (low, high), sha256)


def _files(path: Path, name: str) -> list[Path]:
    files = sorted((path / name).glob("*.parquet"))
    if not (path / name / "_SUCCESS").exists() or not files:
        raise _refusal(path, f"{name} is half-written or missing")
    return files


def _table(path: Path, name: str, schema: pa.Schema) -> pa.Table:
    files = _files(path, name)
    try:
        table = pa.concat_tables([pq.read_table(file) for file in files])
    except (OSError, pa.ArrowException) as error:
        raise _refusal(path, f"{name}: {str(error).splitlines()[0]}") from error
    if table.schema.names != schema.names or table.schema.types != schema.types:
        raise _refusal(path, f"{name} has other columns")
    missing = [column for column in schema.names if table[column].null_count]
    if missing:
        raise _refusal(path, f"{name} lacks values of {', '.join(missing)}")
    return table


def _refusal(path: Path, reason: str) -> PipelineError:
    remedy = (
        "remove it or choose another path" if path.exists() else "mend the path, or make it with `rangecast events`"
    )
    return PipelineError(f"{path} is not a trace ({reason}); {remedy}")
