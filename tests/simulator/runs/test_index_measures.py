"""What is measured of an index is what its own counters and answers say, for every kind of population."""

from typing import Any

import numpy as np
import pytest

from matching.registry import RANGE_INDEXES
from simulator.runs.index_measures import INDEX_METRICS, KINDS, Answer, Ask

SPECS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "boxes": ({"subscriptions": 400, "dimensions": 2}, ["scored-segment-tree", "sopt-r-tree"]),
    "placed": ({"subscriptions": 300, "attributes": 20, "alpha": "N(0.5, 0.05)"}, ["place-scan", "ri-tree"]),
    "profiles": ({"profiles": 60, "overlap": 0.9}, ["interval-index", "cluster-index"]),
    "conjunctions": ({"subscriptions": 800, "values": 2}, ["scan", "ub-tree-coordinates-grids"]),
    "fixed": ({"subscriptions": 500, "fixed": 3, "values": 4}, ["scan", "access-predicates"]),
}
ASK = Ask(events=10, k=3, runs=1)


def answers(kind: str, **more: Any) -> list[Answer]:
    given, names = SPECS[kind]
    own = KINDS[kind]
    made = own.make(own.population(**{**given, **more}), ASK.events, 7)
    return [own.ask(own.build(name, made), made, ASK) for name in names]


@pytest.mark.parametrize("kind", list(KINDS))
def test_two_indexes_over_one_population_leave_the_same_marks(kind: str) -> None:
    first, second = answers(kind)
    assert first.marks == second.marks
    assert len(first.marks) == ASK.events
    assert len(set(first.marks)) > 1
    for row, _ in (first, second):
        assert set(row) <= set(INDEX_METRICS)
        assert row["us"] > 0
        assert row["evaluations"] > 0
        assert row["megabytes"] > 0
    assert first.row["hits"] == second.row["hits"] > 0
    again = answers(kind)
    assert [one.row["evaluations"] for one in again] == [first.row["evaluations"], second.row["evaluations"]]
    assert [one.marks for one in again] == [first.marks, second.marks]


def test_another_answer_leaves_another_mark() -> None:
    own = KINDS["conjunctions"]
    made = own.make(own.population(subscriptions=50, values=2), 10, 7)
    changed = own.build("scan", made)
    gone = changed.match(made.events[3])[0]
    changed.delete(gone)
    before, after = (own.ask(index, made, ASK).marks for index in (own.build("scan", made), changed))
    assert before[3] != after[3]


def test_one_dimension_is_asked_of_the_index_itself() -> None:
    own = KINDS["boxes"]
    made = own.make(own.population(subscriptions=200), 10, 7)
    index = own.build("ir-tree", made)
    assert isinstance(index, RANGE_INDEXES["ir-tree"].kind)
    assert own.ask(index, made, ASK).row["hits"] == pytest.approx(
        np.minimum(index.counts(made.points[:, 0]), 3).mean()
    )


def test_counts_of_a_ub_tree_are_per_event() -> None:
    scan, grids = answers("conjunctions")
    assert not {"leaves", "points", "tested", "cut"} & set(scan.row)
    assert grids.row["leaves"] >= 1
    assert grids.row["hits"] <= grids.row["tested"] < grids.row["points"] <= 800
    assert grids.row["cut"] == pytest.approx(grids.row["points"] / grids.row["tested"])
    assert grids.row["selectivity"] == pytest.approx(grids.row["hits"] / 800)


def test_attributes_are_used_as_table_one_says() -> None:
    own = KINDS["conjunctions"]
    spec = own.population(subscriptions=4000, attributes=12, always=2, often=4, often_use=0.5, rare_use=0.0)
    made = own.make(spec, 1, 3)
    share = np.bincount(made.predicates.attribute, minlength=12) / 4000
    assert share == pytest.approx([1, 1, 0.5, 0.5, 0.5, 0.5, 0, 0, 0, 0, 0, 0], abs=0.04)


@pytest.mark.parametrize(("alpha", "mean", "deviation"), [("U(0, 1)", 0.5, 0.289), ("N(0.9, 0.05)", 0.9, 0.05)])
def test_alpha_is_distributed_as_it_is_written(alpha: str, mean: float, deviation: float) -> None:
    own = KINDS["placed"]
    _, _, alphas = own.make(own.population(subscriptions=4000, alpha=alpha), 1, 3).population
    assert (alphas.mean(), alphas.std()) == pytest.approx((mean, deviation), abs=0.02)


@pytest.mark.parametrize("overlap", [0.1, 0.5, 0.98])
def test_profiles_overlap_as_much_as_they_should(overlap: float) -> None:
    own = KINDS["profiles"]
    made = own.make(own.population(profiles=400, overlap=overlap), 1, 3)
    l, r = made.l[:, 0], made.r[:, 0]
    meet = (l[:, None] <= r) & (l <= r[:, None])
    assert (meet.sum() - 400) / (400 * 399) == pytest.approx(overlap, abs=0.03)
    assert (made.l >= 0).all()
    assert (made.r <= 1000).all()


def test_evaluations_of_profiles_are_those_of_the_paper() -> None:
    """Seed 002, Fig. 7: far below the 2 n of no index, and hardly growing with n; Fig. 8: flat for two of them."""
    own = KINDS["profiles"]

    def counted(**given: Any) -> dict[str, float]:
        made = own.make(own.population(**given), 50, 1)
        names = [name for name, entry in RANGE_INDEXES.items() if entry.source.startswith("002")]
        rows = {name: own.ask(own.build(name, made), made, Ask(50, 1, 1)).row for name in names}
        assert all(row["share"] == row["evaluations"] / (2 * len(made.l)) for row in rows.values())
        return {name: row["evaluations"] for name, row in rows.items()}

    few, many, wide = counted(profiles=100), counted(profiles=1000), counted(profiles=100, overlap=0.98)
    for name, count in many.items():
        assert few[name] < count < 60
    for name in ("interval-index", "segment-tree"):
        assert wide[name] == pytest.approx(few[name], rel=0.35)
    assert wide["cluster-index"] > 2 * few["cluster-index"]
