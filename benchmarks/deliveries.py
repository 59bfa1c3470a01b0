"""What it costs to count deliveries on Spark, per row group of the population and in memory, to size a cluster by.

Run as `python -m benchmarks.deliveries [SUBSCRIPTIONS [DIRECTORY]]`; 4 million by default. 100 million need 3.4 GB
below DIRECTORY, where the population is kept for the next run, and take minutes. The messages are those of
paint-dense at k = 20 on the events of Section V, the zones those of 1,000 brokers.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.peak_memory import PeakMemory
from benchmarks.record import uniform_workload, write_rows
from cn import Zones
from paint import Server
from pipeline import PopulationSpec, count_deliveries, population, spark_session

SUBSCRIPTIONS = 4_000_000
EVENTS = 200
SEED = 1
DRIVER_MB = 2048


def measure(subscriptions: int, directory: Path) -> dict[str, float]:
    spark = spark_session(driver_memory_mb=DRIVER_MB)
    start = time.perf_counter()
    path = population(lambda: spark, PopulationSpec("uniform", subscriptions, SEED), directory)
    made = time.perf_counter() - start
    x, y, events = uniform_workload(10_000, EVENTS, SEED)
    messages = Server(x, y, k=20).replay(events.object, events.y)
    zones = Zones(1000, seed=SEED).table.extents
    small = population(lambda: spark, PopulationSpec("uniform", 10_000, SEED), directory)
    count_deliveries(spark, small, messages.table, messages.offsets, zones)
    watch = PeakMemory()
    watch.start()
    start = time.perf_counter()
    counted = count_deliveries(spark, path, messages.table, messages.offsets, zones)
    seconds = time.perf_counter() - start
    watch.stop()
    spark.stop()
    if counted.per_zone.sum() != counted.per_message.sum():
        raise RuntimeError("the zones' counts do not add up to the messages'")
    costs = counted.costs
    return {
        "subscriptions": subscriptions,
        "messages": len(messages),
        "received": int(counted.per_message.sum()),
        "population_s": made,
        "seconds": seconds,
        "row_groups": len(costs),
        "rows_per_group": float(costs["rows"].mean()),
        **{f"{part}_per_group": float(np.median(costs[part])) for part in ("read_s", "index_s", "count_s")},
        "index_mb_per_group": float(costs["index_bytes"].max()) / 2**20,
        "python_peak_mb": watch.peak_bytes["python"] / 2**20,
        "java_peak_mb": watch.peak_bytes["java"] / 2**20,
    }


def main(subscriptions: int = SUBSCRIPTIONS, directory: str | None = None) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        row = measure(subscriptions, Path(directory or temporary))
    for name, value in row.items():
        print(f"{name:20} {value:16,.3f}")
    write_rows("deliveries", [row], SEED)


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else SUBSCRIPTIONS, *sys.argv[2:])
