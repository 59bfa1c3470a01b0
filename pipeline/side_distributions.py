"""Where subscriptions and objects over several attributes lie, from hashes as in `pipeline.distributions`.

A distribution is one function from a DataFrame with the column `id`, a seed and the dimensions to a DataFrame with
the columns of `pipeline.attributes.Form` added (in `SIDE_DISTRIBUTIONS`), or from a DataFrame, a seed and the number
of attributes to one with x1 to xd, and y if it likes (in `SIDE_OBJECT_DISTRIBUTIONS`). Keyword-only arguments, all
with defaults, are its parameters. Domains are [0, 1] of every attribute; the first attribute of `uniform` boxes and
objects has the values of one dimension.

The three datasets are those of the paper's Appendix D.3, in 1.5 dimensions. In the second and third a subscription
begins anywhere and is just as wide as it takes to cover 1,000 or 100 objects, so these follow from the objects, the
`uniform` ones of the same seed; where fewer are left to the right, r1 is the end of the domain, 1.
"""

from collections.abc import Callable, Mapping

import numpy as np
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from pipeline.attributes import SHAPES, UNIT, Form, Range, x_names
from pipeline.distributions import CLUSTERS, STREAMS, WIDTH, standard_normals, uniform_column
from pipeline.errors import spark_errors

__all__ = [
    "SIDE_DISTRIBUTIONS",
    "SIDE_OBJECT_DISTRIBUTIONS",
    "check_parameters",
    "curve_frames",
    "distribution_dimensions",
    "distribution_shape",
    "objects_covered",
]

_ENDS = ("ends", "ends of 2", "ends of 3")
_OBJECT_X = ("object x", "object x2", "object x3")
_COVERED = {"dataset-2": 1000, "dataset-3": 100}
_DATASETS = ("dataset-1", *_COVERED)


def uniform_boxes(rows: DataFrame, seed: int, dimensions: float) -> DataFrame:
    """Boxes with two uniforms, sorted, for each attribute; one for an attribute without a left end."""
    ends: dict[str, Column] = {}
    for (left, right), purpose in zip(Form(dimensions).ends, _ENDS, strict=False):
        one, other = (uniform_column(seed, STREAMS[purpose] + at) for at in range(2))
        ends |= {right: one} if left is None else {left: sf.least(one, other), right: sf.greatest(one, other)}
    return rows.withColumns(ends)


def squares(rows: DataFrame, seed: int, dimensions: float, *, size: float = 0.1) -> DataFrame:
    """Squares, or cubes, of one size about uniform points: near neighbours.

    What lies beyond the domain is cut off. An attribute without a left end reaches half the size beyond the point.
    """
    ends: dict[str, Column] = {}
    for at, (left, right) in enumerate(Form(dimensions).ends):
        point = uniform_column(seed, STREAMS["points"] + at)
        ends[right] = sf.least(point + sf.lit(size / 2), sf.lit(1.0))
        if left is not None:
            ends[left] = sf.greatest(point - sf.lit(size / 2), sf.lit(0.0))
    return rows.withColumns(ends)


def halfspaces(rows: DataFrame, seed: int, dimensions: float, *, slope: float = 1.0) -> DataFrame:
    """Halfspaces x_d >= a1 x_1 + ... + a_d through uniform points, every slope uniform from -`slope` to `slope`."""
    *names, last = Form(dimensions, "halfspaces").columns
    points = [uniform_column(seed, STREAMS["points"] + at) for at in range(len(names) + 1)]
    tilts = [
        (uniform_column(seed, STREAMS["slopes"] + at) * 2 - sf.lit(1.0)) * sf.lit(slope) for at in range(len(names))
    ]
    rows = rows.withColumns(dict(zip(names, tilts, strict=True)))
    rest = points[-1]
    for name, point in zip(names, points, strict=False):
        rest = rest - sf.col(name) * point
    return rows.withColumn(last, rest)


def disks(rows: DataFrame, seed: int, dimensions: float, *, radius: float = 0.2) -> DataFrame:
    """Disks about uniform points; their radii are uniform from 0 to `radius`."""
    del dimensions  # they are flat
    centre = {name: uniform_column(seed, STREAMS["points"] + at) for at, name in enumerate(x_names(2))}
    return rows.withColumns({**centre, "radius": uniform_column(seed, STREAMS["radii"]) * sf.lit(radius)})


def dataset_2(rows: DataFrame, seed: int, dimensions: float, *, objects: float = 10_000) -> DataFrame:
    """Ranges of 1.5 dimensions that cover 1,000 of so many `objects` in x1; r2 is uniform."""
    del dimensions
    return _covering(rows, seed, int(objects), objects_covered("dataset-2"))


def dataset_3(rows: DataFrame, seed: int, dimensions: float, *, objects: float = 10_000) -> DataFrame:
    """Ranges of 1.5 dimensions that cover 100 of so many `objects` in x1; r2 is uniform."""
    del dimensions
    return _covering(rows, seed, int(objects), objects_covered("dataset-3"))


def _covering(rows: DataFrame, seed: int, objects: int, covered: int) -> DataFrame:
    """Left ends uniform, right ends at the `covered`-th object from there.

    SQL has no binary search: objects are listed by cell of a grid with about one object per cell, so that the rank of
    a left end is the rank at its cell and a look at the few objects inside.
    """
    spark = rows.sparkSession
    with spark_errors(f"make {objects} objects"):
        made = uniform_objects(spark.range(objects), seed, 1).select("x").toArrow()
    x = np.sort(made["x"].to_numpy())
    edges = np.searchsorted(np.floor(x * objects), np.arange(objects + 1))
    cells = [(cell, int(edges[cell]), x[edges[cell] : edges[cell + 1]].tolist()) for cell in range(objects)]
    grid = spark.createDataFrame(cells, "cell long, before long, inside array<double>")
    ends = spark.createDataFrame([(rank, value) for rank, value in enumerate(x.tolist())], "rank long, r1 double")
    rows = rows.withColumn("l1", uniform_column(seed, STREAMS["ends"]))
    rows = rows.withColumn("cell", sf.floor(sf.col("l1") * objects)).join(sf.broadcast(grid), "cell")
    smaller = sf.size(sf.filter("inside", lambda value: value < sf.col("l1")))
    rows = rows.withColumn("rank", sf.col("before") + smaller + (covered - 1))
    rows = rows.join(sf.broadcast(ends), "rank", "left").withColumn("r1", sf.coalesce("r1", sf.lit(1.0)))
    return rows.withColumn("r2", uniform_column(seed, STREAMS["ends of 2"]))


def uniform_objects(rows: DataFrame, seed: int, attributes: int) -> DataFrame:
    """Objects with every x uniform in [0, 1)."""
    streams = zip(x_names(attributes), _OBJECT_X, strict=False)
    return rows.withColumns({name: uniform_column(seed, STREAMS[purpose]) for name, purpose in streams})


def clustered_objects(rows: DataFrame, seed: int, attributes: int) -> DataFrame:
    """Objects in ten equal Gaussian clusters, in x1 those of one dimension.

    In every attribute the centres cut [0, 1] into eleven segments of width w, and the standard deviation is w/8. The
    cluster that is the c-th in one attribute is the one of rank 3c modulo 11 in the next: no two are the same in any.
    """
    normals = [*standard_normals(seed, STREAMS["object normals"])]
    normals += standard_normals(seed, STREAMS["object normals of 3"])
    place, x = sf.col("id") % CLUSTERS + 1, {}
    for name, normal in zip(x_names(attributes), normals, strict=False):
        value = place * sf.lit(WIDTH) + sf.lit(WIDTH / 8) * normal
        x[name] = sf.greatest(sf.lit(0.0), sf.least(sf.lit(1.0), value))
        place = place * 3 % (CLUSTERS + 1)
    return rows.withColumns(x)


#: Distributions of subscriptions over several attributes by name; put a function of your own in to use it in a spec.
SIDE_DISTRIBUTIONS: dict[str, Callable[..., DataFrame]] = {
    "uniform": uniform_boxes,
    "squares": squares,
    "halfspaces": halfspaces,
    "disks": disks,
    "dataset-1": uniform_boxes,
    "dataset-2": dataset_2,
    "dataset-3": dataset_3,
}

#: Distributions of objects with several attributes by name.
SIDE_OBJECT_DISTRIBUTIONS: dict[str, Callable[..., DataFrame]] = {
    "uniform": uniform_objects,
    "clustered": clustered_objects,
}


def distribution_shape(name: str) -> str:
    """What the subscriptions of a distribution are."""
    return name if name in SHAPES else "boxes"


def distribution_dimensions(name: str) -> tuple[float, ...]:
    """In which dimensions beyond one a distribution of `SIDE_DISTRIBUTIONS` is offered."""
    offered = (1.5,) if name in _DATASETS else SHAPES[distribution_shape(name)]
    return tuple(one for one in offered if one > 1)


def objects_covered(name: str) -> int:
    """How many of the `uniform` objects each subscription of a distribution covers; 0 if it pays them no heed."""
    return _COVERED.get(name, 0)


def check_parameters(name: str, parameters: Mapping[str, float]) -> None:
    """Refuse values of parameters that a distribution of ours cannot do with, numbers above 0 though they are.

    Raises
    ------
    ValueError
        One line: name, rule and value.
    """
    covered, objects = objects_covered(name), parameters.get("objects", 0.0)
    if covered and (objects < covered or objects != int(objects)):
        raise ValueError(f"objects must be a whole number of at least {covered} for {name}, got {objects:g}")


def curve_frames(form: Form, parameters: Mapping[str, float]) -> list[Range]:
    """Lowest and highest value of each column of a distribution."""
    if form.shape == "boxes":
        return [UNIT] * len(form.columns)
    if form.shape == "disks":
        return [UNIT, UNIT, (0.0, parameters["radius"])]
    steepest, tilted = parameters["slope"], form.attributes - 1
    return [(-steepest, steepest)] * tilted + [(-tilted * steepest, 1 + tilted * steepest)]
