"""Runs from Python: tables equal the files, what is shown is what the command line prints."""

import shutil
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pyarrow.csv as csv
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from typer.testing import CliRunner

import rangecast
from simulator.cli.app import app
from tests.rangecast.small import SMALL


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, spark: SparkSession) -> Path:
    """Where the runs of this module are."""
    return tmp_path_factory.mktemp("door")


@pytest.fixture(scope="module")
def timed(place: Path) -> rangecast.Result:
    return rangecast.run(SMALL, place / "timed", changes={"record": ["hops"]}, master="local[2]")


@pytest.fixture(scope="module")
def counted(place: Path) -> rangecast.Result:
    return rangecast.run(SMALL, place / "counted", changes={"verify": "none"}, engine="tally", master="local[2]")


def test_tables_are_the_files(timed: rangecast.Result) -> None:
    for name in ("events", "brokers", "links", "hops", "series"):
        table = getattr(timed, name)
        assert len(table) > 0
        assert table.equals(pq.read_table(timed.directory / f"{name}.parquet"))
    read = csv.read_csv(timed.directory / "summary.csv").to_pylist()
    assert timed.summary.to_pylist() == read
    frame = timed.events.to_pandas()
    assert frame["bytes_out"].sum() == sum(timed.events["bytes_out"].to_pylist())


def test_a_result_tells_what_was_run_and_how_it_went(timed: rangecast.Result, counted: rangecast.Result) -> None:
    assert timed.scenario == rangecast.load_scenario(SMALL, {"record": ["hops"]})
    assert timed.verified == {"paint-dense": "right", "unicast": "right"}
    assert timed.right is True
    assert timed.manifest["seed"] == 7
    assert counted.scenario.engine == "tally"
    assert counted.verified == {}
    assert counted.right is None


def test_a_wrong_list_is_not_hidden(timed: rangecast.Result, tmp_path: Path) -> None:
    wrong = shutil.copytree(timed.directory, tmp_path / "wrong")
    manifest = wrong / "manifest.json"
    told = manifest.read_text().replace('"unicast": "right"', '"unicast": "event 3: subscription 4 is wrong"')
    manifest.write_text(told)
    result = rangecast.Result(wrong)
    assert result.right is False
    assert repr(result).splitlines()[0].endswith("wrong: verified, WRONG")


def test_a_run_opened_again_is_the_same(timed: rangecast.Result) -> None:
    again = rangecast.Result(str(timed.directory))
    assert again.summary.equals(timed.summary)
    assert repr(again) == repr(timed)
    assert repr(again).splitlines()[0] == f"{timed.directory}: verified, all right"


def test_what_is_shown_is_what_the_command_line_prints(timed: rangecast.Result, counted: rangecast.Result) -> None:
    paths = [str(timed.directory), str(counted.directory)]
    printed = CliRunner().invoke(app, ["compare", *paths], env={"COLUMNS": "200"}).output
    both = rangecast.compare(timed, counted.directory)
    assert repr(both).split() == printed.split()
    html = both._repr_html_()
    head = repr(both).splitlines().index(next(line for line in repr(both).splitlines() if "─" in line)) + 1
    assert html.count("<tr>") == 1 + len(repr(both).splitlines()[head:])
    assert "timed<br>paint-<br>dense" in html


def test_a_name_is_no_markup(timed: rangecast.Result, tmp_path: Path) -> None:
    odd = rangecast.Result(shutil.copytree(timed.directory, tmp_path / "<i>&"))
    for html in (odd._repr_html_(), rangecast.compare(timed, odd)._repr_html_()):
        assert "&lt;i&gt;&amp;" in html.replace("<br>", "")
        assert "<i>" not in html


def test_a_notebook_is_shown_one_table(counted: rangecast.Result, monkeypatch: pytest.MonkeyPatch) -> None:
    outside = repr(counted)
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)  # where rich displays what it is told to print
    assert repr(counted) == outside


def test_a_comparison_is_a_frame(timed: rangecast.Result, counted: rangecast.Result) -> None:
    frame = rangecast.compare(timed, counted).to_pandas()
    assert frame.index.tolist() == [
        (run, approach) for run in ("timed", "counted") for approach in ("paint-dense", "unicast")
    ]
    assert frame.loc[("counted", "unicast"), "messages"] == counted.summary["messages"][1].as_py()
    assert frame.loc[("counted", "unicast"), "latency_p50"] != frame.loc[("counted", "unicast"), "latency_p50"]  # NaN


def test_runs_of_one_name_are_told_apart(timed: rangecast.Result, tmp_path: Path) -> None:
    twin = rangecast.Result(shutil.copytree(timed.directory, tmp_path / "timed"))
    names = rangecast.compare(timed, twin).table["run"].unique().to_pylist()
    assert names == [f"{run.directory.parent.name}/timed" for run in (timed, twin)]
    with pytest.raises(rangecast.RangecastError, match=r"timed: given twice; name each run once$"):
        rangecast.compare(timed, timed.directory)


def test_a_figure_is_drawn_and_shown_in_notebooks(timed: rangecast.Result, counted: rangecast.Result) -> None:
    assert len(timed.plot().axes) == 3
    figure: Any = counted.plot()
    assert len(figure.axes) == 2
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_a_report_is_written_and_its_mistakes_told(timed: rangecast.Result, tmp_path: Path) -> None:
    assert timed.report(tmp_path / "page.html").read_text().startswith("<!DOCTYPE html>")
    with pytest.raises(rangecast.RangecastError, match=r"^out .*page.txt: must end in .html; rename it$"):
        timed.report(tmp_path / "page.txt")


def test_an_event_is_explained(timed: rangecast.Result, tmp_path: Path) -> None:
    event = rangecast.explain(timed, 4, "unicast")
    rows = timed.events.filter((pc.field("approach") == "unicast") & (pc.field("event") == 4)).to_pylist()
    assert (event.object, len(event.messages)) == (rows[0]["object"], rows[0]["messages"])
    assert event.title.startswith("Event 4: ")
    assert repr(event).splitlines() == event.facts
    assert len(event.plot().axes) == 3
    assert len(event.plot("messages").axes) == 1
    assert event.save(tmp_path / "event.svg").read_text().startswith("<?xml")
    assert rangecast.explain(SMALL, 4, "unicast", changes={"record": ["hops"]}).facts == event.facts
    assert rangecast.explain(timed.directory / "scenario.toml", 4, "unicast").facts == event.facts


def test_approaches_are_explained_beside_each_other(timed: rangecast.Result, tmp_path: Path) -> None:
    event, other = (rangecast.explain(timed, 4, name) for name in ("paint-dense", "unicast"))
    page = event.save(tmp_path / "two.html", beside=[other]).read_text(encoding="utf-8")
    assert "(paint-dense, unicast, k = " in page
    assert len(event.plot(beside=[other]).axes) == 4
    assert len(event.plot("messages", beside=[other]).axes) == 2
    with pytest.raises(ValueError, match=r"^beside must be of the same event, 4, got event 5$"):
        event.plot(beside=[rangecast.explain(timed, 5)])


def test_an_event_of_a_batch_is_explained_with_its_window(timed: rangecast.Result) -> None:
    window = rangecast.explain(SMALL, 4, "paint-batch(3)")
    assert window.span == range(3, 6)
    assert window.object == rangecast.explain(timed, 4).object
    assert window.title.startswith("Events 3 to 5 in one window: ")
    assert {step.object for step in window.steps} >= set(window.exposed)
    assert window.plot("objects").axes[0].get_title().startswith("A: ")
    with pytest.raises(ValueError, match=r"^panels must be among events, messages, objects, got 'levels'$"):
        window.plot("levels")


def test_mistakes_are_told_in_pythons_words(timed: rangecast.Result, tmp_path: Path) -> None:
    def told(pattern: str) -> Any:
        return pytest.raises(rangecast.RangecastError, match=pattern)

    with told(r"^out .*timed: exists already; choose another directory or remove it$"):
        rangecast.run(SMALL, timed.directory)
    with told(r"^engine = 'fast': must be one of 'tally' or 'des'"):
        rangecast.run(SMALL, engine="fast")  # type: ignore[arg-type]
    with told(r"^event 300: must be between 0 and 29"):
        rangecast.explain(timed, 300)
    with told(r"^k=4: .*timed is a finished run; give its scenario file to change it$"):
        rangecast.explain(timed, changes={"k": 4})
    with told(r"^nowhere: not a finished run: there is no such directory"):
        rangecast.compare("nowhere")
    with pytest.raises(ValueError, match=r"^panels must be among events, levels, messages, got 'map'$"):
        rangecast.explain(timed, 4).plot("map")


def test_other_kinds_are_refused(timed: rangecast.Result) -> None:
    wrong: Any = [timed]
    with pytest.raises(TypeError, match=r"^run must be a Result or the path of a run directory, got list$"):
        rangecast.compare(wrong)
    with pytest.raises(TypeError, match=r"^runs must name at least one run, got none"):
        rangecast.compare()
    with pytest.raises(TypeError, match=r"^out must be a path, got list$"):
        rangecast.run(SMALL, wrong)
    with pytest.raises(TypeError, match=r"^target must be a Result, a Scenario, a mapping, or the path .* got list$"):
        rangecast.explain(wrong)


def test_hops_that_were_not_recorded_are_missed_with_a_remedy(counted: rangecast.Result) -> None:
    with pytest.raises(rangecast.RangecastError, match=r'has no hops.parquet; run .* with record = \["hops"\]$'):
        _ = counted.hops
