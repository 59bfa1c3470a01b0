"""Scenarios that name files of their own: what is noted of them, and one line for everything that does not fit."""

import hashlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from simulator.scenario.loading import load_scenario, scenario_toml
from simulator.scenario.mistakes import ScenarioError
from simulator.scenario.scenario import Scenario
from tests.simulator.one_line import told_in_one_line

SCENARIO = """name = "own"
k = 1
approaches = ["unicast"]
[topology]
model = "barabasi-albert"
nodes = 20
[network]
nodes = [3, 17, 4]
[objects]
file = "data/objects.csv"
[subscriptions]
file = "data/subscriptions.csv"
[events]
kind = "trace"
file = "data/events.csv"
arrival = "trace"
"""
FILES = {
    "objects.csv": "name,x,y\na,2,10\nb,4,20\n",
    "subscriptions.csv": "l,r\n1,3\n2,9\n4,4\n",
    "events.csv": "time,object,y\n0,a,30\n2,b,1\n2,a,5\n",
    "nodes.csv": "node\n9\n8\n7\n6\n",
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    for name, text in FILES.items():
        (tmp_path / "data" / name).write_text(text, encoding="utf-8")
    (tmp_path / "own.toml").write_text(SCENARIO, encoding="utf-8")
    return tmp_path / "own.toml"


def test_what_files_hold_is_noted(path: Path) -> None:
    scenario = load_scenario(path)
    assert (scenario.objects.count, scenario.subscriptions.count, scenario.events.count) == (2, 3, 3)
    assert (scenario.network.nodes, scenario.network.brokers) == ((3, 17, 4), 3)
    for table, name in (
        (scenario.objects, "objects"),
        (scenario.subscriptions, "subscriptions"),
        (scenario.events, "events"),
    ):
        assert table.file == str(path.parent / "data" / f"{name}.csv")
        assert table.sha256 == hashlib.sha256(FILES[f"{name}.csv"].encode()).hexdigest()


def test_a_scenario_with_files_is_written_so_that_it_reads_back(path: Path) -> None:
    scenario = load_scenario(path, ("objects.range=[0, 10]", "network.nodes=data/nodes.csv"), beside=path.parent)
    assert (scenario.network.nodes, scenario.objects.range) == ((9, 8, 7, 6), (0.0, 10.0))
    again = path.parent / "data" / "again.toml"
    again.write_text(scenario_toml(scenario), encoding="utf-8")
    (path.parent / "data" / "nodes.csv").unlink()  # is in the scenario itself
    assert load_scenario(again) == scenario
    assert Scenario.model_validate(scenario.model_dump(exclude_none=True)) == scenario
    assert "distribution" not in again.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["objects", "subscriptions", "events"])
def test_a_file_that_changed_or_is_gone_is_told_in_one_line(name: str, path: Path) -> None:
    again, file = path.with_name("again.toml"), path.parent / "data" / f"{name}.csv"
    again.write_text(scenario_toml(load_scenario(path)), encoding="utf-8")
    file.write_text(FILES[file.name].replace("4", "4.5").replace("30", "31"), encoding="utf-8")
    rule = f"is not the one that {name}.sha256 stands for; bring that back, or remove {name}.sha256"
    told_in_one_line(lambda: load_scenario(again), ScenarioError, f"{again}:", rule)
    file.unlink()
    told_in_one_line(lambda: load_scenario(again), ScenarioError, f"{again}:", "cannot be read: No such file")


def test_what_comes_later_takes_the_place_of_what_it_excludes(path: Path) -> None:
    base = path.with_name("base.toml")
    base.write_text(
        'name = "base"\nk = 1\napproaches = ["unicast"]\nobjects.count = 7\nobjects.distribution = "clustered"\n'
        'subscriptions.count = 9\nsubscriptions.distribution = "clustered"\n',
        encoding="utf-8",
    )
    files = ("objects.file=data/objects.csv", "subscriptions.file=data/subscriptions.csv")
    scenario = load_scenario(base, files, beside=path.parent)
    assert (scenario.objects.count, scenario.subscriptions.count) == (2, 3)
    above = path.with_name("above.toml")
    above.write_text('extends = "own.toml"\n[subscriptions]\ndistribution = "clustered"\n', encoding="utf-8")
    back = load_scenario(above, ("objects.distribution=uniform",))
    assert back.subscriptions == base_subscriptions()
    assert back.objects.file is None
    assert load_scenario(path, ("events.count=2",)).events.count == 2


def base_subscriptions() -> object:
    values = {"name": "x", "approaches": ["unicast"], "subscriptions": {"distribution": "clustered"}}
    return Scenario.model_validate(values).subscriptions


@pytest.mark.parametrize(
    ("change", "start", "rule"),
    [
        ("subscriptions.count=4", "own.toml:12: subscriptions.file = ", "holds 3 rows, but subscriptions.count = 4"),
        ("objects.count=3", "own.toml:10: objects.file = ", "holds 2 rows, but objects.count = 3; remove"),
        ("events.count=4", "own.toml:15: events.file = ", "the list holds 3 events, but events.count = 4"),
        ("subscriptions.file=data", "subscriptions.file = ", "is a directory without Parquet files"),
        ("subscriptions.file=data/nodes.csv", "subscriptions.file = ", "lacks the columns l, r; it has node"),
        ("subscriptions.file=data/bad.csv", "subscriptions.file = ", "line 2: l = 2.0: must be at most r"),
        (
            "subscriptions.file=data/boxes.csv",
            "subscriptions.file = ",
            "boxes.csv': holds boxes in 1.5 dimensions (l1, r1, r2), and the scenario asks for boxes in 1 dim",
        ),
        (
            "objects.file=data/places.csv",
            "objects.file = ",
            "places.csv': objects have 2 attributes (x1, x2), and dimensions = 1 needs one attribute (x); bring",
        ),
        ("subscriptions.file=3", "subscriptions.file = 3: ", "must be text"),
        *(
            (f'{key}=""', f"{key} = '': ", "cannot be read: it names no file; write a path or remove the key")
            for key in ("subscriptions.file", "objects.file", "events.file", "network.nodes", "topology.file")
        ),
        ("events.file=data/none", "events.file = ", "is not a trace"),
        ("objects.file=data/none.csv", "objects.file = ", "cannot be read: No such file"),
        ("objects.range=[3, 1]", "objects.range = [3, 1]: ", "two finite numbers in ascending order"),
        ("objects.range=[0, inf]", "objects.range = [0, inf]: ", "two finite numbers in ascending order"),
        ("events.file=data/nodes.csv", "events.file = ", "lacks the columns time, object; it has node"),
        ("events.insert=0.1", "events.insert = 0.1: ", "a trace says itself what happens"),
        ("network.nodes=[]", "network.nodes = []: ", "must be nodes, by number from 0"),
        ("network.nodes=[1, -1]", "network.nodes = [1, -1]: ", "must be nodes, by number from 0"),
        ("network.nodes=[1, 2, 1]", "network.nodes: ", "node 1 stands there twice"),
        ("network.nodes=[1, 20]", "network.nodes = 20: ", "the nodes of the network are 0 to 19; mend it"),
        ('network.nodes=["hub"]', "network.nodes = 'hub': ", "the nodes of the network are 0 to 19"),
        ("network.nodes=data/none.csv", "network.nodes = ", "cannot be read: No such file"),
        ("network.nodes=data/objects.csv", "network.nodes = 'a': ", "the nodes of the network are 0 to 19"),
        ("network.nodes=data/bad.csv", "network.nodes = ", "lacks the column node; it has l, r"),
        ("network.brokers=4", "own.toml:8: network.nodes: ", "are 3 nodes for 4 brokers; add nodes or lower"),
        ("events.skew=0", "events.skew = 0: ", "must be above 0.0; raise it"),
        ("events.skew=10.5", "events.skew = 10.5: ", "must be at most 10.0; lower it"),
        ("events.skew=nan", "events.skew = nan: ", "must be a finite number"),
        ("events.origin=far", "events.origin = 'far': ", "must be one of regional, skewed, uniform"),
        ("events.spread=10", "events.spread = 10: ", "must be a duration"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_told_in_one_line(change: str, start: str, rule: str, path: Path) -> None:
    for name, text in (("bad", "l,r\n2,1\n"), ("boxes", "l1,r1,r2\n0,1,2\n"), ("places", "x1,x2,y\n0,1,2\n")):
        (path.parent / "data" / f"{name}.csv").write_text(text, encoding="utf-8")
    with pytest.raises(ScenarioError) as caught:
        load_scenario(path, (change,), beside=path.parent)
    told = str(caught.value).removeprefix(f"{path.parent}/").removeprefix("command line: ")
    assert told.startswith(start)
    assert rule in told
    assert "\n" not in told


def test_objects_in_one_place_leave_a_population_no_range(path: Path) -> None:
    (path.parent / "data" / "same.csv").write_text("x,y\n2,1\n2,3\n", encoding="utf-8")
    changes = ("objects.file=data/same.csv", "subscriptions.distribution=uniform")
    assert load_scenario(path, changes[:1], beside=path.parent).objects.count == 2  # its subscriptions have one
    rule = "every x is 2.0, so that subscriptions have no range to lie in; set objects.range"
    told_in_one_line(lambda: load_scenario(path, changes, beside=path.parent), ScenarioError, "command line: ", rule)
    assert load_scenario(path, (*changes, "objects.range=[0, 4]"), beside=path.parent).objects.range == (0.0, 4.0)


def test_brokers_may_be_the_first_of_many_nodes(path: Path) -> None:
    scenario = load_scenario(path, ("network.nodes=data/nodes.csv", "network.brokers=2"), beside=path.parent)
    assert (scenario.network.brokers, scenario.network.nodes) == (2, (9, 8, 7, 6))
    pq.write_table(pa.table({"node": [5.0, 3.0]}), path.with_name("nodes.parquet"))
    assert load_scenario(path, ("network.nodes=nodes.parquet",), beside=path.parent).network.nodes == (5, 3)
