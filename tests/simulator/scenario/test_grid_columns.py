"""Columns of a sweep's tables: one for every single key, and no TOML in them."""

from pathlib import Path
from typing import Any

from simulator.scenario.grid import Grid, make_grid

BASE: dict[str, Any] = {
    "name": "base",
    "k": 3,
    "engine": "des",
    "approaches": ["unicast"],
    "objects": {"count": 10},
    "events": {"count": 20},
}


def grid_of(**axes: Any) -> Grid:
    return make_grid({"scenario": BASE, "grid": axes}, path=Path("grid.toml"))


def test_keys_that_go_together_are_spread() -> None:
    grid = grid_of(topology=[{"model": "waxman", "nodes": 200}, {"model": "barabasi-albert", "nodes": 300}], k=[1, 2])
    assert grid.keys == ("topology", "k")
    assert grid.columns == ("topology.model", "topology.nodes", "k")
    assert [point.values for point in grid.points] == [
        ("waxman", "200", "1"),
        ("waxman", "200", "2"),
        ("barabasi-albert", "300", "1"),
        ("barabasi-albert", "300", "2"),
    ]


def test_what_a_value_leaves_out_is_what_its_scenario_has() -> None:
    grid = grid_of(
        faults=[{}, {"loss": 0.25, "timeout": "1500ms"}], topology=[{"nodes": 4000}, {"bandwidth": "1Mbps"}]
    )
    assert grid.columns == ("faults.loss", "faults.timeout", "topology.nodes", "topology.bandwidth")
    assert [point.values for point in grid.points] == [
        ("0.0", "0.2s", "4000", ""),  # a default with its unit, and one that is none
        ("0.0", "0.2s", "3037", "1Mbps"),
        ("0.25", "1500ms", "4000", ""),
        ("0.25", "1500ms", "3037", "1Mbps"),
    ]


def test_lists_are_plain_text() -> None:
    crash = {"time": "10ms", "what": "partition", "whom": [3, 4]}
    grid = grid_of(**{"faults.at": [[], [crash, {**crash, "what": "heal", "time": "20ms"}]]})
    assert [point.values for point in grid.points] == [
        ("none",),
        ("time=10ms what=partition whom=3,4; time=20ms what=heal whom=3,4",),
    ]
    lists = grid_of(approaches=[["unicast"], ["paint-dense(0.5)", "unicast"]])
    assert [point.values for point in lists.points] == [("unicast",), ("paint-dense(0.5); unicast",)]
