"""Costs of event indexes are what their counters say."""

import pytest

from floor.errors import RangecastError
from matching.registry import EVENT_INDEXES, EventIndexEntry
from simulator.runs import conjunction_measures
from simulator.runs.conjunction_measures import event_costs
from simulator.workload.conjunctions import Conjunctive, make_conjunctions, make_point_events


def test_costs_of_event_indexes() -> None:
    spec = Conjunctive(subscriptions=3000)
    made, events = make_conjunctions(spec, 1), make_point_events(spec, 30, 2)
    names = ["ub-tree-coordinates", "access-predicates", "ub-tree-coordinates-grids"]
    scan, plain, access, grids = event_costs(made, events, names)
    assert [scan.name, plain.name, access.name, grids.name] == ["scan", *names]
    assert scan.over_scan == 1.0
    assert scan.evaluations >= 3000
    assert access.evaluations < scan.evaluations
    assert (plain.leaves, plain.points) == (grids.leaves, grids.points)
    assert 1 <= grids.leaves <= 5
    assert grids.tested < plain.tested == plain.points <= 3000
    assert {cost.hits for cost in (scan, plain, access, grids)} == {scan.hits}
    assert all(cost.batch_us > 0 < cost.single_us for cost in (scan, plain, access, grids))
    assert 50 < scan.bytes < 200


def test_an_index_that_is_wrong_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    made = make_conjunctions(Conjunctive(subscriptions=50), 1)
    other = make_conjunctions(Conjunctive(subscriptions=50, attributes=16, use=(0.0,) * 16), 1)
    lying = EventIndexEntry(lambda _: EVENT_INDEXES["scan"].make(other), "a planted defect", changes=False)
    monkeypatch.setattr(conjunction_measures, "EVENT_INDEXES", {**EVENT_INDEXES, "lying": lying})
    with pytest.raises(RangecastError, match="lying and scan disagree"):
        event_costs(made, make_point_events(Conjunctive(), 5, 2), ["lying"])
