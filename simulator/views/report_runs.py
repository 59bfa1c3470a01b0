"""Runs as the report reads them: every file of a run directory, checked, and the network put together again."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

import pipeline
from cn import Zones
from floor.cache import cache_dir
from floor.errors import RangecastError
from simulator.inputs.ingredients import make_graph, make_zones, place_brokers, trace_of, x_range_of
from simulator.results.finished_run import FinishedRun
from simulator.scenario.scenario import Scenario

__all__ = ["Map", "Run", "Series", "read_run", "series_of"]


Map = Zones | NDArray[np.float64]
"""Where the brokers of a run are: their zones in S, or x and y of their nodes in the IP network, (brokers, 2)."""


class Run(NamedTuple):
    """A finished run."""

    name: str
    directory: Path
    manifest: dict[str, Any]
    """Holds the tables scenario, versions, verified, faults, approaches and seconds; in them may be anything."""
    scenario_text: str
    summary: list[dict[str, object]]
    events: pa.Table
    brokers: pa.Table
    links: pa.Table
    map: Map | str
    """Or why there is none."""


class Series(NamedTuple):
    """One approach of one run, with its rows of the run's tables."""

    label: str
    run: Run
    approach: str
    summary: dict[str, object]
    events: pa.Table
    brokers: pa.Table
    links: pa.Table


def read_run(directory: Path, name: str) -> Run:
    """Read a run directory and put its network together again, without Spark.

    Raises
    ------
    RunError
        Something is missing or broken: one line that names it.
    """
    run = FinishedRun(directory)
    told = (run.manifest, run.scenario_text, run.summary)
    events, brokers, links = (run.table(one) for one in ("events", "brokers", "links"))
    return Run(name, directory, *told, events, brokers, links, _map(run, brokers))


def series_of(runs: list[Run]) -> list[Series]:
    """Every approach of every run, in order; the label names the run when there are several."""
    return [
        Series(
            f"{run.name}: {row['approach']}" if len(runs) > 1 else str(row["approach"]),
            run,
            str(row["approach"]),
            row,
            *(
                table.filter(pc.field("approach") == row["approach"])
                for table in (run.events, run.brokers, run.links)
            ),
        )
        for run in runs
        for row in run.summary
    ]


def _map(run: FinishedRun, brokers: pa.Table) -> Map | str:
    """The network of a run as it was at the start; a reason when it cannot be made again."""
    try:
        scenario = run.scenario
        found = _zones(scenario) if scenario.network.kind == "can" else _places(scenario)
    except (RangecastError, ValueError, OSError) as error:
        return str(error).splitlines()[0]
    known = scenario.network.brokers
    if int(pc.max(brokers["broker"]).as_py() or 0) >= known:
        return f"the scenario has {known} brokers and brokers.parquet has more"
    return found


def _zones(scenario: Scenario) -> Zones | str:
    x_range = x_range_of(trace_of(scenario))
    if scenario.network.balance != "population":
        return make_zones(scenario, None, x_range)
    wanted = scenario.subscriptions
    spec = pipeline.PopulationSpec(wanted.distribution, wanted.count, scenario.seed)
    path = pipeline.population_path(spec, cache_dir() / "populations")
    if not path.exists():
        return "the zones follow the population, which is not in the cache; run the scenario again"
    population = pipeline.read_population(path)
    l, r = (pipeline.spread_ends(end, x_range) for end in (population.l, population.r))
    return make_zones(scenario, (l, r), x_range)


def _places(scenario: Scenario) -> NDArray[np.float64]:
    graph = make_graph(scenario)
    nodes = place_brokers(scenario, graph).tolist()
    return np.array([(graph.nodes[node]["x"], graph.nodes[node]["y"]) for node in nodes], np.float64)
