"""Names that are made to harm: control characters and markup are shown as what they are."""

import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pyarrow.parquet as pq
import pytest
from rich.console import Console

import rangecast
from simulator.cli.entry import main
from simulator.runs.finished_sweep import read_estimates
from simulator.views.explain import explain, single_update
from simulator.views.explain_figure import draw_explanation
from simulator.views.explain_page import explain_page
from simulator.views.labels import object_name
from simulator.views.output import write_picture
from simulator.views.report import report_page
from simulator.views.report.loads import broker_loads
from simulator.views.report.runs import read_run, sides_of
from simulator.views.sweep_table import sweep_tables
from simulator.views.tables import comparison_table
from simulator.workload.workload import Workload
from tests.simulator.views.hand_made_run import make_run

NASTY = "\x1b[31mred\x00\x07\u202e"
SEEN = r"\x1b[31mred\x00\x07\u202e"


def test_an_objects_name_draws_nothing_but_itself(tmp_path: Path) -> None:
    assert object_name(0, [NASTY]) == f"object 0 ({SEEN})"
    rng = np.random.default_rng(2)
    workload = Workload(2, rng.random(12), rng.random(12), np.array([0.1]), np.array([0.9]))
    shown = explain(workload, single_update(workload, int(np.argmin(workload.y)), 0.95), names=[NASTY] * 12)
    write_picture(draw_explanation(shown), tmp_path / "event.svg")
    ElementTree.parse(tmp_path / "event.svg")
    page = explain_page(shown)
    assert SEEN in page
    assert not {"\x1b", "\x00", "\x07", "\u202e"} & set(page)


def test_any_word_of_a_picture_may_hold_control_characters(tmp_path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure()
    figure.suptitle("before\x1bafter")
    with pytest.warns(UserWarning, match="Glyph"):
        write_picture(figure, tmp_path / "picture.svg")
    ElementTree.parse(tmp_path / "picture.svg")


def shown(table: object) -> str:
    console = Console(width=300)
    with console.capture() as capture:
        console.print(table)
    return capture.get()


def test_runs_are_compared_whatever_they_are_called(tmp_path: Path) -> None:
    names = ["[red]x[/blue]", "a\x1b[2Jb", "[/]"]
    text = shown(comparison_table([make_run(tmp_path / name.replace("/", "∕")) for name in names]))
    assert "[red]x[∕blue]" in text
    assert r"a\x1b[2Jb" in text
    assert "\x1b" not in text
    (tmp_path / "x").mkdir()
    slashed = make_run(tmp_path / "x" / "[bold]")
    assert "[bold]" in shown(comparison_table([slashed, tmp_path / "[∕]"]))
    told = shown(comparison_table([slashed, make_run(tmp_path / "[bold]")]))
    assert "x/[bold]" in told, "two of one name are told apart by the directories above them"
    page = report_page([tmp_path / "a\x1b[2Jb"])
    assert "\x1b" not in page
    assert "\x1b" not in repr(rangecast.Result(tmp_path / "a\x1b[2Jb"))


def test_a_sweep_is_shown_whatever_its_values_are(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text("point,key[/x],approach,metric,mean,half_width,replications\n1,[/red]a\x1bb,c,bytes_out,5,,1\n")
    text = shown(*sweep_tables(read_estimates(path), ["key[/x]"], ["bytes_out"], 100))
    assert r"[/red]a\x1bb" in text
    assert "key[/x]" in text


def test_an_error_about_a_name_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["rangecast", "compare", "no\nwhere\x1b[31m"])
    with pytest.raises(SystemExit) as ended:
        main()
    told = capsys.readouterr().err
    assert ended.value.code == 2
    assert told.count("\n") == 1
    assert told.startswith(r"rangecast: no\nwhere\x1b[31m: not a finished run")


@pytest.mark.parametrize("timed", [True, False])
def test_the_busiest_broker_is_the_top_of_its_table(timed: bool, tmp_path: Path) -> None:
    directory = make_run(tmp_path / "run", timed=timed)
    run = read_run(directory, "run")
    one, *_ = sides = sides_of([run])
    rows = pq.read_table(directory / "brokers.parquet").to_pylist()
    own = [row for row in rows if row["approach"] == one.name]
    busy = [
        max(row["busy_s"], row["uplink_busy_s"]) if timed else row["messages_in"] + row["messages_out"] for row in own
    ]
    table = broker_loads([run], sides)["runs"][0]["busiest"]
    assert ("busy" in table.head) == timed
    tops = [row[table.head.index("broker")] for row in table.rows if row[0] == one.label]
    assert tops == [str(own[at]["broker"]) for at in sorted(range(len(own)), key=lambda at: (-busy[at], at))[:3]]
