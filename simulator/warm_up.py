"""Warming up: run everything once on a handful of objects, so that all kernels are compiled and kept."""

import numpy as np
from rich.progress import Progress

from .approaches import APPROACHES, Workload
from .ingredients import assemble
from .run import Stopwatch, answer, check
from .scenario import Scenario

__all__ = ["warm_up"]


def warm_up() -> None:
    """Compile every kernel that a run uses, without Spark; about a minute the first time, a second later on."""
    rng = np.random.default_rng(0)
    l, r = np.sort(rng.random((2, 50)), axis=0)
    workload = Workload(3, rng.random(20), rng.random(20), l.copy(), r.copy())
    for kind in ("can", "tree"):
        for engine in ("tally", "des"):
            scenario = Scenario.model_validate(
                {
                    "name": "warm-up",
                    "k": workload.k,
                    "approaches": [*APPROACHES, "paint-dense(0.5)", "paint-sparse(0.5)"],
                    "engine": engine,
                    "verify": "all",
                    "topology": {"model": "inet", "nodes": 3037},
                    "network": {"kind": kind, "brokers": 4, "last_hop": True},
                    "objects": {"count": len(workload.x)},
                    "subscriptions": {"count": len(l)},
                    "events": {"count": 20},
                }
            )
            ingredients = assemble(scenario, workload, rng.random(len(l)))
            silent = Progress(disable=True)
            answered = [answer(scenario, ingredients, name, silent, Stopwatch())[0] for name in scenario.approaches]
            check(scenario, ingredients, answered, silent)
