"""Bad input over several attributes: one line with name, value, rule and remedy, exit code 2, and nothing is made."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import paint
from floor.errors import RangecastError
from pipeline import population_schema
from pipeline.population_files import _SPARK_ROW_METADATA
from pipeline.schemas import POPULATION_VERSION
from simulator.inputs.start import start_of
from simulator.scenario.loading import load_scenario
from tests.simulator.cli.conftest import Command
from tests.simulator.journeys import write_trace_files
from tests.simulator.one_line import told_in_one_line

FILES = {
    "one.csv": "x,y\n0.1,1\n0.2,2\n",
    "objects.csv": "x1,x2,y\n0.1,0.5,1\n0.2,0.7,2\n",
    "nan.csv": "x1,x2,y\n0.1,0.5,1\n0.2,nan,2\n",
    "large.csv": "x1,x2,y\n0.1,0.5,1\n1e200,0.7,2\n",
    "crossed.csv": "l1,r1,l2,r2\n0,1,0,1\n0,1,0.75,0.25\n",
    "endless.csv": "l1,r1,l2\n0,1,0\n",
    "closed.csv": "l1,r1,l2,r2\n0,1,0,1\n",
    "disks.csv": "x1,x2,radius\n0,0,1\n",
    "wide.csv": "x1,x2,radius\n0,0,1\n0,0,1e200\n",
    "plain.csv": "time,object,x,y\n0,1,0.5,\n",
    "negative.csv": "x1,x2,radius\n0,0,1\n0,0,-0.5\n",
    "far.csv": "time,object,x1,y\n0,1,0.5,\n1,0,-1e180,\n",
}
SCENARIO = """name = "bad"
dimensions = 1.5
k = 1
approaches = ["paint-sparse", "unicast"]
topology = {model = "barabasi-albert", nodes = 20}
network.brokers = 4
events.count = 3
"""


def write_population(path: Path) -> None:
    """A population of one range over one attribute, as Spark writes it."""
    schema = population_schema(("l", "r"))
    spec = {"distribution": "uniform", "count": 1, "seed": 1, "parameters": {}}
    about = {"rangecast_version": POPULATION_VERSION, "rangecast_spec": json.dumps(spec)}
    noted = {_SPARK_ROW_METADATA: json.dumps({"fields": [{"name": "id", "metadata": about}]})}
    path.mkdir()
    rows = pa.Table.from_pylist([{"id": 0, "l": 0.2, "r": 0.4, "location": 0.5}], schema.with_metadata(noted))
    pq.write_table(rows, path / "part-00000.parquet")
    (path / "_SUCCESS").touch()


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        (["dimensions=4"], ["dimensions = 4: must be one of 1, 1.5, 2, 2.5, 3; ", "choose one of them"]),
        (
            ["objects.file=one.csv"],
            ["objects have one attribute (x), and dimensions = 1.5 needs 2 attributes (x1, x2)", "; bring another"],
        ),
        (
            ["dimensions=3", "objects.file=objects.csv"],
            ["2 attributes (x1, x2), and dimensions = 3 needs 3", "; bring"],
        ),
        (["objects.file=nan.csv"], ["nan.csv", "line 3: x2 = nan: must be a finite number; mend or remove the row"]),
        (
            ["dimensions=2", "subscriptions.file=crossed.csv"],
            ["crossed.csv", "line 3: l2 = 0.75: must be at most r2, which is 0.25; exchange them"],
        ),
        (
            ["dimensions=2", "subscriptions.file=endless.csv"],
            ["endless.csv", "lacks the column r2; it has l1, r1, l2; add it, or mend a name"],
        ),
        (
            ["subscriptions.file=closed.csv"],
            [
                "closed.csv': holds boxes in 2 dimensions (l1, r1, l2, r2), and the scenario asks for boxes in 1.5 "
                "dimensions (l1, r1, r2); bring another, or set dimensions = 2"
            ],
        ),
        (["k=0"], ["k = 0: must be at least 1; raise it"]),
        (
            ["dimensions=2", "subscriptions.file=negative.csv"],
            ["negative.csv", "line 3: radius = -0.5: must be at least 0; mend or remove the row"],
        ),
        (
            ["subscriptions.file=population"],
            [
                "population': holds boxes in 1 dimension (l, r), and the scenario asks for boxes in 1.5",
                "; bring another",
            ],
        ),
        (
            ["events={kind='trace', file='trace'}"],
            ["trace': objects have one attribute (x), and dimensions = 1.5 needs 2", "; bring another"],
        ),
        (
            ["dimensions=2", "subscriptions.distribution=halfspaces", "approaches=['paint-dense']"],
            [
                "approaches = 'paint-dense': is for ranges: the region of an object among halfspaces cannot be cut "
                "into boxes; take paint-sparse instead"
            ],
        ),
    ],
)
def test_bad_input_is_told_in_one_line(
    tmp_path: Path, command: Command, changes: list[str], parts: list[str]
) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    write_population(tmp_path / "population")
    write_trace_files(tmp_path / "trace")
    (tmp_path / "bad.toml").write_text(SCENARIO, encoding="utf-8")
    before = sorted(tmp_path.rglob("*"))
    told = command("run", "bad.toml", *(f"--set={change}" for change in changes))
    assert (told.returncode, told.stdout, told.stderr.count("\n")) == (2, "", 1)
    assert told.stderr.startswith("rangecast: ")
    assert all(part in told.stderr for part in parts), told.stderr
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (["objects={file='large.csv', range=[0, 1]}"], "large.csv: object 1: x1 = 1e+200"),
        (["objects.file=large.csv"], "large.csv: x1 = 1e+200"),
        (["objects.file=objects.csv", "events={kind='trace', file='far.csv'}"], "far.csv: event 1: x1 = -1e+180"),
        (["subscriptions.file=wide.csv"], "wide.csv: radius = 1e+200"),
    ],
)
def test_places_too_large_for_disks_are_told_wherever_they_stand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: list[str], told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "bad.toml").write_text(SCENARIO, encoding="utf-8")
    disks = ("dimensions=2", "subscriptions.file=disks.csv", *changes)
    scenario = load_scenario(tmp_path / "bad.toml", disks)
    rule = "disks want every number of subscriptions and objects to be at most 1e+150 in size; mend or remove"
    # The command would start Spark before it comes to this; what is raised is what it tells.
    told_in_one_line(lambda: start_of(scenario, make), RangecastError, f"{tmp_path / told}: ", rule)


def make() -> Any:
    raise AssertionError("objects are in a file")


def test_arrays_are_told_what_they_lack_too() -> None:
    """What a file would say, from Python: ends that are given or missing, and places of other attributes."""
    x, y = [(0.1, 0.5), (0.2, 0.7)], [1.0, 2.0]
    for dimensions, row, rule in (
        (
            1.5,
            (0.0, 1.0, 0.0, 1.0),
            "subscriptions must have the shape (m, 3), one row [l1, r1, r2] each, got (1, 4)",
        ),
        (2, (0.0, 1.0, 0.0), "subscriptions must have the shape (m, 4), one row [l1, r1, l2, r2] each, got (1, 3)"),
    ):
        with pytest.raises(ValueError, match="subscriptions") as caught:
            paint.Server(x, y, k=1, algorithm="sparse", subscriptions=[row], dimensions=dimensions)
        assert str(caught.value) == rule
    with pytest.raises(ValueError, match=r"x must have the shape \(n, 3\)"):
        paint.Server(x, y, k=1, dimensions=3)


def test_events_of_other_attributes_are_told_the_dimensions_of_the_scenario(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "bad.toml").write_text(SCENARIO, encoding="utf-8")
    changes = ("objects.file=objects.csv", "events={kind='trace', file='plain.csv'}")
    scenario = load_scenario(tmp_path / "bad.toml", changes)
    rule = "objects have one attribute (x), and dimensions = 1.5 needs 2 attributes (x1, x2); bring another"
    told_in_one_line(lambda: start_of(scenario, make), RangecastError, f"{tmp_path / 'plain.csv'}: ", rule)
