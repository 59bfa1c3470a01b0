"""Pages in a headless Chromium: they open without complaint, fetch nothing, draw, fit a phone and answer to keys."""

import base64
import itertools
import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

from pipeline import EVENTS
from simulator.approaches.registry import APPROACHES
from simulator.cli.entry import main
from simulator.results.errors import RunError
from simulator.views.event_explanation import EventExplanation
from simulator.views.explain import explain, single_update
from simulator.views.explain_figure import draw_explanation, draw_steps
from simulator.views.explain_page import explain_page
from simulator.views.output import OutputError
from simulator.views.report import report_page, write_report
from simulator.workload.workload import Workload
from tests.browser import Browser
from tests.simulator.views.hand_made_run import BROKER_COUNT, EVENT_COUNT, HOSTILE, NAMES, make_run
from tests.some_cases import some
from topologies import MODELS


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    place = tmp_path_factory.mktemp("runs")
    return [
        make_run(place / "first"),
        make_run(place / "<b>second", kind="tree", timed=False, seed=2),
    ]


def check_looks(browser: Browser, page: Path, shots: Path) -> None:
    """Light and dark, wide and on a phone: no complaint, nothing fetched, no scrolling sideways, all is drawn."""
    backgrounds = []
    for width, height, dark in ((1280, 900, False), (1280, 900, True), (390, 844, False)):
        browser.look(width, height, dark=dark)
        browser.open(page)
        assert browser.errors == []
        assert [url for url in browser.fetched if not url.startswith(("file:", "data:"))] == []
        assert browser.ask("document.documentElement.scrollWidth") <= width
        sizes = browser.ask(
            "[...document.querySelectorAll('figure svg')].filter(s => s.checkVisibility())"
            ".map(s => s.getBoundingClientRect()).map(b => [b.width, b.height])"
        )
        assert sizes
        assert all(w > 150 and h > 30 for w, h in sizes), sizes
        backgrounds.append(browser.ask("getComputedStyle(document.body).backgroundColor"))
        browser.picture(shots / f"{page.stem}-{width}-{dark}.png")
    assert backgrounds[0] == backgrounds[2] != backgrounds[1]
    unnamed = "[...document.querySelectorAll('svg[role=img]')].filter(s => !s.getAttribute('aria-label')).length"
    assert browser.ask(unnamed) == 0


def xyz(browser: Browser, name: str) -> NDArray[np.float64]:
    """A colour of the style in CIE XYZ; Y is the luminance, 1 for white."""
    hexes = browser.ask(f"getComputedStyle(document.documentElement).getPropertyValue('--{name}').trim()")
    parts = np.array([int(hexes[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ linear


def contrast(browser: Browser, one: str, other: str) -> float:
    """Contrast ratio of two colours of the style (WCAG)."""
    low, high = sorted((xyz(browser, one)[1], xyz(browser, other)[1]))
    return float((high + 0.05) / (low + 0.05))


def distance(browser: Browser, one: str, other: str) -> float:
    """How far two colours of the style lie apart in CIELAB; about 2 can just be told apart side by side."""

    def lab(name: str) -> NDArray[np.float64]:
        shares = xyz(browser, name) / [0.9505, 1.0, 1.089]
        x, y, z = np.where(shares > 216 / 24389, np.cbrt(shares), (24389 / 27 * shares + 16) / 116)
        return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])

    return float(np.linalg.norm(lab(one) - lab(other)))


def test_a_report_of_one_and_of_several_runs(browser: Browser, runs: list[Path], tmp_path: Path) -> None:
    for number, chosen in enumerate((runs[:1], runs)):
        page = tmp_path / f"report-{number}.html"
        write_report(chosen, page)
        assert page.stat().st_size < 1_000_000
        check_looks(browser, page, tmp_path)
        sides = 2 * len(chosen)
        count = {
            # A bar for each value of eight charts, a map for each approach with a tip for each broker, a line of
            # each in every distribution but for times, which the second run has none of; panels likewise, four marks.
            "#comparison figure .bar": 8 * sides,
            "#brokers figure.map": sides,
            "#brokers figure.map title": sides * BROKER_COUNT,
            "#distributions polyline": 3 * sides + 3 * 2,
            "#time .panel": 5 * 2,
            "#time .panel title": 5 * 2 * 4,
            "#links .top": sides,
        }
        found = {part: browser.ask(f"document.querySelectorAll('{part}').length") for part in count}
        assert found == count
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".html"] * 2 + [".png"] * 6


def test_the_colours_of_a_page_can_be_told_apart(browser: Browser, runs: list[Path], tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    write_report(runs[:1], page)
    for dark in (False, True):
        browser.look(800, 600, dark=dark)
        browser.open(page)
        for name in ("ink", "soft", "accent", "strong", "good"):
            assert contrast(browser, name, "paper") >= 4.5, (name, dark)
        for at in range(7):
            assert contrast(browser, f"c{at}", "paper") >= 3, (at, dark)
        for one, other in itertools.combinations(range(7), 2):
            assert distance(browser, f"c{one}", f"c{other}") >= 30, (one, other, dark)


def test_text_from_runs_is_shown_as_text(browser: Browser, runs: list[Path], tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    write_report(runs, page)
    browser.look(1280, 900)
    browser.open(page)
    assert browser.errors == []
    assert browser.ask("document.querySelectorAll('img, b').length") == 0
    assert browser.ask("document.querySelectorAll('script').length") == 0
    assert browser.ask("document.title") == "Rangecast report: first, <b>second"
    for section in ("findings", "comparison", "time", "distributions", "brokers", "links", "scenario"):
        assert HOSTILE in browser.ask(f"document.getElementById('{section}').textContent"), section


def test_downloads_hold_the_tables(browser: Browser, runs: list[Path], tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    write_report(runs, page)
    browser.open(page)
    links = browser.ask("[...document.querySelectorAll('#downloads a')].map(a => [a.download, a.href])")
    tables = {name: csv.read_csv(pa.py_buffer(base64.b64decode(link.partition(",")[2]))) for name, link in links}
    both, timed = ("summary", "brokers", "links", "events"), ("series", "faults")
    assert set(tables) == {f"{run}-{name}.csv" for run in ("first", "_b_second") for name in both} | {
        f"first-{name}.csv" for name in timed
    }
    assert tables["first-events.csv"].column_names == EVENTS.names
    assert len(tables["first-events.csv"]) == EVENT_COUNT * len(NAMES)
    carried = pq.read_table(runs[0] / "links.parquet")["bytes"].to_pylist()
    assert tables["first-links.csv"]["bytes"].to_pylist() == carried


def test_the_slider_moves_by_keys(browser: Browser, tmp_path: Path) -> None:
    rng = np.random.default_rng(11)
    l, r = np.sort(rng.random((2, 300)), axis=0)
    workload = Workload(3, rng.random(40), rng.random(40), l.copy(), r.copy())
    i = int(np.argsort(workload.y)[8])
    shown = explain(workload, single_update(workload, i, 0.7))
    assert isinstance(shown, EventExplanation)
    page = tmp_path / "explain.html"
    page.write_text(explain_page(shown), encoding="utf-8")
    check_looks(browser, page, tmp_path)
    last = len(shown.steps) + 1
    marks = "svg g.message, svg circle.exposed"
    seen = f"[...document.querySelectorAll('{marks}')].filter(g => g.style.display != 'none').length"
    told = "document.querySelector('.told').textContent"
    assert browser.ask(told).startswith(f"Step 0 of {last}: before the event")
    before = browser.ask(seen)
    browser.press("ArrowRight")
    assert browser.ask(told).startswith(f"Step 1 of {last}: everyone in the shaded region is told of object {i}")
    assert browser.ask("document.querySelector('.slider').value") == "1"
    assert browser.ask(seen) != before
    browser.ask("document.querySelector('.slider').focus()")
    browser.press("End")
    assert browser.ask(told).startswith(f"Step {last} of {last}")
    # Every message is painted, and every exposed object named, once the sweep is over.
    assert browser.ask(seen) == len(shown.messages) + len(shown.exposed)
    browser.press("ArrowLeft")
    assert browser.ask("document.querySelectorAll('tr.now').length") == int(
        (shown.step_of == len(shown.steps) - 1).sum()
    )
    assert browser.errors == []


@pytest.mark.parametrize(
    "approach",
    some(["paint-dense", "paint-sparse", "unicast", "cn-relax"], lambda name: name in ("paint-sparse", "unicast")),
)
def test_pictures_of_every_approach(approach: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    l, r = np.sort(rng.random((2, 2000)), axis=0)
    workload = Workload(2, rng.random(12), rng.random(12), l.copy(), r.copy())
    for i, y in ((int(np.argmin(workload.y)), 0.95), (int(np.argmax(workload.y)), 0.01)):
        shown = explain(workload, single_update(workload, i, y), 0, approach)
        figure = draw_explanation(shown)
        assert [axes.get_xlabel() for axes in figure.axes] == ["x", "l", "l"]
        figure.savefig(tmp_path / "picture.svg")
        assert shown.title in explain_page(shown)


def test_names_of_a_history_are_told_as_text(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    l, r = np.sort(rng.random((2, 2000)), axis=0)
    workload = Workload(2, rng.random(12), rng.random(12), l.copy(), r.copy())
    i = int(np.argmin(workload.y))
    names = [f"<b>$x^{{{at}" for at in range(12)]  # neither HTML nor, in matplotlib's sense, a formula
    shown = explain(workload, single_update(workload, i, 0.95), names=names)
    assert f"object {i} ({names[i]})" in shown.title
    draw_explanation(shown).savefig(tmp_path / "picture.svg")
    draw_steps(shown).savefig(tmp_path / "steps.svg")
    page = explain_page(shown)
    assert "<b>" not in page
    for h in shown.exposed:
        assert f"object {h} (&lt;b&gt;$x^{{{h})" in page


def test_what_is_not_a_run_is_refused_in_one_line(runs: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "report.html"

    def refused(*directories: Path, to: Path = out) -> str:
        with pytest.raises((RunError, OutputError)) as caught:
            write_report(directories, to)
        assert list(tmp_path.glob("*.html")) == []
        assert "\n" not in str(caught.value)
        return str(caught.value)

    assert "not a finished run" in refused(tmp_path / "nowhere")
    assert "given twice" in refused(runs[0], runs[0])
    assert "must end in .html" in refused(runs[0], to=tmp_path / "report.pdf")
    assert "there is no directory" in refused(runs[0], to=tmp_path / "none" / "report.html")
    manifest, scenario = ((runs[0] / file).read_bytes() for file in ("manifest.json", "scenario.toml"))
    for file, content in (
        ("manifest.json", b"{"),
        ("manifest.json", b"[1]"),
        ("manifest.json", b"\xff"),
        ("manifest.json", b"{}"),
        ("manifest.json", manifest.replace(b'"seconds"', b'"minutes"')),
        ("manifest.json", json.dumps(json.loads(manifest) | {"faults": [1]}).encode()),
        ("events.parquet", b"x"),
        ("brokers.parquet", None),
        ("scenario.toml", None),
        ("scenario.toml", b"\xff"),
        ("scenario.toml", b""),
        ("scenario.toml", scenario[: scenario.index(b"[network]") + 5]),
        ("scenario.toml", scenario[: scenario.index(b"[events]")]),
    ):
        broken = tmp_path / "broken"
        shutil.copytree(runs[0], broken)
        (broken / file).unlink()
        if content is not None:
            (broken / file).write_bytes(content)
        assert file in refused(broken)
        shutil.rmtree(broken)
    shutil.copytree(runs[0], tmp_path / "old")
    table = pq.read_table(runs[0] / "links.parquet").drop_columns(["bytes"])
    pq.write_table(table, tmp_path / "old" / "links.parquet")
    assert "lacks the columns bytes" in refused(tmp_path / "old")


def test_a_scenario_of_another_time_costs_the_map_only(runs: list[Path], tmp_path: Path) -> None:
    shutil.copytree(runs[0], tmp_path / "mine")
    text = (tmp_path / "mine/scenario.toml").read_text(encoding="utf-8").replace("paint-dense", "my-own")
    (tmp_path / "mine/scenario.toml").write_text(text, encoding="utf-8")
    write_report([tmp_path / "mine"], tmp_path / "report.html")
    assert "No map: " in (tmp_path / "report.html").read_text(encoding="utf-8")


OWN = """
from simulator.approaches import APPROACHES
from topologies import MODELS

APPROACHES["my-own"] = APPROACHES["paint-dense"]
MODELS["my-model"] = MODELS["barabasi-albert"]
"""


@pytest.mark.parametrize(("theirs", "mine"), [("paint-dense", "my-own"), ("barabasi-albert", "my-model")])
def test_a_run_of_my_own_parts_has_its_map_with_my_file(
    runs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, theirs: str, mine: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("simulator.inputs.plugins._LOADED", {})
    shutil.copytree(runs[1], tmp_path / "mine")
    text = (tmp_path / "mine/scenario.toml").read_text(encoding="utf-8").replace(theirs, mine)
    (tmp_path / "mine/scenario.toml").write_text(text, encoding="utf-8")
    (tmp_path / "own.py").write_text(OWN, encoding="utf-8")

    def report(*options: str) -> str:
        monkeypatch.setattr(sys, "argv", ["rangecast", "report", "mine", *options])
        with pytest.raises(SystemExit) as ended:
            main()
        assert not ended.value.code
        return (tmp_path / "report.html").read_text(encoding="utf-8")

    try:
        assert "No map: " in report()
        assert "No map: " not in report("--with", "own.py")
    finally:
        APPROACHES.pop("my-own", None)
        MODELS.pop("my-model", None)


def test_a_page_says_what_was_verified(runs: list[Path], tmp_path: Path) -> None:
    shutil.copytree(runs[0], tmp_path / "unsure")
    manifest = json.loads((runs[0] / "manifest.json").read_text(encoding="utf-8"))
    (tmp_path / "unsure/manifest.json").write_text(json.dumps(manifest | {"verified": {}}), encoding="utf-8")
    compared, nothing = ": compared with brute force", "Nothing was verified"

    def told(*directories: Path) -> tuple[bool, bool]:
        page = report_page(directories)
        return compared in page, nothing in page

    assert told(tmp_path / "unsure") == (False, True)
    assert told(runs[0]) == (True, False)
    assert told(runs[0], tmp_path / "unsure") == (True, True)


def test_the_kind_of_network_is_told_in_words(runs: list[Path]) -> None:
    page = report_page(runs)
    for kind in ("content-addressable (can)", "spanning tree (tree)"):
        assert f"<td>{kind}</td>" in page
