"""What the benchmarks share: the calibrated stream of events, timing by the best of a few runs, and result files."""

import csv
import platform
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from simulator.inputs.event_stream import make_events
from simulator.scenario.tables import Events
from simulator.workload.events import EventStream

__all__ = ["RESULTS", "best_of", "uniform_workload", "write_rows"]

RESULTS = Path(__file__).parent / "results"


def best_of(runs: int, task: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    """Seconds of the fastest of a few runs, which other work on the machine disturbs least.

    By default processor time of this process: what runs on one core is measured on that core alone.
    """
    times = []
    for _ in range(runs):
        start = clock()
        task()
        times.append(clock() - start)
    return min(times)


def uniform_workload(
    objects: int, events: int, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], EventStream]:
    """Uniform objects (x, y) and the events of Section V on them."""
    rng = np.random.default_rng(seed)
    x, y = rng.random((2, objects))
    return x, y, make_events(Events(count=events), x, y, 1, np.zeros((1, 1)), lambda _: rng)


def write_rows(name: str, rows: Sequence[Mapping[str, object]], seed: int) -> None:
    """Write a benchmark's rows to results/NAME.csv, with seed, commit and machine."""
    command = ["git", "-C", str(RESULTS.parent), "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip() or "unknown"
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [*rows[0], "seed", "commit", "machine"])
        writer.writeheader()
        writer.writerows({**row, "seed": seed, "commit": commit, "machine": platform.platform()} for row in rows)
