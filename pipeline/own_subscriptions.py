"""Subscriptions from a file: what `rangecast population` made is used as it is, other tables become populations.

A table has the ends of each subscription, `l` and `r`, as values of x, and may have its place, `location` in [0, 1).
It is looked through once, a batch at a time, then numbered, put in the order of populations by Spark and kept in the
cache under the digest of its content. No step holds it in memory.
"""

import shutil
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from floor.files import partial_name, reason_of
from pipeline.distributions import STREAMS, uniform_column
from pipeline.errors import PipelineError, spark_errors
from pipeline.own_tables import OwnTable, files_digest, finite, looked_up, open_table
from pipeline.population_files import open_files, write_rows, written_spec
from pipeline.populations import FileSpec, in_curve_order, population_layout
from pipeline.schemas import POPULATION, POPULATION_VERSION
from pipeline.session import SparkSource

__all__ = ["SubscriptionFacts", "own_population", "own_population_path", "subscription_facts"]

_ENDS = {"l": pa.float64(), "r": pa.float64()}


class SubscriptionFacts(NamedTuple):
    """What a file of subscriptions holds."""

    rows: int
    sha256: str
    """Digest of its content."""
    made: bool
    """Whether `rangecast population` made it: its ends are shares of whatever range it is laid over."""
    low: float
    """Lowest l."""
    high: float
    """Highest r."""
    located: bool
    """Whether it says where subscriptions are."""


@looked_up
def subscription_facts(table: OwnTable) -> SubscriptionFacts:
    """Look a file of subscriptions through: every row is checked, every byte is read. Space O(1) in the rows.

    Raises
    ------
    PipelineError
        One line: it cannot be read, lacks a column, holds nothing, or a value cannot be.
    """
    path, digest = table.path, files_digest(table.files)
    if not table.is_csv and path.is_dir() and written_spec(table.files[0]) is not None:
        if "r2" in table.names:
            raise PipelineError(f"{path}: is a population in 1.5 dimensions, and scenarios have one; take another")
        opened = open_files(path, population_layout())
        if isinstance(opened.spec, FileSpec):
            raise PipelineError(f"{path}: is what Rangecast keeps of a file somebody brought; give that file instead")
        return SubscriptionFacts(opened.spec.count, digest, True, 0.0, 1.0, True)
    table.require(_ENDS)
    located, count, low, high = "location" in table.names, 0, np.inf, -np.inf
    for first, columns in table.batches(_ENDS | ({"location": pa.float64()} if located else {})):
        _check(table, first, columns)
        count += len(columns["l"])
        low = min(low, np.asarray(columns["l"]).min(initial=np.inf))
        high = max(high, np.asarray(columns["r"]).max(initial=-np.inf))
    if not count:
        raise PipelineError(f"{path}: holds no subscriptions; add rows with l and r")
    return SubscriptionFacts(count, digest, False, float(low), float(high), located)


def _check(table: OwnTable, first: int, columns: dict[str, pa.Array]) -> None:
    for name, values in columns.items():
        table.refuse_any(first, name, values, ~finite(values), "must be a finite number; mend or remove the row")
    l, r = (np.asarray(columns[name]) for name in _ENDS)
    beyond = l > r
    if beyond.any():
        at = int(np.argmax(beyond))
        table.refuse(first + at, "l", float(l[at]), f"must be at most r, which is {float(r[at])!r}; exchange them")
    if "location" in columns:
        places = np.asarray(columns["location"])
        wrong = (places < 0) | (places >= 1)
        table.refuse_any(first, "location", columns["location"], wrong, "must be at least 0 and below 1; mend it")


def own_population(spark: SparkSource, path: Path, facts: SubscriptionFacts, seed: int, cache_dir: Path) -> Path:
    """
    Directory of the population that a file stands for: the file itself if it is one, or else one below `cache_dir`.

    O(m log m), spread over the cores, where it is not in the cache.

    Parameters
    ----------
    facts : SubscriptionFacts
        Of the file, as they were when somebody last looked.
    seed : int
        Decides where subscriptions are, as for populations of a spec, if the file does not.

    Raises
    ------
    PipelineError
        The file has changed since, or cannot be read, or Spark cannot write.
    """
    if facts.made:
        return path
    kept = own_population_path(facts, seed, cache_dir)
    if not kept.exists():
        # Spark passes over names with a dot in front, but not over what is in a directory of such a name.
        staged = partial_name(kept) / "rows.parquet"
        try:
            _stage(path, staged, located=facts.located)
            if subscription_facts(path) != facts:
                raise PipelineError(f"{path}: changed while it was read; start again")
            _write(spark(), staged, facts, seed, kept)
        except PipelineError:
            # Another process may have put the same population there in the meantime.
            if not (kept / "_SUCCESS").exists():
                raise
        except OSError as error:
            raise PipelineError(f"cannot write {staged}: {reason_of(error)}") from error
        finally:
            shutil.rmtree(staged.parent, ignore_errors=True)
    open_files(kept, population_layout())
    return kept


def own_population_path(facts: SubscriptionFacts, seed: int, cache_dir: Path) -> Path:
    """Where `own_population` keeps what it makes; whoever finds it there can read it without Spark."""
    return cache_dir / f"population-of-{facts.sha256[:24]}-{POPULATION_VERSION}-{_place_seed(facts, seed)}"


def _place_seed(facts: SubscriptionFacts, seed: int) -> int:
    return 0 if facts.located else seed


def _stage(path: Path, staged: Path, *, located: bool) -> None:
    """Number the rows of a table: only whoever reads it from its beginning knows their order."""
    types = _ENDS | ({"location": pa.float64()} if located else {})
    schema = pa.schema([("id", pa.int64()), *types.items()])
    staged.parent.mkdir(parents=True, exist_ok=True)
    with pq.ParquetWriter(staged, schema, use_dictionary=False) as writer:
        for first, columns in open_table(path).batches(types):
            ids = pa.array(np.arange(first, first + len(columns["l"])))
            writer.write_batch(pa.record_batch([ids, *columns.values()], schema=schema))


def _write(spark: SparkSession, staged: Path, facts: SubscriptionFacts, seed: int, kept: Path) -> None:
    inside = facts.low >= 0 and facts.high <= 1
    # Ends of one value only lie on one cell of the curve, wherever that is.
    frame = (0.0, 1.0) if inside or facts.low == facts.high else (facts.low, facts.high)
    with spark_errors(f"read {staged}"):
        rows = spark.read.parquet(str(staged.absolute()))
        if not facts.located:
            rows = rows.withColumn("location", uniform_column(seed, STREAMS["location"]))
        rows = in_curve_order(rows.select(*POPULATION.names), facts.rows, frame)
    spec = FileSpec(facts.sha256, facts.rows, _place_seed(facts, seed))
    write_rows(rows, population_layout(), spec.as_json(), kept)
