"""Memory and time of a run whose population stays on disk (`rangecast run --deliveries spark`).

Run as `python -m benchmarks.on_disk [SUBSCRIPTIONS]`; 2 million by default. The driver's memory must not grow with
the subscriptions: 20 million are 640 MB on disk, and in memory with their index more than a gigabyte.
"""

import resource
import sys
import tempfile
import time
from pathlib import Path

from rich.progress import Progress

from benchmarks.deliveries import DRIVER_MB
from benchmarks.peak_memory import PeakMemory
from benchmarks.record import write_rows
from pipeline import spark_session
from simulator.runs.run import run_scenario
from simulator.scenario.scenario import Scenario

SUBSCRIPTIONS = 2_000_000
SEED = 1


def measure(subscriptions: int, directory: Path) -> dict[str, float]:
    scenario = Scenario.model_validate(
        {
            "name": "on-disk",
            "seed": SEED,
            "approaches": ["paint-dense", "cn-relax"],
            "objects": {"count": 10_000},
            "subscriptions": {"count": subscriptions},
            "events": {"count": 200},
        }
    )
    spark = spark_session(driver_memory_mb=DRIVER_MB)
    silent = Progress(disable=True)
    small = scenario.model_copy(update={"subscriptions": scenario.subscriptions.model_copy(update={"count": 1000})})
    run_scenario(small, directory / "small", deliveries="spark", progress=silent)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    watch, start = PeakMemory(), time.perf_counter()
    watch.start()
    run_scenario(scenario, directory / "large", deliveries="spark", progress=silent)
    seconds = time.perf_counter() - start
    watch.stop()
    spark.stop()
    return {
        "subscriptions": subscriptions,
        "seconds": seconds,
        "driver_peak_mb_at_1000": before / 2**10,
        "driver_peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10,
        "python_peak_mb": watch.peak_bytes["python"] / 2**20,
        "java_peak_mb": watch.peak_bytes["java"] / 2**20,
    }


def main(subscriptions: int = SUBSCRIPTIONS) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        row = measure(subscriptions, Path(temporary))
    for name, value in row.items():
        print(f"{name:24} {value:14,.1f}")
    write_rows("on_disk", [row], SEED)


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else SUBSCRIPTIONS)
