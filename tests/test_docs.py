"""Code of the documentation is run as it stands."""

import contextlib
import io
import re
from pathlib import Path

import numpy as np
import pytest
from pyspark.sql import SparkSession

from matching.registry import EVENT_INDEXES, PLACE_INDEXES, RANGE_INDEXES
from pipeline import DISTRIBUTIONS, OBJECT_DISTRIBUTIONS, SUMMARY
from simulator.approaches.registry import APPROACHES
from simulator.inputs.ingredients import gather
from simulator.inputs.plugins import load_plugins
from simulator.inputs.populations import inspect_population, make_population
from simulator.results.finished_run import TABLES
from simulator.runs.metric_choice import choose_metrics, metrics_of_grid
from simulator.scenario.grid import load_grid
from simulator.scenario.loading import load_scenario
from simulator.views.explain_files import explain_events, explain_to_file
from tests.simulator.small import random_scenario, run_small, small_ingredients
from topologies import read_network

DOCS = Path(__file__).parents[1] / "docs"


@pytest.mark.parametrize("seed", range(4))
def test_the_approach_of_the_guide_is_right_on_all_kinds_of_events_and_faults(seed: int, tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (DOCS / "own-approach.md").read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "hybrid.py").write_text(code, encoding="utf-8")
    load_plugins([tmp_path / "hybrid.py"])
    try:
        scenario = random_scenario(seed, approaches=["hybrid"])
        table, wrong, _ = run_small(scenario, small_ingredients(scenario), "hybrid")
        assert not wrong
        assert len(table) == scenario.events.count
    finally:
        APPROACHES.pop("hybrid")


def test_the_distributions_of_the_guide_are_what_its_page_says(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (DOCS / "own-distribution.md").read_text(encoding="utf-8")
    (code,), (printed,) = (re.findall(rf"```{kind}\n(.*?)```", page, re.DOTALL) for kind in ("python", "text"))
    (command,) = re.findall(r"^    rangecast population --with crowd.py (.*) --out narrow$", page, re.MULTILINE)
    told = re.fullmatch(r"--distribution (\w+) --count (\d+) --seed (\d+)", command)
    assert told is not None
    (tmp_path / "crowd.py").write_text(code, encoding="utf-8")
    monkeypatch.setattr("simulator.inputs.plugins._LOADED", {})
    load_plugins([tmp_path / "crowd.py"])
    try:
        make_population(told[1], int(told[2]), int(told[3]), tmp_path / "narrow", master="local[2]")
        assert "\n".join(inspect_population(tmp_path / "narrow")) + "\n" == printed
        tables = {
            name: {"count": 200, "distribution": of} for name, of in (("subscriptions", "narrow"), ("objects", "low"))
        }
        workload = gather(random_scenario(3, **tables), lambda: spark).workload
        assert np.median(workload.x) < 0.35
        assert 0 < np.max(workload.r - workload.l) <= 0.05
    finally:
        DISTRIBUTIONS.pop("narrow")
        OBJECT_DISTRIBUTIONS.pop("low")


def test_the_network_from_python_prints_what_the_page_says() -> None:
    _run_page("network-from-python.md", 7)


def test_matching_prints_what_the_page_says_and_names_every_index() -> None:
    _run_page("matching.md", 3)
    page = (DOCS / "matching.md").read_text(encoding="utf-8")
    assert [name for name in (*RANGE_INDEXES, *EVENT_INDEXES, *PLACE_INDEXES) if f"`{name}`" not in page] == []


@pytest.mark.parametrize("name", ["dimensions.md", "theory.md"])
def test_several_attributes_print_what_the_page_says(name: str) -> None:
    _run_page(name, 1)


def test_rangecast_from_python_prints_what_the_page_says(
    in_this_process: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _run_page("python.md", 7)
    assert {"small.png", "small.html", "event.svg", "sweep.png"} <= {path.name for path in tmp_path.iterdir()}


def _run_page(name: str, count: int) -> None:
    page = (DOCS / name).read_text(encoding="utf-8")
    pieces = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", page, re.DOTALL)
    assert len(pieces) == page.count("```python") == count
    names: dict[str, object] = {}
    for code, printed in pieces:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(code, names)
        assert out.getvalue() == printed


def test_the_ring_of_the_guide_is_written_and_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.*?)```", (DOCS / "own-topology.md").read_text(encoding="utf-8"), re.DOTALL)
    exec(code, {})
    for name in ("ring.edges", "ring.inet"):
        exec(code.replace("ring.graphml", name), {})
        assert len(read_network(tmp_path / name)) == 100


def test_the_event_of_the_guide_is_what_its_page_says(spark: SparkSession, tmp_path: Path) -> None:
    del spark  # one is running
    page = (DOCS / "pictures.md").read_text(encoding="utf-8")
    (command,) = re.findall(
        r"^    rangecast explain (\S+) (.*) --event (\d+) --out docs/explain.png$", page, re.MULTILINE
    )
    scenario, sets, event = command
    changes = tuple(re.findall(r"--set (\S+)", sets))
    target = tmp_path / "explain.png"
    facts = explain_to_file(DOCS.parent / scenario, target, event=int(event), changes=changes, master="local[2]")
    told = re.search(r"object (\d+) falls, four objects are exposed, twelve messages", page)
    assert told is not None
    assert f"object {told[1]} " in facts[0]
    assert "falls" in facts[0]
    assert facts[1].count(",") == 1 + 3
    assert facts[2] == "messages: 12"
    others = re.findall(
        r"^    rangecast explain (\S+) (.*) --event (\d+) \\\n +(--approach .*) --out docs/explain-\w+.png$",
        page,
        re.MULTILINE,
    )
    assert [other[:3] for other in others] == [command, command]
    two, window = (
        explain_events(
            DOCS.parent / scenario,
            event=int(event),
            approaches=[name.strip('"') for name in re.findall(r"--approach (\S+)", names)],
            changes=changes,
            master="local[2]",
        )
        for *_, names in others
    )
    assert "twelve messages of Paint-Dense beside five of Paint-Sparse" in page
    assert [len(one.messages) for one in two] == [12, 5]
    assert "Events 0 to 5 in one window: five objects updated, seven exposed, 25 messages" in page
    assert window[0].facts[0].startswith("Events 0 to 5 in one window: 5 objects updated, 7 exposed (")
    assert window[0].facts[-1] == "messages: 25"


def test_the_question_of_the_tutorial_is_asked_in_commands_that_need_no_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    page = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    part = page.partition("## 5. Ask a question")[2].partition("Where does it end?")[0]
    run, sweep, compare, report = (line.split() for line in re.findall(r"^    .venv/bin/rangecast (.*)$", part, re.M))
    scenario, grid = load_scenario(Path(run[1])), load_grid(Path(sweep[1]))
    assert (run[0], sweep[0]) == ("run", "sweep")
    assert scenario.faults.loss == 0.01
    assert [(one.what, list(one.whom)) for one in scenario.faults.at] == [("crash", [9]), ("restore", [9])]
    assert grid.keys == ("events.rate",)
    assert all(point.scenario.faults == scenario.faults for point in grid.points)
    for command, directory in ((compare, "compare"), (report, "report")):
        assert command[:2] == [directory, f"sweeps/{grid.path.stem}"]
    for command in (sweep, compare):
        metrics = command[command.index("--metric") + 1]
        assert choose_metrics(metrics, metrics_of_grid(grid)) == tuple(metrics.split(","))


def test_every_column_of_a_run_is_explained() -> None:
    page = (DOCS / "results.md").read_text(encoding="utf-8")
    parts = dict(re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", page, re.DOTALL | re.MULTILINE))
    for name, schema in TABLES.items():
        assert [column for column in schema.names if f"`{column}`" not in parts[f"{name}.parquet"]] == []
    told = parts["events.parquet"] + parts["summary.csv"]
    assert [column for column in SUMMARY.names if f"`{column}`" not in told] == []


SLIPS = ("Smaller slips", "Smaller slips in these papers")
"""Sections of the errata whose bullets are entries of their own."""


def errata() -> dict[str, str]:
    """What each entry of the errata says, by its title."""
    page = (DOCS / "errata.md").read_text(encoding="utf-8")
    sections = [one.partition("\n") for one in re.split(r"^#{2,3} ", page, flags=re.MULTILINE)[1:]]
    entries = {title: text for title, _, text in sections if title not in (*SLIPS, "The papers on matching")}
    for title, _, text in sections:
        if title in SLIPS:
            entries |= {one.partition("**")[0]: one for one in text.split("* **")[1:]}
    return {title: " ".join(text.split()) for title, text in entries.items()}


def test_every_error_of_a_paper_names_the_tests_of_the_error_and_those_of_the_fix() -> None:
    without: dict[str, list[str]] = {"error": [], "fix": []}
    for title, text in errata().items():
        told = re.search(r"Tests(?:\*\*)?: the error, (?P<error>.+?); the fix, (?P<fix>.+)", text)
        assert told, title
        for part, names in without.items():
            if told[part].startswith("none"):
                names.append(title)
            else:
                assert re.search(r"`test_\w+`|the same|the first", told[part]), title
    assert without == {
        "error": ["Table VII: what a min query is", "000, Section 4", "000, Example 5", "004"],
        "fix": ["Figure 15 against Figure 12", "Table II, CN-Relax", "001, Section 6", "004"],
    }


def test_every_test_that_the_errata_name_is_there() -> None:
    known: dict[str, set[str]] = {}
    for path in (DOCS.parent / "tests").rglob("test_*.py"):
        names = re.findall(r"^def (test_\w+)", path.read_text("utf-8"), re.MULTILINE)
        known.setdefault(path.name, set()).update(names)
    own = set().union(*(names for file, names in known.items() if file.startswith("test_errata")))
    named = set()
    for title, text in errata().items():
        for part in re.split(r"; the fix, ", text):
            for names, file in re.findall(r"((?:`test_\w+`(?:,| and|, and)? ?)+)(?:in `(test_\w+\.py)`)?", part):
                found = set(re.findall(r"test_\w+", names))
                assert found <= (known[file] if file else own), (title, found)
                named |= found
    assert named == set(re.findall(r"`(test_\w+)`", (DOCS / "errata.md").read_text(encoding="utf-8")))


def test_every_file_that_a_page_names_is_there() -> None:
    root = DOCS.parent
    pages = [root / "README.md", root / "CONTRIBUTING.md", *DOCS.glob("*.md"), *DOCS.glob("reference/*.md")]
    rooms = "|".join(path.name for path in root.iterdir() if path.is_dir() and path.name[0] not in "._")
    a_file = re.compile(rf"(?<![\w./<-])(?:{rooms})/[\w./*-]*\.(?:py|toml|md|png|ipynb)")
    named = {(page.name, path) for page in pages for path in a_file.findall(page.read_text(encoding="utf-8"))}
    assert len(named) > 60
    assert [one for one in sorted(named) if not any(root.glob(one[1]))] == []
