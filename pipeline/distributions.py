"""Where subscriptions and objects lie: columns of hashes of (seed, stream, row id), by SQL functions alone.

A value depends on nothing but its seed, its stream and its row id, so the rows are the same whatever the
partitioning, the cores or the cluster. A distribution is one function from a DataFrame with the column `id` to one
with `l` and `r` added (in `DISTRIBUTIONS`) or with `x`, and `y` if it likes, added (in `OBJECT_DISTRIBUTIONS`); its
keyword-only arguments, all with defaults, are the parameters a spec may give. All domains are [0, 1]. The workloads
are those of the paper's Section V. Those over several attributes are in `pipeline.side_distributions`; by what name
and how all of them are called, and what those of somebody else give, is a matter of `pipeline.drawing`.
"""

from collections.abc import Callable
from math import pi

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

__all__ = [
    "DISTRIBUTIONS",
    "OBJECT_DISTRIBUTIONS",
    "STREAMS",
    "standard_normals",
    "uniform_column",
]

#: What a hash is drawn for. A number is never used twice, so that no two quantities of a row are correlated.
STREAMS = {
    "location": 0,
    "ends": 1,  # 1 and 2
    "centres": 3,  # 3 and 4
    "cluster": 5,
    "normals": 6,  # 6 and 7
    "object x": 8,
    "object y": 9,
    "object normals": 10,  # 10 and 11
    "stock recommendations": 12,  # 12 to 14
    "stock starts": 15,  # 15 and 16
    "stock steps": 17,  # 17 and 18
    "object x2": 19,
    "ends of 2": 20,  # 20 and 21; of the second attribute
    "ends of 3": 22,  # 22 and 23
    "points": 24,  # 24 to 26
    "slopes": 27,  # 27 and 28
    "radii": 29,
    "object x3": 30,
    "object normals of 3": 31,  # 31 and 32
    "draws": 100,  # 100, 101, ...: three for each draw of a rejection
}

CLUSTERS = 10
#: Distance between neighbouring object clusters: ten centres cut the domain into eleven segments.
WIDTH = 1 / (CLUSTERS + 1)
ATTEMPTS = 64


def uniform_column(seed: int, stream: int | Column, row: Column | str = "id") -> Column:
    """
    Uniform doubles in [0, 1), one per row, from the top 53 bits of a 64-bit hash of (seed, stream, row).

    The hash depends on the types of its arguments, so all three are 64-bit integers.
    """
    row_id = sf.col(row) if isinstance(row, str) else row
    bits = sf.xxhash64(sf.lit(seed).cast("long"), sf.lit(stream).cast("long"), row_id.cast("long"))
    return sf.shiftrightunsigned(bits, 11) * sf.lit(2.0**-53)


def standard_normals(seed: int, stream: int | Column, row: Column | str = "id") -> tuple[Column, Column]:
    """Two independent standard normals per row, by the Box-Muller transform of streams `stream` and `stream + 1`."""
    # 1 - u lies in (0, 1]: its logarithm is finite.
    radius = sf.sqrt(sf.lit(-2.0) * sf.log(sf.lit(1.0) - uniform_column(seed, stream, row)))
    angle = sf.lit(2 * pi) * uniform_column(seed, stream + 1, row)
    return radius * sf.cos(angle), radius * sf.sin(angle)


def _sorted_ends(rows: DataFrame, one: Column, other: Column) -> DataFrame:
    return rows.withColumns({"l": sf.least(one, other), "r": sf.greatest(one, other)})


def uniform(rows: DataFrame, seed: int) -> DataFrame:
    """Subscriptions uniform in the triangle l <= r: two uniforms, sorted."""
    stream = STREAMS["ends"]
    return _sorted_ends(rows, uniform_column(seed, stream), uniform_column(seed, stream + 1))


def clustered(rows: DataFrame, seed: int, *, spread: float = 0.2) -> DataFrame:
    """
    Subscriptions in ten Gaussian clusters about centres drawn uniformly from the triangle.

    `spread` is the paper's λ, for which it gives no value: a cluster has standard deviation λ/4, 0.05 by default.
    The density is the paper's mixture with a squared norm, restricted to 0 <= l <= r <= 1: a draw outside is replaced
    by the next of the row's own draws, cluster included. If all 64 draws are outside, the last one is folded into the
    triangle. We draw from the plane, not from the paper's grid of 10,000 x 10,000 points.
    """
    draws = STREAMS["draws"]
    inside = (sf.col("l") >= 0) & (sf.col("r") <= 1) & (sf.col("l") <= sf.col("r"))
    centres = _centres(seed)
    l, r = _clustered_draw(seed, draws, centres, spread / 4)
    rows = rows.withColumns({"l": l, "r": r}).withColumn("inside", inside)
    # Spark compiles the first two draws; the loop of the others is interpreted, slower, but few rows come to it.
    l, r = _clustered_draw(seed, draws + 3, centres, spread / 4)
    kept = {"l": sf.when(sf.col("inside"), sf.col("l")).otherwise(l)}
    kept |= {"r": sf.when(sf.col("inside"), sf.col("r")).otherwise(r)}
    rows = rows.withColumns(kept).withColumn("end", sf.struct("l", "r"))

    def next_draw(last: Column, attempt: Column) -> Column:
        ends = _clustered_draw(seed, sf.lit(draws) + 3 * attempt, centres, spread / 4)
        drawn = sf.struct(*(end.alias(name) for end, name in zip(ends, "lr", strict=True)))
        return sf.when((last["l"] >= 0) & (last["r"] <= 1) & (last["l"] <= last["r"]), last).otherwise(drawn)

    others = sf.sequence(sf.lit(2), sf.lit(ATTEMPTS - 1))
    rows = rows.withColumn("end", sf.when(inside, sf.col("end")).otherwise(sf.aggregate(others, "end", next_draw)))
    return _sorted_ends(rows, _folded(sf.col("end.l")), _folded(sf.col("end.r"))).drop("inside", "end")


def _centres(seed: int) -> tuple[Column, Column]:
    """Arrays of the clusters' l and r, hashes of constants: Spark folds them before a row is made."""
    streams = (STREAMS["centres"], STREAMS["centres"] + 1)
    ends = [[uniform_column(seed, stream, sf.lit(centre)) for stream in streams] for centre in range(CLUSTERS)]
    return sf.array(*(sf.least(*pair) for pair in ends)), sf.array(*(sf.greatest(*pair) for pair in ends))


def _clustered_draw(
    seed: int, stream: int | Column, centres: tuple[Column, Column], sigma: float
) -> tuple[Column, Column]:
    """One point of the mixture in the plane, from streams `stream` to `stream + 2`."""
    cluster = sf.floor(uniform_column(seed, stream) * CLUSTERS).cast("int")
    z_l, z_r = standard_normals(seed, stream + 1)
    return sf.get(centres[0], cluster) + sf.lit(sigma) * z_l, sf.get(centres[1], cluster) + sf.lit(sigma) * z_r


def _folded(value: Column) -> Column:
    """Reflect at 0 and at 1; values of [0, 1] stay as they are."""
    return sf.least(sf.greatest(sf.lit(1.0) - sf.abs(sf.lit(1.0) - sf.abs(value)), sf.lit(0.0)), sf.lit(1.0))


def _about_object_clusters(rows: DataFrame, seed: int, clusters: int, shift: float) -> DataFrame:
    centre = (sf.floor(uniform_column(seed, STREAMS["cluster"]) * clusters) + (1 + shift)) * sf.lit(WIDTH)
    # The outermost centres are 8 standard deviations from the ends: the clamp is for the 10^-15 beyond.
    ends = [_clamped(centre + sf.lit(WIDTH / 8) * z) for z in standard_normals(seed, STREAMS["normals"])]
    return _sorted_ends(rows, *ends)


def _clamped(value: Column) -> Column:
    return sf.greatest(sf.lit(0.0), sf.least(sf.lit(1.0), value))


def correlated(rows: DataFrame, seed: int) -> DataFrame:
    """Subscriptions about the ten centres of clustered objects: both ends Gaussian about one, sorted."""
    return _about_object_clusters(rows, seed, CLUSTERS, 0.0)


def anti_correlated(rows: DataFrame, seed: int) -> DataFrame:
    """Subscriptions midway between consecutive centres of clustered objects: nine clusters."""
    return _about_object_clusters(rows, seed, CLUSTERS - 1, 0.5)


def uniform_objects(rows: DataFrame, seed: int) -> DataFrame:
    """Objects with x uniform in [0, 1)."""
    return rows.withColumn("x", uniform_column(seed, STREAMS["object x"]))


def clustered_objects(rows: DataFrame, seed: int) -> DataFrame:
    """Objects in ten equal Gaussian clusters; the centres cut [0, 1] into eleven segments of width w, sd w/8."""
    centre = (sf.col("id") % CLUSTERS + 1) * sf.lit(WIDTH)
    z, _ = standard_normals(seed, STREAMS["object normals"])
    return rows.withColumn("x", _clamped(centre + sf.lit(WIDTH / 8) * z))


def stock_objects(rows: DataFrame, seed: int) -> DataFrame:
    """
    Stocks: x a recommendation in tenths, which many share, y the logarithm of the price/earnings ratio.

    1 to 5 is brought to [0, 1], so a tenth is 1/40, and all 41 values are alike: the paper's Tables V and VI have
    0.31 m subscriptions that contain a stock, as a uniform x has. The logarithm has a standard deviation of 0.6, and
    eight of its units are brought to [0, 1), so that Gaussian steps of a volatility c change the ratio by a share c.
    """
    rows = single_stocks(rows, seed)
    return rows.withColumn("x", sf.floor(sf.col("x") * sf.lit(41.0)) / sf.lit(40.0))


def single_stocks(rows: DataFrame, seed: int) -> DataFrame:
    """Stocks of which no two share a recommendation, for comparison."""
    ratio, _ = standard_normals(seed, STREAMS["stock starts"])
    y = sf.least(_clamped(sf.lit(0.5) + sf.lit(0.6 / 8) * ratio), sf.lit(1 - 2.0**-53))
    return rows.withColumns({"x": uniform_column(seed, STREAMS["stock recommendations"]), "y": y})


#: Distributions of subscriptions by name; put a function of your own in to use it in a spec.
DISTRIBUTIONS: dict[str, Callable[..., DataFrame]] = {
    "uniform": uniform,
    "clustered": clustered,
    "correlated": correlated,
    "anti-correlated": anti_correlated,
}

#: Distributions of objects by name.
OBJECT_DISTRIBUTIONS: dict[str, Callable[..., DataFrame]] = {
    "uniform": uniform_objects,
    "clustered": clustered_objects,
    "stocks": stock_objects,
    "single-stocks": single_stocks,
}
