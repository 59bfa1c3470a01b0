"""Subscriptions from files: a population by another way, and one line for every row that cannot be."""

import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import pipeline.populations
from pipeline import (
    FileSpec,
    Form,
    PipelineError,
    PopulationSpec,
    SubscriptionFacts,
    own_population,
    own_population_path,
    population_frame,
    read_population,
    subscription_facts,
    write_population,
)
from tests.simulator.one_line import told_in_one_line

SPEC = PopulationSpec("clustered", 3000, 5)
OPEN = -np.finfo(np.float64).max


@pytest.fixture(scope="module")
def made(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made") / "population"
    write_population(spark, SPEC, path)
    return path


def no_spark() -> SparkSession:
    raise AssertionError("no Spark is needed")


def test_what_rangecast_made_is_used_as_it_is(made: Path, tmp_path: Path) -> None:
    facts = subscription_facts(made)
    assert (facts.rows, facts.made, facts.ranges) == (3000, True, ((0.0, 1.0),))
    assert own_population(no_spark, made, facts, 1, tmp_path) == made
    copy = tmp_path / "copy"
    shutil.copytree(made, copy)
    (copy / next(copy.glob("*.parquet")).name).rename(copy / "renamed.parquet")
    assert subscription_facts(copy).sha256 == facts.sha256
    (copy / "_SUCCESS").unlink()
    told_in_one_line(lambda: subscription_facts(copy), PipelineError, str(copy), "half-written or made by something")


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_table_of_a_population_gives_that_population(
    form: str, spark: SparkSession, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the order of the ids, from which places follow, or in the order of the files, with places."""
    monkeypatch.setattr(pipeline.populations, "ROWS_PER_FILE", 700)
    expected, path = read_population(made), tmp_path / f"table.{form}"
    table = population_frame(spark, SPEC).toArrow().sort_by("id").select(["r", "l"])
    if form == "csv":
        csv.write_csv(table, path)
    else:
        pq.write_table(table, path, row_group_size=500)
    facts = subscription_facts(path)
    assert facts == SubscriptionFacts(3000, facts.sha256, False, ((expected.l.min(), expected.r.max()),), False)
    kept = own_population(lambda: spark, path, facts, SPEC.seed, tmp_path / "cache")
    found = read_population(kept)
    assert found.spec == FileSpec(facts.sha256, 3000, SPEC.seed)
    for name in ("id", "l", "r", "location"):
        assert np.array_equal(getattr(found, name), getattr(expected, name))
    assert own_population(no_spark, path, facts, SPEC.seed, tmp_path / "cache") == kept
    assert own_population_path(facts, 6, tmp_path / "cache") != kept
    assert [one.name for one in (tmp_path / "cache").iterdir()] == [kept.name]


def test_places_of_a_file_are_the_same_with_every_seed(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "placed.csv"
    path.write_text("l,r,location\n5,7,0.25\n-3,11,0.5\n6,6,0\n", encoding="utf-8")
    facts = subscription_facts(path)
    assert facts == SubscriptionFacts(3, facts.sha256, False, ((-3.0, 11.0),), True)
    kept = own_population(lambda: spark, path, facts, 1, tmp_path / "cache")
    assert own_population(no_spark, path, facts, 2, tmp_path / "cache") == kept
    found = read_population(kept)
    by_id = np.argsort(found.id)
    assert found.l[by_id].tolist() == [5.0, -3.0, 6.0]
    assert found.r[by_id].tolist() == [7.0, 11.0, 6.0]
    assert found.location[by_id].tolist() == [0.25, 0.5, 0.0]
    told_in_one_line(lambda: subscription_facts(kept), PipelineError, str(kept), "give that file instead")


def test_rows_that_lie_together_are_together_on_disk_wherever_they_lie(spark: SparkSession, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    l = rng.random(4000) * 2e6 - 1e6
    r = l + rng.random(4000) * 1e5
    pq.write_table(pa.table({"l": l, "r": r}), tmp_path / "wide.parquet")
    facts = subscription_facts(tmp_path / "wide.parquet")
    found = read_population(own_population(lambda: spark, tmp_path / "wide.parquet", facts, 1, tmp_path / "cache"))
    assert np.abs(np.diff(found.l)).mean() < 0.1 * np.abs(np.diff(l)).mean()
    assert sorted(zip(found.l, found.r, strict=True)) == sorted(zip(l, r, strict=True))


def test_a_file_that_changes_is_another_one(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("l,r\n0,1\n", encoding="utf-8")
    before = subscription_facts(path)
    first = own_population(lambda: spark, path, before, 1, tmp_path / "cache")
    path.write_text("l,r\n0,2\n", encoding="utf-8")
    after = subscription_facts(path)
    assert after.sha256 != before.sha256
    assert read_population(own_population(lambda: spark, path, after, 1, tmp_path / "cache")).r.tolist() == [2.0]
    assert read_population(first).r.tolist() == [1.0]
    other = before._replace(sha256="0" * 64)
    told_in_one_line(
        lambda: own_population(lambda: spark, path, other, 1, tmp_path / "cache"),
        PipelineError, f"{path}: ", "changed while it was read; start again",
    )  # fmt: skip
    assert len(list((tmp_path / "cache").iterdir())) == 2


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        ("", "holds no subscriptions; add rows with l and r"),
        ("0,1\n0.5,0.25\n", "line 3: l = 0.5: must be at most r, which is 0.25; exchange them"),
        ("0,1\nnan,0.25\n", "line 3: l = nan: must be a finite number; mend or remove the row"),
        ("0,inf\n", "line 2: r = inf: must be a finite number"),
        ("0,1\n0,\n", "line 3: r is blank: must be a finite number"),
        ("0,x\n", "line 2: r = 'x': must be a number"),
    ],
)
def test_a_row_that_cannot_be_is_told_with_its_line(rows: str, line: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"l,r\n{rows}", encoding="utf-8")
    told_in_one_line(lambda: subscription_facts(path), PipelineError, f"{path}: {line}", "")


def test_places_that_cannot_be(tmp_path: Path) -> None:
    pq.write_table(pa.table({"l": [0.0], "r": [1.0], "location": [1.0]}), tmp_path / "t.parquet")
    line = "row 0: location = 1.0: must be at least 0 and below 1; mend it"
    told_in_one_line(lambda: subscription_facts(tmp_path / "t.parquet"), PipelineError, str(tmp_path), line)


BROUGHT = {
    "boxes": ("l1,r1,r2\n5,7,0.25\n-3,11,0.5\n6,6,-8\n", Form(1.5), ((-3.0, 11.0), (-8.0, 0.5))),
    "halfspaces": ("a2,a1\n5,7\n-3,11\n6,6\n", Form(2, "halfspaces"), ((6.0, 11.0), (-3.0, 6.0))),
    "disks": ("x1,x2,radius\n5,7,2\n-3,11,0\n6,6,1\n", Form(2, "disks"), ((-3.0, 6.0), (6.0, 11.0), (0.0, 2.0))),
}


@pytest.mark.parametrize("shape", BROUGHT)
def test_columns_say_what_subscriptions_are(shape: str, spark: SparkSession, tmp_path: Path) -> None:
    text, form, ranges = BROUGHT[shape]
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    facts = subscription_facts(path)
    assert facts == SubscriptionFacts(3, facts.sha256, False, ranges, False, form)
    kept = own_population(lambda: spark, path, facts, 1, tmp_path / "cache")
    found = read_population(kept, form)
    assert found.spec == FileSpec(facts.sha256, 3, 1, *form)
    l, r = found.l[np.argsort(found.id)], found.r[np.argsort(found.id)]
    if shape == "boxes":
        assert l.tolist() == [[5.0, OPEN], [-3.0, OPEN], [6.0, OPEN]]
        assert r.tolist() == [[7.0, 0.25], [11.0, 0.5], [6.0, -8.0]]
    else:
        assert (l == OPEN).all()
        lifted = [[5.0, 7.0, 70.0], [-3.0, 11.0, 130.0], [6.0, 6.0, 71.0]]
        assert r.tolist() == (lifted if shape == "disks" else [[7.0, 5.0], [11.0, -3.0], [6.0, 6.0]])


def test_boxes_that_lie_together_are_together_on_disk_wherever_they_lie(spark: SparkSession, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    l = rng.random((4000, 2)) * [2e6, 3e-4] - [1e6, 0]
    r = l + rng.random((4000, 2)) * [1e4, 1e-6]
    columns = {"l1": l[:, 0], "r1": r[:, 0], "l2": l[:, 1], "r2": r[:, 1]}
    pq.write_table(pa.table(columns), tmp_path / "wide.parquet")
    facts = subscription_facts(tmp_path / "wide.parquet")
    found = read_population(own_population(lambda: spark, tmp_path / "wide.parquet", facts, 1, tmp_path / "cache"))
    for j in range(2):
        assert np.abs(np.diff(found.l[:, j])).mean() < 0.15 * np.abs(np.diff(l[:, j])).mean()
    assert np.array_equal(found.r[np.argsort(found.id)], r)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "l1,r1,l2,r2\n0,1,0,1\n0,1,0.5,0.25\n",
            "line 3: l2 = 0.5: must be at most r2, which is 0.25; exchange them",
        ),
        ("l1,r1,r2\n2,1,0\n", "line 2: l1 = 2.0: must be at most r1, which is 1.0; exchange them"),
        ("l1,r1,l2,r2\n0,1,,1\n", "line 2: l2 is blank: must be a finite number"),
        ("l1,r1,r2\n0,1,\n", "line 2: r2 is blank: must be a finite number"),
        ("l1,r1,l2\n0,1,0\n", "lacks the column r2; it has l1, r1, l2"),
        ("r1,l2,r2\n0,1,0\n", "lacks the column l1; it has r1, l2, r2"),
        ("l1,r1,r2,r3\n0,1,0,1\n", "lacks the column l2; it has l1, r1, r2, r3"),
        ("l1,r1,l3,r3\n0,1,0,1\n", "lacks the columns l2, r2; it has l1, r1, l3, r3"),
        ("l1,r1,q\n0,1,0\n", "has the columns l1, r1: ranges over one attribute have l and r, and over several"),
        ("l1,r1,l2,r2,l3,r3,l4,r4\n", "has the columns l1, r1, l2, r2, l3, r3, l4, r4: dimensions must be one of 1,"),
        ("x1,x2,radius\n0,1,1\n0,1,-0.5\n", "line 3: radius = -0.5: must be at least 0; mend or remove the row"),
        ("x1,radius\n0,1\n", "lacks the column x2; it has x1, radius"),
        ("a1\n0\n", "has the columns a1: dimensions must be one of 2, 3 for halfspaces, got 1; mend them"),
        ("a1,a2\n0,inf\n", "line 2: a2 = inf: must be a finite number"),
        ("l1,r1,r2\n", "holds no subscriptions; add rows with l1, r1 and r2"),
    ],
)
def test_what_cannot_be_over_several_attributes_is_told_in_one_line(text: str, line: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    told_in_one_line(lambda: subscription_facts(path), PipelineError, f"{path}: {line}", "")


def test_a_population_of_several_attributes_is_used_as_it_is(spark: SparkSession, tmp_path: Path) -> None:
    for spec, ranges in (
        (PopulationSpec("dataset-1", 20, 1, dimensions=1.5), ((0.0, 1.0),) * 2),
        (PopulationSpec("disks", 9, 1, {"radius": 0.3}, 2), ((0.0, 1.0), (0.0, 1.0), (0.0, 0.3))),
    ):
        path = tmp_path / spec.distribution
        write_population(spark, spec, path)
        facts = subscription_facts(path)
        expected = SubscriptionFacts(spec.count, facts.sha256, True, ranges, True, spec.form)
        assert facts == expected
        assert own_population(no_spark, path, facts, 1, tmp_path / "cache") == path
