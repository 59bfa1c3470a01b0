"""Keys that only one value of another key uses: refused beside the others, and they give way to a later choice."""

from pathlib import Path

import pytest

from simulator.scenario.grid import load_grid
from simulator.scenario.loading import load_scenario, scenario_toml
from simulator.scenario.mistakes import ScenarioError
from tests.simulator.one_line import told_in_one_line

BASE = """
name = "small"
k = 3
approaches = ["paint-dense"]
network = {kind = "prefix", base = 4, contacts = "random"}

[events]
origin = "skewed"
skew = 2.0
"""

LATER = [
    ("events.origin", "uniform", ("skew",)),
    ("events.origin", "regional", ("skew",)),
    ("network.kind", "can", ("base", "contacts")),
    ("network.kind", "tree", ("base", "contacts")),
]
"""A choice, and the keys of its table that it leaves without a use."""


@pytest.fixture
def base(tmp_path: Path) -> Path:
    path = tmp_path / "base.toml"
    path.write_text(BASE, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ("events.skew=2.0", 'events.skew = 2.0: only origin = "skewed" uses it; set that or remove this key'),
        (
            "events.spread=5ms",
            "events.spread = '5ms': only origin = \"regional\" uses it; set that or remove this key",
        ),
        ("network.base=4", 'network.base = 4: only kind = "prefix" uses it; set that or remove this key'),
    ],
)
def test_a_key_that_nothing_uses_is_refused(tmp_path: Path, change: str, line: str) -> None:
    path = tmp_path / "plain.toml"
    path.write_text('name = "plain"\nk = 3\napproaches = ["paint-dense"]\n', encoding="utf-8")
    told_in_one_line(lambda: load_scenario(path, (change,)), ScenarioError, f"command line: {line}", "")


@pytest.mark.parametrize(("key", "choice", "idle"), LATER)
def test_it_gives_way_to_a_later_choice(base: Path, key: str, choice: str, idle: tuple[str, ...]) -> None:
    table, chooser = key.split(".")
    top = base.with_name("top.toml")
    top.write_text(f'extends = "base.toml"\n[{table}]\n{chooser} = "{choice}"\n', encoding="utf-8")
    before, default = (load_scenario(path).model_dump()[table] for path in (base, _plain(base)))
    for changed in (load_scenario(base, (f"{key}={choice}",)), load_scenario(top)):
        after = changed.model_dump()[table]
        assert {one for one in before if before[one] != after[one]} == {chooser, *idle}
        assert all(after[one] == default[one] for one in idle)
        kept = base.with_name("kept.toml")
        kept.write_text(scenario_toml(changed), encoding="utf-8")
        assert load_scenario(kept) == changed


def _plain(base: Path) -> Path:
    path = base.with_name("plain.toml")
    path.write_text('name = "small"\nk = 3\napproaches = ["paint-dense"]\n', encoding="utf-8")
    return path


def test_the_choice_that_uses_a_key_leaves_it_alone(base: Path) -> None:
    assert load_scenario(base, ("events.origin=skewed",)).events.skew == 2.0
    refused = ("events.origin=uniform", "events.skew=3.0")
    told_in_one_line(lambda: load_scenario(base, refused), ScenarioError, "command line: events.skew = 3.0: ", "only")


def test_a_grid_may_sweep_the_choice_of_a_scenario_that_sets_the_key(base: Path) -> None:
    grid = base.with_name("grid.toml")
    grid.write_text(
        'scenario = "base.toml"\n[grid]\nevents.origin = ["skewed", "uniform"]\nnetwork.kind = ["can", "prefix"]\n',
        encoding="utf-8",
    )
    points = [point.scenario for point in load_grid(grid).points]
    assert [one.events.skew for one in points] == [2.0, 2.0, 1.0, 1.0]
    assert [one.network.base for one in points] == [None, 4, None, 4]
