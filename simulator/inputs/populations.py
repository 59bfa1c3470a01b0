"""`rangecast population`: make a population, or say what one on disk holds."""

from pathlib import Path

import numpy as np

import pipeline
from floor.machine import free_bytes, size_text
from paint.sides import DIMENSIONS
from pipeline import PopulationSpec
from simulator.inputs.out_directory import new_directory
from simulator.inputs.room import population_disk_bytes

__all__ = ["inspect_population", "make_population"]


def make_population(
    distribution: str, count: int, seed: int, out: Path, *, master: str, dimensions: float | None = None
) -> list[str]:
    """Write a population to a new directory; the facts worth printing.

    Parameters
    ----------
    dimensions
        None for the fewest that the distribution is offered in.

    Raises
    ------
    pipeline.PipelineError
        When the spec is wrong, `out` exists, there is no room for it, or Spark fails.
    """
    spec = _spec(distribution, count, seed, dimensions)
    pipeline.check_master(master)
    needed, free = population_disk_bytes(spec.count, len(spec.form.columns)), free_bytes(out)
    if free is not None and needed > free:
        raise pipeline.PipelineError(
            f"--count {spec.count}: needs at least {size_text(needed)} of disk, and where {out} is to be are free "
            f"{size_text(free)}; lower it or choose another disk"
        )
    with new_directory(out, pipeline.PipelineError) as made:
        pipeline.write_population(pipeline.spark_session(master), spec, made)
    size = sum(file.stat().st_size for file in out.iterdir())
    where = "" if spec.dimensions == 1 else f" in {spec.dimensions:g} dimensions"
    return [
        f"population {out}",
        f"rows       {spec.count:,} {spec.distribution}{where}, seed {spec.seed}",
        f"size       {size / 1e6:,.3g} MB" if size < 1e8 else f"size       {size / 1e6:,.0f} MB",
    ]


def _spec(distribution: str, count: int, seed: int, dimensions: float | None) -> PopulationSpec:
    """Spec that options ask for."""
    offered = {one: pipeline.distributions_of(one) for one in DIMENSIONS}
    if dimensions is not None and dimensions not in offered:
        known = ", ".join(f"{one:g}" for one in DIMENSIONS)
        raise pipeline.PipelineError(f"--dimensions {dimensions:g}: must be one of {known}; choose one of them")
    asked = [one for one in DIMENSIONS if dimensions in (None, one)]
    least = next((one for one in asked if distribution in offered[one]), None)
    if least is None:
        names = ", ".join(dict.fromkeys(name for one in asked for name in offered[one]))
        where = "" if dimensions is None else f" in {dimensions:g} dimension{'' if dimensions == 1 else 's'}"
        raise pipeline.PipelineError(
            f"--distribution {distribution}: must be one of {names}{where}; choose one of them, or bring your own by "
            "--with FILE"
        )
    try:
        return PopulationSpec(distribution, count, seed, dimensions=least)
    except (TypeError, ValueError) as error:  # of the count or the seed, which it names first
        raise pipeline.PipelineError(f"--{error}; choose another") from error


def inspect_population(path: Path) -> list[str]:
    """Spec of a population and how its columns are spread; it is read into memory, 8 bytes per value.

    Raises
    ------
    pipeline.PipelineError
        When `path` is not a whole population of this version.
    """
    spec, columns = pipeline.population_columns(path)
    if spec.form.shape == "boxes":
        columns |= {f"{r} - {l}": columns[r] - columns[l] for l, r in spec.form.ends if l is not None}
    lines = [f"spec       {spec.as_json()}"]
    for name, values in columns.items():
        low, middle, high = np.quantile(values, [0, 0.5, 1])
        lines.append(f"{name:10} mean {values.mean():.4f}, median {middle:.4f}, from {low:.4f} to {high:.4f}")
    return lines
