"""What is shown of a window of a batch, against brute force over every distinct subscription of small instances."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from paint import EXPOSED
from simulator.inputs.fault_plan import plan_faults
from simulator.views.explain import explain
from simulator.views.window_explanation import WindowExplanation, aligned
from simulator.workload.events import DELETE, INSERT, LOWER, EventStream
from simulator.workload.workload import Workload
from tests.oracles.topk import reaches, top_k
from tests.simulator.small import random_scenario, run_small, small_ingredients
from tests.simulator.views.test_explain import holds, instances, truths


def window_of(
    workload: Workload, events: EventStream, event: int = 0, approach: str = "paint-batch(3)"
) -> WindowExplanation:
    shown = explain(workload, events, event, approach)
    assert isinstance(shown, WindowExplanation)
    return shown


@settings(deadline=None, max_examples=40)
@given(instances())
def test_regions_and_messages_of_a_window_are_what_brute_force_says(instance: tuple[Workload, EventStream]) -> None:
    workload, events = instance
    before, after = truths(workload, events.part(0, 1))[0], truths(workload, events)[1]
    shown = window_of(workload, events)
    assert shown.span == range(len(events.object))
    assert {i for outcome in shown.outcomes for i in outcome.events} == set(shown.span)
    for s in zip(workload.l.tolist(), workload.r.tolist(), strict=True):
        old, new = top_k(before, s, workload.k), top_k(after, s, workload.k)
        for step, outcome in enumerate(shown.outcomes):
            i = outcome.object
            assert holds(outcome.region_before, s) == (i in old)
            assert holds(outcome.region_after, s) == (i in new)
            heard = sum(reaches(row, *s) for row in shown.messages[shown.step_of == step])
            assert heard <= 1
            if outcome.kind in ("raise", "insert"):
                assert heard == (i in new)
            elif outcome.kind in ("exposed", "same"):  # unchanged itself: news for those alone that had not held it
                assert heard == (i in new and i not in old)
            elif outcome.kind in ("lower", "delete"):
                assert heard == (i in old or i in new)
    assert [shown.about[step] for step in shown.step_of.tolist()] == shown.messages["object"].tolist()


@pytest.mark.parametrize("approach", ["paint-batch(7)", "paint-batch(20ms)", "paint-batch-sparse(5)"])
def test_windows_are_those_of_the_run_with_churn_and_a_warm_up(approach: str) -> None:
    scenario = random_scenario(1)
    scenario = scenario.model_copy(update={"events": scenario.events.model_copy(update={"warm_up": 3})})
    ingredients = small_ingredients(scenario)
    churn = plan_faults(scenario, ingredients).churn
    table, wrong, _ = run_small(scenario, ingredients, approach)
    assert wrong == ""
    starts = table["event"].to_pylist()
    assert 3 in starts
    assert len(starts) < scenario.events.count
    for event in range(scenario.events.count):
        shown = explain(ingredients.workload, ingredients.events, event, approach, churn, warm_up=3)
        assert isinstance(shown, WindowExplanation)
        row = max(at for at, start in enumerate(starts) if start <= event)
        end = [*starts, scenario.events.count][row + 1]
        assert shown.span == range(starts[row], end)
        assert len(shown.messages) == table["messages"][row].as_py()
        assert shown.asked is not None
        assert shown.about[shown.asked] == ingredients.events.object[event]


def stream_of(*rows: tuple[int, float, float, int]) -> EventStream:
    ids, x, y, kind = (np.array(column) for column in zip(*rows, strict=True))
    count = len(rows)
    columns = (ids.astype(np.int64), x.astype(float), y.astype(float), kind.astype(np.int8))
    return EventStream(*columns, np.arange(count, dtype=float), np.zeros(count, np.int64))


@pytest.fixture
def workload() -> Workload:
    rng = np.random.default_rng(3)
    l, r = np.sort(rng.random((2, 200)), axis=0)
    return Workload(2, rng.random(20), rng.random(20), l.copy(), r.copy())


def test_the_outcome_counts_not_what_came_between(workload: Workload) -> None:
    i, j = np.argsort(workload.y)[:2].tolist()
    x, y = float(workload.x[i]), float(workload.y[i])
    events = stream_of(
        (i, x, 0.9, LOWER),
        (20, 0.5, 0.01, INSERT),
        (j, float(workload.x[j]), 0.95, LOWER),
        (i, x, y, 0),
        (20, 0.5, np.inf, DELETE),
    )
    shown = window_of(workload, events, 2, "paint-batch(5)")
    kinds = {outcome.object: (outcome.kind, outcome.events) for outcome in shown.outcomes}
    assert kinds[i] == ("same", (0, 3))
    assert kinds[20] == ("same", (1, 4))
    assert kinds[j] == ("lower", (2,))
    assert set(shown.messages["object"].tolist()).isdisjoint({i, 20})
    assert shown.exposed
    assert shown.exposed == [h for h in shown.about if h not in (i, j, 20)]
    assert {row["object"] for row in shown.messages if row["cause"] == EXPOSED} == set(shown.exposed)
    assert shown.facts[0].startswith("Events 0 to 4 in one window: 3 objects updated, ")
    assert shown.facts[1].startswith(f"event 2 of it: object {j} at x = ")
    assert shown.letter(0) == "A"


def test_a_window_in_which_nothing_remains_is_told_so(workload: Workload) -> None:
    shown = window_of(workload, stream_of((20, 0.5, 0.01, INSERT), (20, 0.5, np.inf, DELETE)))
    assert [outcome.kind for outcome in shown.outcomes] == ["same"]
    assert shown.facts[-1] == "messages: 0"
    assert shown.heights[0] < workload.y.min()
    empty = Workload(1, np.zeros(0), np.zeros(0), np.zeros(0), np.zeros(0))
    alone = window_of(empty, stream_of((0, 0.5, 0.01, INSERT), (0, 0.5, np.inf, DELETE)))
    assert alone.heights == (0.0, 1.0)


def test_letters_mean_the_same_object_in_windows_side_by_side(workload: Workload) -> None:
    order = np.argsort(workload.y).tolist()
    events = stream_of(*((i, float(workload.x[i]), 0.9 + rank / 100, LOWER) for rank, i in enumerate(order[:5])))
    dense, sparse = (window_of(workload, events, 1, f"{name}(5)") for name in ("paint-batch", "paint-batch-sparse"))
    dense = replace(dense, outcomes=dense.outcomes[::-1], step_of=len(dense.outcomes) - 1 - dense.step_of)
    both = aligned([dense, sparse])
    assert both[0].about == both[1].about
    assert set(both[0].about) == {*dense.about, *sparse.about}
    for one in both:
        assert [one.about[step] for step in one.step_of.tolist()] == one.messages["object"].tolist()
        assert one.asked is not None
        assert one.about[one.asked] == order[1]
