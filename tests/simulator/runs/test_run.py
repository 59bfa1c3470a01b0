"""Whole runs, small but real: Spark, Parquet, SimPy and the network, checked against brute force."""

import json
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from rich.progress import Progress

from pipeline import EVENTS, TIMES
from simulator.approaches.approach import Approach
from simulator.approaches.registry import APPROACHES
from simulator.approaches.session import Outgoing, Session
from simulator.inputs.ingredients import gather
from simulator.results.errors import RunError
from simulator.results.finished_run import FinishedRun
from simulator.runs.run import RunResult, run_scenario
from simulator.scenario.fault_tables import Faults, PlannedFault
from simulator.scenario.scenario import Scenario
from simulator.scenario.tables import Network
from simulator.workload.windows import Chunk
from simulator.workload.workload import Workload
from tests.oracles.topk import affected_and_containing

SCENARIO = Scenario.model_validate(
    {
        "name": "small",
        "seed": 7,
        "k": 3,
        "approaches": ["paint-dense", "paint-dense(0.5)", "unicast", "cn-relax"],
        "engine": "des",
        "verify": "all",
        "topology": {"model": "barabasi-albert", "nodes": 200},
        "network": {"brokers": 16},
        "objects": {"count": 40},
        "subscriptions": {"count": 300},
        "events": {"count": 50, "rate": "2000/s", "arrival": "poisson"},
    }
)
COUNTED = [name for name in EVENTS.names if name not in TIMES]

Run = Callable[..., RunResult]


def run_to(directory: Path, **changes: object) -> RunResult:
    scenario = SCENARIO.model_copy(update=changes)
    return run_scenario(scenario, directory, master="local[2]", progress=Progress(disable=True))


@pytest.fixture(scope="module")
def whole(spark: SparkSession, own_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> RunResult:
    """The scenario as it is."""
    return run_to(tmp_path_factory.mktemp("whole") / "run")


@pytest.fixture
def run(spark: SparkSession, own_cache: Path, tmp_path: Path) -> Run:
    return lambda name, **changes: run_to(tmp_path / name, **changes)


def test_the_same_scenario_gives_the_same_bytes(
    whole: RunResult, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From an empty cache again, with objects and subscriptions made anew."""
    monkeypatch.setenv("RANGECAST_CACHE", str(tmp_path / "cache"))
    first, second = whole, run("second")
    assert first.right
    assert (tmp_path / "cache" / "populations").is_dir()
    for name in ("brokers", "events", "links", "series"):
        path = f"{name}.parquet"
        assert (first.directory / path).read_bytes() == (second.directory / path).read_bytes(), name
    for name in ("summary.csv", "scenario.toml"):
        assert (first.directory / name).read_bytes() == (second.directory / name).read_bytes(), name
    assert sorted(path.name for path in first.directory.iterdir()) == [
        "brokers.parquet",
        "comparison.png",
        "events.parquet",
        "links.parquet",
        "manifest.json",
        "scenario.toml",
        "series.parquet",
        "summary.csv",
    ]


def test_a_run_with_a_clock_and_faults_tells_what_happened_when(run: Run) -> None:
    at = PlannedFault.model_validate({"time": "20ms", "what": "loss", "whom": [0, 1], "value": 0.5})
    changes = {"engine": "des", "faults": Faults(loss=0.1, crashes=1, at=[at]), "record": ["hops"]}
    first, second = (FinishedRun(run(name, **changes).directory) for name in ("first", "second"))
    for name in ("faults", "series"):
        path = f"{name}.parquet"
        assert (first.directory / path).read_bytes() == (second.directory / path).read_bytes()
    hops, faults, series = (first.table(name) for name in ("hops", "faults", "series"))
    lost = faults.filter(pc.field("what") == "loss")
    assert hops["arrive"].null_count == len(lost) > 0
    departures = set(zip(hops["approach"].to_pylist(), hops["depart"].to_pylist(), strict=True))
    assert {(row["approach"], row["time"] * 1e3) for row in lost.to_pylist()} <= departures
    for approach in SCENARIO.approaches:
        own = series.filter(pc.field("approach") == approach)
        assert sum(own["bytes"].to_pylist()) == sum(first.table("hops", ["bytes"], approach)["bytes"].to_pylist())
        records = first.table("events", approach=approach)
        received = sum(records["received_update"].to_pylist()) + sum(records["received_exposed"].to_pylist())
        assert sum(own["notifications"].to_pylist()) == received
        own = faults.filter(pc.field("approach") == approach)
        happened = Counter(own["what"].to_pylist())
        told = first.manifest["faults"][approach]
        in_vain = own.filter((pc.field("what") == "loss") & (pc.field("why") == "anew"))
        assert (happened["crash"], happened["anew"]) == (told["broker crashes"], told.get("messages started anew", 0))
        assert len(in_vain) == told.get("transmissions in vain", 0)
        assert happened["loss"] - len(in_vain) == told["transmissions lost"] > 0
        assert happened["resend"] == told["transmissions sent again"] > 0
    assert len(set(series["seconds"].to_pylist())) == 1
    shares = series["wrong_lists"].drop_null().to_pylist()
    assert max(shares) > 0
    assert min(shares) >= 0


def test_a_run_without_them_says_so(run: Run) -> None:
    counted = FinishedRun(run("counted", engine="tally").directory)
    for name, rule in (("faults", "only a run with faults has them"), ("series", 'with engine = "des"')):
        with pytest.raises(RunError, match=f"counted: has no {name}.parquet; .*{rule}"):
            counted.table(name)


def test_the_run_directory_tells_what_was_run(whole: RunResult) -> None:
    directory = whole.directory
    manifest = json.loads((directory / "manifest.json").read_text())
    assert Scenario.model_validate(manifest["scenario"]) == SCENARIO
    assert Scenario.model_validate(tomllib.loads((directory / "scenario.toml").read_text())) == SCENARIO
    assert manifest["seed"] == 7
    assert manifest["versions"]["pyspark"]
    assert manifest["verified"] == dict.fromkeys(SCENARIO.approaches, "right")
    assert all(seconds >= 0 for seconds in manifest["seconds"].values())


@pytest.mark.parametrize(
    "network",
    [
        Network(brokers=16),
        Network(brokers=16, space="square", unicast="overlay"),
        Network(brokers=16, kind="tree", summary_boxes=2, unicast="overlay"),
    ],
    ids=["can", "can-square-overlay", "tree-overlay"],
)
def test_the_engines_count_the_same_and_every_list_is_right(run: Run, network: Network) -> None:
    approaches = ["paint-dense", "paint-sparse", "paint-sparse(1)", "unicast", "cn-relax"]
    timed = run("des", network=network, approaches=approaches)
    assert timed.right, timed.verdicts
    des = pq.read_table(timed.directory / "events.parquet")
    counted = run("tally", engine="tally", network=network, approaches=approaches)
    assert counted.right, counted.verdicts
    tally = pq.read_table(counted.directory / "events.parquet")
    assert des.select(COUNTED).equals(tally.select(COUNTED))
    assert tally["latency_p50"].null_count == len(tally)
    assert des["latency_p50"].null_count < len(des)


def test_the_last_hop_adds_to_latency_and_to_nothing_else(whole: RunResult, run: Run) -> None:
    to_gateway = pq.read_table(whole.directory / "events.parquet")
    to_node = pq.read_table(run("node", network=Network(brokers=16, last_hop=True)).directory / "events.parquet")
    assert to_gateway.select(COUNTED).equals(to_node.select(COUNTED))
    before, after = (table["latency_max"].drop_null().to_numpy() for table in (to_gateway, to_node))
    assert (after >= before).all()
    assert (after > before).any()


def test_what_is_counted_is_what_brute_force_counts(whole: RunResult, spark: SparkSession) -> None:
    rows = pq.read_table(whole.directory / "events.parquet").to_pylist()
    ingredients = gather(SCENARIO, lambda: spark)
    load, events = ingredients.workload, ingredients.events
    objects = dict(enumerate(zip(load.x.tolist(), load.y.tolist(), strict=True)))
    ranges = list(zip(load.l.tolist(), load.r.tolist(), strict=True))
    stream = list(zip(events.object.tolist(), events.y.tolist(), strict=True))
    by_approach = {name: [row for row in rows if row["approach"] == name] for name in SCENARIO.approaches}
    hops, server, home = ingredients.routes.hops, ingredients.server, ingredients.gateways.home
    for event, (affected, containing) in enumerate(affected_and_containing(objects, stream, ranges, SCENARIO.k)):
        dense, loose, unicast, relax = (by_approach[name][event] for name in SCENARIO.approaches)
        assert dense["received_update"] == unicast["received_update"] == len(affected)
        assert loose["received_update"] >= len(affected)
        assert dense["received_exposed"] <= len(affected)
        assert unicast["messages"] == len(affected)
        assert unicast["bytes_out"] == 16 * len(affected)
        assert unicast["ip_bytes"] == 16 * sum(int(hops[server, home[s]]) for s in affected)
        assert unicast["overlay_bytes"] == 16 * sum(home[s] != server for s in affected)
        assert relax["received_update"] == len(containing)
        assert (relax["messages"], relax["bytes_out"], relax["first_k"]) == (1, 0, 0)
        assert dense["bytes_out"] == 24 * dense["messages"]
        assert dense["first_k"] == 2
        assert (dense["min_y"] == 0) == (dense["kind"] == "raise")


def test_an_approach_that_forgets_someone_is_found_out(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    class Forgetful(Session):
        def __init__(self, workload: Workload, approach: Approach) -> None:
            self.honest = APPROACHES["paint-dense"].open(workload, approach)

        def answer(self, chunk: Chunk) -> Outgoing:
            sent = self.honest.answer(chunk)
            kept = np.ones(len(sent.table), bool)
            kept[sent.offsets[10] : sent.offsets[11]] = False
            offsets = sent.offsets - np.append(0, np.cumsum(~kept))[sent.offsets]
            return Outgoing(sent.table[kept], offsets, sent.costs)

    monkeypatch.setitem(APPROACHES, "forgetful", Approach(Forgetful, exact=True))
    result = run("forgetful", approaches=["forgetful", "paint-dense"])
    assert not result.right
    assert result.verdicts[0].startswith("WRONG    forgetful: event 10: subscription ")
    assert result.verdicts[1].startswith("verified paint-dense")


def test_a_sample_is_verified_when_asked(run: Run) -> None:
    result = run("sample", verify="sample:20", engine="tally")
    assert result.verdicts[0] == "verified paint-dense: 20 subscriptions, 50 events, all right"
    assert "not verified" in run("none", verify="none", engine="tally").verdicts[0]


def test_nothing_is_overwritten_and_nothing_half_made_stays(
    whole: RunResult, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {path: path.read_bytes() for path in whole.directory.iterdir()}
    with pytest.raises(RunError, match="exists already"):
        run_to(whole.directory)
    assert {path: path.read_bytes() for path in whole.directory.iterdir()} == before

    def broken(*_: object) -> Session:
        raise KeyboardInterrupt

    monkeypatch.setitem(APPROACHES, "broken", Approach(broken, exact=True))
    with pytest.raises(KeyboardInterrupt):
        run("never", approaches=["broken"])
    assert list(tmp_path.iterdir()) == []


def test_without_order_a_run_says_how_many_lists_end_wrong(run: Run) -> None:
    result = run("unordered", engine="des", network=SCENARIO.network.model_copy(update={"order": "none"}))
    assert result.right
    assert all("all messages right" in verdict for verdict in result.verdicts)
    told = [line for line in result.notes if line.startswith("order ")]
    assert any("cn-relax" in line for line in told), told


_ASIDE = """
import sys
from pathlib import Path
import pipeline
from simulator.results.stopwatch import Stopwatch
from simulator.runs import run
print("pandas" in sys.modules)
pipeline.spark_session = lambda *_, **__: print("pandas" in sys.modules)
pipeline.rehearse_summary = lambda *_: None
with run._spark_aside("local[1]", Path(), Stopwatch(), brief=True) as starting:
    starting.result()
"""


def test_what_two_threads_need_is_loaded_before_the_second_begins() -> None:
    """Two that import pandas at once, Spark's and the one that reads by Arrow, may find it half made and fail."""
    told = subprocess.run([sys.executable, "-c", _ASIDE], capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["False", "True"]
