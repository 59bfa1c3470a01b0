"""Distributions of somebody else's: checked row by row, and made anew when their file changes."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from pipeline import (
    DISTRIBUTIONS,
    OBJECT_DISTRIBUTIONS,
    ObjectSpec,
    PipelineError,
    PopulationSpec,
    object_path,
    objects,
    population,
    population_path,
    read_population,
)
from tests.simulator.one_line import told_in_one_line


def ends(l: str, r: str, where: str = "true") -> Callable[[DataFrame, int], DataFrame]:
    return lambda rows, _: rows.where(where).withColumns({"l": sf.expr(l), "r": sf.expr(r)})


def failing(rows: DataFrame, seed: int) -> DataFrame:
    raise KeyError("no such\nthing")


def nothing(rows: DataFrame, seed: int) -> None:
    del rows, seed


RULE = "and the rule is 0 <= l and l <= r and r <= 1; mend it"


@pytest.mark.parametrize(
    ("distribution", "start", "rule"),
    [
        (failing, "distribution mine: fails with KeyError: ", "mend the file that registers it"),
        (nothing, "distribution mine: must give back the rows with l, r added", "and gave NoneType; mend it"),
        (lambda rows, _: rows, "distribution mine: must give back the rows with l, r", "gave columns id; mend it"),
        (lambda rows, _: rows.withColumn("l", sf.col("m")), "distribution mine: fails with AnalysisException", ""),
        (ends("0.5", "if(id = 7, 0.25, 0.75)"), "distribution mine: id 7 has", f" l = 0.5 r = 0.25, {RULE}"),
        (ends("0.5", "if(id = 7, double('nan'), 1)"), "distribution mine: id 7 has", f" l = 0.5 r = NaN, {RULE}"),
        (ends("if(id = 7, null, 0)", "1"), "distribution mine: id 7 has", f" l = null r = 1.0, {RULE}"),
        (ends("least(id - 1, 0)", "1"), "distribution mine: id 0 has", f" l = -1.0 r = 1.0, {RULE}"),
        (ends("0", "1", "id > 3"), "6 rows were made for 10 ids", "one for each"),
    ],
)  # fmt: skip
def test_what_is_no_distribution_is_told_in_one_line_and_leaves_nothing(
    distribution: Any, start: str, rule: str, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(DISTRIBUTIONS, "mine", distribution)
    spec = PopulationSpec("mine", 10, 1)
    told_in_one_line(lambda: population(lambda: spark, spec, tmp_path), PipelineError, start, rule)
    assert list(tmp_path.iterdir()) == []


def test_objects_may_have_a_y_of_their_own(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(OBJECT_DISTRIBUTIONS, "line", lambda rows, _: rows.withColumn("x", sf.col("id") / 4))
    plain = objects(spark, ObjectSpec("uniform", 4, 3))
    x, y = objects(spark, ObjectSpec("line", 4, 3))
    assert x.tolist() == [0.0, 0.25, 0.5, 0.75]
    assert np.array_equal(y, plain[1])
    both = OBJECT_DISTRIBUTIONS["line"]
    monkeypatch.setitem(
        OBJECT_DISTRIBUTIONS, "both", lambda rows, seed: both(rows, seed).withColumn("y", sf.col("id") / 8)
    )
    assert objects(spark, ObjectSpec("both", 4, 3))[1].tolist() == [0.0, 0.125, 0.25, 0.375]
    start, rule = "distribution both: id 5 has x = 1.25 y = 0.625", "0 <= x and x <= 1 and 0 <= y and y < 1; mend it"
    told_in_one_line(lambda: objects(spark, ObjectSpec("both", 6, 3)), PipelineError, start, rule)
    monkeypatch.setitem(OBJECT_DISTRIBUTIONS, "few", lambda rows, seed: both(rows.where("id > 0"), seed))
    told_in_one_line(lambda: objects(spark, ObjectSpec("few", 3, 1)), PipelineError, "2 rows were made for 3 ids", "")


SOURCE = """
from pyspark.sql import functions as sf

WIDTH = 0.5

def mine(rows, seed):
    return rows.withColumns({"l": sf.lit(0.0), "r": sf.lit(WIDTH)})
"""


def test_an_edit_anywhere_in_the_file_makes_the_population_anew(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A constant or a function beside the distribution counts too; what is ours keeps its place."""
    made: list[Path] = []
    for number, width in enumerate(("0.5", "0.25")):
        file = tmp_path / f"mine{number}.py"
        file.write_text(SOURCE.replace("0.5", width), encoding="utf-8")
        about = importlib.util.spec_from_file_location(f"mine{number}", file)
        assert about is not None
        assert about.loader is not None
        module = importlib.util.module_from_spec(about)
        monkeypatch.setitem(sys.modules, f"mine{number}", module)
        about.loader.exec_module(module)
        monkeypatch.setitem(DISTRIBUTIONS, "mine", module.mine)
        monkeypatch.setitem(OBJECT_DISTRIBUTIONS, "mine", module.mine)
        spec = PopulationSpec("mine", 3, 1)
        made.append(population(lambda: spark, spec, tmp_path / "cache"))
        assert made[-1] == population_path(spec, tmp_path / "cache")
        made.append(object_path(ObjectSpec("mine", 3, 1), tmp_path / "cache"))
    assert len(set(made)) == 4
    assert [read_population(made[at]).r.tolist() for at in (0, 2)] == [[0.5] * 3, [0.25] * 3]
    monkeypatch.delitem(DISTRIBUTIONS, "mine")
    told_in_one_line(lambda: read_population(made[0]), PipelineError, str(made[0]), "bring that by --with FILE")
