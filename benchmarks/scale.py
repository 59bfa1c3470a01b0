"""How time and memory of whole runs grow with brokers, nodes, subscriptions, objects and events, without Spark.

Run it with `python -m benchmarks.scale [WHAT ...]`, WHAT being some of those. Every size is a process of its own, so
that its peak memory is its own; one thing grows at a time, all else stays as in `BASE`. The last rows of a table are
exponents, 1 being linear: the one that fits all sizes best, and that of the last step alone, which is flattered least
by what does not grow. Seconds are processor time; memory is counted above what the process had taken after a
rehearsal with a small scenario, which also finds the kernels compiled.

Bound: no exponent of the whole is above 1.1, by either. Worse than linear may be what docs/scenarios.md says is: with
brokers, time and memory of pairs.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from benchmarks.record import write_rows
from simulator.inputs.ingredients import assemble, make_graph
from simulator.results.needed import needed_of
from simulator.results.run_directory import RunDirectory
from simulator.runs.answer import answer
from simulator.scenario.scenario import Scenario
from simulator.workload.workload import Workload

SEED = 1
APPROACHES = ["paint-dense", "paint-sparse", "unicast", "cn-relax"]
BASE = {"nodes": 20_000, "brokers": 1_000, "subscriptions": 1_000_000, "objects": 10_000, "events": 500}
SMALL = {"nodes": 3_037, "brokers": 20, "subscriptions": 2_000, "objects": 500, "events": 20}
SIZES: dict[str, tuple[int, ...]] = {
    "brokers": (1_000, 2_000, 5_000, 10_000),
    "nodes": (10_000, 30_000, 100_000),
    "subscriptions": (1_000_000, 3_000_000, 10_000_000),
    "objects": (10_000, 30_000, 100_000),
    "events": (500, 2_000, 8_000),
}


def run(sizes: dict[str, int], seconds: dict[str, float]) -> None:
    """Run a scenario of these sizes, but for the means that Spark takes; the processor time of its steps."""
    scenario = Scenario.model_validate(
        {
            "name": "scale",
            "seed": SEED,
            "k": 20,
            "approaches": APPROACHES,
            "topology": {"nodes": sizes["nodes"]},
            "network": {"brokers": sizes["brokers"]},
            "objects": {"count": sizes["objects"]},
            "subscriptions": {"count": sizes["subscriptions"]},
            "events": {"count": sizes["events"]},
        }
    )
    rng = np.random.default_rng(SEED)
    x, y = rng.random((2, sizes["objects"]))
    l, r = np.sort(rng.random((2, sizes["subscriptions"])), axis=0)
    with _clocked(seconds, "graph_s"):
        graph = make_graph(scenario)
    with _clocked(seconds, "ingredients_s"):
        ingredients = assemble(scenario, Workload(20, x, y, l, r), rng.random(len(l)), graph=graph)
    with _clocked(seconds, "needed_s"):
        needed = needed_of(scenario, ingredients)
    with tempfile.TemporaryDirectory() as scratch:
        writing = RunDirectory(Path(scratch), scenario)
        with writing:
            for name in APPROACHES:
                with _clocked(seconds, f"{name}_s"):
                    outcome, collectors = writing.begin(name, ingredients, needed)
                    answer(scenario, ingredients, name, collectors, ledger=outcome.ledger)
        with _clocked(seconds, "links_s"):
            writing.write_loads(ingredients)


@contextmanager
def _clocked(seconds: dict[str, float], step: str) -> Iterator[None]:
    start = time.process_time()
    yield
    seconds[step] = time.process_time() - start


def measure(sizes: dict[str, int]) -> dict[str, float]:
    """Run one size in this process."""
    run(SMALL, {})
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds: dict[str, float] = {}
    run(sizes, seconds)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return {**sizes, **seconds, "all_s": sum(seconds.values()), "peak_mb": peak / 2**10}


def exponent(sizes: list[float], costs: list[float]) -> float:
    """Slope of the line that fits best through the logarithms of sizes and costs."""
    return float(np.polyfit(np.log(sizes), np.log(np.maximum(costs, 1e-3)), 1)[0])


def main(names: list[str]) -> int:
    """Measure, print and write; 1 if something grows faster than it may."""
    rows: list[dict[str, object]] = []
    too_fast: set[str] = set()
    for what in names or SIZES:
        here: list[dict[str, float]] = []
        for size in SIZES[what]:
            case = json.dumps(BASE | {what: size})
            told = subprocess.run(
                [sys.executable, "-m", "benchmarks.scale", case], capture_output=True, text=True, check=True
            )
            here.append(json.loads(told.stdout.splitlines()[-1]))
            _show(what, here[-1], header=len(here) == 1)
        steps = [name for name in here[0] if name not in BASE]
        for title, part in (("exponent", here), ("last step", here[-2:])):
            grown = {step: exponent([row[what] for row in part], [row[step] for row in part]) for step in steps}
            print(f"{title:>13}" + "".join(f"{grown[step]:15.2f}" for step in steps), flush=True)
            too_fast |= {f"{step} with {what}" for step in ("all_s", "peak_mb") if grown[step] > 1.1}
        rows += [{"grows": what, **row} for row in here]
    write_rows("scale", rows, SEED)
    print("faster than linear: " + (", ".join(sorted(too_fast)) or "nothing"))
    return int(bool(too_fast - {"all_s with brokers", "peak_mb with brokers"}))


def _show(what: str, row: dict[str, float], *, header: bool) -> None:
    steps = [name for name in row if name not in BASE]
    if header:
        print(f"{what:>13}" + "".join(f"{step:>15}" for step in steps))
    print(f"{row[what]:13,}" + "".join(f"{row[step]:15,.2f}" for step in steps), flush=True)


if __name__ == "__main__":
    if sys.argv[1:] and sys.argv[1].startswith("{"):
        print(json.dumps(measure(json.loads(sys.argv[1]))))
    else:
        sys.exit(main(sys.argv[1:]))
