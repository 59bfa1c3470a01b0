"""Small scenarios out of a seed: every approach, network and engine, ties and faults; arrays in, no Spark."""

import math
from collections import Counter
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from pipeline import HOPS
from simulator.engine.ledger import Ledger
from simulator.inputs.ingredients import Ingredients, assemble
from simulator.results.collectors import HopRecords
from simulator.runs.answer import records_of, verified_records
from simulator.scenario.loading import make_scenario
from simulator.scenario.scenario import Scenario
from simulator.workload.workload import Workload

APPROACHES = (
    "paint-dense",
    "paint-dense(0.5)",
    "paint-sparse",
    "paint-sparse(1)",
    "paint-batch(7)",
    "paint-batch(20ms)",
    "paint-batch-sparse(5)",
    "unicast",
    "cn-relax",
    "flood",
    "rendezvous",
    "poll(20ms)",
)

SHAPE_APPROACHES = (
    "paint-sparse",
    "paint-batch-sparse(5)",
    "paint-batch-sparse(20ms)",
    "unicast",
    "cn-relax",
    "flood",
    "rendezvous",
    "poll(20ms)",
)
"""Those that there are for halfspaces and disks."""


def approaches_of(scenario: Scenario) -> tuple[str, ...]:
    """All approaches to what a scenario's subscriptions are."""
    return APPROACHES if scenario.form.shape == "boxes" else SHAPE_APPROACHES


def random_scenario(seed: int, *, shape: Any = "boxes", **changes: Any) -> Scenario:
    """A scenario with few objects and subscriptions on few brokers; every third has no faults."""
    rng = np.random.default_rng([seed, 1])
    n = int(rng.integers(1, 40))
    content: dict[str, Any] = {
        "name": f"random-{seed}",
        "seed": seed,
        "k": int(rng.integers(1, min(n, 6) + 1)),
        "approaches": list(APPROACHES),
        "engine": "des",
        "verify": "all",
        "topology": {"model": "barabasi-albert", "nodes": int(rng.integers(20, 60))},
        "network": {
            "kind": str(rng.choice(["can", "prefix", "tree"])),
            "brokers": int(rng.integers(3, 13)),
            "space": str(rng.choice(["triangle", "square"])),
            "summary_boxes": int(rng.integers(1, 4)),
            "unicast": str(rng.choice(["direct", "overlay"])),
            "order": str(np.random.default_rng([seed, 3]).choice(["place", "hold", "none"])),
        },
        "objects": {"count": n},
        "subscriptions": {"count": int(rng.integers(1, 60))},
        "events": {
            "count": int(rng.integers(1, 60)),
            "kind": str(rng.choice(["uniform", "gaussian"])),
            "rate": f"{int(rng.integers(20, 2000))}/s",
            "arrival": str(rng.choice(["fixed", "poisson", "bursts", "at-once"])),
            **{share: float(rng.choice([0.0, 0.15])) for share in ("insert", "delete", "move")},
        },
    }
    if content["events"]["arrival"] == "bursts":
        content["events"]["gap"] = "30ms"
    if content["network"]["kind"] == "prefix":
        own = np.random.default_rng([seed, 4])
        content["network"] |= {
            "base": int(own.choice([2, 4, 8, 16])),
            "contacts": str(own.choice(["near", "random"])),
        }
    if seed % 3:
        content["faults"] = {
            "crashes": int(rng.integers(0, 4)),
            "detection": f"{int(rng.integers(0, 50))}ms",
            "downtime": f"{int(rng.integers(0, 200))}ms",
            "loss": float(rng.choice([0.0, 0.1, 0.5])),
            "timeout": f"{int(rng.integers(1, 100))}ms",
            "duplication": float(rng.choice([0.0, 0.2])),
            "delayed": float(rng.choice([0.0, 0.3])),
            "server_crashes": int(rng.integers(0, 3)),
            "server_downtime": f"{int(rng.integers(0, 100))}ms",
            "joins": int(rng.integers(0, 20)),
            "leaves": int(rng.integers(0, content["subscriptions"]["count"])),
        }
    if shape != "boxes":
        content["subscriptions"]["distribution"], content["approaches"] = shape, list(SHAPE_APPROACHES)
    return Scenario.model_validate(content | changes)


def bundled(scenario: Scenario, header: int = 20) -> Scenario:
    """The same with packets."""
    content = scenario.model_dump(exclude_none=True)
    content["network"]["bundle"], content["sizes"]["header"] = True, f"{header}B"
    return Scenario.model_validate(content)


def scenario_in(place: Path, values: dict[str, Any]) -> Scenario:
    """A scenario as from a file in a directory; the values stay as they are."""
    return make_scenario(deepcopy(values), (), path=place / "scenario.toml")


def queue_scenario(seed: int, service_s: float, events: dict[str, Any]) -> Scenario:
    """One broker, and a server that takes the same time for each event; everything else takes none."""
    return Scenario.model_validate(
        {
            "name": "queue",
            "seed": seed,
            "k": 1,
            "approaches": ["paint-dense"],
            "engine": "des",
            "topology": {"model": "barabasi-albert", "nodes": 3},
            "network": {"brokers": 1},
            "objects": {"count": 10},
            "subscriptions": {"count": 10},
            "events": events,
            "costs": {"broker": "0s", "first_k": f"{service_s / 2}s", "min_y": "0s", "snap": "0s", "send": "0s"},
        }
    )


def small_ingredients(scenario: Scenario) -> Ingredients:
    """Objects and subscriptions with many ties in x, y, l and r, or on the rim of halfspaces and disks."""
    rng = np.random.default_rng([scenario.seed, 2])
    n, m = scenario.objects.count, scenario.subscriptions.count
    grid = int(rng.choice([5, 20, 10**6]))
    if scenario.dimensions == 1:
        x, y = np.floor(rng.random((2, n)) * grid) / grid
        l, r = np.sort(np.floor(rng.random((2, m)) * grid) / grid, axis=0)
    elif scenario.form.shape != "boxes":
        x, y, l, r = _among_shapes(scenario, rng)
    else:
        d = math.ceil(scenario.dimensions)
        x, y = np.floor(rng.random((n, d)) * grid) / grid, np.floor(rng.random(n) * grid) / grid
        l, r = np.sort(np.floor(rng.random((2, m, d)) * grid) / grid, axis=0)
        if scenario.dimensions < d:
            l[:, -1] = -np.finfo(np.float64).max
    workload = Workload(scenario.k, x, y, l.copy(), r.copy(), **scenario.form._asdict())
    return assemble(scenario, workload, rng.random(m))


def told_ends(workload: Workload, l: Any, r: Any) -> list[tuple[Any, Any]]:
    """Subscriptions as `tests.oracles.inside` takes them: their ends, or the shape and a point of S."""
    lows = l.tolist() if workload.shape == "boxes" else [workload.shape] * len(r)
    return list(zip(lows, r.tolist(), strict=True))


def _among_shapes(scenario: Scenario, rng: np.random.Generator) -> tuple[np.ndarray[Any, np.dtype[np.float64]], ...]:
    """x, y, l and r; on a grid of eighths, where floats are exact, or anywhere."""
    form, n, m = scenario.form, scenario.objects.count, scenario.subscriptions.count
    x, rows = rng.uniform(-1, 1, (n, form.attributes)), rng.uniform(-1, 1, (m, len(form.columns)))
    if rng.random() < 0.5:
        x, rows = np.round(x * 8) / 8, np.round(rows * 8) / 8
    if form.shape == "disks":
        rows[:, 2] = abs(rows[:, 2])
    l, r = form.laid(dict(zip(form.columns, rows.T, strict=True)))
    return x, np.round(rng.random(n) * 20) / 20, l, r


def run_hops(scenario: Scenario, ingredients: Ingredients, name: str) -> tuple[pa.Table, pa.Table]:
    """Records of an approach, and its rows of `hops.parquet`."""
    tables: list[pa.Table] = []
    records = records_of(scenario, ingredients, name, HopRecords(scenario, name, tables.append))
    return records, pa.concat_tables([HOPS.empty_table(), *tables])


def run_small(scenario: Scenario, ingredients: Ingredients, name: str) -> tuple[pa.Table, str, Counter[str]]:
    """Records of an approach, what is wrong with it ("" if nothing), and the faults that happened."""
    ledger = Ledger()
    table, mismatch = verified_records(scenario, ingredients, name, ledger=ledger)
    return table, str(mismatch or ""), ledger.happened
