"""How long populations take: 10 million subscriptions sorted and written, against numpy and pyarrow alone.

Run as `python -m benchmarks.populations [ROWS]`. The session is started, and every distribution warmed with a tenth
of the rows, before anything is timed; each figure is the best of three. What it must show: uniform, sorted, in under
15 s; uniform, unsorted, at most 3 x numpy and pyarrow; every other at most 2 x uniform.
"""

import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.record import write_rows
from pipeline import DISTRIBUTIONS, PopulationSpec, population_frame, spark_session, write_population

ROWS = 10_000_000
SEED = 1
REPEATS = 3


def best_seconds(job: Callable[[Path], object], directory: Path) -> float:
    times = []
    for _ in range(REPEATS):
        path = directory / "rows"
        start = time.perf_counter()
        job(path)
        times.append(time.perf_counter() - start)
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    return min(times)


def write_with_numpy(rows: int, path: Path) -> None:
    rng = np.random.default_rng(SEED)
    one, other, location = rng.random(rows), rng.random(rows), rng.random(rows)
    columns = {"id": np.arange(rows), "l": np.minimum(one, other), "r": np.maximum(one, other), "location": location}
    pq.write_table(pa.table(columns), path)


def measure(rows: int, directory: Path) -> dict[str, float]:
    start = time.perf_counter()
    spark = spark_session()
    seconds = {"session": time.perf_counter() - start}
    for name in DISTRIBUTIONS:
        write_population(spark, PopulationSpec(name, -(-rows // 10), SEED), directory / f"warm-{name}")
    seconds["numpy and pyarrow"] = best_seconds(lambda path: write_with_numpy(rows, path), directory)
    for name in DISTRIBUTIONS:
        spec = PopulationSpec(name, rows, SEED)
        seconds[f"{name}, unsorted"] = best_seconds(
            lambda path, spec=spec: population_frame(spark, spec).write.parquet(str(path)),  # type: ignore[misc]
            directory,
        )
        seconds[f"{name}, sorted"] = best_seconds(
            lambda path, spec=spec: write_population(spark, spec, path),  # type: ignore[misc]
            directory,
        )
    spark.stop()
    return seconds


def main(rows: int = ROWS) -> None:
    with tempfile.TemporaryDirectory() as directory:
        seconds = measure(rows, Path(directory))
    for name, value in seconds.items():
        distribution, comma, order = name.partition(", ")
        base = f"uniform, {order}" if comma and distribution != "uniform" else "numpy and pyarrow"
        print(f"{name:28} {value:7.2f} s {value / seconds[base]:6.1f} x {base}")
    write_rows(
        "populations", [{"rows": rows, "task": name, "seconds": value} for name, value in seconds.items()], SEED
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
