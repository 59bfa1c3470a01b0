"""Scenarios that cannot end well are refused before anything is made, with what they need."""

import sys
from pathlib import Path
from typing import Any

import pytest

from simulator.cli.entry import main
from simulator.inputs import room
from simulator.inputs.room import check_room
from simulator.scenario.loading import make_scenario
from simulator.scenario.mistakes import ScenarioError
from simulator.scenario.scenario import Scenario
from tests.simulator.one_line import told_in_one_line


def scenario(**changes: Any) -> Scenario:
    return Scenario.model_validate({"name": "large", "approaches": ["paint-dense"], **changes})


@pytest.mark.parametrize(
    ("changes", "start", "rule"),
    [
        ({"subscriptions": {"count": 10**11}}, "subscriptions.count = 100000000000: needs at least 14.5 TB", "spark"),
        ({"objects": {"count": 10**12}}, "objects.count = 1000000000000: needs at least 64 TB of memory", "lower it"),
        ({"events": {"count": 10**30}}, f"events.count = {10**30}: needs at least", "this machine has"),
        (
            {"events": {"duration": "1000h", "rate": "1000000/s"}},
            "events.duration = 1000h: needs at least 148 TB of memory",
            "lower it",
        ),
        (
            {"events": {"duration": "1h", "arrival": "bursts", "burst": 10**9, "gap": "1s"}},
            "events.duration = 1h: needs at least 148 TB of memory",
            "lower it",
        ),
        ({"events": {"duration": "1s", "arrival": "bursts", "gap": "0s"}}, "events.duration = 1s: needs", "lower it"),
        ({"topology": {"nodes": 10**11}}, "topology.nodes = 100000000000: needs", "this machine has"),
        (
            {"topology": {"nodes": 10**6}, "network": {"brokers": 10**6}},
            "network.brokers = 1000000: needs at least 10 TB",
            "lower it",
        ),
        (
            {"subscriptions": {"count": 10**9}, "approaches": ["unicast", "cn-relax"], "k": 100, "verify": "all"},
            'verify = "all": needs at least 11.4 TB',
            'verify fewer, as by "sample:1000"',
        ),
        ({"engine": "des", "faults": {"joins": 10**12}}, "faults.joins = 1000000000000: needs", "lower it"),
    ],
)
def test_what_does_not_fit_into_memory_is_refused(changes: dict[str, Any], start: str, rule: str) -> None:
    told_in_one_line(lambda: check_room(scenario(**changes)), ScenarioError, start, rule)


def test_what_does_not_fit_on_the_disk_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANGECAST_CACHE", str(tmp_path))
    many = scenario(subscriptions={"count": 10**9})
    monkeypatch.setattr(room, "free_bytes", lambda _: 10**9)
    start = "subscriptions.count = 1000000000: needs at least 24 GB of disk"
    told_in_one_line(lambda: check_room(many, in_memory=False), ScenarioError, start, "are free 1 GB; lower it")
    monkeypatch.setattr(room, "free_bytes", lambda _: None)
    check_room(many, in_memory=False)


def test_files_that_do_not_fit_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of subscriptions is numbered on disk before it is put in order; a population is used where it is."""
    monkeypatch.setenv("RANGECAST_CACHE", str(tmp_path / "cache"))
    rows = "".join(f"{at},{at + 1}\n" for at in range(1000))
    (tmp_path / "own.csv").write_text(f"l,r\n{rows}", encoding="utf-8")
    (tmp_path / "places.csv").write_text(f"x,y\n{rows}", encoding="utf-8")
    values: dict[str, Any] = {"name": "own", "approaches": ["paint-dense"], "topology": {"nodes": 3037}}
    subscriptions = make_scenario(values | {"subscriptions": {"file": "own.csv"}}, (), path=tmp_path / "a.toml")
    objects = make_scenario(values | {"objects": {"file": "places.csv"}}, (), path=tmp_path / "a.toml")
    check_room(subscriptions)
    check_room(objects)
    monkeypatch.setattr(room, "_SUBSCRIPTION", 10**12)
    start = f"subscriptions.file = '{tmp_path}/own.csv': needs at least 1 PB of memory"
    rule = "bring a smaller file, or leave subscriptions on disk by --deliveries spark"
    told_in_one_line(lambda: check_room(subscriptions), ScenarioError, start, rule)
    monkeypatch.setattr(room, "_OBJECT", 10**12)
    start = f"objects.file = '{tmp_path}/places.csv': needs at least 1 PB of memory"
    told_in_one_line(lambda: check_room(objects, in_memory=False), ScenarioError, start, "bring a smaller file")
    monkeypatch.setattr(room, "_SUBSCRIPTION_ON_DISK", 10**12)
    monkeypatch.setattr(room, "_OBJECT", 1)
    start = f"subscriptions.file = '{tmp_path}/own.csv': needs at least 2 PB of disk"
    told_in_one_line(lambda: check_room(subscriptions, in_memory=False), ScenarioError, start, "are free")


def test_what_fits_passes() -> None:
    check_room(scenario())
    check_room(scenario(subscriptions={"count": 10_000_000}, topology={"nodes": 20_000}, network={"brokers": 1000}))


@pytest.mark.parametrize("command", ["run", "explain"])
def test_the_command_line_refuses_it_at_once(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "large.toml").write_text('name = "large"\napproaches = ["unicast"]\nobjects.count = 500000000000\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["rangecast", command, "large.toml"])
    with pytest.raises(SystemExit) as ended:
        main()
    told = capsys.readouterr().err
    assert (ended.value.code, told.count("\n")) == (2, 1)
    assert told.startswith("rangecast: objects.count = 500000000000: needs at least 32 TB of memory")
    assert [path.name for path in tmp_path.iterdir()] == ["large.toml"]


def test_a_population_by_itself_is_refused_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["population", "--count", str(10**12), "--out", str(tmp_path / "population")]
    monkeypatch.setattr(sys, "argv", ["rangecast", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "--count 1000000000000: needs at least 24 TB of disk" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
