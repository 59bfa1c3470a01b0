"""Reports in the browser, as readers have them: nothing overlaps or is cut, all is reached by keys and is printed."""

import itertools
import json
import tomllib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rangecast
from pipeline import EVENTS
from simulator.results.errors import RunError
from simulator.runs.finished_sweep import FinishedSweep
from simulator.runs.sweep import SweepError
from simulator.scenario.scenario import Scenario
from simulator.views.report import report_page, write_report
from tests.browser import Browser
from tests.simulator.hand_made_sweep import make_sweep
from tests.simulator.views.hand_made_run import HOSTILE, make_run
from tests.some_cases import some
from tests.visible_text import FONTS, misplaced, overlaps, wear

WIDTHS = (360, 1280, 1920)


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> FinishedSweep:
    """Two keys, one of numbers and one of words; two approaches, one three to five times the other."""

    def value(point: int, replication: int, approach: str, metric: str) -> float | None:
        if metric == "offered_load":
            return 1.2 if (point, approach) == (5, "unicast") else 0.3
        base = (3.0 + 0.4 * point if approach == "unicast" else 1.0) * (1 + 0.1 * replication)
        return (0.1 if metric == "wrong_share" else 100) * base

    grid = {"k": [1, 2, 3], "subscriptions.distribution": ["uniform", "clustered"]}
    scenario = {
        "name": "made",
        "approaches": ["paint-dense", "unicast"],
        "engine": "des",
        "objects": {"count": 50},
        "events": {"count": 20},
        "faults": {"at": [{"time": "10ms", "what": "crash", "whom": 1}]},
    }
    return make_sweep(tmp_path_factory.mktemp("sweeps") / "made <b>", grid, value, scenario=scenario)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory, sweep: FinishedSweep) -> dict[str, Path]:
    place = tmp_path_factory.mktemp("pages")
    runs = [make_run(place / "first"), make_run(place / "<b>second", kind="tree", timed=False, seed=2)]
    found = {name: place / f"{name}.html" for name in ("one", "two", "sweep")}
    write_report(runs[:1], found["one"])
    write_report(runs, found["two"])
    write_report([sweep.directory], found["sweep"])
    return found


@pytest.mark.parametrize("name", some(["one", "two", "sweep"], lambda name: name != "one"))
def test_nothing_overlaps_or_is_cut_in_any_width_and_light(
    browser: Browser, pages: dict[str, Path], name: str
) -> None:
    for width in WIDTHS:
        for dark in (False, True):
            browser.look(width, 900, dark=dark)
            browser.open(pages[name])
            assert overlaps(browser) == [], (width, dark)
            assert misplaced(browser) == [], (width, dark)
            assert browser.ask("document.documentElement.scrollWidth") == width
            assert browser.errors == []
        for font in FONTS:
            wear(browser, font)
            assert not overlaps(browser, 4.0), (width, font)
            assert misplaced(browser, 0.25) == [], (width, font)
            assert browser.ask("document.documentElement.scrollWidth") == width
    assert [url for url in browser.fetched if not url.startswith(("file:", "data:"))] == []


def test_words_that_lie_on_each_other_are_found(browser: Browser, pages: dict[str, Path]) -> None:
    browser.look(1280, 900)
    browser.open(pages["one"])
    browser.ask(
        "document.querySelector('h1').insertAdjacentHTML('beforebegin',"
        " '<p style=\"position: absolute; top: 1.2rem\">planted</p>')"
    )
    assert any("planted" in pair for pair in overlaps(browser))
    browser.ask("document.querySelector('figure svg text').setAttribute('x', -40)")
    assert misplaced(browser) != []


def test_letters_of_other_readers_are_other_letters(browser: Browser, pages: dict[str, Path]) -> None:
    browser.look(1280, 900)
    browser.open(pages["one"])
    word = "[...document.querySelectorAll('figure svg text')].map(t => t.getBBox()).map(b => [b.width, b.height])"
    seen = [browser.ask(word)]
    for font in FONTS:
        wear(browser, font)
        seen.append(browser.ask(word))
    for one, other in itertools.combinations(seen, 2):
        assert one != other


@pytest.mark.parametrize("name", ["one", "sweep"])
def test_every_part_is_reached_by_keys(browser: Browser, pages: dict[str, Path], name: str) -> None:
    browser.look(1280, 900)
    browser.open(pages[name])
    parts = "[...document.querySelectorAll('a, summary, [tabindex]')].filter(e => e.checkVisibility())"
    wanted = browser.ask(f"{parts}.length")
    assert wanted > 8
    reached = set()
    for _ in range(wanted + 2):
        browser.press("Tab")
        reached.add(browser.ask(f"{parts}.indexOf(document.activeElement)"))
    assert reached >= set(range(wanted))
    browser.ask("[...document.querySelectorAll('nav a')].at(-1).focus()")
    browser.press("Enter")
    assert browser.ask("location.hash") == "#downloads"


def test_on_paper_folded_parts_are_open_and_ways_through_the_page_are_gone(
    browser: Browser, pages: dict[str, Path]
) -> None:
    browser.look(1280, 900)
    browser.open(pages["one"])
    height = "document.querySelector('#scenario pre').getBoundingClientRect().height"
    assert browser.ask("document.querySelector('#scenario pre').checkVisibility()") is False
    browser.call("Emulation.setEmulatedMedia", media="print")
    assert browser.ask(height) > 50
    assert browser.ask("document.querySelector('nav').checkVisibility()") is False
    browser.call("Emulation.setEmulatedMedia", media="")


def test_an_approach_has_its_colour_in_every_drawing(browser: Browser, pages: dict[str, Path]) -> None:
    from simulator.approaches.colours import colour_of

    for dark, theme in ((False, "light"), (True, "dark")):
        browser.look(1280, 900, dark=dark)
        browser.open(pages["two"])
        for number, name in enumerate(("paint-dense", HOSTILE)):
            shown = browser.ask(f"getComputedStyle(document.documentElement).getPropertyValue('--a{number}').trim()")
            assert shown == getattr(colour_of(name), theme)
    # Both runs: the same number of colour, and other dashes.
    pens = browser.ask(
        "[...document.querySelectorAll('#distributions .legend line')]"
        ".map(l => [l.getAttribute('stroke'), l.getAttribute('stroke-dasharray')])"
    )
    assert [colour for colour, _ in pens] == ["var(--a0)", "var(--a1)"] * 2
    assert len({dashes for _, dashes in pens}) == 4


def test_runs_stand_above_their_approaches(browser: Browser, pages: dict[str, Path]) -> None:
    browser.look(1280, 900)
    heads = (
        "[...document.querySelectorAll('#comparison thead tr')]"
        ".map(row => [...row.cells].map(cell => [cell.innerText.trim(), cell.colSpan]))"
    )
    browser.open(pages["two"])
    runs, sides = browser.ask(heads)
    assert runs == [["", 1], ["first", 2], ["<b>second", 2]]
    assert [name for name, _ in sides] == ["mean", *("paint-dense", HOSTILE) * 2]
    browser.open(pages["one"])
    assert len(browser.ask(heads)) == 1


def test_an_approach_alone_is_compared_with_nobody(pages: dict[str, Path], tmp_path: Path) -> None:
    directory = make_run(tmp_path / "alone")
    rows = (directory / "summary.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (directory / "summary.csv").write_text("".join(rows[:2]), encoding="utf-8")
    alone, beside = report_page([directory]), pages["one"].read_text(encoding="utf-8")
    for said_of_several in ("Side by side", "★ is", "In parentheses", 'class="bars"'):
        assert said_of_several not in alone
        assert said_of_several in beside


def test_a_sweep_is_alone_and_whole(sweep: FinishedSweep, pages: dict[str, Path], tmp_path: Path) -> None:
    run = pages["one"].parent / "first"
    with pytest.raises(RunError, match="a sweep has a report of its own"):
        report_page([sweep.directory, run])
    written = rangecast.SweepResult(sweep.directory).report(tmp_path / "page.html")
    assert written.read_bytes() == pages["sweep"].read_bytes()
    (tmp_path / "points.json").write_text("{}", encoding="utf-8")
    with pytest.raises(SweepError, match=r"not a finished sweep: it has no manifest\.json"):
        report_page([tmp_path])


def test_the_scenario_of_a_sweep_is_told_as_it_was_run(
    browser: Browser, pages: dict[str, Path], sweep: FinishedSweep
) -> None:
    browser.open(pages["sweep"])
    told = tomllib.loads(browser.ask("[...document.querySelectorAll('#scenario pre')].at(-1).textContent"))
    first = json.loads((sweep.directory / "points.json").read_text(encoding="utf-8"))["points"][0]
    assert Scenario.model_validate(told) == Scenario.model_validate(first)
    assert told["faults"]["at"] == [{"time": "10ms", "what": "crash", "whom": [1]}]


def test_a_run_of_10_000_events_is_under_two_megabytes(tmp_path: Path) -> None:
    """With counts and times of as many digits as they may have, and 5,000 rows of faults."""
    run, rng = make_run(tmp_path / "long"), np.random.default_rng(1)
    columns = {}
    for field in EVENTS:
        if field.type == pa.int64():
            columns[field.name] = pa.array((rng.pareto(1.0, 10_000) * 1000).astype(np.int64) + 1)
        elif field.type == pa.float64():
            columns[field.name] = pa.array(rng.random(10_000))
        else:
            columns[field.name] = pa.array(["raise"] * 10_000)
    own = {"event": pa.array(range(10_000)), "events": pa.array([1] * 10_000), "time": pa.array(np.arange(1e4) / 2e3)}
    names = ("paint-dense", HOSTILE)
    tables = [pa.table(columns | own | {"approach": pa.array([name] * 10_000)}) for name in names]
    pq.write_table(pa.concat_tables(tables).select(EVENTS.names).cast(EVENTS), run / "events.parquet")
    faults = pq.read_table(run / "faults.parquet")
    lost = faults.filter(pa.compute.field("what") == "loss")
    pq.write_table(pa.concat_tables([faults, *[lost] * 2500]), run / "faults.parquet")
    page = report_page([run])
    assert 100_000 < len(page.encode()) < 2_000_000
    assert "for which the page has no room" in page
