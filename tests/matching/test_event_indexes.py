"""Every event index against the plain lists: sound and complete, in the one order, whatever predicates may be."""

from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matching.event_index import EventIndex
from matching.predicates import OPERATORS, Predicates
from matching.range_index import StaticIndexError
from matching.registry import EVENT_INDEXES
from matching.subscriptions import UnknownSubscriptionError
from tests.oracles.conjunctions import Conjunctions, Predicate

ALL = list(EVENT_INDEXES)
STATIC = [name for name, entry in EVENT_INDEXES.items() if not entry.changes]
CHANGING = [name for name, entry in EVENT_INDEXES.items() if entry.changes]
ATTRIBUTES = 3
NAN = float("nan")

LARGEST = np.finfo(float).max
VALUE = st.one_of(
    st.integers(0, 5).map(float),
    st.integers(0, 5).map(float),
    st.floats(-3, 3),
    st.sampled_from([-np.inf, np.inf, LARGEST]),
)
WEIGHT = st.sampled_from([0.0, 0.0, 0.25, 0.5, 1.0, -1.0])


@st.composite
def predicates(draw: st.DrawFn) -> Predicate:
    operator = draw(st.sampled_from(OPERATORS))
    count = {"between": (2, 2), "in": (1, 4), "not in": (1, 4)}.get(operator, (1, 1))
    values = draw(st.lists(VALUE, min_size=count[0], max_size=count[1]))
    if operator == "between":
        values.sort()
    return Predicate(draw(st.integers(0, ATTRIBUTES - 1)), operator, tuple(values), draw(WEIGHT))


SUBSCRIPTIONS = st.lists(st.lists(predicates(), max_size=3), max_size=10)
EVENTS = st.lists(
    st.lists(st.one_of(VALUE, VALUE, st.just(NAN)), min_size=ATTRIBUTES, max_size=ATTRIBUTES), min_size=1, max_size=5
)


CHANGES = st.lists(st.tuples(st.booleans(), SUBSCRIPTIONS, st.integers(0, 1000)), max_size=4)


def columns(subscriptions: list[list[Predicate]]) -> dict[str, Any]:
    rows = [(owner, one) for owner, predicates in enumerate(subscriptions) for one in predicates]
    upper = ("<", "<=")
    return {
        "subscription": [owner for owner, _ in rows],
        "attribute": np.array([one.attribute for _, one in rows], int),
        "operator": [one.operator for _, one in rows],
        "low": [None if one.operator in (*upper, "in", "not in") else one.values[0] for _, one in rows],
        "high": [one.values[-1] if one.operator in (*upper, "between") else None for _, one in rows],
        "set": [one.values if one.operator in ("in", "not in") else None for _, one in rows],
        "weight": [one.weight for _, one in rows],
    }


def taken(subscriptions: list[list[Predicate]], attributes: Any = ATTRIBUTES) -> Predicates:
    return Predicates(columns(subscriptions), attributes, len(subscriptions))


def build(name: str, subscriptions: list[list[Predicate]], attributes: Any = ATTRIBUTES) -> Any:
    index = EVENT_INDEXES[name].make(taken(subscriptions, attributes))
    index._check()
    return index


def compare(index: EventIndex, oracle: Conjunctions, events: list[list[float]]) -> None:
    assert len(index) == len(oracle.alive())
    expected = [oracle.match(event) for event in events]
    assert [index.match(event).tolist() for event in events] == expected
    offsets, ids = index.matches(events)
    assert offsets[0] == 0
    assert offsets[-1] == len(ids)
    assert [ids[a:b].tolist() for a, b in pairwise(offsets)] == expected
    for k in (1, 3, 1000):
        assert [index.top(event, k).tolist() for event in events] == [found[:k] for found in expected]


@pytest.mark.parametrize("name", ALL)
@settings(deadline=None, max_examples=20)
@given(SUBSCRIPTIONS, EVENTS)
def test_answers_are_those_of_a_scan(
    name: str, subscriptions: list[list[Predicate]], events: list[list[float]]
) -> None:
    compare(build(name, subscriptions), Conjunctions(subscriptions), events)


def follow(
    name: str,
    subscriptions: list[list[Predicate]],
    changes: list[tuple[bool, list[list[Predicate]], int]],
    events: list[list[float]],
) -> None:
    """Make changes to an index and to the plain lists, and compare after each."""
    index, oracle = build(name, subscriptions), Conjunctions(subscriptions)
    for adds, more, which in changes:
        if adds:
            given = index.insert(taken(more))
            assert np.atleast_1d(given).tolist() == oracle.insert(more)
        else:
            alive = oracle.alive()
            gone = [alive[(which + 7 * step) % len(alive)] for step in range(min(len(alive), which % 9))]
            gone = list(dict.fromkeys(gone))
            index.delete(gone)
            oracle.delete(gone)
        index._check()
        compare(index, oracle, events)


@pytest.mark.parametrize("examples", [10, pytest.param(150, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", CHANGING)
def test_answers_are_those_of_a_scan_after_every_change(name: str, examples: int) -> None:
    @settings(deadline=None, max_examples=examples)
    @given(SUBSCRIPTIONS, CHANGES, EVENTS)
    def on_any(
        subscriptions: list[list[Predicate]],
        changes: list[tuple[bool, list[list[Predicate]], int]],
        events: list[list[float]],
    ) -> None:
        follow(name, subscriptions, changes, events)

    on_any()


def drawn(rng: np.random.Generator, count: int, attributes: int, values: int) -> list[list[Predicate]]:
    subscriptions = []
    shares = [0.06, 0.06, 0.6, 0.04, 0.06, 0.06, 0.06, 0.03, 0.03]
    for _ in range(count):
        asked = rng.permutation(attributes)[: rng.integers(1, attributes + 1)].tolist()
        own = []
        for attribute, which in zip(asked, rng.choice(len(OPERATORS), len(asked), p=shares).tolist(), strict=True):
            size = {"between": 2, "in": 3, "not in": 2}.get(OPERATORS[which], 1)
            numbers = sorted((rng.integers(0, values, size) / 2).tolist())
            own.append(Predicate(attribute, OPERATORS[which], tuple(numbers), float(rng.integers(0, 3)) / 2))
        subscriptions.append(own)
    return subscriptions


class Step(NamedTuple):
    """A change, and what events match after it."""

    inserted: list[list[Predicate]]
    ids: list[int]
    deleted: list[int]
    answers: list[list[int]]


@cache
def story(attributes: int, values: int) -> tuple[list[list[float]], list[Step]]:
    """Events, and steps that begin with a first insertion; the same for every index."""
    rng = np.random.default_rng(attributes)
    events = rng.integers(-1, values + 1, (6, attributes)) / 2
    events[rng.random(events.shape) < 0.1] = np.nan
    oracle, steps = Conjunctions([]), []
    for count in (2000, 1500, 1, 1, 1):
        inserted = drawn(rng, count, attributes, values)
        ids = oracle.insert(inserted)
        deleted = rng.permutation(oracle.alive())[:900].tolist() if count == 1 else []
        oracle.delete(deleted)
        steps.append(Step(inserted, ids, deleted, [oracle.match(event) for event in events.tolist()]))
    return events.tolist(), steps


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(("attributes", "values"), [(5, 4), (9, 300)])
def test_answers_are_those_of_a_scan_on_more_subscriptions(name: str, attributes: int, values: int) -> None:
    """Leaves split, chains are sorted anew, codes are made again."""
    events, (first, *later) = story(attributes, values)
    index: Any = EVENT_INDEXES[name].make(taken(first.inserted, attributes))
    assert [index.match(event).tolist() for event in events] == first.answers
    for step in later if EVENT_INDEXES[name].changes else []:
        assert np.atleast_1d(index.insert(taken(step.inserted, attributes))).tolist() == step.ids
        index.delete(step.deleted)
        assert [index.match(event).tolist() for event in events] == step.answers
    index._check()


@pytest.mark.parametrize("name", ALL)
def test_an_empty_index_answers(name: str) -> None:
    empty: list[Any] = [EVENT_INDEXES[name].make(), build(name, []), EVENT_INDEXES[name].make(attributes=2)]
    for index in empty:
        index._check()
        assert len(index) == 0
        assert index.match([0.0] * index.attributes).tolist() == []
        offsets, ids = index.matches(np.empty((0, index.attributes)))
        assert (offsets.tolist(), ids.tolist()) == ([0], [])


@pytest.mark.parametrize("name", ALL)
def test_attributes_have_names(name: str) -> None:
    given = {"subscription": [0, 1], "attribute": ["year", "price"], "operator": ["=", "<"], "low": [2008, 30]}
    index = EVENT_INDEXES[name].make(given, attributes=["price", "year"])
    assert index.match([20.0, 2008.0]).tolist() == [0, 1]
    assert index.match({"year": 2008.0}).tolist() == [0]
    assert index.top({"price": 20.0, "year": 2008}, 1).tolist() == [0]
    with pytest.raises(ValueError, match="unknown attribute 'author' of an event"):
        index.match({"author": 1.0})
    with pytest.raises(TypeError, match="attribute 'year' of an event must be a number, got 'new'"):
        index.match({"year": "new"})  # type: ignore[dict-item]


@pytest.mark.parametrize("name", ALL)
def test_evaluations_are_counted_and_bytes_too(name: str) -> None:
    index = build(name, [[Predicate(i % 3, "=", (float(i % 5),))] for i in range(200)])
    assert index.evaluations == 0
    assert index.nbytes > 200 * 8
    index.match([1.0, 2.0, NAN])
    one = index.evaluations
    assert one >= 3
    index.matches([[1.0, 2.0, NAN]] * 2)
    assert index.evaluations == 3 * one


@pytest.mark.parametrize("name", STATIC)
def test_a_static_index_refuses_changes_and_names_another(name: str) -> None:
    index = build(name, [[Predicate(0, "=", (1.0,))]])
    for change, what in ((index.insert, columns([[Predicate(0, "=", (1.0,))]])), (index.delete, 0)):
        with pytest.raises(StaticIndexError, match=r"take matching\.conjunctions\.AccessPredicates instead"):
            change(what)
    assert index.match([1.0, NAN, NAN]).tolist() == [0]


@pytest.mark.parametrize("name", CHANGING)
def test_bad_changes_leave_the_index_as_it_is(name: str) -> None:
    index = build(name, [[Predicate(0, "=", (1.0,))], [Predicate(1, "=", (1.0,))]])
    gone: list[tuple[Any, type[Exception], str]] = [
        (2, UnknownSubscriptionError, "no subscription has the id 2"),
        ([0, 7, -1], UnknownSubscriptionError, r"the id 7 \(2 unknown ids\)"),
        ([0, 0], ValueError, "must be distinct"),
        (["a"], TypeError, "must be integers"),
    ]
    for bad, kind, text in gone:
        with pytest.raises(kind, match=text):
            index.delete(bad)
    more: list[tuple[Any, str]] = [
        ({"attribute": [3], "operator": ["="], "low": [1.0]}, r"attribute is unknown \(there are 3\), got 3"),
        ({"attribute": [0], "operator": ["in"], "set": [[]]}, "the set of predicate 0 is empty"),
        (Predicates({"attribute": [4], "operator": ["="], "low": [1]}), "over the attributes of the index"),
    ]
    for bad, text in more:
        with pytest.raises(ValueError, match=text):
            index.insert(bad)
    index._check()
    assert index.match([1.0, 1.0, 1.0]).tolist() == [0, 1]
    assert index.insert({"attribute": [2], "operator": ["="], "low": [1]}) == 2
    index.delete(1)
    with pytest.raises(UnknownSubscriptionError, match="the id 1"):
        index.delete(1)
    assert index.match([1.0, 1.0, 1.0]).tolist() == [0, 2]


@pytest.mark.parametrize("name", ALL)
def test_bad_questions(name: str) -> None:
    index = build(name, [[Predicate(0, "=", (1.0,))]])
    with pytest.raises(ValueError, match=r"shape \(events, 3\).*got \(1, 2\)"):
        index.match([1.0, 2.0])
    with pytest.raises(ValueError, match="one number for each attribute"):
        index.match(1.0)
    with pytest.raises(ValueError, match=r"got \(3,\)"):
        index.matches([1.0, 2.0, 3.0])
    with pytest.raises(TypeError, match="must hold numbers"):
        index.matches([["a", "b", "c"]])
    for bad, kind, text in ((0, ValueError, "at least 1, got 0"), (1.5, TypeError, "integer, got 1.5")):
        with pytest.raises(kind, match=text):
            index.top([1.0, 1.0, 1.0], bad)
    with pytest.raises(ValueError, match=r"\(events, at least 2\)"):
        EVENT_INDEXES[name].make({"attribute": [1], "operator": ["="], "low": [1]}).match([1.0])
