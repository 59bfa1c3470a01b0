"""Names from runs and histories are text in pages, whatever signs they are made of."""

import json
from html.parser import HTMLParser
from pathlib import Path

import numpy as np

from simulator.views.explain import explain, single_update
from simulator.views.explain_page import explain_page
from simulator.views.report import report_page
from simulator.workload.workload import Workload
from tests.simulator.views.hand_made_run import HOSTILE, make_run


class Reader(HTMLParser):
    """Tags, attributes and text of a page, entities read back."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags, self.attributes, self.text = set[str](), list[tuple[str, str, str]](), list[str]()
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def holders(self, words: str) -> set[tuple[str, str]]:
        """Tags and attributes of which some hold these words."""
        return {(tag, name) for tag, name, value in self.attributes if words in value}


TAGS = {"html", "head", "meta", "link", "title", "style", "body", "h1", "h2", "h3", "p", "div", "span", "code", "pre"}
TAGS |= {"header", "nav", "main", "section", "details", "summary", "ul", "li", "a", "figure", "figcaption"}
TAGS |= {"table", "thead", "tbody", "tr", "th", "td"}
TAGS |= {"svg", "g", "line", "polyline", "polygon", "rect", "circle", "text"}


def test_hostile_names_are_text_wherever_they_stand_in_a_report(tmp_path: Path) -> None:
    run = make_run(tmp_path / "<script>alert(1)&amp;\"'{{ 7 * 7 }}{% endblock %}")
    runs = [make_run(tmp_path / "first"), make_run(tmp_path / "<b>second", kind="tree", timed=False), run]
    read = Reader(report_page(runs))
    assert read.tags == TAGS - {"g", "code"} | {"small", "defs", "pattern"}
    assert not [name for _, name, _ in read.attributes if name.startswith("on")]
    # Of the approach: labels of charts, tables and maps that are read aloud.
    assert read.holders(HOSTILE) == {("svg", "aria-label"), ("div", "aria-label")}
    assert read.holders(run.name) == {("svg", "aria-label"), ("div", "aria-label")}
    text = "".join(read.text)
    assert text.count(run.name) > 20
    assert text.count(HOSTILE) > 50
    assert "7 * 7" in text
    assert text.count("{{ 7 * 7 }}") == text.count("7 * 7")
    # In sentences, which tell the whole name.
    assert any(one.startswith(HOSTILE) and "not steady" in one for one in read.text)


def test_hostile_names_are_text_wherever_they_stand_in_an_explanation() -> None:
    rng = np.random.default_rng(2)
    l, r = np.sort(rng.random((2, 2000)), axis=0)
    workload = Workload(2, rng.random(12), rng.random(12), l.copy(), r.copy())
    i = int(np.argmin(workload.y))
    for approach in ("paint-dense", "unicast"):
        shown = explain(workload, single_update(workload, i, 0.95), 0, approach, names=[HOSTILE] * 12)
        read = Reader(explain_page(shown))
        added = {"script", "input", "button"}
        assert read.tags <= TAGS | added
        assert added <= read.tags
        assert not [name for _, name, _ in read.attributes if name.startswith("on")]
        assert read.holders(HOSTILE) == {("svg", "aria-label")}
        captions = next(json.loads(text) for text in read.text if text.startswith('["'))
        assert all(HOSTILE in caption for caption in captions)
        for words in (f"object {i} ({HOSTILE})", f"{i} ({HOSTILE})"):
            assert any(words in text for text in read.text), words
