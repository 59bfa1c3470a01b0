"""Every place index against a scan of plain lists: the k best in the one order, while subscriptions come and go."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matching.places import RITree
from matching.registry import PLACE_INDEXES
from matching.subscriptions import UnknownSubscriptionError
from tests.oracles.places import Placed, PlacedSubscriptions, similarity

ALL = list(PLACE_INDEXES)
BOUNDED = ["ri-tree", "rt-tree"]
ATTRIBUTES, MAX_DISTANCE = 4, 5.0

VALUE = st.integers(0, 5).map(float)
SHARES = st.sampled_from([[1.0], [0.5, 0.5], [0.25, 0.75], [0.2, 0.3, 0.5], [0.1, 0.2, 0.3, 0.4], [0.0, 1.0]])
ASKED = st.one_of(
    st.tuples(st.sampled_from(["<", "<=", "=", "!=", ">=", ">"]), VALUE),
    st.tuples(st.just("between"), st.tuples(VALUE, VALUE).map(sorted)),
    st.tuples(st.sampled_from(["in", "not in"]), st.lists(VALUE, min_size=1, max_size=3)),
)
PLACE = st.tuples(st.integers(0, 4).map(float), st.integers(0, 4).map(float))
FAR = st.sampled_from([(40.0, -3.0), (0.0, 1e6)])
EVENT = st.lists(st.one_of(VALUE, st.just(np.nan)), min_size=ATTRIBUTES, max_size=ATTRIBUTES)


@st.composite
def placed(draw: st.DrawFn) -> Placed:
    shares = draw(SHARES)
    attributes = draw(st.permutations(range(ATTRIBUTES)))[: len(shares)]
    predicates = [(a, *draw(ASKED), share) for a, share in zip(attributes, shares, strict=True)]
    return Placed(predicates, draw(PLACE), draw(st.sampled_from([0.0, 0.25, 0.5, 0.9, 1.0])))


QUERY = st.tuples(EVENT, st.one_of(PLACE, PLACE, FAR))


def columns(held: list[Placed]) -> dict[str, Any]:
    rows = [(i, *predicate) for i, one in enumerate(held) for predicate in one.predicates]
    return {
        "subscription": np.array([row[0] for row in rows], int),
        "attribute": np.array([row[1] for row in rows], int),
        "operator": [row[2] for row in rows],
        "low": [None if "in" in row[2] else row[3][0] if row[2] == "between" else row[3] for row in rows],
        "high": [row[3][1] if row[2] == "between" else None for row in rows],
        "set": [row[3] if "in" in row[2] else None for row in rows],
        "weight": [row[4] for row in rows],
    }


def arguments(held: list[Placed]) -> tuple[dict[str, Any], Any, Any]:
    return columns(held), [one.place for one in held], [one.alpha for one in held]


def build(name: str, held: list[Placed], fan_out: int = 2) -> Any:
    kind: Any = PLACE_INDEXES[name].kind
    index = kind(*arguments(held), max_distance=MAX_DISTANCE, attributes=ATTRIBUTES, fan_out=fan_out)
    index._check()
    return index


def compare(index: Any, oracle: PlacedSubscriptions, queries: list[Any], k: int) -> None:
    assert len(index) == len(oracle.alive())
    for most in (1, k, 1000):
        expected = [oracle.top(event, place, most) for event, place in queries]
        assert [index.top(event, place, most).tolist() for event, place in queries] == expected
        offsets, ids = index.tops([event for event, _ in queries], [place for _, place in queries], most)
        assert [ids[a:b].tolist() for a, b in pairwise(offsets)] == expected


@pytest.mark.parametrize("name", ALL)
@settings(deadline=None, max_examples=50)
@given(st.lists(placed(), max_size=30), st.lists(QUERY, min_size=1, max_size=3), st.integers(1, 5))
def test_answers_are_those_of_a_scan(name: str, held: list[Placed], queries: list[Any], k: int) -> None:
    compare(build(name, held), PlacedSubscriptions(held, MAX_DISTANCE), queries, k)


CHANGE = st.one_of(
    st.lists(placed(), max_size=25),
    st.lists(st.integers(0, 100), max_size=20),
)


@pytest.mark.parametrize("name", ALL)
@settings(deadline=None, max_examples=40)
@given(
    st.lists(placed(), max_size=20),
    st.lists(CHANGE, max_size=6),
    st.lists(QUERY, min_size=1, max_size=2),
    st.integers(1, 5),
)
def test_answers_stay_those_of_a_scan_while_subscriptions_come_and_go(
    name: str, held: list[Placed], changes: list[Any], queries: list[Any], k: int
) -> None:
    index, oracle = build(name, held), PlacedSubscriptions(held, MAX_DISTANCE)
    for change in changes:
        if change and isinstance(change[0], int):
            alive = oracle.alive()
            gone = list(dict.fromkeys(alive[pick % len(alive)] for pick in change)) if alive else []
            index.delete(np.array(gone, int))
            oracle.delete(gone)
        elif change:
            assert index.insert(*arguments(change)).tolist() == oracle.insert(change)
        index._check()
    compare(index, oracle, queries, k)


@pytest.mark.parametrize("name", BOUNDED)
@settings(deadline=None, max_examples=80)
@given(st.lists(placed(), min_size=1, max_size=40), st.lists(QUERY, min_size=1, max_size=3))
def test_every_bound_is_at_least_the_best_score_below(name: str, held: list[Placed], queries: list[Any]) -> None:
    index = build(name, held)
    index.delete(np.arange(0, len(held), 7)[: len(held) // 3])
    for event, place in queries:
        assert all(bound >= best for bound, best in index.bounds(event, place))


def test_a_bound_may_be_largest_inside_the_range_of_alpha() -> None:
    """Alphas 0, 0.5 and 0.9, at most 0.5 by predicates: 0.9 at alpha 0.5, and 0.5 and 0.82 at the ends."""
    half, whole, nothing = ([(0, "=", v, 0.5), (1, "=", w, 0.5)] for v, w in ((1.0, 9.0), (1.0, 1.0), (9.0, 9.0)))
    near = [Placed(asked, (1.0, 0.0), alpha) for asked, alpha in ((half, 0.0), (whole, 0.5), (nothing, 0.9))]
    index = build("ri-tree", [*near, *(Placed(nothing, (4.0, 4.0), 1.0) for _ in range(3))], fan_out=3)
    event, place = [1.0, 1.0, 0.0, 0.0], (0.0, 0.0)
    leaf = max(best for _, best in index.bounds(event, place))
    assert leaf == similarity(near[1], event, place, MAX_DISTANCE) == pytest.approx(0.9)
    assert all(bound >= best for bound, best in index.bounds(event, place))
    assert min(bound for bound, best in index.bounds(event, place) if best == leaf) < 0.91
    assert index.top(event, place, 1).tolist() == [1]


def more_subscriptions(n: int, seed: int) -> list[Placed]:
    rng = np.random.default_rng(seed)
    held = []
    for _ in range(n):
        chosen = rng.choice(20, rng.integers(1, 5), replace=False)
        weight = rng.random(chosen.size) + 0.1
        low = rng.integers(0, 90, chosen.size).astype(float)
        predicates = [
            (int(a), "between", (l, l + 20.0), w)
            for a, l, w in zip(chosen.tolist(), low.tolist(), (weight / weight.sum()).tolist(), strict=True)
        ]
        held.append(Placed(predicates, tuple(rng.random(2).tolist()), float(rng.random())))
    return held


@pytest.mark.parametrize("name", ALL)
def test_answers_are_those_of_a_scan_on_more_subscriptions(name: str) -> None:
    held = more_subscriptions(600, 4)
    rng = np.random.default_rng(8)
    kind: Any = PLACE_INDEXES[name].kind
    oracle = PlacedSubscriptions(held, 1.4)
    index = kind(*arguments(held[:200]), max_distance=1.4, attributes=20, fan_out=5)
    for first in range(200, 600, 25):
        index.insert(*arguments(held[first : first + 25]))
    gone = rng.choice(600, 250, replace=False)
    index.delete(gone)
    oracle.delete(gone.tolist())
    index._check()
    queries = []
    for _ in range(12):
        event = np.full(20, np.nan)
        event[rng.choice(20, 8, replace=False)] = rng.integers(0, 100, 8)
        queries.append((event.tolist(), tuple(rng.random(2).tolist())))
    compare(index, oracle, queries, 5)
    if name in BOUNDED:
        assert all(bound >= best for event, place in queries for bound, best in index.bounds(event, place))


class Summaries(RITree):
    """Nodes that know what those of the R^t-tree do, and alphas."""

    _summaries = True


def test_the_bounds_of_the_ri_tree_are_never_above_those_of_summaries() -> None:
    held = more_subscriptions(600, 5)
    rng = np.random.default_rng(1)
    kinds: list[type[RITree]] = [RITree, Summaries]
    tight, loose = (kind(*arguments(held), max_distance=1.4, attributes=20, fan_out=20) for kind in kinds)
    smaller = 0
    for _ in range(10):
        event, place = np.full(20, np.nan), rng.random(2)
        event[:3] = rng.integers(0, 100, 3)
        pairs = list(zip(tight.bounds(event, place), loose.bounds(event, place), strict=True))
        assert all(own[0] <= other[0] for own, other in pairs)
        smaller += sum(own[0] < other[0] for own, other in pairs)
    assert smaller > 100


def test_the_combination_of_the_papers_table_3() -> None:
    near = [0.75, 0.5, 0.875, 0.75, 0.75, 0.5, 0.5, 0.8, 0.8]
    weight = [1.0, 0.0, 0.0, 0.2, 0.7, 0.0, 0.1, 0.6, 0.0]
    alpha = [0.3, 0.7, 0.4, 0.3, 0.5, 0.2, 0.8, 0.5, 0.8]
    expected = [0.925, 0.35, 0.35, 0.365, 0.725, 0.1, 0.42, 0.7, 0.64]
    held = [
        Placed([(0, "=", 1.0, w), (1, "=", 1.0, 1 - w)], (8 * (1 - s), 0.0), a)
        for w, s, a in zip(weight, near, alpha, strict=True)
    ]
    event, place = [1.0, 0.0], (0.0, 0.0)
    assert [similarity(one, event, place, 8.0) for one in held] == pytest.approx(expected)
    for name in ALL:
        kind: Any = PLACE_INDEXES[name].kind
        index = kind(*arguments(held), max_distance=8.0, attributes=2)
        assert index.top(event, place, 3).tolist() == [0, 4, 7]


@pytest.mark.parametrize("name", ALL)
def test_one_subscription_comes_and_all_go(name: str) -> None:
    index = build(name, [])
    one = {"attribute": [0], "operator": ["="], "low": [1], "weight": [1.0]}
    assert index.insert(one, [0.0, 0.0], 0.5) == 0
    assert index.insert(one, [[1.0, 1.0]], 0.5).tolist() == [1]
    assert index.top([1, 1, 1, 1], [1.0, 1.0], 9).tolist() == [1, 0]
    index.delete([0, 1])
    index._check()
    assert index.top([1, 1, 1, 1], [1.0, 1.0], 9).tolist() == []
    assert index.insert(one, [0.0, 0.0], 0.5) == 2
    assert index.nbytes > 0


@pytest.mark.parametrize("name", ALL)
def test_bad_input_changes_nothing(name: str) -> None:
    index = build(name, [Placed([(0, "=", 1.0, 1.0)], (0.0, 0.0), 0.5)] * 3)
    asked = {"subscription": [0, 0], "attribute": [0, 1], "operator": ["=", "="], "low": [1, 1]}
    for change, text in (
        ({"weight": [0.5, 0.4]}, r"must sum to 1, got 0.9 of subscription 0 \(1 in all\): divide"),
        ({"weight": [1.5, -0.5]}, "must not be negative, got -0.5 of subscription 0"),
        (
            {"attribute": [1, 1], "weight": [0.5, 0.5]},
            "two predicates on one attribute, got some on 1 of subscription 0",
        ),
        ({"attribute": [0, 9], "weight": [0.5, 0.5]}, "attribute is unknown"),
        ({"operator": ["=", "~"], "weight": [0.5, 0.5]}, "unknown operator '~'"),
        ({"operator": ["=", "in"], "set": [None, []], "weight": [0.5, 0.5]}, "is empty"),
    ):
        with pytest.raises(ValueError, match=text):
            index.insert({**asked, **change}, [0.0, 0.0], 0.5)
    good = {**asked, "weight": [0.5, 0.5]}
    for place, alpha, text in (
        ([0.0, np.nan], 0.5, "places must be finite"),
        ([0.0], 0.5, r"places must have the shape \(1, 2\)"),
        ([0.0, 0.0], 1.5, "alpha must be between 0 and 1, got 1.5 of subscription 0"),
        ([0.0, 0.0], np.nan, "alpha must be between 0 and 1, got nan"),
        ([0.0, 0.0], [0.1, 0.2], r"one number per subscription \(1\)"),
    ):
        with pytest.raises(ValueError, match=text):
            index.insert(good, place, alpha)
    with pytest.raises(UnknownSubscriptionError, match=r"no subscription has the id 7 \(1 unknown ids\)"):
        index.delete([0, 7])
    with pytest.raises(ValueError, match="distinct"):
        index.delete([0, 0])
    with pytest.raises(TypeError, match="integers"):
        index.delete(0.5)
    for event, place, k, text in (
        ([1.0], [0.0, 0.0], 1, "shape"),
        ([1.0] * 4, [0.0, np.inf], 1, "place must be finite"),
        ([1.0] * 4, [0.0, 0.0], 0, "k must be at least 1, got 0"),
    ):
        with pytest.raises(ValueError, match=text):
            index.top(event, place, k)
    index._check()
    assert index.top([1.0] * 4, [0.0, 0.0], 9).tolist() == [0, 1, 2]
    assert len(index) == 3
    for distance in (0.0, -1.0, np.inf, np.nan):
        with pytest.raises(ValueError, match="max_distance must be positive and finite"):
            type(index)(good, [0.0, 0.0], 0.5, max_distance=distance)


def test_attributes_by_name() -> None:
    index = RITree(
        {"attribute": ["age"], "operator": ["<"], "high": [30], "weight": [1.0]},
        places=[0.0, 0.0],
        alpha=0.5,
        max_distance=1.0,
        attributes=["age", "income"],
    )
    assert index.insert({"attribute": ["income"], "operator": [">"], "low": [9], "weight": [1.0]}, [0, 0], 0.5) == 1
    assert index.top({"income": 10}, [0, 0], 2).tolist() == [1, 0]
    with pytest.raises(ValueError, match="unknown attribute 'size'"):
        index.top({"size": 10}, [0, 0], 2)
