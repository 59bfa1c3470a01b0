"""Traces on disk, written without Spark, right or wrong as a test wants them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pipeline import trace_schemas, x_names

Rows = list[tuple[Any, ...]]

OBJECTS: Rows = [(0, "a", 1.0, 5.0, 0.0), (1, "b", 2.0, 6.0, 0.0)]
EVENTS: Rows = [
    (0, 100.0, "raise", 1.0, 4.0),
    (2, 100.0, "insert", 3.0, 0.5),
    (1, 103.0, "move", 2.5, 6.0),
    (0, 104.0, "delete", 1.0, 4.0),
    (1, 110.0, "lower", 2.5, 7.0),
]


def write_trace_files(path: Path, events: Rows = EVENTS, objects: Rows = OBJECTS, **content: object) -> Path:
    """A directory as `pipeline.write_trace` makes it; objects that are inserted may be left out.

    Rows have as many x as the objects.
    """
    path.mkdir(parents=True, exist_ok=True)
    of_events, of_objects = trace_schemas(x_names(len(objects[0]) - 4))
    for name, rows, schema in (("events", events, of_events), ("objects", objects, of_objects)):
        columns = zip(*rows, strict=True) if rows else [()] * len(schema)
        arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
        part = path / f"{name}.parquet"
        part.mkdir(exist_ok=True)
        pq.write_table(pa.Table.from_arrays(arrays, names=schema.names), part / "part-00000.parquet")
        (part / "_SUCCESS").touch()
    told = {"version": 1, "spec": {}, "initial": len(objects), "x_range": [1.0, 3.0], "report": {}} | content
    (path / "trace.json").write_text(json.dumps(told), encoding="utf-8")
    return path


def write_random_trace(path: Path, seed: int, objects: int = 30, events: int = 90) -> Path:
    """A trace over x from 1 to 5 with events of every kind and ties in x, y and time."""
    rng = np.random.default_rng(seed)

    def place() -> tuple[float, float]:
        return 1 + float(rng.integers(41)) / 10, float(rng.integers(50))

    held = dict(enumerate(place() for _ in range(objects)))
    first: Rows = [(i, f"n{i}", x, y, 0.0) for i, (x, y) in held.items()]
    rows: Rows = []
    for number in range(events):
        kind = str(rng.choice(["update", "update", "insert", "delete", "move"]))
        i = objects if kind == "insert" else int(rng.choice(sorted(held)))
        (old_x, old_y), (x, y) = held.get(i, (0.0, 0.0)), place()
        if kind == "insert":
            objects += 1
        elif kind == "update":
            kind, x = "raise" if y < old_y else "lower", old_x
        else:
            x, y = (old_x, old_y) if kind == "delete" else (x, old_y)
        held[i] = (x, y)
        if kind == "delete":
            del held[i]
        rows.append((i, 3600.0 * (1 + number // 3), kind, x, y))
    return write_trace_files(path, rows, first, x_range=[1.0, 5.0])
