"""Lists of events: what is left blank is filled in, and one line tells of a row that cannot be."""

import csv
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

from pipeline import PipelineError
from simulator.workload.event_list import read_event_list
from simulator.workload.events import KINDS
from simulator.workload.traces import Updates, read_trace
from tests.oracles.event_list import Row, meant
from tests.simulator.journeys import write_random_trace
from tests.simulator.one_line import told_in_one_line

T = TypeVar("T")
Floats = NDArray[np.float64]

START = {"a": (1.0, 5.0), "b": (2.0, 6.0), "c": (2.0, 6.0)}


def written(path: Path, rows: Sequence[Row], times: Sequence[float] | None = None) -> Path:
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["time", "object", "kind", "x", "y"])
        writer.writerows([time, *row] for time, row in zip(times or range(3, 3 + len(rows)), rows, strict=True))
    return path


def objects(start: dict[str, tuple[float, float]]) -> tuple[Floats, Floats]:
    x, y = np.array(list(start.values())).T
    return x.copy(), y.copy()


def random_rows(rng: np.random.Generator, count: int, *, named: bool) -> list[Row]:
    """Rows that can be, with names that return and much left blank."""
    there = {name if named else str(i): place for i, (name, place) in enumerate(START.items())}
    rows: list[Row] = []

    def said(value: T) -> T | None:
        return value if rng.random() < 0.5 else None

    for _ in range(count):
        what, known = rng.choice(["insert", "delete", "move", "y", "y"]), list(there)
        x, y = (float(value) for value in rng.integers(10, size=2))
        if (what == "insert" and len(known) < 8) or len(known) < 2:
            used = len(START) + sum(kind == "insert" for _, kind, *_ in rows)
            name = str(rng.choice([new for new in "abcdefgh" if new not in there])) if named else str(used)
            there[name] = (x, y)
            rows.append((name, "insert", x, y))
            continue
        if what == "insert":
            continue
        name = str(rng.choice(known))
        old_x, old_y = there[name]
        if what == "delete":
            del there[name]
            rows.append((name, "delete", said(1.0), said(1.0)))
        elif what == "move":
            there[name] = (x, old_y)
            rows.append((name, said("move"), x, said(old_y) if x != old_x else None))
        else:
            there[name] = (old_x, y)
            kind = "lower" if y > old_y else "raise"
            rows.append((name, said(kind), said(old_x), y))
    return rows


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_a_list_is_what_the_oracle_makes_of_it(named: bool, seed: int, tmp_path: Path) -> None:
    rows = random_rows(np.random.default_rng(seed), 80, named=named)
    start = {name if named else str(i): place for i, (name, place) in enumerate(START.items())}
    path, names = written(tmp_path / "events.csv", rows), list(start) if named else []
    updates, all_names = read_event_list(path, objects(start), names)
    found = zip(updates.object.tolist(), (KINDS[kind] for kind in updates.kind), updates.x, updates.y, strict=True)
    assert list(found) == meant(rows, start)
    assert updates.time_s.tolist() == list(range(len(rows)))
    assert all_names == ([*start, *(name for name, kind, *_ in rows if kind == "insert")] if named else [])
    first, _ = read_event_list(path, objects(start), names, 7)
    assert first.object.tolist() == updates.object[:7].tolist()


def test_a_list_may_have_new_values_alone(tmp_path: Path) -> None:
    (tmp_path / "y.csv").write_text("object,time,y\n1,0.5,6.5\n0,0.5,4\n", encoding="utf-8-sig", newline="\r\n")
    updates, _ = read_event_list(tmp_path / "y.csv", objects(START))
    assert [KINDS[kind] for kind in updates.kind] == ["lower", "raise"]
    assert (updates.x.tolist(), updates.y.tolist(), updates.time_s.tolist()) == ([2.0, 1.0], [6.5, 4.0], [0.0, 0.0])
    pq.write_table(pa.table({"object": [2.0], "time_s": [7], "x": [3]}), tmp_path / "x.parquet")
    updates, _ = read_event_list(tmp_path / "x.parquet", objects(START))
    assert (KINDS[updates.kind[0]], updates.object[0], updates.x[0], updates.y[0]) == ("move", 2, 3.0, 6.0)


def test_the_list_of_the_guide(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "scenarios.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```text\n(time,.*?)```", page, re.DOTALL)
    (tmp_path / "events.csv").write_text(text, encoding="utf-8")
    updates, names = read_event_list(tmp_path / "events.csv", (np.array([0.5]), np.array([20.0])), ["acme"])
    assert [KINDS[kind] for kind in updates.kind] == ["raise", "move", "insert", "delete"]
    assert (updates.object.tolist(), names) == ([0, 0, 1, 0], ["acme", "bolt"])
    assert updates.x.tolist() == [0.5, 0.7, 0.4, 0.7]
    assert updates.y.tolist() == [12.5, 12.5, 3.0, np.inf]


def test_the_events_of_a_trace_are_a_list_too(tmp_path: Path) -> None:
    write_random_trace(tmp_path / "trace", 3, objects=20, events=100)
    trace = read_trace(tmp_path / "trace")
    listed, _ = read_event_list(tmp_path / "trace" / "events.parquet", (trace.x, trace.y))
    for name in Updates._fields:
        assert np.array_equal(getattr(listed, name), getattr(trace.updates, name))


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        ([("a", None, None, 4), ("z", None, None, 4)], "line 3: object = 'z': there is no such object at that time"),
        ([("a", "delete", None, None), ("a", None, None, 4)], "line 3: object = 'a': there is no such object"),
        ([("a", "insert", 1, 1)], "line 2: object = 'a': an inserted object must not be there already"),
        ([("z", "insert", None, 1)], "line 2: x is blank: the row of insert needs the new x; write it"),
        ([("z", "insert", 1, None)], "line 2: y is blank: the row of insert needs the new y; write it"),
        ([("a", "move", None, 5)], "line 2: x is blank: the row of move needs the new x"),
        ([("a", "lower", 1, None)], "line 2: y is blank: the row of lower needs the new y"),
        ([("a", None, None, None)], "line 2: y is blank: a row without a kind needs a new y or a new x"),
        ([("a", None, 3, 4)], "line 2: x = 3.0: differs from 1.0 as y does too; a row is one event"),
        ([("a", "raise", 3, 4)], "line 2: x = 3.0: a raise must keep the object's x, 1.0"),
        ([("a", "move", 3, 4)], "line 2: y = 4.0: a move must keep the object's y, 5.0"),
        ([("a", "raise", None, 9)], "line 2: y = 9.0: a raise must not make the object's y, 5.0, larger"),
        (
            [("a", "jump", None, 9)],
            "line 2: kind = 'jump': must be one of raise, lower, insert, delete, move, or blank",
        ),
        ([("", None, None, 9)], "line 2: object is blank: must not be blank"),
        ([("a", None, "nan", None)], "line 2: x = nan: must be a finite number, or blank"),
        ([("a", None, None, "inf")], "line 2: y = inf: must be a finite number, or blank"),
        ([("a", None, None, "much")], "line 2: y = 'much': must be a number"),
    ],
)
def test_a_row_that_cannot_be_is_told_with_its_line(rows: list[Row], line: str, tmp_path: Path) -> None:
    path = written(tmp_path / "events.csv", rows)
    told_in_one_line(lambda: read_event_list(path, objects(START), list(START)), PipelineError, f"{path}: {line}", "")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("time,object,y\n0,3,1\n", "line 2: object = 3: there is no such object at that time"),
        ("time,object,y\n0,-1,1\n", "line 2: object = -1: there is no such object at that time"),
        ("time,object,y\n0,99999999999999,1\n", "line 2: object = 99999999999999: there is no such object"),
        ("time,object,y\n0,a,1\n", "line 2: object = 'a': must be a whole number"),
        (
            "time,object,y,x,kind\n0,4,1,1,insert\n",
            "line 2: object = 4: an inserted object must take the next number, 3",
        ),
        ("time,object,y\n1,0,1\n0.5,0,2\n", "line 3: time = 0.5: must not be before the one in front of it"),
        ("time,object,y\nnan,0,1\n", "line 2: time = nan: must be a finite number of seconds"),
        ("time,object,y\n,0,1\n", "line 2: time is blank: must be a finite number of seconds"),
        ("time,y\n1,0\n", "lacks the column object; it has time, y"),
        ("time,object\n1,0\n", "lacks the column y; it has time, object"),
    ],
)
def test_objects_without_names_are_known_by_number(text: str, line: str, tmp_path: Path) -> None:
    (tmp_path / "events.csv").write_text(text, encoding="utf-8")
    told_in_one_line(
        lambda: read_event_list(tmp_path / "events.csv", objects(START)), PipelineError, str(tmp_path), f": {line}"
    )
