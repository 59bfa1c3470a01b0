"""A sweep's directory is one sweep's: the same grid and files of the user's own, and nobody else meanwhile."""

import json
from pathlib import Path

import pytest
from rich.progress import Progress

from simulator.approaches.registry import APPROACHES
from simulator.inputs.plugins import Plugin, PluginError, load_again, load_plugins
from simulator.runs import sweep
from simulator.runs.sweep import SweepError, SweepResult, run_sweep
from simulator.scenario.grid import GridError, load_grid

GRID = """
replications = 1

[scenario]
name = "small"
approaches = ["APPROACH"]
k = 2
topology = {model = "barabasi-albert", nodes = 50}
network.brokers = 4
objects.count = 20
subscriptions.count = 50
events.count = 5
"""
PLUGIN = """
from simulator.approaches import APPROACHES
APPROACHES["mine"] = APPROACHES["paint-dense"]
"""


def grid_file(directory: Path, approach: str, brokers: int = 4) -> Path:
    path = directory / f"{approach}-{brokers}.toml"
    text = GRID.replace("APPROACH", approach).replace("brokers = 4", f"brokers = {brokers}")
    path.write_text(text)
    return path


def sweep_here(path: Path, out: Path) -> SweepResult:
    return run_sweep(load_grid(path), out, master=None, processes=None, progress=Progress(disable=True))


@pytest.mark.usefixtures("in_this_process")
def test_of_two_grids_that_begin_at_once_one_gets_the_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one has looked at the directory when there was nothing in it."""
    first, second, out = grid_file(tmp_path, "unicast"), grid_file(tmp_path, "unicast", 8), tmp_path / "out"
    look, begun = sweep._check_same, list[bool]()

    def look_and_be_late(*arguments: object) -> None:
        look(*arguments)  # type: ignore[arg-type]
        if not begun:
            begun.append(True)
            sweep_here(second, out)

    monkeypatch.setattr(sweep, "_check_same", look_and_be_late)
    with pytest.raises(SweepError, match="holds the sweep of another grid"):
        sweep_here(first, out)
    points = json.loads((out / "points.json").read_text())["points"]
    assert [point["network"]["brokers"] for point in points] == [8]


@pytest.mark.usefixtures("in_this_process")
def test_a_sweep_does_not_go_on_with_a_file_that_was_edited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(APPROACHES, "mine", APPROACHES["unicast"])  # to be restored
    file, out = tmp_path / "mine.py", tmp_path / "out"
    file.write_text(PLUGIN)

    def begin() -> SweepResult:
        monkeypatch.setattr("simulator.inputs.plugins._LOADED", {})
        load_plugins([file])
        return sweep_here(grid_file(tmp_path, "mine"), out)

    assert begin().failures == []
    assert begin().found == 1
    file.write_text(PLUGIN + "# edited\n")
    with pytest.raises(
        SweepError, match=r"^--with mine.py: not what the sweep in .* was begun with; bring that back"
    ):
        begin()
    monkeypatch.setattr("simulator.inputs.plugins._LOADED", {})
    with pytest.raises(SweepError, match=r"^--with nothing: not what the sweep"):
        sweep_here(grid_file(tmp_path, "mine"), out)
    file.write_text(PLUGIN)
    assert begin().found == 1


def test_a_worker_refuses_a_file_that_was_edited_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simulator.inputs.plugins._LOADED", {})
    (tmp_path / "mine.py").write_text("x = 1\n")
    with pytest.raises(PluginError, match="changed while it was in use; start again"):
        load_again([Plugin(tmp_path / "mine.py", "0" * 64)])


def test_a_damaged_points_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "points.json").write_text("{")
    with pytest.raises(SweepError, match=r"points.json: is damaged; choose another directory"):
        sweep_here(grid_file(tmp_path, "unicast"), tmp_path / "out")


@pytest.mark.parametrize(
    ("replications", "lists", "told"),
    [
        (10**8, {}, "replications = 100000000: with 1 points that makes 100,000,000 simulations"),
        (1000, dict.fromkeys(("k", "events.burst", "objects.count"), 30), "27,000 points that makes 27,000,000"),
    ],
)
def test_too_many_simulations_are_refused(
    tmp_path: Path, replications: int, lists: dict[str, int], told: str
) -> None:
    path = tmp_path / "many.toml"
    axes = "".join(f"{key} = {list(range(1, 1 + length))}\n" for key, length in lists.items())
    path.write_text(f'replications = {replications}\nscenario = "none.toml"\n[grid]\n{axes}')
    with pytest.raises(GridError) as error:
        load_grid(path)
    assert told in str(error.value)
    assert "a sweep has at most 100,000; lower it" in str(error.value)
