"""Runs as the report reads them: every file of a run directory, checked, and the network put together again."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

import pipeline
from cn import Zones
from floor.errors import RangecastError
from floor.text import first_line
from pipeline import FAULTS, SERIES
from simulator.approaches.registry import parse_approach
from simulator.inputs.ingredients import make_graph, make_zones, place_brokers
from simulator.inputs.start import population_place, ranges_of
from simulator.results.distinct_directories import distinct_names, refuse_twice
from simulator.results.errors import RunError
from simulator.results.finished_run import FinishedRun
from simulator.scenario.scenario import Scenario
from topologies import Routes

__all__ = ["Map", "Run", "Side", "known", "needs_no_server", "read_run", "read_runs", "sides_of"]


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
    summary_csv: bytes
    tables: dict[str, pa.Table]
    """By name: events, brokers and links, and series and faults, which are empty where the run has none."""
    map: Map | str
    """Or why there is none."""

    @property
    def warm_up(self) -> int:
        """Events that count in no mean."""
        told = known(self.manifest, "scenario", "events", "warm_up")
        return told if isinstance(told, int) else 0


class Side(NamedTuple):
    """One side of a comparison: an approach of a run, with its rows of the run's tables."""

    label: str
    """Its name, with that of the run when there are several."""
    run: Run
    name: str
    colour: int
    """Number of its colour: the same for the same name in every run."""
    look: int
    """Number of its dashes, different for every one of the page; runs of one approach follow each other."""
    summary: dict[str, object]
    events: pa.Table
    brokers: pa.Table
    links: pa.Table
    series: pa.Table
    faults: pa.Table

    @property
    def unsteady(self) -> str | None:
        """Why its times depend on the length of the run; None where they do not."""
        told = known(self.run.manifest, "approaches", self.name, "steady")
        return told if isinstance(told, str) and told != "steady" else None

    @property
    def serverless(self) -> bool:
        """Whether it is known to need no server."""
        return needs_no_server(self.name)

    def value(self, column: str) -> float | None:
        """A column of its row of `summary.csv`."""
        found = self.summary[column]
        return float(found) if isinstance(found, int | float) else None


def read_runs(directories: Sequence[Path]) -> list[Run]:
    """Read run directories; each is called by its own name, with those above it where that is another's too.

    Raises
    ------
    RunError
        A directory that is not a finished run, or the same one twice.
    """
    refuse_twice(directories, "run", RunError)
    return [read_run(*named) for named in zip(directories, distinct_names(directories), strict=True)]


def read_run(directory: Path, name: str) -> Run:
    """Read a run directory and put its network together again, without Spark.

    Raises
    ------
    RunError
        Something is missing or broken: one line that names it.
    """
    run = FinishedRun(directory)
    told = (run.manifest, run.scenario_text, run.summary, run.summary_csv)
    tables = {one: run.table(one) for one in ("events", "brokers", "links")}
    for one, schema in (("series", SERIES), ("faults", FAULTS)):
        tables[one] = run.table(one) if run.has(one) else schema.empty_table()
    return Run(name, directory, *told, tables, _map(run, tables["brokers"]))


def sides_of(runs: Sequence[Run]) -> list[Side]:
    """Every approach of every run, in order; the label names the run when there are several."""
    names = [[str(row["approach"]) for row in run.summary] for run in runs]
    colours = {name: at for at, name in enumerate(dict.fromkeys(name for own in names for name in own))}
    places = sorted((colours[name], at) for at, own in enumerate(names) for name in own)
    looks = {place: look for look, place in enumerate(places)}
    return [
        Side(
            f"{run.name}: {name}" if len(runs) > 1 else name,
            run,
            name,
            colours[name],
            looks[colours[name], at],
            row,
            **{one: table.filter(pc.field("approach") == name) for one, table in run.tables.items()},
        )
        for at, run in enumerate(runs)
        for name, row in zip(names[at], run.summary, strict=True)
    ]


def needs_no_server(name: str) -> bool:
    """Whether an approach is known to need no server."""
    try:
        return parse_approach(name).serverless
    except ValueError:
        return False


def known(values: Any, *keys: str) -> Any:
    """A value deep in a manifest, which may hold anything; None if it is not there."""
    for key in keys:
        values = values.get(key) if isinstance(values, dict) else None
    return values


def _map(run: FinishedRun, brokers: pa.Table) -> Map | str:
    """The network of a run as it was at the start; a reason when it cannot be made again."""
    try:
        scenario = run.scenario
        zoned = scenario.network.kind != "tree" and scenario.dimensions == 1  # of more sides there is no picture
        found = _zones(scenario) if zoned else _places(scenario)
    except (RangecastError, ValueError, OSError) as error:
        return first_line(error)
    there = scenario.network.brokers
    if int(pc.max(brokers["broker"]).as_py() or 0) >= there:
        return f"the scenario has {there} brokers and brokers.parquet has more"
    return found


def _zones(scenario: Scenario) -> Zones | str:
    ranges, nobody = ranges_of(scenario), np.empty(0)
    ends = nobody, nobody
    if scenario.network.zones == "balanced":
        path = population_place(scenario)
        if not path.exists():
            return "the zones follow the population, which is not in the cache; run the scenario again"
        population = pipeline.read_population(path, x_range=ranges.laid)
        ends = population.l, population.r
    return make_zones(scenario, ends, ranges.x, lambda: _routes(scenario))


def _routes(scenario: Scenario) -> Routes:
    graph = make_graph(scenario)
    return Routes.build(graph, place_brokers(scenario, graph))


def _places(scenario: Scenario) -> NDArray[np.float64]:
    graph = make_graph(scenario)
    nodes = place_brokers(scenario, graph).tolist()
    return np.array([(graph.nodes[node]["x"], graph.nodes[node]["y"]) for node in nodes], np.float64)
