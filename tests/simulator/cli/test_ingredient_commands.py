"""`rangecast events` and `rangecast population`: what they make, and one line for every mistake."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from pipeline import PopulationSpec, read_population, read_trace, write_population
from simulator.inputs.populations import inspect_population
from tests.simulator.cli.conftest import Command

HISTORY = """when,who,yield,ratio
2026-01-01,a,0.01,10
2026-01-01,b,0.02,12
2026-01-02,a,0.03,9
2026-01-09,b,0.02,11
"""
COLUMNS = ("--object", "who", "--time", "when", "--x", "yield", "--y", "ratio")


def test_a_history_becomes_a_trace(spark: SparkSession, tmp_path: Path, command: Command) -> None:
    (tmp_path / "history.csv").write_text(HISTORY, encoding="utf-8")
    options = (*COLUMNS, "--fixed-x", "--gone-after", "3d", "--x-range", "0:0.1", "--out", "trace")
    made = command("events", "history.csv", *options, "--master", "local[2]")
    assert made.returncode == 0, made.stderr
    assert "objects    2 at the start, 3 in all, x from 0 to 0.1" in made.stdout
    assert "4 kept" in made.stdout
    trace = read_trace(tmp_path / "trace")
    # b is silent for more than three days from the first on, a from the second; b returns as a new object.
    assert trace.kind.tolist() == ["raise", "delete", "delete", "insert"]
    assert trace.object.tolist() == [0, 1, 0, 2]
    assert trace.x_range == (0.0, 0.1)
    again = command("events", "history.csv", *options)
    assert (again.returncode, again.stderr.count("\n")) == (2, 1)
    assert "--out trace: exists already" in again.stderr


def test_a_history_of_two_attributes_becomes_a_trace(spark: SparkSession, tmp_path: Path, command: Command) -> None:
    (tmp_path / "history.csv").write_text(HISTORY, encoding="utf-8")
    options = ("--object", "who", "--time", "when", "--x", "yield", "--x", "ratio", "--y", "ratio")
    made = command("events", "history.csv", *options, "--x-range", "0:1", "--x-range", "9:13", "--out", "trace")
    assert made.returncode == 0, made.stderr
    assert "objects    2 at the start, 2 in all, x1 from 0 to 1, x2 from 9 to 13" in made.stdout
    trace = read_trace(tmp_path / "trace", 2)
    assert (trace.kind.tolist(), trace.ranges) == (["move", "raise"] * 2, ((0.0, 1.0), (9.0, 13.0)))
    assert trace.x.tolist() == [[0.03, 9.0], [0.03, 9.0], [0.02, 11.0], [0.02, 11.0]]


def test_a_population_is_made_and_looked_at(spark: SparkSession, tmp_path: Path, command: Command) -> None:
    options = ("--distribution", "clustered", "--count", "500", "--seed", "3", "--out", "population")
    made = command("population", *options, "--master", "local[2]")
    assert made.returncode == 0, made.stderr
    assert "rows       500 clustered, seed 3" in made.stdout
    held = read_population(tmp_path / "population")
    seen = command("population", "population")
    assert seen.returncode == 0, seen.stderr
    assert f"l          mean {held.l.mean():.4f}" in seen.stdout


def test_a_population_in_one_and_a_half_dimensions_is_looked_at(spark: SparkSession, tmp_path: Path) -> None:
    write_population(spark, PopulationSpec("dataset-2", 200, 3, dimensions=1.5), tmp_path / "population")
    spec, *columns = inspect_population(tmp_path / "population")
    assert '"distribution": "dataset-2"' in spec
    assert [line.split()[0] for line in columns] == ["l1", "r1", "r2", "r1"]


def test_a_population_of_disks_is_made_and_looked_at(spark: SparkSession, tmp_path: Path, command: Command) -> None:
    options = ("--distribution", "disks", "--dimensions", "2", "--count", "300", "--out", "population")
    made = command("population", *options, "--master", "local[2]")
    assert made.returncode == 0, made.stderr
    assert "rows       300 disks in 2 dimensions, seed 1" in made.stdout
    held = read_population(tmp_path / "population")
    assert (held.r.shape, str(held.form)) == ((300, 3), "disks in 2 dimensions (x1, x2, radius)")
    spec, *columns = inspect_population(tmp_path / "population")
    assert '"dimensions": 2' in spec
    assert [line.split()[0] for line in columns] == ["x1", "x2", "radius"]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("events", "--out", "x"), "give either a history or --stocks"),
        (("events", "h.csv", "--stocks", "--out", "x"), "give either a history or --stocks"),
        (("events", "--stocks", "--x", "a", "--fixed-x", "--out", "x"), "remove --x, --fixed-x"),
        (("events", "h.csv", "--object", "a", "--out", "x"), "--time, --x, --y must name a column of h.csv"),
        (("events", "h.csv", *COLUMNS, "--gone-after", "3", "--out", "x"), "--gone-after 3: must be a duration"),
        (("events", "h.csv", *COLUMNS, "--x-range", "2:1", "--out", "x"), "--x-range 2:1: must be LOW:HIGH"),
        (
            ("events", "h.csv", *COLUMNS, "--x", "yield", "--out", "x"),
            "--x must name 1 to 3 columns, each once",
        ),
        (
            ("events", "h.csv", *COLUMNS, *("--x-range", "0:1") * 2, "--out", "x"),
            "--x-range must be two finite",
        ),
        (("events", "h.csv", *COLUMNS, "--master", "nowhere", "--out", "x"), "the master must be"),
        (("events", "h.csv", *COLUMNS), "Missing option"),
        (("population",), "give either --out, to make a population, or the directory of one"),
        (("population", "nowhere"), "nowhere is not a population (no such directory)"),
        (("population", "--distribution", "zipf", "--out", "x"), "--distribution zipf: must be one of"),
        (
            ("population", "--dimensions", "4", "--out", "x"),
            "--dimensions 4: must be one of 1, 1.5, 2, 2.5, 3; choose",
        ),
        (
            ("population", "--distribution", "disks", "--dimensions", "3", "--out", "x"),
            "--distribution disks: must be one of uniform, squares, halfspaces in 3 dimensions; choose one of them",
        ),
        (("population", "--with", "none.py", "--out", "x"), "--with none.py: must be a Python file that exists"),
        (("population", "--count", "0", "--out", "x"), "count must be between 1 and 2^40 - 1, got 0"),
    ],
)
def test_a_mistake_is_one_line_and_nothing_is_made(
    tmp_path: Path, command: Command, arguments: tuple[str, ...], line: str
) -> None:
    ended = command(*arguments)
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (2, "", 1), ended.stderr
    assert line in ended.stderr
    assert list(tmp_path.iterdir()) == []
