"""A run directory made by hand, without a simulation, in which names are as hostile as they can be."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as pq

from pipeline import BROKERS, EVENTS, LINKS, SUMMARY
from simulator.scenario.loading import scenario_toml
from simulator.scenario.scenario import Scenario

HOSTILE = '</script><img src=x onerror="document.title=1">&"<b>\'{{ 7 * 7 }}'
NAMES = ("paint-dense", HOSTILE)
EVENT_COUNT, BROKER_COUNT = 40, 9


def make_run(directory: Path, *, kind: str = "can", timed: bool = True, seed: int = 1) -> Path:
    """A run directory by hand: heavy-tailed counts, one approach of a name that no scenario would pass."""
    scenario = Scenario.model_validate(
        {
            "name": "by-hand",
            "approaches": ["paint-dense"],
            "k": 3,
            "topology": {"model": "barabasi-albert", "nodes": 50},
            "network": {"kind": kind, "brokers": BROKER_COUNT},
            "objects": {"count": 20},
        }
    )
    directory.mkdir()
    rng = np.random.default_rng(seed)
    manifest = {
        "scenario": scenario.model_dump(exclude_none=True) | {"name": HOSTILE, "verify": HOSTILE},
        "versions": {"python": HOSTILE},
        "verified": {"paint-dense": "right", HOSTILE: HOSTILE},
        "faults": {HOSTILE: {HOSTILE: 3}},
        "approaches": {HOSTILE: {"bottleneck": HOSTILE, "utilisation": 0.25, "end_s": 2.0}},
        "seconds": {HOSTILE: 1.5},
    }
    (directory / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    (directory / "scenario.toml").write_text(f"# {HOSTILE}\n{scenario_toml(scenario)}", encoding="utf-8")
    events, brokers, links, summary = [], [], [], []
    for name in NAMES:
        for event in range(EVENT_COUNT):
            counts = {field.name: int(rng.pareto(0.8) * 10) for field in EVENTS if field.type == pa.int64()}
            times = {field.name: 50 * rng.random() if timed else None for field in EVENTS if field.nullable}
            row = (
                counts | times | {"approach": name, "event": event, "time": 0.1 * event, "kind": "raise", "object": 1}
            )
            events.append(row)
        for broker in range(BROKER_COUNT):
            counts = {field.name: int(rng.pareto(0.8) * 10) for field in BROKERS if field.type == pa.int64()}
            times = {field.name: rng.random() if timed else None for field in BROKERS if field.nullable}
            brokers.append(counts | times | {"approach": name, "broker": broker})
        links += [
            {"approach": name, "from": at, "to": at + 1, "bytes": int(rng.pareto(0.8) * 99)} for at in range(30)
        ]
        summary.append(
            {field.name: (name if field.type == pa.string() else 7) for field in SUMMARY}
            | ({} if timed else {field.name: None for field in SUMMARY if field.nullable})
        )
    for file, rows, schema in (("events", events, EVENTS), ("brokers", brokers, BROKERS), ("links", links, LINKS)):
        pq.write_table(pa.Table.from_pylist(rows, schema), directory / f"{file}.parquet")
    csv.write_csv(pa.Table.from_pylist(summary, SUMMARY), directory / "summary.csv")
    return directory
