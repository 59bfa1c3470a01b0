"""Runs as the report reads them: every file of a run directory, checked, and the network put together again."""

import json
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

import pipeline
from cn import Zones
from rangecast import RangecastError, cache_dir

from .ingredients import make_graph, make_zones, place_brokers, trace_of, x_range_of
from .run import RunError
from .scenario import Scenario, load_scenario
from .tables import read_summary

__all__ = ["Map", "Run", "Series", "read_run", "series_of"]


Map = Zones | NDArray[np.float64]
"""Where the brokers of a run are: their zones in S, or x and y of their nodes in the IP network, (brokers, 2)."""
_TABLES = ("scenario", "versions", "verified", "faults", "approaches", "seconds")
"""What the report reads of a manifest."""


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
    summary = read_summary(directory)
    if not summary:
        raise RunError(f"{directory / 'summary.csv'}: holds no approach; run the scenario again")
    manifest = _manifest(directory / "manifest.json")
    text = _scenario_text(directory / "scenario.toml", manifest["scenario"])
    events = _table(directory / "events.parquet", pipeline.EVENTS)
    brokers = _table(directory / "brokers.parquet", pipeline.BROKERS)
    links = _table(directory / "links.parquet", pipeline.LINKS)
    return Run(name, directory, manifest, text, summary, events, brokers, links, _map(directory, brokers))


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


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise RunError(f"{path}: cannot be read: {error.strerror}; run the scenario again") from error
    except ValueError as error:
        raise RunError(f"{path}: cannot be read: it is not UTF-8 text; run the scenario again") from error


def _manifest(path: Path) -> dict[str, Any]:
    try:
        manifest = json.loads(_text(path))
    except (ValueError, RecursionError) as error:
        raise RunError(f"{path}: not valid JSON ({str(error).splitlines()[0]}); run the scenario again") from error
    if not isinstance(manifest, dict):
        raise RunError(f"{path}: must hold a table, not {type(manifest).__name__}; run the scenario again")
    missing = [name for name in _TABLES if not isinstance(manifest.get(name), dict)]
    if missing:
        raise RunError(f"{path}: lacks the tables {', '.join(missing)}; run the scenario again with this version")
    return manifest


def _scenario_text(path: Path, ran: dict[str, Any]) -> str:
    """The scenario file, with all that ran: of one that was cut off, defaults would stand in for the rest."""
    text = _text(path)
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise RunError(f"{path}: not valid TOML ({str(error).splitlines()[0]}); run the scenario again") from error
    missing = _missing(ran, values)
    if missing:
        raise RunError(f"{path}: lacks {', '.join(missing)}, which manifest.json has; run the scenario again")
    return text


def _missing(wanted: dict[str, Any], values: dict[str, Any]) -> list[str]:
    """Keys, dotted, that are in `wanted` only."""
    missing = []
    for key, value in wanted.items():
        if key not in values:
            missing.append(key)
        elif isinstance(value, dict) and isinstance(values[key], dict):
            missing += [f"{key}.{inner}" for inner in _missing(value, values[key])]
    return missing


def _table(path: Path, schema: pa.Schema) -> pa.Table:
    try:
        table = pq.read_table(path)
        missing = [name for name in schema.names if name not in table.column_names]
        if not missing:
            return table.select(schema.names).cast(schema)
    except (OSError, ValueError) as error:  # Arrow's errors are among these
        reason = "there is no such file" if not path.exists() else str(error).splitlines()[0]
        raise RunError(f"{path}: cannot be read: {reason}; run the scenario again with this version") from error
    raise RunError(f"{path}: lacks the columns {', '.join(missing)}; run the scenario again with this version")


def _map(directory: Path, brokers: pa.Table) -> Map | str:
    """The network of a run as it was at the start; a reason when it cannot be made again."""
    try:
        scenario = load_scenario(directory / "scenario.toml")
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
