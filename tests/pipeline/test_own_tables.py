"""Tables that somebody brings: what is in them whatever their form, and one line for every way they can be wrong."""

import gzip
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline import OwnTable, PipelineError, open_table
from pipeline.own_tables import files_digest, looked_up
from tests.simulator.one_line import told_in_one_line

ENDS = {"l": pa.float64(), "r": pa.float64()}
ROWS = [(0.25, 0.5), (-1.5, 2e300), (0.1, 0.1)]


def csv_text(end: str) -> str:
    lines = [" l,note, r ", *(f'{l!r},"x, y",{r!r}' for l, r in ROWS)]
    return end.join(lines) + end


def parquet(path: Path, rows: list[tuple[float, float]]) -> Path:
    pq.write_table(
        pa.table({"note": ["x"] * len(rows), "l": [row[0] for row in rows], "r": [row[1] for row in rows]}), path
    )
    return path


def directory(path: Path) -> Path:
    (path / "parts").mkdir()
    parquet(path / "parts" / "b.parquet", ROWS[1:])
    parquet(path / "parts" / "a.parquet", ROWS[:1])
    return path / "parts"


def written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    "make",
    [
        lambda path: written(path / "t.csv", csv_text("\n").encode()),
        lambda path: written(path / "t.csv", csv_text("\r\n").encode("utf-8-sig")),
        lambda path: written(path / "t", csv_text("\r\n").rstrip().encode()),
        lambda path: written(path / "t.csv.gz", gzip.compress(csv_text("\n").encode("utf-8-sig"))),
        lambda path: parquet(path / "t.dat", ROWS),
        directory,
    ],
    ids=["csv", "byte order mark and CRLF", "no last end of line", "gzip", "parquet", "directory"],
)
def test_rows_are_the_same_whatever_they_are_kept_in(make: Callable[[Path], Path], tmp_path: Path) -> None:
    table = open_table(make(tmp_path))
    table.require(ENDS)
    batches = list(table.batches(ENDS))
    assert [batch.first for batch in batches] == np.cumsum([0, *(len(batch.columns["l"]) for batch in batches)])[
        :-1
    ].tolist()
    rows = [
        pair for _, columns in batches for pair in zip(*(columns[name].to_pylist() for name in ENDS), strict=True)
    ]
    assert rows == ROWS


@given(st.lists(st.tuples(st.floats(allow_nan=False), st.one_of(st.none(), st.integers(-(2**53), 2**53)))))
@settings(max_examples=50, deadline=None)
def test_numbers_are_read_from_text_as_python_writes_them(rows: list[tuple[float, int | None]]) -> None:
    lines = ["x,n", *(f"{x!r},{'' if n is None else n}" for x, n in rows), ""]
    with TemporaryDirectory() as place:
        table = open_table(written(Path(place) / "t.csv", "\n".join(lines).encode()))
        columns = [columns for _, columns in table.batches({"x": pa.float64(), "n": pa.int64()})]
    assert [x for one in columns for x in one["x"].to_pylist()] == [x for x, _ in rows]
    assert [n for one in columns for n in one["n"].to_pylist()] == [n for _, n in rows]


def read(path: Path) -> None:
    table = open_table(path)
    table.require(ENDS)
    for _ in table.batches(ENDS):
        pass


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (b"", "cannot be read: it is empty; give CSV with a header, or Parquet"),
        ("l,r\n1,2\n".encode("utf-16"), "cannot be read: it is text in UTF-16; save it in UTF-8"),
        (b"a,b\n1,2\n", "lacks the columns l, r; it has a, b"),
        (b"l;r\n1;2\n", "lacks the columns l, r; it has l;r"),
        (b"l, l ,r\n1,2,3\n", "has the column 'l' twice; rename or remove one"),
        (b"note,r,l\nx,1,2\ny,1,two\n", "line 3: l = 'two': must be a number; mend or remove it"),
        (b"l,r\n1,2\n3\n", "line 3: must have 2 columns, has 1; mend it"),
        (b"PAR1 and no more", "cannot be read: "),
        (b"\x1f\x8b and no more", "cannot be read: "),
    ],
)
def test_what_is_no_table_with_these_columns_is_told_in_one_line(content: bytes, rule: str, tmp_path: Path) -> None:
    path = written(tmp_path / "t", content)
    told_in_one_line(lambda: read(path), PipelineError, f"{path}: ", rule)


def test_what_is_no_file_is_told_in_one_line(tmp_path: Path) -> None:
    told_in_one_line(lambda: read(tmp_path / "none"), PipelineError, f"{tmp_path}/none: ", "No such file")
    told_in_one_line(
        lambda: read(tmp_path), PipelineError, f"{tmp_path}: ", "it is a directory without Parquet files"
    )
    told_in_one_line(lambda: read(Path("/dev/null")), PipelineError, "/dev/null: ", "is a device or pipe")
    told_in_one_line(lambda: read(Path("a\0b")), PipelineError, "a", "cannot be read: embedded null")
    mixed = directory(tmp_path)
    pq.write_table(pa.table({"l": [1.0]}), mixed / "c.parquet")
    told_in_one_line(lambda: read(mixed), PipelineError, f"{mixed}: ", "its Parquet files have different columns")


@pytest.mark.parametrize(
    ("values", "rule"),
    [
        (["0.5"], "column l: must hold a number in every row, is of type string; convert it"),
        ([True], "column l: must hold a number in every row, is of type bool; convert it"),
        ([[1.0]], "column l: must hold a number in every row, is of type list"),
    ],
)
def test_a_column_of_another_type_is_refused(values: list[object], rule: str, tmp_path: Path) -> None:
    pq.write_table(pa.table({"l": values, "r": [1.0]}), tmp_path / "t.parquet")
    told_in_one_line(lambda: read(tmp_path / "t.parquet"), PipelineError, f"{tmp_path}/t.parquet: ", rule)


def test_whole_numbers_may_be_kept_as_others(tmp_path: Path) -> None:
    def ids(values: object) -> list[int]:
        pq.write_table(pa.table({"id": values}), tmp_path / "t.parquet")
        (batch,) = open_table(tmp_path / "t.parquet").batches({"id": pa.int64()})
        return list(batch.columns["id"].to_pylist())

    assert ids(pa.array([3.0, None, -2.0])) == [3, None, -2]
    assert ids(pa.array([3], pa.uint8())) == [3]
    for wrong in (0.5, float("inf"), 1e300):
        told_in_one_line(lambda: ids(pa.array([1.0, wrong])), PipelineError, str(tmp_path), f"row 1: id = {wrong!r}")  # noqa: B023


def test_what_was_found_is_remembered_until_somebody_writes(tmp_path: Path) -> None:
    looks: list[str] = []

    def look(table: OwnTable) -> str:
        looks.append(files_digest(table.files))
        return looks[-1]

    facts = looked_up(look)
    path = written(tmp_path / "t.csv", b"l,r\n1,2\n")
    assert facts(path) == facts(path)
    assert len(looks) == 1
    written(path, b"l,r\n1,2\n3,4\n")
    assert facts(path) == files_digest([path])
    assert len(looks) == 2
