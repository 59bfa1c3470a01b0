"""`rangecast population`: make a population, or say what one on disk holds."""

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np

import pipeline
from floor.machine import free_bytes, size_text
from simulator.inputs.out_directory import new_directory
from simulator.inputs.room import population_disk_bytes

__all__ = ["inspect_population", "make_population"]


def make_population(distribution: str, count: int, seed: int, out: Path, *, master: str) -> list[str]:
    """Write a population, 1-d or one of the 1.5-d datasets, to a new directory; the facts worth printing.

    Raises
    ------
    pipeline.PipelineError
        When the spec is wrong, `out` exists, or Spark fails.
    """
    spec: pipeline.PopulationSpec | pipeline.Population15dSpec
    known = (*pipeline.DISTRIBUTIONS, *pipeline.DATASETS_15D)
    if distribution not in known:
        raise pipeline.PipelineError(
            f"--distribution {distribution}: must be one of {', '.join(known)}; choose one of them, or bring "
            "your own by --with FILE"
        )
    try:
        if distribution in pipeline.DATASETS_15D:
            spec = pipeline.Population15dSpec(distribution, count, seed)
        else:
            spec = pipeline.PopulationSpec(distribution, count, seed)
    except (TypeError, ValueError) as error:
        raise pipeline.PipelineError(str(error)) from error
    pipeline.check_master(master)
    needed, free = population_disk_bytes(count), free_bytes(out)
    if free is not None and needed > free:
        raise pipeline.PipelineError(
            f"--count {count}: needs at least {size_text(needed)} of disk, and where {out} is to be are free "
            f"{size_text(free)}; lower it or choose another disk"
        )
    with new_directory(out, pipeline.PipelineError) as made:
        spark = pipeline.spark_session(master)
        if isinstance(spec, pipeline.Population15dSpec):
            pipeline.write_population_15d(spark, spec, made)
        else:
            pipeline.write_population(spark, spec, made)
    size = sum(file.stat().st_size for file in out.iterdir())
    return [
        f"population {out}",
        f"rows       {count:,} {distribution}, seed {seed}",
        f"size       {size / 1e6:,.3g} MB" if size < 1e8 else f"size       {size / 1e6:,.0f} MB",
    ]


def _read(path: Path) -> pipeline.Population | pipeline.Population15d:
    try:
        return pipeline.read_population(path)
    except pipeline.PipelineError as refused:
        try:
            return pipeline.read_population_15d(path)
        except pipeline.PipelineError:
            raise refused from None


def inspect_population(path: Path) -> list[str]:
    """Spec of a population and how its ends are spread; it is read into memory, 32 bytes per subscription.

    Raises
    ------
    pipeline.PipelineError
        When `path` is not a whole population of this version.
    """
    held = _read(path)
    columns = {"l": held.l, "r": held.r, "r - l": held.r - held.l}
    if isinstance(held, pipeline.Population15d):
        columns["r2"] = held.r2
    lines = [f"spec       {json.dumps(asdict(held.spec), sort_keys=True)}"]
    for name, values in columns.items():
        low, middle, high = np.quantile(values, [0, 0.5, 1])
        lines.append(f"{name:10} mean {values.mean():.4f}, median {middle:.4f}, from {low:.4f} to {high:.4f}")
    return lines
