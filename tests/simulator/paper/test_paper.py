"""The paper's tables and figures: their files fit the grids, and all of it runs."""

import csv
from pathlib import Path

import pytest
from rich.progress import Progress
from typer.testing import CliRunner

from pipeline import PipelineError
from simulator.cli.app import app
from simulator.paper.exhibits import (
    BEYOND,
    EXTRAS,
    NAMES,
    Exhibit,
    Number,
    PaperError,
    Rise,
    grid_path,
    load_exhibit,
)
from simulator.paper.make import make_paper, measured_in, summary_table
from simulator.paper.reproduction import Text, write_page, write_reproduction
from simulator.paper.verdicts import HOLDS, NEEDS_PAPER, Measured
from simulator.runs.sweep import SweepError, run_sweep
from simulator.runs.sweep_tables import read_rows
from simulator.scenario.grid import Grid, GridError, load_grid
from simulator.scenario.loading import load_scenario
from tests.simulator.paper.tiny import SQUARES, TINY_GRID, rows

pytestmark = pytest.mark.usefixtures("spark")  # what a run starts must be the session of all tests


@pytest.mark.parametrize("name", [*NAMES, *EXTRAS])
def test_descriptions_fit_their_grids(name: str) -> None:
    """Every approach, key and place that a claim or a curve names is in the grid of a scale that it is judged at."""
    view = load_exhibit(name)
    for scale in ("small", "paper"):
        grids = {one: load_grid(grid_path(one, scale)) for one in view.sweeps}
        for part in (*view.claims, *view.panels):
            grid = grids[part.sweep or view.sweeps[0]]
            known = Measured(grid, dict.fromkeys(range(len(grid.points)), ()))
            named = {getattr(part, "approach", None), part.over, *getattr(part, "falling", ())}
            named |= {one for curve in getattr(part, "curves", {}).values() for one in curve}
            assert named - {None} <= set(grid.points[0].scenario.approaches)
            if scale == "paper" or getattr(part, "small", True):
                assert_places(known, part)
        for row in view.numbers:
            for one in row.beside:
                grid = grids[one.sweep or row.sweep or view.sweeps[0]]
                assert {one.approach or row.approach, one.over} - {None} <= set(grid.points[0].scenario.approaches)
                known = Measured(grid, dict.fromkeys(range(len(grid.points)), ()))
                places = [known.points({row.along: at, **one.where}) for at in row.at]
                assert scale == "small" or any(places)
    assert view.claims
    assert bool(view.panels) != name.startswith("table")


def assert_places(known: Measured, part: object) -> None:
    where = part.where  # type: ignore[attr-defined]
    assert known.points(where)
    if isinstance(part, Number | Rise):
        for at in part.at or ():
            assert known.points({**where, part.along: at})


def test_scales_share_their_seeds_and_approaches() -> None:
    def grids(scale: str) -> dict[str, Grid]:
        return {path.stem: load_grid(path) for path in sorted(grid_path("x", scale).parent.glob("*.toml"))}  # type: ignore[arg-type]

    small, paper = grids("small"), grids("paper")
    assert small.keys() == paper.keys() == {one for name in (*NAMES, *EXTRAS) for one in load_exhibit(name).sweeps}
    for name, grid in paper.items():
        assert grid.seeds[: len(small[name].seeds)] == small[name].seeds
        assert grid.points[0].scenario.approaches == small[name].points[0].scenario.approaches


def test_all_of_it_is_on_the_paper_s_own_network() -> None:
    """A content-addressable network, its server in the middle, and messages one by one, without headers."""
    grids = [load_grid(path) for scale in ("small", "paper") for path in grid_path("x", scale).parent.glob("*.toml")]
    scenarios = [point.scenario for grid in grids for point in grid.points]
    scenarios.append(load_scenario(Path("paper-default")))
    assert len(grids) == 28
    for scenario in scenarios:
        network = scenario.network
        assert (network.kind, network.zones, network.placement, network.bundle) == ("can", "even", "random", False)
        assert (scenario.server.at, scenario.sizes.header_bytes) == ("centre", None)


def test_tables_agree_where_the_paper_says_the_same_twice() -> None:
    """At k = 1 Unicast looks at those that it tells (Tables I and III); Table IV has a column of Table III again."""

    def printed(name: str, row: str) -> list[float]:
        (number,) = [one for one in load_exhibit(name).numbers if one.row == row]
        return number.paper

    assert printed("table1", "Paint-Sparse, messages received")[0] == printed("table3", "Unicast, min_y")[0]
    assert printed("table4", "Dense, min_y") == [printed("table3", "Paint-Dense, min_y")[3]]


def test_makes_a_figure(tiny: Path, tmp_path: Path, in_this_process: None) -> None:
    out = tmp_path / "out"
    (made,) = make_paper("fig11", out=out, directory=tiny)
    target = out / "fig11-small"
    assert made.directory == target
    assert {path.name for path in target.iterdir()} == {
        "fig11.csv",
        "fig11.png",
        "fig11.svg",
        "results.csv",
        "verdicts.csv",
    }
    assert (target / "fig11.png").read_bytes().startswith(b"\x89PNG")
    assert [one.verdict for one in made.verdicts] == [HOLDS, HOLDS, NEEDS_PAPER, NEEDS_PAPER, HOLDS]
    with (target / "verdicts.csv").open(encoding="utf-8", newline="") as stream:
        assert [row["verdict"] for row in csv.DictReader(stream)] == [one.verdict for one in made.verdicts]
    with (target / "fig11.csv").open(encoding="utf-8", newline="") as stream:
        curves = list(csv.DictReader(stream))
    assert len(curves) == 2 * 2 * 2
    assert summary_table([made]).row_count == 2
    view: Exhibit = made.view
    found = measured_in(out, view, "small", tiny)["tiny"]
    assert float(curves[0]["mean"]) == found.value(view.panels[0], "paint-dense", 0).mean
    before = {path: path.read_bytes() for path in target.iterdir()}
    make_paper("fig11", out=out, directory=tiny)
    assert {path: path.read_bytes() for path in target.iterdir()} == before


def test_writes_what_was_run_and_what_was_not(
    tiny: Path, tmp_path: Path, in_this_process: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("simulator.paper.reproduction.NAMES", ("fig11",))
    monkeypatch.setattr("simulator.paper.reproduction.EXTRAS", ())
    monkeypatch.setattr("simulator.paper.reproduction.BEYOND", ())
    make_paper("fig11", scale="paper", out=tmp_path / "out", directory=tiny)
    report = tmp_path / "reproduction.md"
    write_reproduction(tmp_path / "out", report, tiny)
    text = report.read_text(encoding="utf-8")
    assert "| fig11 | small | 0 | 0 | 3 |" in text
    assert "| fig11 | paper | 3 | 1 | 1 |" in text
    assert "| first_k | k = 1 | 2 | 2 | 1.00 | ±0% | holds |" in text
    assert "It is tiny." in text
    assert "**3 of the 4 numbers and claims that are judged at the paper's sizes hold, 1 differs.**" in text
    assert "1 have not been run." in text
    assert text.count("the paper's: it is not tiny") == 1
    assert "![Figure 11: tiny](reproduction/fig11.png)" in text
    assert (tmp_path / "reproduction" / "fig11.png").read_bytes().startswith(b"\x89PNG")


BESIDE = """
title = "Figure 11: tiny"
sweeps = ["tiny"]
account = "It is tiny."

[[numbers]]
row = "first"
approach = "paint-dense"
metric = "messages"
along = "k"
at = [1]
where = { "subscriptions.count" = 100 }
paper = [1]
tolerance = 0.0

[[numbers.beside]]
title = "ten times"
metric = "messages"
approach = "unicast"
where = { "subscriptions.count" = 100 }

[[numbers.beside]]
title = "elsewhere"
metric = "messages"
where = { k = 2, "subscriptions.count" = 400 }

[[numbers]]
row = "second"
approach = "paint-dense"
metric = "messages"
along = "k"
at = [2]
where = { "subscriptions.count" = 100 }
paper = [5]
tolerance = 0.0

[[numbers.beside]]
title = "elsewhere"
metric = "messages"
where = { k = 1, "subscriptions.count" = 400 }

[[bounds]]
claim = "not the paper's"
apart = "ours"
approach = "paint-dense"
metric = "messages"
most = 7.0
small = true
"""


def test_what_is_beside_stands_under_its_title_and_what_is_apart_is_not_counted(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tiny / "fig11.toml").write_text(BESIDE, encoding="utf-8")
    grid = load_grid(tiny / "grids" / "paper" / "tiny.toml")
    found = Measured(grid, {point: [rows(messages=value)] * 2 for point, value in SQUARES.items()})
    monkeypatch.setattr("simulator.paper.reproduction.measured_in", lambda *_: {"tiny": found})
    text = Text("{verdict} and {holds}\n{differing}\n", "{holds} of {judged} hold, {differ} {differs}, {mean_only}")
    write_page(tmp_path, tmp_path / "page.md", tiny, ("fig11",), text)
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert "| verdict | ten times | elsewhere |" in page
    assert "| first | k = 1 | 1 | 1 | 1.00 | ±0% | holds | 10 | 8 |" in page
    assert "| second | k = 2 | 5 | 2 | 0.40 | ±0% | **differs** |  | 4 |" in page
    assert "1 of 2 hold, 1 differs, 0 and 1\n" in page
    assert "| fig11 | paper | 1 | 1 | 0 |\n| **all** | small | 0 | 0 | 0 |\n| **all** | paper | 1 | 1 | 0 |\n" in page
    assert page.count("not the paper's (not counted: ours) |") == 2  # where it differs, and in its place
    write_page(tmp_path, tmp_path / "page.md", tiny, ("fig11",), text._replace(uncounted=("fig11",)))
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert "0 of 0 hold, 0 differ, 0 and 0\n" in page
    assert "| **all** | paper | 0 | 0 | 0 |\n| fig11 | small | 0 | 0 | 0 |\n| fig11 | paper | 1 | 1 | 0 |\n" in page


def test_coalesce_takes_changes_of_y_only(tmp_path: Path, in_this_process: None) -> None:
    path = tmp_path / "grid.toml"
    text = TINY_GRID.replace('["paint-dense", "unicast", "cn-relax"]', '["coalesce(7)", "paint-batch(7)"]')
    path.write_text(f"{text}events.insert = [0.0, 0.5]\n", encoding="utf-8")
    with pytest.raises(GridError, match=r"events\.insert=0\.5.*coalesce\(7\) has no answer to insertions and moves"):
        load_grid(path)
    path.write_text(text, encoding="utf-8")
    result = run_sweep(load_grid(path), tmp_path / "out", master=None, processes=1, progress=Progress(disable=True))
    assert not result.failures
    coalesced, batched = read_rows(tmp_path / "out" / "tasks" / "point-0001-replication-001.csv")
    assert coalesced["received_update"] >= batched["received_update"] > 0  # type: ignore[operator]


def test_mistakes_are_told(tiny: Path) -> None:
    with pytest.raises(PaperError, match=r"table9: must be all or one of table1, .*; choose one of them"):
        make_paper("table9")
    with pytest.raises(PaperError, match="--scale big: must be small or paper"):
        make_paper("table1", scale="big")
    with pytest.raises(SweepError, match="--processes 0: must be at least 1"):
        make_paper("table7", out=tiny / "out", processes=0)
    with pytest.raises(PipelineError, match="--master nonsense: the master must be"):
        make_paper("table7", out=tiny / "out", master="nonsense")
    assert not (tiny / "out").exists()
    with pytest.raises(PaperError, match=r"table1\.toml: cannot be read"):
        load_exhibit("table1", tiny)
    (tiny / "table1.toml").write_text('title = "t"\nsweeps = ["x"]\naccount = ""\n[[chains]]\nmetric = "mesages"\n')
    with pytest.raises(PaperError, match="must be a metric of a sweep"):
        load_exhibit("table1", tiny)


def test_the_command_refuses_an_unknown_name() -> None:
    result = CliRunner().invoke(app, ["paper", "fig99"])
    assert isinstance(result.exception, PaperError)


@pytest.mark.parametrize("name", ["fig16", pytest.param("all", marks=pytest.mark.slow)])
def test_claims_hold_at_small_scale(name: str, tmp_path: Path, in_this_process: None) -> None:
    """Every claim that is not about the paper's sizes holds at small ones; `make paper` makes all by the command."""
    made = make_paper(name, out=tmp_path)
    assert [one.view.name for one in made] == ([*NAMES, *BEYOND, *EXTRAS] if name == "all" else [name])
    assert not [line for one in made for line in one.failures]
    verdicts = {one.verdict for entry in made for one in entry.verdicts}
    assert {HOLDS} <= verdicts <= {HOLDS, NEEDS_PAPER}
