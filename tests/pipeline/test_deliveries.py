"""Deliveries counted on Spark against a plain count over the rows in memory."""

import dataclasses
import itertools
import shutil
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import pipeline.populations
from paint import MESSAGE, UNICAST
from pipeline import (
    PARTITION_COST,
    Form,
    PipelineError,
    Population,
    PopulationSpec,
    count_deliveries,
    count_kept,
    read_population,
    spread_ends,
    write_population,
)
from pipeline.deliveries import _count_units
from tests.oracles.topk import reaches

INF = np.inf
#: Four zones that cut S at l = 0.3 and r = 0.7.
ZONES = np.array(
    [[-INF, 0.3, -INF, 0.7], [-INF, 0.3, 0.7, INF], [0.3, INF, -INF, 0.7], [0.3, INF, 0.7, INF]], dtype=float
)


@pytest.fixture(scope="module")
def path(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("deliveries") / "population"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline.populations, "ROWS_PER_FILE", 1500)
        write_population(spark, PopulationSpec("clustered", 6000, 3, {"spread": 0.6}), directory)
    return directory


def random_messages(held: Population, count: int, seed: int) -> npt.NDArray[np.void]:
    """Messages with sides at the ends of subscriptions and elsewhere, some open, some that reach nobody."""
    rng = np.random.default_rng(seed)
    messages = np.zeros(count, MESSAGE)
    ends = np.sort(rng.choice(np.concatenate((held.l, held.r, rng.random(2000))), (count, 4)), axis=1)
    messages["l_out"], messages["l_in"], messages["r_in"], messages["r_out"] = ends.T
    messages["l_out"][rng.random(count) < 0.2] = -INF
    messages["r_out"][rng.random(count) < 0.2] = INF
    return messages


def test_counts_equal_those_in_memory(spark: SparkSession, path: Path) -> None:
    held = read_population(path)
    assert len(list(path.glob("*.parquet"))) == 4
    messages = random_messages(held, 200, 1)
    offsets = [0, 0, 50, 50, 199, 200, 200]
    counted = count_deliveries(spark, path, messages, offsets, ZONES)
    receivers = [reaches(message, held.l, held.r) for message in messages]
    expected = [int(each.sum()) for each in receivers]
    assert 0 in expected
    assert counted.per_message.tolist() == expected
    bounds = list(itertools.pairwise(offsets))
    assert counted.per_event.tolist() == [sum(expected[a:b]) for a, b in bounds]
    zone = np.where(held.l <= 0.3, 0, 2) + (held.r >= 0.7)
    by_zone = np.array([np.bincount(zone[each], minlength=4) for each in receivers]).sum(axis=0)
    assert counted.per_zone.tolist() == by_zone.tolist()
    assert counted.costs.dtype == PARTITION_COST
    assert counted.costs["rows"].sum() == 6000


def test_without_zones_messages_or_events(spark: SparkSession, path: Path) -> None:
    messages = random_messages(read_population(path), 5, 2)
    counted = count_deliveries(spark, path, messages, [0, 5])
    assert counted.per_zone.shape == (0,)
    assert counted.per_event.tolist() == [counted.per_message.sum()]
    nothing = count_deliveries(spark, path, messages[:0], [0, 0], ZONES)
    assert (nothing.per_message.tolist(), nothing.per_event.tolist()) == ([], [0])
    assert nothing.per_zone.tolist() == [0, 0, 0, 0]


def test_ends_are_laid_over_a_range(spark: SparkSession, path: Path) -> None:
    held, x_range = read_population(path), (-3.0, 7.5)
    spread = dataclasses.replace(held, l=spread_ends(held.l, x_range), r=spread_ends(held.r, x_range))
    assert spread_ends(np.array([0.0, 0.5, 1.0]), x_range).tolist() == [-3.0, 2.25, 7.5]
    messages = random_messages(spread, 50, 4)
    counted = count_deliveries(spark, path, messages, [0, 50], x_range=x_range)
    expected = [int(reaches(message, spread.l, spread.r).sum()) for message in messages]
    assert max(expected) > 0
    assert counted.per_message.tolist() == expected


def test_kept_objects_are_counted(spark: SparkSession, path: Path) -> None:
    held, x_range = read_population(path), (1.0, 5.0)
    x = np.round(1 + 4 * np.random.default_rng(5).random(60), 1)
    l, r = spread_ends(held.l, x_range), spread_ends(held.r, x_range)
    inside = ((l[:, None] <= x) & (x <= r[:, None])).sum(axis=1)
    expected = [int(np.minimum(inside, limit).sum()) for limit in (5, 60)]
    assert count_kept(spark, path, x, (5, 60), x_range) == expected


def test_a_task_adds_up_several_row_groups(path: Path, tmp_path: Path) -> None:
    file = next(path.glob("*.parquet"))
    pq.write_table(pq.read_table(file), tmp_path / "cut.parquet", row_group_size=100)
    groups = pq.ParquetFile(tmp_path / "cut.parquet").num_row_groups

    class Everything:
        value = (np.array([[0.0, 1.0, 0.0, 1.0]]), np.array([[0.0, 1.0, 0.0, 1.0], [2.0, 3.0, 2.0, 3.0]]))

    units = [(str(tmp_path / "cut.parquet"), group) for group in range(groups)]
    (sums,) = _count_units(units, Everything(), Form(), (0.0, 1.0))  # type: ignore[arg-type]
    rows = pq.read_metadata(file).num_rows
    assert (sums.per_message.tolist(), sums.per_zone.tolist()) == ([rows], [rows, 0])
    assert sums.costs["rows"].tolist()[:-1] == [100] * (groups - 1)


def test_what_is_refused(spark: SparkSession, path: Path, tmp_path: Path) -> None:
    messages = np.zeros(2, MESSAGE)
    with pytest.raises(TypeError, match=r"messages must be an array of paint\.MESSAGE, got \[\('subscription'"):
        count_deliveries(spark, path, np.zeros(2, UNICAST), [0, 2])
    with pytest.raises(TypeError, match="offsets must be integers, got float64"):
        count_deliveries(spark, path, messages, [0.0, 2.0])
    for offsets in ([0, 1], [1, 2], [0, 2, 1, 2], []):
        with pytest.raises((ValueError, TypeError), match="offsets must"):
            count_deliveries(spark, path, messages, offsets)
    with pytest.raises(ValueError, match=r"zones must have the shape \(zones, 4\).*got \(3,\)"):
        count_deliveries(spark, path, messages, [0, 2], [1.0, 2.0, 3.0])
    with pytest.raises(PipelineError, match="no such directory"):
        count_deliveries(spark, tmp_path / "absent", messages, [0, 2])


def test_a_file_that_breaks_off_is_told_in_one_line(spark: SparkSession, path: Path, tmp_path: Path) -> None:
    shutil.copytree(path, tmp_path / "broken")
    part = next((tmp_path / "broken").glob("*.parquet"))
    whole = part.read_bytes()
    part.write_bytes(whole[:100] + b"\0" * (len(whole) - 4100) + whole[-4000:])
    with pytest.raises(PipelineError, match=r"^Spark could not count deliveries to [^\n]*broken: OSError: [^\n]+$"):
        count_deliveries(spark, tmp_path / "broken", np.zeros(1, MESSAGE), [0, 1])
