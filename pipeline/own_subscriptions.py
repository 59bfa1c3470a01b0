"""Subscriptions from a file: what `rangecast population` made is used as it is, other tables become populations.

A table has the ends of each subscription, `l` and `r`, as values of x, or the columns of another form
(`pipeline.attributes`), by which it is known, and may have its place, `location` in [0, 1). It is looked through
once, a batch at a time, then numbered, put in the order of populations by Spark and kept in the cache under the
digest of its content. No step holds it in memory.
"""

import re
import shutil
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from floor.files import partial_name, reason_of
from pipeline.attributes import UNIT, Form, Range, form_of
from pipeline.distributions import STREAMS, uniform_column
from pipeline.errors import PipelineError, spark_errors
from pipeline.own_tables import OwnTable, files_digest, finite, looked_up, open_table
from pipeline.population_files import write_rows, written_spec
from pipeline.population_specs import FileSpec
from pipeline.populations import in_curve_order, open_population, population_layout
from pipeline.schemas import POPULATION_VERSION, population_schema
from pipeline.session import SparkSource
from pipeline.side_distributions import curve_frames

__all__ = ["SubscriptionFacts", "own_population", "own_population_path", "subscription_facts"]

_NUMBERED = re.compile(r"([lra])([1-9][0-9]?)")


class SubscriptionFacts(NamedTuple):
    """What a file of subscriptions holds."""

    rows: int
    sha256: str
    """Digest of its content."""
    made: bool
    """Whether `rangecast population` made it: its ends are shares of whatever range it is laid over."""
    ranges: tuple[Range, ...]
    """Of boxes, the lowest l and highest r of each attribute; of others, the lowest and highest of each column."""
    located: bool
    """Whether it says where subscriptions are."""
    form: Form = Form()
    """What its subscriptions are."""


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
        spec = open_population(path).spec
        if isinstance(spec, FileSpec):
            raise PipelineError(f"{path}: is what Rangecast keeps of a file somebody brought; give that file instead")
        boxes = spec.form.shape == "boxes"
        frames = (UNIT,) * spec.form.attributes if boxes else tuple(curve_frames(spec.form, spec.parameters))
        return SubscriptionFacts(spec.count, digest, True, frames, True, spec.form)
    form, located, count = _form(table), "location" in table.names, 0
    bounds = np.array([[np.inf, -np.inf]] * len(_bounded(form)))
    for first, columns in table.batches(_types(form, located=located)):
        _check(table, first, columns, form)
        count += len(columns[form.columns[0]])
        for at, (low, high) in enumerate(_bounded(form)):
            bounds[at, 0] = np.asarray(columns[low]).min(initial=bounds[at, 0])
            bounds[at, 1] = np.asarray(columns[high]).max(initial=bounds[at, 1])
    if not count:
        raise PipelineError(f"{path}: holds no subscriptions; add rows with {_listed(form)}")
    ranges = tuple((float(low), float(high)) for low, high in bounds)
    return SubscriptionFacts(count, digest, False, ranges, located, form)


def _form(table: OwnTable) -> Form:
    """What the subscriptions of a table are, by its columns.

    Raises
    ------
    PipelineError
        One that is needed is missing.
    """
    numbered = [found.groups() for found in map(_NUMBERED.fullmatch, table.names) if found]
    form = Form()
    if "l" not in table.names and "r" not in table.names and (numbered or "radius" in table.names):
        most = {letter: max((int(j) for one, j in numbered if one == letter), default=0) for letter in "lra"}
        shape = "disks" if "radius" in table.names else "halfspaces" if most["a"] else "boxes"
        attributes = {"disks": 2, "halfspaces": most["a"], "boxes": max(most["l"], most["r"])}[shape]
        if shape == "boxes" and attributes == 1:
            rule = "ranges over one attribute have l and r, and over several more of these; rename or add some"
            told = f"has the columns {_numbered(table)}: {rule}"
            raise PipelineError(f"{table.path}: {told}")
        open_side = shape == "boxes" and most["l"] < attributes == most["r"] and attributes > 1
        try:
            form = form_of(attributes - 0.5 * open_side, shape)
        except ValueError as error:
            raise PipelineError(f"{table.path}: has the columns {_numbered(table)}: {error}; mend them") from None
    table.require(form.columns)
    return form


def _numbered(table: OwnTable) -> str:
    return ", ".join(name for name in table.names if _NUMBERED.fullmatch(name))


def _bounded(form: Form) -> list[tuple[str, str]]:
    """Columns with the lowest and the highest values of what a range is noted of."""
    if form.shape == "boxes":
        return [(r if l is None else l, r) for l, r in form.ends]
    return [(name, name) for name in form.columns]


def _types(form: Form, *, located: bool) -> dict[str, pa.DataType]:
    return dict.fromkeys((*form.columns, *(["location"] if located else [])), pa.float64())


def _listed(form: Form) -> str:
    *names, last = form.columns
    return f"{', '.join(names)} and {last}"


def _check(table: OwnTable, first: int, columns: dict[str, pa.Array], form: Form) -> None:
    for name, values in columns.items():
        table.refuse_any(first, name, values, ~finite(values), "must be a finite number; mend or remove the row")
    for left, right in form.ends if form.shape == "boxes" else ():
        if left is None:
            continue
        l, r = np.asarray(columns[left]), np.asarray(columns[right])
        if (l > r).any():
            at = int(np.argmax(l > r))
            rule = f"must be at most {right}, which is {float(r[at])!r}; exchange them"
            table.refuse(first + at, left, float(l[at]), rule)
    if "radius" in columns:
        below = np.asarray(columns["radius"]) < 0
        table.refuse_any(first, "radius", columns["radius"], below, "must be at least 0; mend or remove the row")
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
            _stage(path, staged, facts)
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
    open_population(kept, facts.form)
    return kept


def own_population_path(facts: SubscriptionFacts, seed: int, cache_dir: Path) -> Path:
    """Where `own_population` keeps what it makes; whoever finds it there can read it without Spark."""
    return cache_dir / f"population-of-{facts.sha256[:24]}-{POPULATION_VERSION}-{_place_seed(facts, seed)}"


def _place_seed(facts: SubscriptionFacts, seed: int) -> int:
    return 0 if facts.located else seed


def _stage(path: Path, staged: Path, facts: SubscriptionFacts) -> None:
    """Number the rows of a table: only whoever reads it from its beginning knows their order."""
    types = _types(facts.form, located=facts.located)
    schema = pa.schema([("id", pa.int64()), *types.items()])
    staged.parent.mkdir(parents=True, exist_ok=True)
    with pq.ParquetWriter(staged, schema, use_dictionary=False) as writer:
        for first, columns in open_table(path).batches(types):
            ids = pa.array(np.arange(first, first + len(columns[facts.form.columns[0]])))
            writer.write_batch(pa.record_batch([ids, *columns.values()], schema=schema))


def _write(spark: SparkSession, staged: Path, facts: SubscriptionFacts, seed: int, kept: Path) -> None:
    form = facts.form
    frames = {name: frame for pair, frame in zip(_bounded(form), facts.ranges, strict=True) for name in pair}
    inside = all(low >= 0 and high <= 1 for low, high in facts.ranges)
    curve = [UNIT if inside else frames[name] for name in form.columns]
    with spark_errors(f"read {staged}"):
        rows = spark.read.parquet(str(staged.absolute()))
        if not facts.located:
            rows = rows.withColumn("location", uniform_column(seed, STREAMS["location"]))
        rows = in_curve_order(rows.select(*population_schema(form.columns).names), form.columns, curve, facts.rows)
    spec = FileSpec(facts.sha256, facts.rows, _place_seed(facts, seed), *form)
    write_rows(rows, population_layout(form), spec.as_json(), kept)
