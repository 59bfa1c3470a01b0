"""Warming up: run everything once on a handful of objects, so that all kernels are compiled and kept."""

import numpy as np

from simulator.approaches.registry import APPROACHES
from simulator.inputs.ingredients import Ingredients, assemble
from simulator.results.verify import verifier_of
from simulator.runs.answer import records_of
from simulator.scenario.scenario import Scenario
from simulator.workload.workload import Workload

__all__ = ["warm_up"]


def warm_up() -> None:
    """Compile every kernel that a run uses, without Spark; about a minute the first time, a second later on."""
    rng = np.random.default_rng(0)
    l, r = np.sort(rng.random((2, 50)), axis=0)
    workload = Workload(3, rng.random(20), rng.random(20), l.copy(), r.copy())
    kinds = {"can": "uniform", "tree": "gaussian"}
    for kind in kinds:
        for engine in ("tally", "des"):
            shares = {} if engine == "tally" else {"insert": 0.1, "move": 0.1}
            names = [name for name, approach in APPROACHES.items() if not (shares and approach.updates_only)]
            scenario = Scenario.model_validate(
                {
                    "name": "warm-up",
                    "k": workload.k,
                    "approaches": [*names, "paint-dense(0.5)", "paint-sparse(0.5)"],
                    "engine": engine,
                    "verify": "all",
                    "topology": {"model": "inet", "nodes": 3037},
                    "network": {"kind": kind, "brokers": 4, "last_hop": True},
                    "objects": {"count": len(workload.x)},
                    "subscriptions": {"count": len(l)},
                    "events": {"count": 20, "kind": kinds[kind], "delete": 0.1, **shares},
                }
            )
            ingredients = assemble(scenario, workload, rng.random(len(l)))
            _answer_all(scenario, ingredients)
            ingredients.routes.link_load(np.ones((4, 4)))
            if engine == "des":
                faults = scenario.faults.model_copy(update={"crashes": 1, "joins": 5, "leaves": 5})
                network = scenario.network.model_copy(update={"last_hop": False})
                changes = {"faults": faults, "network": network, "approaches": ["paint-sparse", "unicast"]}
                _answer_all(scenario.model_copy(update=changes), ingredients)


def _answer_all(scenario: Scenario, ingredients: Ingredients) -> None:
    for name in scenario.approaches:
        verifier = verifier_of(scenario, ingredients, name)
        records_of(scenario, ingredients, name, *([] if verifier is None else [verifier]))
