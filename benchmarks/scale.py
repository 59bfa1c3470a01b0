"""Memory and time of whole runs without Spark: against the number of events, and with ten million subscriptions.

Run it with `python -m benchmarks.scale`. Every case is a process of its own, so that its peak memory is its own.
Bounds: the peak does not grow with the events (records are streamed); 10M subscriptions in under 8 GB.
"""

import json
import resource
import subprocess
import sys
import time

import numpy as np

from benchmarks.record import write_rows
from simulator.engine.ledger import Ledger
from simulator.inputs.ingredients import assemble
from simulator.results.collectors import EventRecords
from simulator.results.lists import lists_of
from simulator.results.loads import Loads
from simulator.results.needed import needed_of
from simulator.runs.answer import answer
from simulator.scenario.scenario import Scenario
from simulator.workload.workload import Workload

SEED = 1
APPROACHES = ("paint-dense", "paint-sparse", "paint-sparse(1)", "unicast", "cn-relax")
CASES: tuple[tuple[str, int, int, tuple[str, ...]], ...] = (
    ("tally", 200_000, 1_000, ("paint-dense", "cn-relax")),
    ("tally", 200_000, 4_000, ("paint-dense", "cn-relax")),
    ("tally", 200_000, 16_000, ("paint-dense", "cn-relax")),
    ("des", 200_000, 250, ("paint-sparse",)),
    ("des", 200_000, 1_000, ("paint-sparse",)),
    ("des", 200_000, 4_000, ("paint-sparse",)),
    ("tally", 2_000_000, 1_000, APPROACHES),
    ("tally", 10_000_000, 200, APPROACHES),
)


def measure(engine: str, m: int, events: int, approaches: list[str]) -> dict[str, object]:
    """Run one case in this process."""
    scenario = Scenario.model_validate(
        {
            "name": "scale",
            "seed": SEED,
            "k": 20,
            "approaches": approaches,
            "engine": engine,
            "topology": {"nodes": 20_000},
            "network": {"brokers": 1_000, "space": "square"},
            "objects": {"count": 10_000},
            "subscriptions": {"count": m},
            "events": {"count": events},
        }
    )
    rng = np.random.default_rng(SEED)
    x, y = rng.random((2, 10_000))
    l, r = np.sort(rng.random((2, m)), axis=0)
    start = time.process_time()
    ingredients = assemble(scenario, Workload(20, x, y, l, r), rng.random(m))
    ready = time.process_time()
    needed = needed_of(scenario, ingredients)
    for name in approaches:
        loads = Loads(len(ingredients.network))
        lists = lists_of(scenario, ingredients, name)
        records = EventRecords(scenario, ingredients, name, needed, lists, lambda _: None)
        answer(scenario, ingredients, name, [loads, records], ledger=Ledger())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return {
        "engine": engine,
        "m": m,
        "events": events,
        "approaches": len(approaches),
        "ingredients_s": round(ready - start, 1),
        "approaches_s": round(time.process_time() - ready, 1),
        "peak_gb": round(peak, 2),
    }


def main() -> None:
    rows: list[dict[str, object]] = []
    for engine, m, events, approaches in CASES:
        case = json.dumps([engine, m, events, approaches])
        told = subprocess.run(
            [sys.executable, "-m", "benchmarks.scale", case], capture_output=True, text=True, check=True
        )
        rows.append(json.loads(told.stdout.splitlines()[-1]))
        print("  ".join(f"{name} {value}" for name, value in rows[-1].items()), flush=True)
    write_rows("scale", rows, SEED)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(measure(*json.loads(sys.argv[1]))))
    else:
        main()
