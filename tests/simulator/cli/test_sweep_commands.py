"""`rangecast sweep` and `rangecast compare` as a user meets them: what is shown, drawn and refused."""

import os
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len

from simulator.cli.entry import main
from simulator.runs.finished_sweep import FinishedSweep
from tests.simulator.hand_made_sweep import SCENARIO, make_sweep
from tests.simulator.views.hand_made_run import make_run

GRID = {"k": [5, 20]}


@pytest.fixture(autouse=True)
def _terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> FinishedSweep:
    costs = {"paint-dense": 1.0, "unicast": 9.0}
    return make_sweep(
        tmp_path_factory.mktemp("cli") / "made",
        GRID,
        lambda point, seed, approach, _: costs[approach] * (1000 * (point + 1) + seed),
        scenario=SCENARIO | {"engine": "des", "events": {"count": 20, "rate": "10/s"}},
    )


def rangecast(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["rangecast", *map(str, arguments)])
    try:
        main()
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


def test_a_sweep_shows_a_few_metrics_and_draws_them(
    sweep: FinishedSweep, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = rangecast(monkeypatch, "sweep", sweep.directory / "grid.toml", "--out", sweep.directory)
    shown = capsys.readouterr().out
    assert code == 0
    table = shown.partition("WARNING")[0].splitlines()
    assert max(map(cell_len, table)) <= 100
    assert shown.count("mean over 3 seeds") == 1
    assert "2,001 ±  0%" in shown
    drawn = {"bytes_out", "ip_bytes", "stale", "wrong_share", "received_update", "redundancy", "latency_p99"}
    assert {path.name for path in (sweep.directory / "figures").iterdir()} == {f"{name}.png" for name in drawn}
    assert f"figures  {sweep.directory / 'figures'}: bytes_out.png, " in shown


def test_all_metrics_that_are_asked_for_are_shown(
    sweep: FinishedSweep, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = "messages,stale,bytes_in,latency_max,received_exposed,ip_hops"
    grid = sweep.directory / "grid.toml"
    assert rangecast(monkeypatch, "sweep", grid, "--out", sweep.directory, "--metric", chosen) == 0
    shown = capsys.readouterr().out
    assert shown.count("mean over 3 seeds") > 1
    for name in ("messages", "stale, ms", "bytes_in", "latency_", "received_", "ip_hops"):
        assert name in shown
    assert all((sweep.directory / "figures" / f"{name}.png").exists() for name in chosen.split(","))
    assert "redundancy" not in shown


def test_a_metric_that_does_not_exist_is_refused_before_anything_is_simulated(
    sweep: FinishedSweep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    grid, out = sweep.directory / "grid.toml", tmp_path / "new"
    assert rangecast(monkeypatch, "sweep", grid, "--out", out, "--metric", "stale,price") == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("rangecast: --metric price: no such metric; choose among messages, bytes_in, ")
    assert told.err.count("\n") == 1
    assert not out.exists()


def test_a_sweep_is_compared_and_a_run_beside_it_refused(
    sweep: FinishedSweep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--metric", "bytes_out", "--against", "unicast")
    assert rangecast(monkeypatch, "compare", sweep.directory, *options) == 0
    shown = capsys.readouterr().out
    assert "0.111 (0.111 to 0.111)" in shown
    assert "-8,008 ±" in shown
    assert "seeds    3, the same for all approaches" in shown
    assert max(map(cell_len, shown.splitlines())) <= 100
    run = make_run(tmp_path / "run")
    assert rangecast(monkeypatch, "compare", sweep.directory, run) == 2
    assert capsys.readouterr().err == (
        f"rangecast: {run}: not a sweep, and {sweep.directory} is one; "
        "compare runs with runs and sweeps with sweeps\n"
    )
    assert rangecast(monkeypatch, "compare", run, "--metric", "bytes_out,redundancy") == 0
    assert [line.split("  ")[0].strip() for line in capsys.readouterr().out.splitlines()[-3:-1]] == [
        "bytes out of the server",
        "redundancy",
    ]
    assert rangecast(monkeypatch, "compare", run, tmp_path / "." / "run") == 2
    assert capsys.readouterr().err == f"rangecast: {run}: given twice; name each run once\n"
    assert rangecast(monkeypatch, "compare", sweep.directory, sweep.directory) == 2
    assert capsys.readouterr().err == f"rangecast: {sweep.directory}: given twice; name each sweep once\n"
    assert rangecast(monkeypatch, "compare", run, "--metric", "bytes") == 2
    assert "--metric bytes: no such metric; choose among messages, bytes_out" in capsys.readouterr().err


def test_a_reader_that_goes_away_is_no_mistake(
    sweep: FinishedSweep, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As in `rangecast compare SWEEP | head`."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as unread:
        monkeypatch.setattr(sys, "stdout", unread)
        assert rangecast(monkeypatch, "compare", sweep.directory) == 0
    assert capsys.readouterr().err == ""
