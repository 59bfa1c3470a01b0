"""Deliveries over several attributes counted on Spark against a plain count over the rows in memory."""

import itertools
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from pyspark.sql import SparkSession

import pipeline.populations
from paint import MESSAGE
from paint.messages import message_of
from pipeline import (
    Population,
    PopulationSpec,
    count_deliveries,
    count_kept,
    read_population,
    write_population,
)
from tests.oracles.topk import reaches
from tests.simulator.one_line import told_in_one_line

INF = np.inf
SPECS = [
    PopulationSpec("uniform", 1500, 3, dimensions=1.5),
    PopulationSpec("squares", 1500, 3, {"size": 0.4}, 2),
    PopulationSpec("uniform", 1500, 3, dimensions=3),
    PopulationSpec("disks", 1500, 3, dimensions=2),
]


@pytest.fixture(scope="module")
def paths(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> dict[PopulationSpec, Path]:
    place = tmp_path_factory.mktemp("deliveries")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline.populations, "ROWS_PER_FILE", 400)
        for at, spec in enumerate(SPECS):
            write_population(spark, spec, place / str(at))
    return {spec: place / str(at) for at, spec in enumerate(SPECS)}


def random_messages(held: Population, count: int, seed: int) -> npt.NDArray[np.void]:
    """Messages with sides at the ends of subscriptions and elsewhere, some open, some that reach nobody."""
    rng = np.random.default_rng(seed)
    wide = held.r.shape[1]
    messages = np.zeros(count, message_of(wide))
    for j in range(wide):
        rim = np.concatenate((held.r[:, j], held.l[:, j][held.l[:, j] > -1e300], rng.random(300)))
        ends = np.sort(rng.choice(rim, (count, 4)), axis=1)
        messages["l_out"][:, j], messages["l_in"][:, j], messages["r_in"][:, j], messages["r_out"][:, j] = ends.T
        if (held.l[:, j] < -1e300).all():
            messages["l_out"][:, j], messages["l_in"][:, j] = -INF, INF
    for name, value in (("l_out", -INF), ("r_out", INF)):
        messages[name][rng.random((count, wide)) < 0.7] = value
    messages["l_in"][rng.random((count, wide)) < 0.5] = INF
    messages["r_in"][rng.random((count, wide)) < 0.5] = -INF
    messages["r_in"][-1] = messages["r_out"][-1] = 0.5  # holds nothing
    return messages


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: f"{spec.distribution}-{spec.dimensions}")
@pytest.mark.parametrize("stretched", [False, True])
def test_counts_equal_those_in_memory(
    spec: PopulationSpec, stretched: bool, spark: SparkSession, paths: dict[PopulationSpec, Path]
) -> None:
    x_range = [(-3.0, 7.5), (10.0, 12.0), (0.0, 0.1)][: spec.form.attributes] if stretched else (0.0, 1.0)
    held = read_population(paths[spec], spec.form, x_range)
    messages, offsets = random_messages(held, 60, 1), [0, 0, 25, 25, 60]
    # The first side, and the last, cut where half of the subscriptions are on either side.
    sides = held.form.sides
    u = np.where(sides.sign < 0, -held.l[:, sides.attribute], held.r[:, sides.attribute])
    middle = np.median(u, axis=0)
    zones = np.array([[[-INF] * u.shape[1], [INF] * u.shape[1]]] * 4)
    zones[:2, 1, 0] = zones[2:, 0, 0] = middle[0]
    zones[::2, 1, -1] = zones[1::2, 0, -1] = middle[-1]
    counted = count_deliveries(spark, paths[spec], messages, offsets, zones, x_range)
    receivers = [reaches(message, held.l, held.r) for message in messages]
    expected = [int(each.sum()) for each in receivers]
    assert 0 in expected
    assert max(expected) > 100
    assert counted.per_message.tolist() == expected
    assert counted.per_event.tolist() == [sum(expected[a:b]) for a, b in itertools.pairwise(offsets)]
    zone = 2 * (u[:, 0] >= middle[0]) + (u[:, -1] >= middle[-1])
    by_zone = np.array([np.bincount(zone[each], minlength=4) for each in receivers]).sum(axis=0)
    assert min(by_zone) > 0
    assert counted.per_zone.tolist() == by_zone.tolist()
    assert counted.costs["rows"].sum() == 1500
    assert len(counted.costs) == 4


@pytest.mark.parametrize("spec", SPECS[:3], ids=lambda spec: f"{spec.distribution}-{spec.dimensions}")
def test_kept_objects_are_counted(
    spec: PopulationSpec, spark: SparkSession, paths: dict[PopulationSpec, Path]
) -> None:
    x_range = (1.0, 5.0)
    held = read_population(paths[spec], x_range=x_range)
    x = np.round(1 + 4 * np.random.default_rng(5).random((60, spec.form.attributes)), 1)
    inside = ((held.l[:, None] <= x) & (x <= held.r[:, None])).all(axis=2).sum(axis=1)
    expected = [int(np.minimum(inside, limit).sum()) for limit in (5, 60)]
    assert expected[0] < expected[1]
    assert count_kept(spark, paths[spec], x, (5, 60), x_range) == expected


def test_kept_objects_are_counted_in_disks(spark: SparkSession, paths: dict[PopulationSpec, Path]) -> None:
    x_range = (1.0, 5.0)
    held = read_population(paths[SPECS[-1]], x_range=x_range)
    x = 1 + 4 * np.random.default_rng(5).random((60, 2))
    square = (held.r[:, :2] ** 2).sum(axis=1) - held.r[:, 2]
    inside = (((held.r[:, None, :2] - x) ** 2).sum(axis=2) <= square[:, None]).sum(axis=1)
    expected = [int(np.minimum(inside, limit).sum()) for limit in (2, 60)]
    assert 0 < expected[0] < expected[1]
    assert count_kept(spark, paths[SPECS[-1]], x, (2, 60), x_range) == expected


def test_what_is_refused(spark: SparkSession, paths: dict[PopulationSpec, Path]) -> None:
    narrow, flat, *_, disks = (paths[spec] for spec in SPECS)
    one, two = np.zeros(2, MESSAGE), np.zeros(2, message_of(2))
    for population, messages, line in (
        (flat, one, "messages must be an array of messages with ranges of 2 numbers, for boxes in 2 dimensions"),
        (disks, two, "messages must be an array of messages with ranges of 3 numbers, for disks in 2 dimensions"),
    ):
        told_in_one_line(partial(count_deliveries, spark, population, messages, [0, 2]), TypeError, line, "got ")
    line = "zones must have the shape (zones, 2, 3), lo and hi of every side, got (1, 4)"
    told_in_one_line(
        lambda: count_deliveries(spark, narrow, two, [0, 2], [[0.0, 1.0, 0.0, 1.0]]), ValueError, line, ""
    )
    line = "x must have a column for each of 2 attributes, got (3,)"
    told_in_one_line(lambda: count_kept(spark, flat, [1.0, 2.0, 3.0], (1,)), ValueError, line, "")
