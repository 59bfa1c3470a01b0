"""Pages of explanations in a headless Chromium: by the boxes of their text, on every step, wide and on a phone."""

from pathlib import Path

import pytest

from simulator.views.explain_page import explain_page
from simulator.views.window_explanation import WindowExplanation
from tests.browser import Browser
from tests.simulator.views.explanations import CASES, crowded
from tests.simulator.views.test_pages import check_looks
from tests.some_cases import some
from tests.visible_text import FONTS, misplaced, wear

NAMES = "[...document.querySelectorAll('svg text.name')].filter(t => t.getBoundingClientRect().width).length"


@pytest.mark.parametrize("case", some(CASES, lambda case: case in ("few", "rise", "names", "window")))
def test_no_word_covers_another_on_any_step(browser: Browser, case: str, tmp_path: Path) -> None:
    page = tmp_path / "event.html"
    page.write_text(explain_page(*crowded(case)), encoding="utf-8")
    assert page.stat().st_size < 1_000_000
    for width in (1280, 360):
        browser.look(width, 900)
        browser.open(page)
        assert browser.ask("document.documentElement.scrollWidth") <= width
        for part in range(browser.ask("document.querySelectorAll('section.part').length")):
            slider = f"document.querySelectorAll('.slider')[{part}]"
            last = int(browser.ask(f"{slider}.max"))
            for step in sorted({0, 1, last // 2, last}):
                browser.ask(f"{slider}.value = {step}; {slider}.dispatchEvent(new Event('input'))")
                assert misplaced(browser) == [], (width, part, step)
        assert browser.ask(NAMES) > 0
        for font in FONTS:
            wear(browser, font)
            assert misplaced(browser, 0.25) == [], (width, font)
    assert browser.errors == []


def test_approaches_stand_side_by_side_under_one_slider(browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "two.html"
    dense, sparse = crowded("side by side")
    page.write_text(explain_page(dense, sparse), encoding="utf-8")
    check_looks(browser, page, tmp_path)
    browser.look(1280, 900)
    browser.open(page)
    assert browser.ask("document.querySelectorAll('.slider').length") == 1
    assert "(paint-dense, paint-sparse, k = 3)" in browser.ask("document.title")
    tops = browser.ask("[...document.querySelectorAll('figure')].map(f => f.getBoundingClientRect().top)")
    assert len(tops) == 3
    assert len(set(tops)) == 1, "they are beside each other on a wide screen"
    browser.press("ArrowRight")
    sent = [int((one.step_of == 0).sum()) for one in (dense, sparse)]
    told = browser.ask("document.querySelector('.told').textContent")
    assert told.endswith(f"paint-dense {sent[0]} messages, paint-sparse {sent[1]} messages.")
    seen = "[...document.querySelectorAll('g.message')].filter(g => g.style.display != 'none').length"
    assert browser.ask(seen) == sum(sent)
    assert browser.ask("document.querySelectorAll('table').length") == 2


def test_the_page_of_a_window_opens_at_the_event_asked_for(browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "window.html"
    (shown,) = crowded("window")
    assert isinstance(shown, WindowExplanation)
    assert shown.asked is not None
    page.write_text(explain_page(shown), encoding="utf-8")
    check_looks(browser, page, tmp_path)
    browser.look(1280, 900)
    browser.open(page)
    steps, outcome = len(shown.outcomes), shown.outcomes[shown.asked]
    told = browser.ask("document.querySelector('.told').textContent")
    assert told.startswith(
        f"Step {shown.asked + 1} of {steps}: {shown.letter(shown.asked)}, object {outcome.object} "
    )
    assert told.endswith(" This is event 27.")
    close_up = "[...document.querySelectorAll('.close-up svg')].filter(s => s.getBoundingClientRect().width).length"
    assert browser.ask(close_up) == 1
    rows = "[...document.querySelectorAll('tr.now')].map(r => +r.cells[0].textContent)"
    assert browser.ask(rows) == [at for at, step in enumerate(shown.step_of.tolist()) if step == shown.asked]
    browser.press("ArrowRight")
    assert browser.ask(close_up) == 1
    later = [at for at, step in enumerate(shown.step_of.tolist()) if step == shown.asked + 1]
    assert browser.ask(rows) == later
    assert browser.errors == []


def test_an_event_and_its_window_have_a_slider_each(browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "both.html"
    explanations = crowded("window and event")
    page.write_text(explain_page(*explanations), encoding="utf-8")
    browser.open(page)
    values = "[...document.querySelectorAll('.slider')].map(s => +s.value)"
    before = browser.ask(values)
    assert len(before) == 2
    browser.press("ArrowRight")
    assert browser.ask(values) == [value + 1 for value in before]
    browser.ask("document.querySelectorAll('.slider')[1].focus()")
    browser.press("Home")
    assert browser.ask(values) == [before[0] + 1, 0]
    assert browser.errors == []
