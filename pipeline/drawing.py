"""From the name of a distribution to rows: which there are in so many dimensions, and how they are called.

What a function of somebody else's gives is checked row by row on its way to disk.
"""

import inspect
from collections.abc import Callable, Mapping
from functools import partial

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from pipeline import distributions, side_distributions
from pipeline.attributes import Form, attributes_of, x_names
from pipeline.distributions import DISTRIBUTIONS, OBJECT_DISTRIBUTIONS, STREAMS, uniform_column
from pipeline.errors import PipelineError, root_cause
from pipeline.side_distributions import SIDE_DISTRIBUTIONS, SIDE_OBJECT_DISTRIBUTIONS, distribution_dimensions

__all__ = ["distributions_of", "draw_objects", "draw_subscriptions", "object_distributions_of", "source_of"]


def distributions_of(dimensions: float) -> Mapping[str, Callable[..., DataFrame]]:
    """Distributions of subscriptions that there are in so many dimensions, by name."""
    if dimensions == 1:
        return DISTRIBUTIONS
    return {name: draw for name, draw in SIDE_DISTRIBUTIONS.items() if dimensions in distribution_dimensions(name)}


def object_distributions_of(dimensions: float) -> Mapping[str, Callable[..., DataFrame]]:
    """Distributions of objects that there are in so many dimensions, by name."""
    return OBJECT_DISTRIBUTIONS if dimensions == 1 else SIDE_OBJECT_DISTRIBUTIONS


def draw_subscriptions(
    name: str, ids: DataFrame, seed: int, parameters: Mapping[str, float], form: Form
) -> DataFrame:
    """Rows of ids with the columns of a form added, by a distribution of its dimensions.

    Raises
    ------
    PipelineError
        The function fails, or gives something else; a row of which 0 <= l <= r <= 1 is not true, in all attributes,
        fails in Spark.
    """
    draw = distributions_of(form.dimensions)[name]
    more = () if form.dimensions == 1 else (form.dimensions,)
    called = partial(draw, ids, seed, *more, **parameters)
    if _is_ours(draw):
        return called()
    rows = _drawn(name, called, form.columns)
    rules = [f"0 <= {r} and {r} <= 1" if l is None else f"0 <= {l} and {l} <= {r} and {r} <= 1" for l, r in form.ends]
    return _checked(rows, name, form.columns, " and ".join(rules))


def draw_objects(name: str, ids: DataFrame, seed: int, dimensions: float) -> DataFrame:
    """Rows of ids with every x and `y` added, by a distribution of the dimensions; y uniform if that has none.

    Raises
    ------
    PipelineError
        The function fails, or gives something else; a row outside 0 <= x <= 1, 0 <= y < 1 fails in Spark.
    """
    draw, places = object_distributions_of(dimensions)[name], x_names(attributes_of(dimensions))
    called = partial(draw, ids, seed, *(() if dimensions == 1 else (len(places),)))
    ours = _is_ours(draw)
    rows = called() if ours else _drawn(name, called, places)
    if "y" not in rows.columns:
        rows = rows.withColumn("y", uniform_column(seed, STREAMS["object y"]))
    rule = " and ".join(f"0 <= {x} and {x} <= 1" for x in places)
    return rows if ours else _checked(rows, name, (*places, "y"), f"{rule} and 0 <= y and y < 1")


def source_of(distribution: Callable[..., DataFrame]) -> str:
    """What rows follow from beside the spec: the source of a distribution, or all of its file if that is not ours.

    Ours rest on what `POPULATION_VERSION` stands for, those of others on whatever else their file holds.
    """
    try:
        module = inspect.getmodule(distribution)
        return inspect.getsource(distribution if module is None or _is_ours(distribution) else module)
    except (OSError, TypeError):
        return ""


def _is_ours(distribution: Callable[..., DataFrame]) -> bool:
    return getattr(distribution, "__module__", "") in (distributions.__name__, side_distributions.__name__)


def _drawn(name: str, draw: Callable[[], DataFrame], wanted: tuple[str, ...]) -> DataFrame:
    """Call a function that is not ours."""
    try:
        rows = draw()
    except Exception as error:
        reason = root_cause(error)
        raise PipelineError(
            f"distribution {name}: fails with {type(error).__name__}: {reason}; mend the file that registers it"
        ) from error
    there = list(getattr(rows, "columns", ()))
    missing = [column for column in ("id", *wanted) if column not in there]
    if missing:
        told = f"columns {', '.join(there)}" if there else type(rows).__name__
        raise PipelineError(
            f"distribution {name}: must give back the rows with {', '.join(wanted)} added, and gave {told}; mend it"
        )
    return rows


def _checked(rows: DataFrame, name: str, columns: tuple[str, ...], rule: str) -> DataFrame:
    """Rows that fail in Spark where a rule is not true."""
    values = [sf.coalesce(sf.col(column).cast("string"), sf.lit("null")) for column in columns]
    told = [part for column, value in zip(columns, values, strict=True) for part in (sf.lit(f" {column} = "), value)]
    line = sf.concat(
        sf.lit(f"distribution {name}: id "), sf.col("id").cast("string"), sf.lit(" has"), *told,
        sf.lit(f", and the rule is {rule}; mend it"),
    )  # fmt: skip
    numbers = rows.withColumns({column: sf.col(column).cast("double") for column in columns})
    first = sf.when(sf.expr(rule), sf.col(columns[0])).otherwise(sf.raise_error(line).cast("double"))
    return numbers.withColumn(columns[0], first)
