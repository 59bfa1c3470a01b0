"""A moving map in a headless Chromium: what it shows at a moment is what the journey's table says, and it plays."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.runs.event_journey import follow_event
from simulator.views.journey_map import JourneyMap, map_journeys
from simulator.views.journey_page import journey_page
from tests.browser import Browser
from tests.simulator.results.test_hops import small
from tests.simulator.views.hand_made_run import HOSTILE
from tests.simulator.views.troubled import troubled_scenario
from tests.visible_text import FONTS, misplaced, wear

NAMES = ("paint-dense", "paint-batch(7)", "cn-relax")


@pytest.fixture(autouse=True)
def _nothing_amiss(browser: Browser) -> Iterator[None]:
    yield
    assert browser.errors == []
    assert [url for url in browser.fetched if not url.startswith(("file:", "data:"))] == []


def map_of(kind: str, *, engine: str = "des", names: tuple[str, ...] = NAMES) -> JourneyMap:
    scenario, ingredients = troubled_scenario(kind) if engine == "des" else small(kind)
    scenario = scenario.model_copy(update={"engine": engine})
    ingredients = ingredients._replace(names=[HOSTILE] * 1000)
    return map_journeys([follow_event(scenario, ingredients, name, 11) for name in names], ingredients)


def open_map(browser: Browser, shown: JourneyMap, path: Path) -> None:
    path.write_text(journey_page(shown), encoding="utf-8")
    browser.open(path)


def move(browser: Browser, position: int) -> None:
    browser.ask(f"slider.value = {position}; slider.dispatchEvent(new Event('input'))")


def state(browser: Browser) -> list[dict[str, Any]]:
    """What every panel shows."""
    found: list[dict[str, Any]] = browser.ask(
        "[...document.querySelectorAll('.panel')].map(panel => ({"
        "dots: [...panel.querySelectorAll('.flights circle')].map(d => ['cx', 'cy'].map(n => +d.getAttribute(n))),"
        "...Object.fromEntries(Object.entries({lit: '.lit .on', links: '.map .taken .on', crosses: '.crosses .on',"
        "told: '.brokers .on', down: '.brokers .down', apart: '.brokers .apart'}).map(([name, where]) =>"
        "[name, panel.querySelectorAll(where).length])),"
        "counts: Object.fromEntries([...panel.querySelectorAll('.counts div')].map(d =>"
        "[d.children[0].textContent, d.children[1].textContent]))}))"
    )
    return found


@pytest.mark.parametrize(("kind", "engine"), [("prefix", "des"), ("tree", "des"), ("can", "tally")])
def test_the_slider_moves_messages_and_lights_what_they_reach(
    browser: Browser, tmp_path: Path, kind: str, engine: str
) -> None:
    shown = map_of(kind, engine=engine)
    open_map(browser, shown, tmp_path / "map.html")
    before = None
    for position in range(0, 1001, 40):
        move(browser, position)
        moment = shown.start + (shown.end - shown.start) * position / 1000
        panels = state(browser)
        for trip, panel in zip(shown.trips, panels, strict=True):
            flights = trip.flights
            away = (flights.ends[:, 0] <= moment) & (moment < flights.ends[:, 1])
            coming = (trip.events.ends[:, 0] <= moment) & (moment < trip.events.ends[:, 1])
            assert len(panel["dots"]) == away.sum() + coming.sum()
            assert panel["counts"]["under way"] == f"{flights.weight[away].sum():,}"
            areas = list(trip.reached.values()) if kind == "tree" else [area.moment for area in trip.areas]
            assert panel["lit"] == sum(at <= moment for at in areas)
            assert panel["told"] == sum(at <= moment for at in trip.reached.values())
            lost = flights.lost & (flights.ends[:, 1] <= moment)
            assert panel["crosses"] == lost.sum()
            if trip.outages:
                wrong = [one for one in trip.outages if one.start <= moment < one.end]
                assert panel["down"] == sum(one.what == "down" for one in wrong)
                assert panel["apart"] == sum(one.what == "apart" for one in wrong)
        assert panels != before
        before = panels
    for trip, panel in zip(shown.trips, panels, strict=True):
        gateways = np.unique(trip.followed.carried.traffic.broker[trip.followed.deliveries])
        assert panel["told"] == len(gateways)
        where = "brokers reached" if kind == "tree" else "zones reached"
        assert panel["counts"][where] == f"{len(gateways)} of {len(gateways)}"
        assert panel["counts"]["told"] == ("100%" if trip.told.received.sum() else "nobody")
        assert panel["dots"] == []
        if engine == "des":
            again = trip.followed.sent.again[trip.followed.hops].sum()
            assert panel["counts"]["sent again"] == f"{again:,}"


def test_the_last_told_is_one_whom_a_message_concerns(browser: Browser, tmp_path: Path) -> None:
    """Messages also reach zones in which nobody watches."""
    shown = map_of("can", names=("cn-relax",))
    (trip,) = shown.trips
    vain = trip.told._replace(
        gateway=np.append(trip.told.gateway, trip.told.gateway[-1:]),
        moment=np.append(trip.told.moment, trip.told.moment.max() + 1),
        received=np.append(trip.told.received, 0),
    )
    open_map(browser, shown._replace(trips=[trip._replace(told=vain)]), tmp_path / "map.html")
    concerned = trip.told.moment[trip.told.received > 0].max()
    assert browser.ask("document.querySelector('tbody tr').lastChild.textContent") == f"{concerned:,.1f}"


def test_a_moment_looks_the_same_from_wherever_one_comes(browser: Browser, tmp_path: Path) -> None:
    open_map(browser, map_of("can"), tmp_path / "map.html")
    looks = []
    for before in (0, 1000, 437):
        move(browser, before)
        move(browser, 512)
        looks.append(browser.ask("document.body.outerHTML").replace(' class=""', ""))
    assert looks[0] == looks[1] == looks[2]


def test_messages_are_on_their_ip_paths(browser: Browser, tmp_path: Path) -> None:
    """Every dot lies on a line that is drawn as taken."""
    shown = map_of("can", names=("paint-dense",))
    shown = shown._replace(
        trips=[trip._replace(events=trip.events._replace(way=trip.events.way[:0])) for trip in shown.trips]
    )
    open_map(browser, shown, tmp_path / "map.html")
    seen = 0
    lines = (
        "[...document.querySelectorAll('.taken .on')].map(l => ['x1', 'y1', 'x2', 'y2'].map(n => +l.getAttribute(n)))"
    )
    for position in range(20, 1000, 60):
        move(browser, position)
        ends = np.array(browser.ask(lines)).reshape(-1, 2, 2)
        for dot in state(browser)[0]["dots"]:
            along = ends[:, 1] - ends[:, 0]
            share = ((dot - ends[:, 0]) * along).sum(axis=1) / np.maximum((along**2).sum(axis=1), 1e-9)
            nearest = ends[:, 0] + np.clip(share, 0, 1)[:, None] * along
            assert np.hypot(*(nearest - dot).T).min() < 0.2
            seen += 1
    assert seen > 20


def test_it_plays_pauses_and_steps_by_keys(browser: Browser, tmp_path: Path) -> None:
    shown = map_of("can", names=("paint-dense",))
    open_map(browser, shown, tmp_path / "map.html")
    browser.ask("speed.value = 4")
    browser.press(" ")
    assert browser.ask("play.textContent") == "Pause"
    deadline = time.monotonic() + 10
    while browser.ask("+slider.value") < 30:
        assert time.monotonic() < deadline, "it does not play"
        time.sleep(0.05)
    browser.press(" ")
    assert browser.ask("play.textContent") == "Play"
    stopped = browser.ask("now")
    time.sleep(0.15)
    assert browser.ask("now") == stopped
    browser.press("ArrowRight")
    stepped = browser.ask("now")
    assert stepped > stopped
    browser.press("ArrowLeft")
    assert browser.ask("now") < stepped
    browser.ask("slider.focus()")
    browser.press("End")
    assert browser.ask("now") == pytest.approx(shown.end, abs=1e-3)
    assert "zones reached 1 of 1" in browser.ask("document.getElementById('told').textContent")


def test_who_wants_no_motion_is_taken_from_happening_to_happening(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "map.html"
    path.write_text(journey_page(map_of("can", names=("paint-dense",))), encoding="utf-8")
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}])
    browser.open(path)
    browser.ask("speed.value = 4; play.click()")
    deadline, seen = time.monotonic() + 10, {browser.ask("now")}
    while len(seen) < 4:
        assert time.monotonic() < deadline, "it does not play"
        time.sleep(0.03)
        seen.add(browser.ask("now"))
    browser.ask("play.click()")
    assert seen <= {*browser.ask("data.moments")}


@pytest.mark.parametrize("kind", ["can", "tree"])
def test_words_are_whole_and_apart_on_every_screen(browser: Browser, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "map.html"
    path.write_text(journey_page(map_of(kind)), encoding="utf-8")
    assert path.stat().st_size < 300_000
    backgrounds = set()
    for width, dark in ((360, False), (1280, True), (1920, False)):
        browser.look(width, 900, dark=dark)
        browser.open(path)
        move(browser, 500)
        assert browser.ask("document.documentElement.scrollWidth") <= width
        assert misplaced(browser) == []
        backgrounds.add(browser.ask("getComputedStyle(document.body).backgroundColor"))
        colours = "[...document.querySelectorAll('.panel')].map(p => getComputedStyle(p).getPropertyValue('--own'))"
        assert len({*browser.ask(colours)}) == len(NAMES)
        for font in FONTS:
            wear(browser, font)
            assert misplaced(browser, 0.25) == [], (width, font)
    assert len(backgrounds) == 2
    assert browser.ask("document.querySelectorAll('img, b').length") == 0
    assert HOSTILE in browser.ask("document.body.innerText")


def test_paper_and_no_script_show_a_still(browser: Browser, tmp_path: Path) -> None:
    shown = map_of("can", names=("paint-dense",))
    path = tmp_path / "map.html"
    open_map(browser, shown, path)
    move(browser, 400)
    there = state(browser)
    browser.call("Emulation.setEmulatedMedia", media="print")
    assert browser.ask("getComputedStyle(document.getElementById('steps')).display") == "none"
    assert state(browser) == there
    browser.call("Emulation.setEmulatedMedia", media="")
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.open(path)
        lit = "[...document.querySelectorAll('.lit rect')].filter(r => r.getBoundingClientRect().width).length"
        assert browser.ask(lit) == len(shown.trips[0].areas)
        assert not browser.ask("document.getElementById('steps').checkVisibility()")
    finally:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)
