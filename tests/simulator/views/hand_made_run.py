"""A run directory made by hand, without a simulation, in which names are as hostile as they can be."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as pq

from pipeline import BROKERS, EVENTS, FAULTS, LINKS, SERIES, SUMMARY
from simulator.results.summary import summary_rows
from simulator.scenario.loading import scenario_toml
from simulator.scenario.scenario import Scenario

HOSTILE = '</script><img src=x onerror="document.title=1">&"<b>\'{{ 7 * 7 }}'
NAMES = ("paint-dense", HOSTILE)
EVENT_COUNT, BROKER_COUNT = 40, 9
FAULTS_HAPPENED = (
    (0.5, "crash", 2),
    (1.0, "return", 2),
    (1.5, "partition", 3),
    (1.5, "partition", 4),
    (1.6, "loss", None),
    (2.0, "heal", 3),
    (2.0, "heal", 4),
    (3.0, "server crash", None),
    (4.0, "crash", 5),
)
"""Time, what and broker, under every approach; broker 5 does not come back."""


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
        "approaches": {
            HOSTILE: {"bottleneck": HOSTILE, "utilisation": 0.25, "end_s": 2.0, "steady": f"not steady: {HOSTILE}"}
        },
        "seconds": {HOSTILE: 1.5},
    }
    (directory / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    (directory / "scenario.toml").write_text(f"# {HOSTILE}\n{scenario_toml(scenario)}", encoding="utf-8")
    events, brokers, links, series, faults = (list[dict[str, Any]]() for _ in range(5))
    for name in NAMES:
        for event in range(EVENT_COUNT):
            counts = {field.name: int(rng.pareto(0.8) * 10) for field in EVENTS if field.type == pa.int64()}
            times = {field.name: 50 * rng.random() if timed else None for field in EVENTS if field.nullable}
            place = {"approach": name, "event": event, "events": 1, "time": 0.1 * event, "kind": "raise", "object": 1}
            row = counts | times | place
            events.append(row)
        for broker in range(BROKER_COUNT):
            counts = {field.name: int(rng.pareto(0.8) * 10) for field in BROKERS if field.type == pa.int64()}
            times = {field.name: rng.random() if timed else None for field in BROKERS if field.nullable}
            brokers.append(counts | times | {"approach": name, "broker": broker})
        links += [
            {"approach": name, "from": at, "to": at + 1, "bytes": int(rng.pareto(0.8) * 99)} for at in range(30)
        ]
        series += [
            {"approach": name, "time": 0.1 * at, "seconds": 0.1, "bytes": 9 * at, "notifications": at}
            | {"queue_mean": float(at % 7), "queue_longest": at, "wrong_lists": None if at == 3 else at / 50}
            for at in range(50)
        ]
        faults += [
            {"approach": name, "time": time, "what": what, "why": HOSTILE, "broker": broker, "seconds": 0.5}
            for time, what, broker in FAULTS_HAPPENED
        ]
        faults.append({"approach": name, "time": 1.6, "what": "loss", "why": "anew"})  # in vain, and not lost
    tables = [pa.Table.from_pylist([row for row in events if row["approach"] == name], EVENTS) for name in NAMES]
    summary = summary_rows(NAMES, tables, 0, [0.25, 1.5] if timed else None)
    if timed:
        pq.write_table(pa.Table.from_pylist(series, SERIES), directory / "series.parquet")
        pq.write_table(pa.Table.from_pylist(faults, FAULTS), directory / "faults.parquet")
    for file, rows, schema in (("events", events, EVENTS), ("brokers", brokers, BROKERS), ("links", links, LINKS)):
        pq.write_table(pa.Table.from_pylist(rows, schema), directory / f"{file}.parquet")
    csv.write_csv(pa.Table.from_pylist(summary, SUMMARY), directory / "summary.csv")
    return directory
