"""Populations and objects over several attributes on disk and in memory: order, columns, forms, ranges."""

from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as sf

import pipeline.populations
from pipeline import (
    Form,
    ObjectSpec,
    PipelineError,
    PopulationSpec,
    form_of,
    object_file,
    object_path,
    objects,
    population,
    population_frame,
    population_path,
    population_spec,
    read_objects,
    read_population,
    spread_ends,
    write_population,
)
from pipeline.curve_order import curve
from tests.simulator.one_line import told_in_one_line
from tests.some_cases import some

Floats = npt.NDArray[np.float64]
OPEN = -np.finfo(np.float64).max
SPECS = [
    PopulationSpec("uniform", 900, 3, dimensions=1.5),
    PopulationSpec("uniform", 900, 3, dimensions=2),
    PopulationSpec("squares", 900, 3, dimensions=2.5),
    PopulationSpec("uniform", 900, 3, dimensions=3),
    PopulationSpec("dataset-3", 900, 3, {"objects": 200}, 1.5),
    PopulationSpec("halfspaces", 900, 3, dimensions=3),
    PopulationSpec("disks", 900, 3, dimensions=2),
]


def z_order(cells: list[int], bits: int) -> int:
    """Bits of the cells in turn, those of the first at the lowest places."""
    return sum((cell >> bit & 1) << (bit * len(cells) + at) for at, cell in enumerate(cells) for bit in range(bits))


@pytest.mark.parametrize(("axes", "bits"), [(2, 16), (3, 14), (4, 15), (5, 9), (6, 10)])
def test_curve(spark: SparkSession, axes: int, bits: int) -> None:
    points = np.vstack((np.zeros(axes), np.ones(axes), np.random.default_rng(1).random((60, axes))))
    names = [f"c{at}" for at in range(axes)]
    frame = spark.createDataFrame(points.tolist(), ", ".join(f"{name} double" for name in names))
    found = [row["z"] for row in frame.select(curve(*map(sf.col, names), bits=bits).alias("z")).collect()]
    cells = np.minimum(np.floor(points * 2**bits), 2**bits - 1).astype(int)
    assert found == [z_order(row, bits) for row in cells.tolist()]


@pytest.mark.parametrize(
    "spec",
    some(SPECS, lambda spec: spec.distribution in ("squares", "dataset-3", "disks")),
    ids=lambda spec: f"{spec.distribution}-{spec.dimensions}",
)
def test_read_gives_back_the_rows_whatever_the_files(
    spec: PopulationSpec, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = population(lambda: spark, spec, tmp_path)
    monkeypatch.setattr(pipeline.populations, "ROWS_PER_FILE", 200)
    write_population(spark, spec, tmp_path / "many")
    assert len(list((tmp_path / "many").glob("*.parquet"))) == 5
    read, many = read_population(one), read_population(tmp_path / "many", spec.form)
    assert read.spec == many.spec == population_spec(one) == spec
    for name in ("id", "l", "r", "location"):
        assert np.array_equal(getattr(read, name), getattr(many, name))
    table = population_frame(spark, spec).toArrow().sort_by("id").to_pydict()
    by_id = np.argsort(read.id)
    assert read.location[by_id].tolist() == table["location"]
    if spec.form.shape == "boxes":
        assert read.l.shape == read.r.shape == (900, spec.form.attributes)
        for j in range(1, spec.form.attributes + 1):
            assert read.l[by_id, j - 1].tolist() == table.get(f"l{j}", [OPEN] * 900)
            assert read.r[by_id, j - 1].tolist() == table[f"r{j}"]
    else:
        assert read.r.shape == (900, 3)
        assert (read.l == OPEN).all()
        if spec.distribution == "disks":
            table["radius"] = [
                a * a + b * b - r * r for a, b, r in zip(table["x1"], table["x2"], table["radius"], strict=True)
            ]
        assert read.r[by_id].T.tolist() == [table[name] for name in spec.form.columns]
    # Rows that lie together are together: neighbours on disk are much nearer than any two.
    near = np.abs(np.diff(read.r, axis=0)).mean(axis=0)
    assert np.all(near < 0.6 * np.abs(read.r[:-1] - read.r[np.random.default_rng(1).permutation(899)]).mean(axis=0))


def test_a_population_of_another_form_is_refused_in_one_line(spark: SparkSession, tmp_path: Path) -> None:
    for spec in (SPECS[0], PopulationSpec("uniform", 10, 1), SPECS[-1]):
        write_population(spark, spec, tmp_path / f"{spec.distribution}-{spec.dimensions}")
    for name, form, line in (
        ("uniform-1.5", Form(), "holds boxes in 1.5 dimensions (l1, r1, r2), and the scenario asks for boxes in 1 "
         "dimension (l, r); bring another, or set dimensions = 1.5"),
        ("uniform-1.5", Form(2), "and the scenario asks for boxes in 2 dimensions (l1, r1, l2, r2); bring another"),
        ("uniform-1", Form(2), "holds boxes in 1 dimension (l, r), and the scenario asks for boxes in 2 dimensions"),
        ("disks-2", Form(2), "holds disks in 2 dimensions (x1, x2, radius), and the scenario asks for boxes in 2"),
    ):  # fmt: skip
        path = tmp_path / name
        told_in_one_line(partial(read_population, path, form), PipelineError, f"{path}: ", line)


def test_places_in_the_cache_differ_by_dimensions(tmp_path: Path) -> None:
    specs = [PopulationSpec("uniform", 10, 1, dimensions=one) for one in (1, 1.5, 2, 2.5, 3)]
    assert len({population_path(spec, tmp_path) for spec in specs}) == 5
    assert PopulationSpec("uniform", 10, 1, dimensions=2.0) == specs[2]
    kept = [object_path(ObjectSpec("uniform", 10, 1, one), tmp_path) for one in (1, 1.5, 2, 2.5, 3)]
    assert len(set(kept)) == 3
    assert kept[1] == kept[2]


def test_objects_are_kept_with_all_their_attributes(spark: SparkSession, tmp_path: Path) -> None:
    spec = ObjectSpec("clustered", 50, 3, 2.5)
    x, y = read_objects(object_file(lambda: spark, spec, tmp_path))
    made = objects(spark, spec)
    assert x.shape == (50, 3)
    assert np.array_equal(x, made[0])
    assert np.array_equal(y, made[1])


def test_boxes_are_laid_over_ranges() -> None:
    l, r = np.array([[0.5, OPEN], [0.0, OPEN]]), np.array([[1.0, 0.25], [0.5, 1.0]])
    ranges = ((10.0, 30.0), (-1.0, 1.0))
    assert spread_ends(l, ranges).tolist() == [[20.0, OPEN], [10.0, OPEN]]
    assert spread_ends(r, ranges).tolist() == [[30.0, -0.5], [20.0, 1.0]]
    assert spread_ends(r, (0.0, 4.0)).tolist() == [[4.0, 1.0], [2.0, 4.0]]
    assert spread_ends(r, (0.0, 1.0)).tolist() == r.tolist()


@pytest.mark.parametrize(("form", "ranges"), [
    (Form(2), ((10.0, 30.0), (-1.0, 1.0))),
    (Form(1.5), ((-4.0, 1.0), (0.0, 8.0))),
    (Form(2, "halfspaces"), ((10.0, 26.0), (-1.0, 7.0))),
    (Form(3, "halfspaces"), ((0.0, 2.0), (-1.0, 7.0), (5.0, 9.0))),
    (Form(2, "disks"), ((10.0, 30.0), (-1.0, 19.0))),
])  # fmt: skip
def test_what_is_laid_over_ranges_holds_the_objects_laid_over_them(
    form: Form, ranges: tuple[tuple[float, float], ...]
) -> None:
    """By the definitions, over eighths and powers of two, so that nothing is rounded."""
    rng = np.random.default_rng(2)
    columns = {name: rng.integers(0, 9, 300) / 8 for name in form.columns}
    for l, r in form.ends if form.shape == "boxes" else ():
        if l is not None:
            columns[l], columns[r] = np.minimum(columns[l], columns[r]), np.maximum(columns[l], columns[r])
    x = rng.integers(0, 9, (40, form.attributes)) / 8
    low, high = np.array(ranges).T
    before, after = (
        np.array(
            [[_holds(form, l, r, place) for place in places] for l, r in zip(*form.laid(columns, of), strict=True)]
        )
        for places, of in ((x, (0.0, 1.0)), (low + x * (high - low), ranges))
    )
    assert 0.05 < before.mean() < 0.95
    assert np.array_equal(before, after)


def _holds(form: Form, l: Floats, r: Floats, x: Floats) -> bool:
    if form.shape == "boxes":
        return bool(np.all(l <= x) and np.all(x <= r))
    if form.shape == "halfspaces":
        return bool(r[-1] + (r[:-1] * x[:-1]).sum() <= x[-1])
    return bool((x[0] - r[0]) ** 2 + (x[1] - r[1]) ** 2 <= r[0] ** 2 + r[1] ** 2 - r[2])


def test_forms_that_are_not_offered() -> None:
    for arguments, line in (
        ((4,), "dimensions must be one of 1, 1.5, 2, 2.5, 3, got 4"),
        ((3, "disks"), "dimensions must be 2 for disks, got 3"),
        ((2.5, "halfspaces"), "dimensions must be one of 2, 3 for halfspaces, got 2.5"),
        ((2, "balls"), "shape must be one of boxes, halfspaces, disks, got 'balls'"),
    ):
        told_in_one_line(partial(form_of, *arguments), ValueError, line, "")
