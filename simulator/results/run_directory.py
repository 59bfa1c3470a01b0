"""The run directory, written: `finished_run` reads it.

events.parquet     one row per approach and window           hops.parquet    one per transmission, if asked for
brokers.parquet    what every broker carried                 links.parquet   what every IP link carried
series.parquet     what went on in slices of time, of des    faults.parquet  all that went wrong, if anything could
summary.csv        means per event, by Spark                 comparison.png  the same, drawn
scenario.toml      what was run, in full                     manifest.json   seed, versions, verdicts, timings
"""

import json
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from pyspark.sql import SparkSession

import pipeline
from floor.steps import Advance
from simulator.approaches.approach import Approach
from simulator.approaches.registry import parse_approach
from simulator.engine.fault_log import FaultLog
from simulator.engine.ledger import Ledger
from simulator.inputs.ingredients import Ingredients
from simulator.inputs.plugins import loaded_plugins
from simulator.results.collectors import Collector, EventRecords, HopRecords
from simulator.results.fault_records import FaultRecords
from simulator.results.finished_run import FinishedRun
from simulator.results.lists import Lists, lists_of
from simulator.results.loads import Loads, link_table
from simulator.results.needed import Needed
from simulator.results.series import Series, series_table
from simulator.results.steadiness import offered_load, unsteady
from simulator.results.verify import Mismatch, Verifier, first_mismatch, verifier_of
from simulator.results.versions import versions
from simulator.scenario.loading import scenario_toml
from simulator.scenario.scenario import Scenario

__all__ = ["FIGURE", "Outcome", "RunDirectory"]

FIGURE = "comparison.png"


@dataclass
class Outcome:
    """What is known of one approach beside its records."""

    name: str
    approach: Approach
    loads: Loads
    verifier: Verifier | None
    series: Series
    lists: Lists | None
    time_s: NDArray[np.float64]
    """When events arise."""
    ledger: Ledger = field(default_factory=Ledger)

    @property
    def mismatch(self) -> Mismatch | None:
        """The first thing that was found wrong, in what was sent or, by the clock, in what lists came to."""
        return first_mismatch(self.verifier, self.lists)

    @property
    def verdict(self) -> str:
        """What the manifest says of it where it was verified."""
        return "right" if self.mismatch is None else str(self.mismatch)

    @property
    def unsteady(self) -> str | None:
        """Why its means depend on the length of the run; None where they do not, or without a clock."""
        return unsteady(self.loads, self.ledger, self.time_s)

    @property
    def offered_load(self) -> float | None:
        """Work given to the busiest part, as a share of the time in which events arise."""
        busiest = offered_load(self.loads, self.ledger, self.time_s)
        return None if busiest is None else busiest.utilisation

    @property
    def clockwork(self) -> dict[str, float | str | None]:
        """What an engine with a clock knows of an approach beside its events, for the manifest."""
        bottleneck, ledger = self.loads.bottleneck(self.ledger), self.ledger
        if bottleneck is None:
            return {}
        return {
            "bottleneck": bottleneck.what,
            "utilisation": bottleneck.utilisation,
            "offered_load": self.offered_load,
            "steady": self.unsteady or "steady",
            "server_busy_s": ledger.server_busy_s,
            "server_waited_s": ledger.server_waited_s,
            "end_s": ledger.end_s,
            "ends_wrong": 0.0 if self.lists is None else self.lists.ends_wrong,
        }


class RunDirectory:
    """The files of a run, while it goes on; the directory itself is there.

    Used as a context, at whose end the tables that grow are closed; the rest is written after that.

    Attributes
    ----------
    outcomes : list of Outcome
        One for each approach that was begun, in their order.
    """

    def __init__(self, directory: Path, scenario: Scenario) -> None:
        self.outcomes: list[Outcome] = []
        self._directory, self._scenario = directory, scenario
        self._open = ExitStack()

    def __enter__(self) -> Self:
        (self._directory / "scenario.toml").write_text(scenario_toml(self._scenario), encoding="utf-8")
        self._events = self._table("events.parquet", pipeline.EVENTS)
        self._hops = self._table("hops.parquet", pipeline.HOPS) if "hops" in self._scenario.record else None
        self._faults = self._table("faults.parquet", pipeline.FAULTS) if self._scenario.faults.any else None
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def _table(self, name: str, schema: pa.Schema) -> pq.ParquetWriter:
        return self._open.enter_context(pq.ParquetWriter(self._directory / name, schema, compression="zstd"))

    def begin(self, name: str, ingredients: Ingredients, needed: Needed) -> tuple[Outcome, list[Collector]]:
        """Open the books of an approach: what will be known of it, and the collectors to tell, verification aside."""
        scenario, approach = self._scenario, parse_approach(name)
        series = Series(scenario.sizes.control_bytes, scenario.costs.broker_s)
        outcome = Outcome(
            name,
            approach,
            Loads(len(ingredients.network)),
            verifier_of(scenario, ingredients, name),
            series,
            lists_of(scenario, ingredients, name, series),
            ingredients.events.time_s,
        )
        collectors: list[Collector] = [
            outcome.loads,
            outcome.series,
            EventRecords(scenario, ingredients, name, needed, outcome.lists, self._events.write_table),
        ]
        if self._hops is not None:
            collectors.append(HopRecords(scenario, name, self._hops.write_table))
        if self._faults is not None:
            outcome.ledger.faults = FaultLog()
            ledger, write = outcome.ledger, self._faults.write_table
            collectors.append(FaultRecords(name, outcome.ledger.faults, ledger.happened, write))
        self.outcomes.append(outcome)
        return outcome, collectors

    def summarise(self, spark: SparkSession) -> None:
        """Let Spark take the means, and draw them."""
        from simulator.results.comparison_figure import comparison_title, draw_comparison

        names, title = self._scenario.approaches, comparison_title(self._scenario)
        warm_up = self._scenario.events.warm_up
        measured = pipeline.read_events(spark, self._directory / "events.parquet").where(f"event >= {warm_up}")
        offered = {one.name: {"offered_load": one.offered_load} for one in self.outcomes}
        pipeline.write_summary(pipeline.summarise(measured), self._directory / "summary.csv", names, offered)
        draw_comparison(FinishedRun(self._directory), names, title, warm_up, self._directory / FIGURE)

    def write_loads(self, ingredients: Ingredients, advance: Advance = lambda _: None) -> None:
        """Write what brokers and links carried, and with a clock what happened when.

        Parameters
        ----------
        advance : function
            Told of brokers whose routes have been followed.
        """
        control = self._scenario.sizes.control_bytes
        brokers = [one.loads.broker_table(one.name, control) for one in self.outcomes]
        sent = {one.name: one.loads.sent(control) for one in self.outcomes}
        links = link_table(sent, ingredients.routes, advance)
        pq.write_table(pa.concat_tables(brokers), self._directory / "brokers.parquet", compression="zstd")
        pq.write_table(links, self._directory / "links.parquet", compression="zstd")
        if self._scenario.engine == "des":
            series = series_table([(one.name, one.series) for one in self.outcomes])
            pq.write_table(series, self._directory / "series.parquet", compression="zstd")

    def write_manifest(
        self, ingredients: Ingredients, kept_objects: dict[str, float], seconds: dict[str, float], deliveries: str
    ) -> None:
        """Write all that belongs to no table.

        Parameters
        ----------
        kept_objects : dict
            Objects that a subscription must keep, by approach.
        seconds : dict
            What each step took.
        deliveries : str
            Where they were counted, "memory" or "spark".
        """
        scenario, graph = self._scenario, ingredients.graph
        happened = {one.name: one.ledger.happened for one in self.outcomes} if scenario.faults.any else {}
        manifest: dict[str, Any] = {
            "scenario": scenario.model_dump(exclude_none=True),
            "seed": scenario.seed,
            "deliveries": deliveries,
            "versions": versions(),
            "plugins": [{"file": str(one.path), "sha256": one.sha256} for one in loaded_plugins()],
            "topology": {"nodes": len(graph), "links": graph.size(), **graph.graph},
            "verified": {one.name: one.verdict for one in self.outcomes if one.verifier is not None},
            "faults": happened,
            "approaches": {
                one.name: {"kept_objects": kept_objects[one.name], **one.clockwork} for one in self.outcomes
            },
            "seconds": seconds,
        }
        text = json.dumps(manifest, indent=2) + "\n"
        (self._directory / "manifest.json").write_text(text, encoding="utf-8")
