"""`rangecast match`: ids per event in a file, a line per index, and one line for every mistake."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from floor.errors import RangecastError
from matching.places import PlaceScan
from matching.registry import EVENT_INDEXES, PLACE_INDEXES, RANGE_INDEXES, EventIndexEntry, PlaceIndexEntry
from simulator.runs import matching as matching_runs
from simulator.runs.matching import DisagreementError, match_files
from tests.simulator.cli.test_cli import rangecast

PREDICATES: dict[str, Any] = {
    "subscription": [0, 0, 1, 2],
    "attribute": ["price", "year", "price", "year"],
    "operator": ["<", "=", "in", "!="],
    "low": [None, 2008.0, None, 2008.0],
    "high": [30.0, None, None, None],
    "set": [None, None, [20.0, 40.0], None],
    "weight": [1.0, 1.0, 3.0, 0.0],
}
EVENTS: dict[str, Any] = {"price": [20.0, 40.0, None], "year": [2008, 2008, 2009]}
ANSWERS = [[1, 0], [1], [2]]
NO_PREDICATES: dict[str, Any] = dict.fromkeys(PREDICATES)
RANGES: dict[str, Any] = {**NO_PREDICATES, "l": [0.0, 1.0, 4.0], "r": [2.0, 5.0, 9.0], "score": [1.0, 2.0, 3.0]}
POINTS: dict[str, Any] = {"price": None, "year": None, "x": [1.5, 4.5]}
"""Ranges and points in the place of predicates and events."""
LINE = (
    r"(\S+): [\d,]+ events/s, [\d,.]+ bytes per subscription, [\d,.]+ evaluations per event "
    r"\(3 subscriptions, 3 events"
)


def written(tmp_path: Path, population: dict[str, Any], events: dict[str, Any]) -> tuple[Path, Path]:
    for name, columns in (("population", population), ("events", events)):
        pq.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
    return tmp_path / "population.parquet", tmp_path / "events.parquet"


def read(path: Path) -> list[list[int]]:
    table = pq.read_table(path)
    assert table.column("event").to_pylist() == list(range(table.num_rows))
    found: list[list[int]] = table.column("ids").to_pylist()
    return found


def test_all_indexes_agree_on_predicates(tmp_path: Path) -> None:
    out = tmp_path / "ids.parquet"
    *lines, last = match_files(*written(tmp_path, PREDICATES, EVENTS), "all", None, out)
    assert [re.match(LINE, line)[1] for line in lines] == list(EVENT_INDEXES)  # type: ignore[index]
    assert last == f"4 ids in {out}; all indexes agree"
    assert read(out) == ANSWERS
    list(match_files(*written(tmp_path, PREDICATES, EVENTS), "access-predicates", 1, out))
    assert read(out) == [ids[:1] for ids in ANSWERS]


def test_all_indexes_agree_on_ranges(tmp_path: Path) -> None:
    out = tmp_path / "ids.parquet"
    ranges = {"l": [0.0, 1.0, 4.0], "r": [2.0, 5.0, 9.0], "score": [1.0, 2.0, 3.0]}
    lines = list(match_files(*written(tmp_path, ranges, {"x": [1.5, 4.5]}), "all", None, out))
    assert len(lines) == len(RANGE_INDEXES) + 1
    assert read(out) == [[1, 0], [2, 1]]
    lines = list(match_files(*written(tmp_path, ranges, {"x": [1.5, 4.5]}), "all", 1, out))
    assert len(lines) == sum(entry.ranked for entry in RANGE_INDEXES.values()) + 1
    assert read(out) == [[1], [2]]


def test_ranges_keep_the_ids_of_their_file(tmp_path: Path) -> None:
    """Ranges of equal scores in the order of ids, whatever their rows are."""
    out = tmp_path / "ids.parquet"
    ranges = {"id": [70, 5, 30], "l": [0.0, 1.0, 4.0], "r": [9.0, 5.0, 9.0]}
    for index, top, expected in (("all", None, [[5, 70], [5, 30, 70]]), ("all", 1, [[5], [5]])):
        list(match_files(*written(tmp_path, ranges, {"x": [1.5, 4.5]}), index, top, out))
        assert read(out) == expected


def test_what_is_read_is_not_written_over(tmp_path: Path) -> None:
    population, events = written(tmp_path, PREDICATES, EVENTS)
    before = population.read_bytes()
    with pytest.raises(RangecastError, match="must not be a file that is read; choose another path"):
        list(match_files(population, events, "scan", None, population))
    assert population.read_bytes() == before
    done = rangecast("match", "population.parquet", "events.parquet", "--index", "scan", "--out", ".", cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


def test_two_that_disagree_are_told_and_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def deaf(_: Any) -> Any:
        return EVENT_INDEXES["scan"].make(
            {"attribute": [0], "operator": ["="], "low": [99]}, attributes=["price", "year"]
        )

    two = {"scan": EVENT_INDEXES["scan"], "deaf": EventIndexEntry(deaf, "a planted defect", changes=False)}
    monkeypatch.setattr(matching_runs, "EVENT_INDEXES", two)
    with pytest.raises(
        DisagreementError, match=r"scan and deaf disagree on event 0 about subscription 0 \(2 in all\)"
    ):
        list(match_files(*written(tmp_path, PREDICATES, EVENTS), "all", None, tmp_path / "ids.parquet"))
    assert not (tmp_path / "ids.parquet").exists()


@pytest.mark.parametrize(
    ("population", "events", "index", "top", "text"),
    [
        (
            {"operator": ["<", "=", "in", "~"]},
            {},
            "scan",
            None,
            "population.parquet: unknown operator '~' in predicate 3",
        ),
        ({}, {"price": None}, "scan", None, "unknown attribute 'price' in predicate 0: there are year"),
        ({"set": [None, None, [], None]}, {}, "scan", None, "the set of predicate 2 is empty"),
        ({"weight": [1.0, 1.0, np.nan, 0.0]}, {}, "scan", None, "weight must be finite, got nan in predicate 2"),
        ({"low": ["a", "b", "c", "d"]}, {}, "scan", None, "column 'low' must hold numbers, got string"),
        ({"set": ["a", "b", "c", "d"]}, {}, "scan", None, "column 'set' must hold lists of numbers, got string"),
        ({"set": [["a"]] * 4}, {}, "scan", None, "column 'set' must hold lists of numbers, got list<"),
        ({"low": [2**60 + 1] * 4}, {}, "scan", None, "column 'low' must hold numbers that floats tell apart"),
        ({"operator": None}, {}, "scan", None, "a population has l and r, or attribute, operator and others of"),
        ({}, {"year": ["x", "y", "z"]}, "scan", None, "events.parquet: column 'year' must hold numbers, got string"),
        ({}, {}, "windows", None, "--index must be a name for predicates (scan, counting"),
        ({}, {}, "scan", 0, "--top: k must be at least 1, got 0: ask for one or more"),
        ({**RANGES, "score": [1.0, np.nan, 0.0]}, POINTS, "all", None, "population.parquet: scores must not be NaN"),
        ({**RANGES, "id": [0, 1, 1]}, POINTS, "all", None, "ids must be distinct, got 1 twice"),
        ({**RANGES, "id": ["a", "b", "c"]}, POINTS, "all", None, "column 'id' must hold integers, got string"),
        ({**RANGES, "id": [[0], [1], [2]]}, POINTS, "all", None, "must hold integers, got list"),
        ({**RANGES, "id": [0, 1, None]}, POINTS, "all", None, "must hold integers, got int64 with gaps"),
        (RANGES, {**POINTS, "y": [0.0, 1.0]}, "all", None, "events.parquet must have one column"),
        (RANGES, {**POINTS, "x": [0.0, None]}, "all", None, "events.parquet: points must not be NaN"),
        (
            {"l": [0.0] * 4, "r": [1.0] * 4},
            {"price": None},
            "windows",
            3,
            "--index must be a name for ranges with --top",
        ),
        ({"l": [2.0] * 4, "r": [1.0] * 4}, {"price": None}, "windows", None, "ranges must have l <= r and no NaN"),
    ],
)
def test_mistakes_are_told_in_one_line(
    tmp_path: Path, population: dict[str, Any], events: dict[str, Any], index: str, top: int | None, text: str
) -> None:
    files = written(
        tmp_path,
        {name: values for name, values in {**PREDICATES, **population}.items() if values is not None},
        {name: values for name, values in {**EVENTS, **events}.items() if values is not None},
    )
    with pytest.raises(RangecastError) as caught:
        list(match_files(*files, index, top, tmp_path / "ids.parquet"))
    assert text in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "ids.parquet").exists()


def test_files_that_are_not_there_or_something_else(tmp_path: Path) -> None:
    population, events = written(tmp_path, PREDICATES, EVENTS)
    (tmp_path / "other.parquet").write_text("no table", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    for place, text in (
        ("none.parquet", "no such file"),
        ("other.parquet", "cannot be read"),
        ("empty", "no Parquet file"),
    ):
        with pytest.raises(RangecastError, match=text):
            list(match_files(tmp_path / place, events, "scan", None, tmp_path / "ids.parquet"))
    (tmp_path / "events.csv").write_text("price,year\n20,2008\n,2009\n", encoding="utf-8")
    list(match_files(population, tmp_path / "events.csv", "scan", None, tmp_path / "ids.parquet"))
    assert read(tmp_path / "ids.parquet") == [[1, 0], [2]]


def test_the_command(tmp_path: Path) -> None:
    written(tmp_path, PREDICATES, EVENTS)
    done = rangecast(
        "match", "population.parquet", "events.parquet", "--index", "scan", "--out", "ids.parquet", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert re.match(LINE, done.stdout)
    assert read(tmp_path / "ids.parquet") == ANSWERS
    wrong = rangecast("match", "population.parquet", "events.parquet", "--index", "best", cwd=tmp_path)
    assert (wrong.returncode, wrong.stderr.count("\n")) == (2, 1)
    assert "--index must be a name for predicates" in wrong.stderr


PLACED: dict[str, Any] = {
    "subscription": [1, 0, 0, 2],
    "attribute": ["age", "age", "income", "age"],
    "operator": ["<", ">=", "=", "in"],
    "low": [None, 30.0, 9.0, None],
    "high": [30.0, None, None, None],
    "set": [None, None, None, [20.0, 40.0]],
    "weight": [1.0, 0.25, 0.75, 1.0],
    "x": [0.0, 3.0, 3.0, 0.0],
    "y": [0.0, 4.0, 4.0, 1.0],
    "alpha": [0.5, 0.5, 0.5, 0.8],
}
PLACED_EVENTS: dict[str, Any] = {"x": [0.0, 3.0], "age": [20.0, 50.0], "y": [0.0, 4.0], "income": [None, 9.0]}
PLACED_ANSWERS = [[1, 2, 0], [0, 2, 1]]
"""At distance 5 nearness is 0: for event 0 the scores are 0, 1 and 0.2 + 0.8 * 4 / 5; for event 1 they are 1, 0 and
0.8 * (1 - sqrt(18) / 5), of which the last is 0.12."""


def test_all_indexes_agree_on_places(tmp_path: Path) -> None:
    out = tmp_path / "ids.parquet"
    *lines, last = match_files(*written(tmp_path, PLACED, PLACED_EVENTS), "all", 3, out)
    assert [line.split(":")[0] for line in lines] == list(PLACE_INDEXES)
    assert last == f"6 ids in {out}; all indexes agree"
    assert read(out) == PLACED_ANSWERS
    list(match_files(*written(tmp_path, PLACED, PLACED_EVENTS), "ri-tree", 1, out, max_distance=50.0))
    assert read(out) == [[1], [0]]


def test_the_distance_at_which_nearness_ends_is_the_diagonal_or_what_is_given(tmp_path: Path) -> None:
    """By a distance of 1,000 nearness differs little, and subscription 2 follows by its predicate."""
    events = {"x": [3.0], "y": [4.0], "age": [40.0], "income": [np.nan]}
    for distance, expected in ((None, [0, 2, 1]), (1000.0, [2, 0, 1])):
        files = written(tmp_path, PLACED, events)
        list(match_files(*files, "all", 3, tmp_path / "ids.parquet", max_distance=distance))
        assert read(tmp_path / "ids.parquet") == [expected]


def test_two_place_indexes_that_disagree_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Deaf(PlaceScan):
        def tops(self, events: Any, places: Any, k: int) -> Any:
            offsets, ids = super().tops(events, places, k)
            return offsets, ids[::-1]

    two = {"place-scan": PLACE_INDEXES["place-scan"], "deaf": PlaceIndexEntry(Deaf, "a planted defect")}
    monkeypatch.setattr(matching_runs, "PLACE_INDEXES", two)
    with pytest.raises(DisagreementError, match="place-scan and deaf disagree on event 0 about"):
        list(match_files(*written(tmp_path, PLACED, PLACED_EVENTS), "all", 2, tmp_path / "ids.parquet"))
    assert not (tmp_path / "ids.parquet").exists()


@pytest.mark.parametrize(
    ("population", "events", "index", "top", "distance", "text"),
    [
        ({}, {}, "ri-tree", None, None, "--top must say how many for a population with places"),
        ({}, {}, "windows", 3, None, "--index must be a name for predicates with places (place-scan, ri-tree"),
        (
            {"alpha": None},
            {},
            "ri-tree",
            3,
            None,
            "population.parquet has no column 'alpha'; a population with places",
        ),
        ({}, {"y": None}, "ri-tree", 3, None, "must have the columns x and y, got x, age, income"),
        (
            {"x": [0.0, 3.0, 2.0, 0.0]},
            {},
            "ri-tree",
            3,
            None,
            "must be the same in all rows of a subscription, got two of subscription 0",
        ),
        (
            {"x": [0.0, 3.0, 3.0, np.nan]},
            {},
            "ri-tree",
            3,
            None,
            "places must be finite, got [nan, 1.0] at position 2",
        ),
        ({}, {"x": [0.0, np.inf]}, "ri-tree", 3, None, "places of events must be finite, got [inf, 4.0]"),
        ({"alpha": [0.5, 0.5, 0.5, 1.5]}, {}, "ri-tree", 3, None, "alpha must be between 0 and 1, got 1.5"),
        ({"alpha": ["a"] * 4}, {}, "ri-tree", 3, None, "column 'alpha' must hold numbers, got string"),
        ({"weight": [1.0, 0.5, 0.75, 1.0]}, {}, "ri-tree", 3, None, "must sum to 1, got 1.25 of subscription 0"),
        (
            {"attribute": ["age"] * 4},
            {},
            "ri-tree",
            3,
            None,
            "must not have two predicates on one attribute, got some on 'age' of subscription 0",
        ),
        ({"attribute": ["age", "age", "x", "age"]}, {}, "ri-tree", 3, None, "unknown attribute 'x' in predicate 2"),
        (
            {"x": [1.0] * 4, "y": [1.0] * 4},
            {"x": [1.0] * 2, "y": [1.0] * 2},
            "ri-tree",
            3,
            None,
            "all places are one, so their diagonal is 0; give --max-distance",
        ),
        ({}, {}, "ri-tree", 3, 0.0, "--max-distance must be positive and finite, got 0; give another one"),
        (
            {"x": None, "y": None, "alpha": None},
            {},
            "scan",
            None,
            2.0,
            "--max-distance is of populations with places",
        ),
    ],
)
def test_mistakes_of_places_are_told_in_one_line(
    tmp_path: Path,
    population: dict[str, Any],
    events: dict[str, Any],
    index: str,
    top: int | None,
    distance: float | None,
    text: str,
) -> None:
    files = written(
        tmp_path,
        {name: values for name, values in {**PLACED, **population}.items() if values is not None},
        {name: values for name, values in {**PLACED_EVENTS, **events}.items() if values is not None},
    )
    with pytest.raises(RangecastError) as caught:
        list(match_files(*files, index, top, tmp_path / "ids.parquet", max_distance=distance))
    assert text in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "ids.parquet").exists()
