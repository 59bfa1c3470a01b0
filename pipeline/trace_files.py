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

from floor.files import reason_of, whole
from pipeline.attributes import Range, attribute_ranges, attributes_of, other_attributes, x_names
from pipeline.errors import PipelineError, spark_errors
from pipeline.own_objects import stacked
from pipeline.own_tables import files_digest
from pipeline.schemas import TRACE_VERSION, trace_schemas
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
    """(events,), or (events, d) of several attributes."""
    y: Floats
    initial: int
    object_x: Floats
    """(objects,) or (objects, d): x with which each object enters."""
    object_y: Floats
    names: list[str]
    """(objects,): names in the history; an object that returned has its name twice."""
    ranges: tuple[Range, ...]
    """Where subscriptions lie, by attribute: an end u in [0, 1] of a population stands for low + u (high - low)."""
    report: dict[str, int]
    """Rows of the history by what became of them."""

    @property
    def x_range(self) -> Range:
        """Where they lie in the first attribute."""
        return self.ranges[0]


class TraceFacts(NamedTuple):
    """What can be told of a trace on disk without reading its rows."""

    events: int
    initial: int
    ranges: tuple[Range, ...]
    """Where subscriptions lie, by attribute."""
    sha256: str
    """Digest of its files, whatever they are called."""

    @property
    def x_range(self) -> Range:
        """Where they lie in the first attribute."""
        return self.ranges[0]


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
        raise PipelineError(f"cannot write {path}: {reason_of(error)}") from error
    finally:
        trace.judged.unpersist()


def _write(trace: Trace, spec: TraceSpec, partial: Path) -> dict[str, int]:
    trace.events.write.parquet(str((partial / "events.parquet").absolute()))
    trace.objects.write.parquet(str((partial / "objects.parquet").absolute()))
    report = {row["outcome"]: row["rows"] for row in trace.report.collect()}
    seen = trace.objects.select(*spec.names).union(trace.events.select(*spec.names))
    bounds = seen.agg(*(bound(x) for x in spec.names for bound in (sf.min, sf.max))).collect()[0]
    found: list[Any] = list(zip(bounds[::2], bounds[1::2], strict=True))
    if spec.x_range is not None:
        found = [spec.x_range] if len(found) == 1 else attribute_ranges(spec.x_range, len(found)).tolist()
    for name, (low, high) in zip(spec.names, found, strict=True):
        if not low < high:
            raise PipelineError(
                f"every {name} of the history is {low}: subscriptions have no range to lie in; give an x_range"
            )
    content = {
        "version": TRACE_VERSION,
        "spec": dataclasses.asdict(spec),
        "initial": trace.objects.where("time_s = 0").count(),
        "x_range": found[0] if len(found) == 1 else found,
        "report": report,
    }
    (partial / "trace.json").write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    return report


def read_trace(path: Path, dimensions: float | None = None) -> TraceData:
    """
    Read a trace into memory: 40 bytes per event, 16 per object and its name; 8 more for every attribute beyond one.

    Parameters
    ----------
    dimensions
        By how many of them objects must have attributes; any by default.

    Raises
    ------
    PipelineError
        If `path` is not a whole trace of this version, or its objects have too few or many attributes.
    """
    content = _content(path)
    ranges = _ranges(content)
    if dimensions is not None and len(ranges) != attributes_of(dimensions):
        raise other_attributes(path, len(ranges), dimensions)
    places = x_names(len(ranges))
    of_events, of_objects = trace_schemas(places)
    events = _table(path, "events.parquet", of_events)
    objects = _table(path, "objects.parquet", of_objects)
    if len(objects) < content["initial"] or (objects["object"].to_numpy() != np.arange(len(objects))).any():
        raise _refusal(path, "objects.parquet does not hold the ids 0, 1, 2, ... in this order")
    object_, time_s, kind, *x, y = (events[name].to_numpy() for name in of_events.names)
    return TraceData(
        object_,
        time_s,
        kind.astype(np.str_),
        stacked(x),
        y,
        content["initial"],
        stacked([objects[name].to_numpy() for name in places]),
        objects["y"].to_numpy(),
        objects["name"].to_pylist(),
        ranges,
        content["report"],
    )


def _ranges(content: dict[str, Any]) -> tuple[Range, ...]:
    """Lowest and highest x of each attribute: a pair of one, a list of pairs of several."""
    found = content["x_range"]
    return tuple((low, high) for low, high in (found if isinstance(found[0], list) else [found]))


def _content(path: Path) -> dict[str, Any]:
    try:
        content = dict(json.loads((path / "trace.json").read_text(encoding="utf-8")))
        version = content["version"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _refusal(path, "no trace.json that can be read") from error
    if version != TRACE_VERSION:
        raise PipelineError(f"{path} is a trace of version {version}, this is version {TRACE_VERSION}; make it again")
    try:
        right = int(content["initial"]) > 0 and isinstance(content["report"], dict)
        right &= all(-float("inf") < low < high < float("inf") for low, high in _ranges(content))
    except (IndexError, KeyError, TypeError, ValueError):
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
    return TraceFacts(events, content["initial"], _ranges(content), sha256)


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
