"""What zones that fit gain; run with `python -m benchmarks.fit [NODES BROKERS]`.

Paint-Dense's messages for k = 20 on 10,000 objects, from the server to every gateway concerned, over zones that are
even or balanced by the population and brokers that are placed at random or near their neighbours: per message the
overlay hops and the IP hops, and per delivery the delay along the overlay, in ms and over that of the straight IP
path. Beside them, the largest share of subscriptions that a broker has, as a multiple of the mean. A tree has no
zones, and one row.
"""

import sys
import time
from itertools import product
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from benchmarks.record import uniform_workload, write_rows
from paint import Server
from simulator.engine.journeys import travelled
from simulator.inputs.ingredients import Ingredients, assemble
from simulator.scenario.scenario import Scenario
from simulator.scenario.tables import Network
from simulator.workload.workload import Workload

SEED = 1
OBJECTS, EVENTS, SUBSCRIPTIONS, K = 10_000, 200, 200_000, 20
NODES, BROKERS = 20_000, 1_000
COLUMNS = ("overlay hops", "IP hops", "delay ms", "over direct", "largest share")


def populations(rng: np.random.Generator) -> dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Ends of subscriptions, uniform in the triangle, and around ten centres of it."""
    centres = np.sort(rng.random((10, 2)), axis=1)[rng.integers(10, size=SUBSCRIPTIONS)]
    drawn = {
        "uniform": rng.random((SUBSCRIPTIONS, 2)),
        "clustered": np.clip(centres + rng.normal(0, 0.02, centres.shape), 0, 1),
    }
    ends = {name: np.sort(pairs, axis=1) for name, pairs in drawn.items()}
    return {name: (pairs[:, 0].copy(), pairs[:, 1].copy()) for name, pairs in ends.items()}


def variants() -> list[dict[str, str]]:
    """Every kind of network, those with zones in four ways."""
    ways = product(("even", "balanced"), ("random", "near"))
    fits = [{"zones": zones, "placement": placement} for zones, placement in ways]
    kinds = get_args(Network.model_fields["kind"].annotation)
    return [{"kind": kind, **fit} for kind in kinds for fit in (fits if kind != "tree" else fits[:1])]


def measure(ingredients: Ingredients, table: NDArray[np.void]) -> dict[str, float]:
    """What messages from the server cost."""
    routes, server = ingredients.routes, ingredients.server
    hops = ingredients.network.hops(table, server)
    delays = routes.delay_ms[hops.senders, hops.receivers]
    reached = hops.receivers[hops.delivers]
    along_ms, direct_ms = travelled(hops.previous, delays)[hops.delivers], routes.delay_ms[server, reached]
    held = np.bincount(ingredients.gateways.home, minlength=len(ingredients.network))
    values = (
        len(delays) / len(table),
        routes.hops[hops.senders, hops.receivers].sum() / len(table),
        along_ms.mean(),
        along_ms.sum() / direct_ms.sum(),
        held.max() / held.mean(),
    )
    return {name: float(value) for name, value in zip(COLUMNS, values, strict=True)}


def main(nodes: int = NODES, brokers: int = BROKERS) -> None:
    x, y, events = uniform_workload(OBJECTS, EVENTS, SEED)
    table = Server(x, y, k=K, algorithm="dense").replay(events.object, events.y).table
    rows: list[dict[str, Any]] = []
    for population, (l, r) in populations(np.random.default_rng(SEED)).items():
        graph = None
        for variant in variants():
            scenario = Scenario.model_validate(
                {
                    "name": "fit",
                    "seed": SEED,
                    "k": K,
                    "approaches": ["paint-dense"],
                    "topology": {"nodes": nodes},
                    "network": {"brokers": brokers, **variant},
                    "objects": {"count": OBJECTS},
                }
            )
            start = time.process_time()
            workload, location = Workload(K, x, y, l, r), np.random.default_rng(SEED).random(SUBSCRIPTIONS)
            ingredients = assemble(scenario, workload, location, graph=graph)
            graph = ingredients.graph
            about = {"nodes": nodes, "brokers": brokers, "population": population, **variant}
            rows.append(about | measure(ingredients, table) | {"seconds": time.process_time() - start})
            told = ", ".join(f"{name} {rows[-1][name]:.2f}" for name in (*COLUMNS, "seconds"))
            print(f"{population:10} {' '.join(variant.values()):22} {told}", flush=True)
    write_rows("fit", rows, SEED)


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
