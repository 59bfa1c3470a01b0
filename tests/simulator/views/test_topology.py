"""`rangecast topology`: what it says and draws, and what it refuses before the long work."""

import re
from pathlib import Path

import matplotlib.image
import numpy as np
import pytest

from simulator.runs.run import run_scenario
from simulator.scenario.loading import load_scenario
from simulator.scenario.scenario import Scenario
from simulator.views.output import OutputError
from simulator.views.topology import describe_topology
from topologies import barabasi_albert, write_network

SMALL = """name = "small"
k = 3
approaches = ["paint-dense"]
objects = {count = 30}
subscriptions = {count = 200}
events = {count = 20}
network = {brokers = 8}
"""


@pytest.fixture
def scenario(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scenario:
    """A network of 60 nodes in a file, with another piece of two."""
    monkeypatch.setenv("RANGECAST_CACHE", str(tmp_path / "cache"))
    write_network(barabasi_albert(60, 1), tmp_path / "net.edges")
    with (tmp_path / "net.edges").open("a", encoding="utf-8") as file:
        file.write("100 101\n")
    path = tmp_path / "small.toml"
    path.write_text(SMALL + '[topology]\nfile = "net.edges"\nlargest = true\n', encoding="utf-8")
    return load_scenario(path)


@pytest.mark.usefixtures("spark")
def test_it_says_what_there_is_and_draws_it(scenario: Scenario, tmp_path: Path) -> None:
    out = tmp_path / "net.png"
    lines = describe_topology(scenario, out, master="local[2]")
    assert lines[0].startswith("IP network          60 nodes, ")
    assert re.fullmatch(r"backbone            \d+ links carry half of the hops between brokers", lines[2])
    assert lines[1].strip() == "kept the largest of 2 components, that of node 0: 60 nodes, 2 dropped"
    ratio = float(lines[-1].partition("per message, ")[2].partition(" times the fewest")[0])
    assert 1 <= ratio < 1.5
    picture = matplotlib.image.imread(out)[..., :3].reshape(-1, 3)
    coloured = picture[picture.max(axis=1) - picture.min(axis=1) > 0.3]
    assert len(np.unique(coloured.round(1), axis=0)) > 10, "zones are to differ in colour by load"
    assert [path.name for path in tmp_path.iterdir() if "partial" in path.name] == []


@pytest.mark.usefixtures("spark")
def test_a_tree_is_described_without_zones(scenario: Scenario, tmp_path: Path) -> None:
    tree = scenario.model_copy(update={"network": scenario.network.model_copy(update={"kind": "tree"})})
    lines = describe_topology(tree, tmp_path / "net.SVG", master="local[2]")
    assert any(line.startswith("overlay             tree, 7 links") for line in lines)
    assert (tmp_path / "net.SVG").read_text(encoding="utf-8").lstrip().startswith("<?xml")


@pytest.mark.usefixtures("spark")
def test_a_prefix_network_is_described_with_its_contacts(scenario: Scenario, tmp_path: Path) -> None:
    network = scenario.network.model_copy(update={"kind": "prefix", "base": 2})
    lines = describe_topology(
        scenario.model_copy(update={"network": network}), tmp_path / "net.svg", master="local[2]"
    )
    links = next(line for line in lines if line.startswith("overlay             prefix, "))
    assert 7 <= int(links.split()[2]) <= 28, "pairs of 8 brokers"
    ratio = float(lines[-1].partition("per message, ")[2].partition(" times the fewest")[0])
    assert 1 <= ratio < 1.5
    assert "zones of the subscription space" in (tmp_path / "net.svg").read_text(encoding="utf-8")


@pytest.mark.usefixtures("spark")
def test_the_manifest_says_which_part_was_kept(scenario: Scenario, tmp_path: Path) -> None:
    run = run_scenario(scenario, tmp_path / "run", master="local[2]")
    manifest = (run.directory / "manifest.json").read_text(encoding="utf-8")
    assert '"reduced": "kept the largest of 2 components, that of node 0: 60 nodes, 2 dropped"' in manifest
    assert load_scenario(run.directory / "scenario.toml") == scenario


@pytest.mark.parametrize(
    ("out", "rule"),
    [
        ("net", "must end in .svg or .png or .pdf"),
        ("net.doc", "must end in"),
        ("nowhere/net.png", "there is no directory"),
        ("taken.png", "is a directory"),
    ],
)
def test_a_path_that_cannot_be_drawn_to_is_refused_first(
    scenario: Scenario, tmp_path: Path, out: str, rule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("simulator.views.topology.gather", lambda *_: pytest.fail("the long work has begun"))
    (tmp_path / "taken.png").mkdir()
    with pytest.raises(OutputError, match=rule) as caught:
        describe_topology(scenario, tmp_path / out, master="local[2]")
    assert "\n" not in str(caught.value)
