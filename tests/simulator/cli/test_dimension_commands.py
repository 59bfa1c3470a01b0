"""Commands over several attributes, from the scenario of the documentation to what is looked at of its run."""

import re
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import rangecast
from tests.simulator.cli.conftest import Command

pytestmark = pytest.mark.usefixtures("own_cache")

PAGE = Path(__file__).parents[3] / "docs" / "dimensions.md"
SMALL = ("topology.nodes=30", "network.brokers=4", "objects.count=40", "subscriptions.count=100", "events.count=6")


def well(command: Command, *arguments: str) -> str:
    ended = command(*arguments)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def look_at(command: Command, run: str, event: int) -> None:
    """Every picture and page there is of an event."""
    for name in ("event.html", "event.png"):
        assert f"drawing  {name}" in well(command, "explain", run, "--event", str(event), "--out", name)
        assert Path(name).stat().st_size > 10_000
    well(command, "trace", run, "--event", str(event), "--out", "trace.html")
    assert "<svg" in Path("trace.html").read_text(encoding="utf-8")


def test_the_scenario_of_the_page_runs_and_prints_what_that_says(spark: SparkSession, command: Command) -> None:
    del spark  # one is running
    page = PAGE.read_text(encoding="utf-8").partition("## A scenario of your own")[2].partition("\n## ")[0]
    files = re.findall(r"^`(\S+)`:\n\n```\w+\n(.*?)```", page, re.DOTALL | re.MULTILINE)
    assert len(files) == 4
    for name, text in files:
        Path(name).write_text(text, encoding="utf-8")
    run, _, trace = (line.split() for line in re.findall(r"^    rangecast (.*)$", page, re.MULTILINE))
    printed, messages = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    told = [line.rstrip() for line in well(command, *run).splitlines()]
    assert [line for line in printed.splitlines() if line not in told] == []
    assert messages in well(command, *trace)
    look_at(command, "runs/flats", 1)
    told_by_clock = well(command, *run, "--engine", "des", "--set=events.arrival=trace")
    assert told_by_clock.count("every subscription, 5 events, all right") == 4
    well(command, "report", "runs/flats", "runs/flats-2")


@pytest.mark.usefixtures("in_this_process")
def test_two_attributes_go_the_whole_way(command: Command) -> None:
    sets = [f"--set={change}" for change in SMALL]
    for name, every in (("restaurants", 4), ("fuel", 3)):
        told = well(command, "run", name, *sets)
        assert told.count("every subscription, 6 events, all right") == every
    told = well(command, "run", "restaurants", *sets, "--set=dimensions=2", "--set=name=flat", "--engine=des")
    assert told.count("every subscription, 6 events, all right") == 4
    look_at(command, "runs/flat", 0)
    figure = rangecast.explain("runs/flat", 0).plot()
    assert figure.axes[0].get_xlabel() == "x1"
    Path("grid.toml").write_text(
        'scenario = "runs/flat/scenario.toml"\nreplications = 2\n[grid]\nk = [2, 4]\n', encoding="utf-8"
    )
    assert well(command, "sweep", "grid.toml")


@pytest.mark.slow
def test_capacity_over_two_attributes(spark: SparkSession, command: Command) -> None:
    del spark  # one is running
    sets = [f"--set={change}" for change in (*SMALL, "dimensions=2", "approaches=['paint-sparse']")]
    assert "paint-sparse" in well(command, "capacity", "restaurants", *sets, "--bound=1s", "--replications=1")
