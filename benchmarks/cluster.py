"""Time and memory of a run whose population is counted by a standalone Spark cluster with executors of 2 GB.

Run as `python -m benchmarks.cluster [SUBSCRIPTIONS [DIRECTORY]]`; 4 million by default. A master and two workers are
started on this machine, bound to the loopback address, and stopped at the end. 100 million subscriptions need 3.4 GB
below DIRECTORY, where the population is kept for the next run, and some more for Spark's shuffles while it is made.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.peak_memory import PeakMemory, role_of
from benchmarks.record import write_rows
from tests.standalone import environment, standalone_cluster

SUBSCRIPTIONS = 4_000_000
SEED = 1
SCENARIO = """
name = "cluster"
seed = 1
k = 20
approaches = ["paint-dense", "cn-relax"]

[topology]
nodes = 20000

[network]
brokers = 1000

[objects]
count = 10000

[events]
count = 200
"""


def measure(subscriptions: int, directory: Path) -> dict[str, object]:
    """Run it, making the population first if it is not there."""
    scratch = directory / "spark"
    scratch.mkdir(parents=True, exist_ok=True)
    (directory / "cluster.toml").write_text(SCENARIO, encoding="utf-8")
    settings = {"spark.executor.memory": "2g", "spark.local.dir": str(scratch)}
    variables = environment(directory, settings) | {"RANGECAST_CACHE": str(directory / "cache")}
    run = Path(tempfile.mkdtemp(dir=directory)) / "run"
    watch = PeakMemory(role_of)
    with standalone_cluster(directory, variables, memory="2g") as master:
        words = ["run", "cluster.toml", "--set", f"subscriptions.count={subscriptions}", "--out", str(run)]
        words += ["--deliveries", "spark", "--master", master]
        watch.start()
        start = time.perf_counter()
        subprocess.run([sys.executable, "-m", "simulator.cli", *words], cwd=directory, env=variables, check=True)
        seconds = time.perf_counter() - start
        watch.stop()
    steps = json.loads((run / "manifest.json").read_text(encoding="utf-8"))["seconds"]
    return {
        "subscriptions": subscriptions,
        "seconds": round(seconds, 1),
        **{f"{step}, s": round(value, 1) for step, value in steps.items()},
        **{f"{role}, peak MB": round(size / 2**20) for role, size in sorted(watch.peak_bytes.items())},
        "together, peak MB": round(watch.together_bytes / 2**20),
    }


def main(subscriptions: int = SUBSCRIPTIONS, directory: str | None = None) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        row = measure(subscriptions, Path(directory or temporary).absolute())
    for name, value in row.items():
        print(f"{name:32} {value:>14,}")
    write_rows("cluster", [row], SEED)


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else SUBSCRIPTIONS, *sys.argv[2:])
