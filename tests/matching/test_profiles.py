"""Profiles with join predicates over old documents: seed 002's examples, and plain lists."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matching.conjunctions import LinearScan, Profiles
from matching.conjunctions.documents import write_related
from matching.predicates import OPERATORS, Predicates
from tests.matching.test_event_indexes import ATTRIBUTES, NAN, columns, predicates
from tests.oracles.joins import Profile, Quantified, Term, matching_profiles

COMPARISONS = OPERATORS[:6]
BOOK = ("price", "year", "author", "isbn")
NONE: dict[str, Any] = {"attribute": [], "operator": [], "subscription": []}
SMITH = 7.0


def profiles(constants: Predicates, rows: list[tuple[Any, ...]], **options: Any) -> Profiles:
    """From rows (subscription, expression, quantifier, attribute, operator, old, value)."""
    names = ("subscription", "expression", "quantifier", "attribute", "operator", "old", "value")
    return Profiles(constants, {name: [row[place] for row in rows] for place, name in enumerate(names)}, **options)


def books() -> tuple[Profiles, dict[str, float]]:
    """Example 5, and its new document."""
    rows = [
        (0, 0, "exists", "price", "<", "price", 0.0),
        (1, 0, "all", "year", ">", "year", 0.0),
        (2, 0, "exists", "author", "=", "author", 0.0),
    ]
    made = profiles(Predicates(NONE, BOOK, 3), rows)
    made.add({"price": 10, "year": 2000, "author": SMITH})
    made.add({"price": 25, "year": 1999})
    return made, {"price": 30, "year": 2001, "author": SMITH}


def test_example_5() -> None:
    made, new = books()
    vectors = []
    for attribute, operator in (("price", "<"), ("year", ">"), ("author", "=")):
        words = np.zeros(1, np.uint64)
        old = BOOK.index(attribute)
        write_related(made.documents, old, OPERATORS.index(operator), new[attribute], words)
        vectors.append(f"{int(words[0]):02b}"[::-1])
    assert vectors == ["00", "11", "10"]
    assert made.match(new).tolist() == made.match(new, first="joins").tolist() == [1, 2]


def test_a_profile_needs_all_of_its_expressions() -> None:
    """The printed procedure accepts this one, whose first expression is false."""
    rows = [(0, 0, "exists", "price", "<", "price", 0.0), (0, 1, "all", "year", ">", "year", 0.0)]
    made = profiles(Predicates(NONE, BOOK, 2), rows)
    for document in ({"price": 10, "year": 2000}, {"price": 25, "year": 1999}):
        made.add(document)
    assert made.match({"price": 30, "year": 2001}).tolist() == [1]
    assert made.match({"price": 20, "year": 2001}).tolist() == [0, 1]


def test_example_3_matches_the_first_book() -> None:
    constants = {
        "attribute": ["author", "price"],
        "operator": ["=", "between"],
        "low": [SMITH, 10],
        "high": [None, 30],
    }
    made = profiles(Predicates(constants, BOOK), [(0, 0, "all", "isbn", "!=", "isbn", 0.0)])
    first = {"author": SMITH, "price": 20, "isbn": 1}
    assert made.match(first).tolist() == [0]
    assert made.match({"author": SMITH, "price": 20}).tolist() == []
    made.add(first)
    assert made.match(first).tolist() == []
    assert made.match({**first, "isbn": 2}).tolist() == [0]
    made.add({"author": SMITH})
    assert made.match({**first, "isbn": 2}).tolist() == []


ROWS, COLUMN_OPERATORS = ("=", "<", "<=", ">", ">="), ("=", "<", "<=", ">", ">=")
TABLE_2 = {
    "=": ("=", "<", "<=", ">", ">="),
    "<": ("<", "<", "<", "", ""),
    "<=": ("<=", "<", "<=", "", ""),
    ">": (">", "", "", ">", ">"),
    ">=": (">=", "", "", ">", ">="),
}
TURNED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


@pytest.mark.parametrize("constant", ROWS)
@pytest.mark.parametrize("join", COLUMN_OPERATORS)
def test_table_2(constant: str, join: str) -> None:
    """(a constant 10) and some d with (d.a join a) leave profiles that d.a TABLE_2 10 leaves, and no others.

    Values are multiples of 5: between 10 and the float next to it a strict bound may say more than the table.
    """
    wanted = TABLE_2[constant][COLUMN_OPERATORS.index(join)]
    constants = Predicates({"attribute": [0], "operator": [constant], "low": [10]}, 1)
    for value in (5.0, 10.0, 15.0):
        made = profiles(constants, [(0, 0, "exists", 0, TURNED[join], 0, 0.0)])
        made.add([value])
        allowed = {"": True, "=": value == 10, "<": value < 10, "<=": value <= 10, ">": value > 10, ">=": value >= 10}
        assert bool(made.surviving()[0] & np.uint64(1)) == allowed[wanted]


def test_prefiltering_by_existence_and_by_constants() -> None:
    rows = [
        (0, 0, "exists", "price", "!=", "price", 0.0),
        (1, 0, "exists", None, ">", "price", 10.0),
        (2, 0, "all", None, ">", "price", 10.0),
        (3, 0, "exists", None, ">", "price", 10.0),
        (3, 0, "exists", "year", "=", "year", 0.0),
    ]
    made = profiles(Predicates(NONE, BOOK, 5), rows)
    assert int(made.surviving()[0]) == 0b10100
    made.add({"price": 20})
    assert int(made.surviving()[0]) == 0b10001
    made.add({"price": 5})
    assert int(made.surviving()[0]) == 0b10011
    made.add({"price": 5, "year": 2000})
    assert int(made.surviving()[0]) == 0b11011
    assert made.match({"price": 5, "year": 2000}).tolist() == [0, 1, 3, 4]


VALUE = st.one_of(st.integers(0, 4).map(float), st.just(NAN))
DOCUMENT = st.lists(VALUE, min_size=ATTRIBUTES, max_size=ATTRIBUTES)
NUMBER = st.integers(0, ATTRIBUTES - 1)
TERM = st.builds(
    Term, st.one_of(NUMBER, NUMBER, st.none()), st.sampled_from(COMPARISONS), NUMBER, st.integers(0, 4).map(float)
)
QUANTIFIED = st.builds(Quantified, st.sampled_from(["exists", "all"]), st.lists(TERM, min_size=1, max_size=3))
PROFILE = st.builds(Profile, st.lists(predicates(), max_size=2), st.lists(QUANTIFIED, max_size=3))


@settings(deadline=None, max_examples=60)
@given(st.lists(PROFILE, max_size=8), st.lists(DOCUMENT, max_size=6), st.lists(DOCUMENT, min_size=1, max_size=3))
def test_answers_are_those_of_the_definitions(
    wanted: list[Profile], documents: list[list[float]], news: list[list[float]]
) -> None:
    rows = [
        (owner, expression, one.quantifier, *term)
        for owner, profile in enumerate(wanted)
        for expression, one in enumerate(profile.joins)
        for term in one.terms
    ]
    constants = Predicates(columns([profile.constants for profile in wanted]), ATTRIBUTES, len(wanted))
    both = [profiles(constants, rows, prefilter=True), profiles(constants, rows, prefilter=False, make=LinearScan)]
    for count in range(len(documents) + 1):
        for new in news:
            expected = matching_profiles(wanted, documents[:count], new)
            for made in both:
                assert made.match(new).tolist() == expected
                assert made.match(new, first="joins").tolist() == expected
        for made in both if count < len(documents) else []:
            made.add(documents[count])


def test_constants_first_looks_up_less() -> None:
    rows = [(i, 0, "exists", 0, "=", i % 3, 0.0) for i in range(30)]
    one = Predicates(
        {"subscription": np.arange(30), "attribute": [0] * 30, "operator": ["="] * 30, "low": range(30)}, 3
    )
    terms = []
    for first in ("constants", "joins"):
        made = profiles(one, rows)
        made.add([4.0, 4.0, 4.0])
        made.match([4.0, 1.0, 1.0], first=first)
        terms.append(made.evaluations - made.constants.evaluations)
    assert terms == [1, 3]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"quantifier": ["some"]}, "quantifier must be one of exists, all, got some in join predicate 0"),
        ({"operator": ["in"]}, "operator must be one of <, <=, =, !=, >=, >, got in"),
        ({"attribute": ["colour"]}, r"attribute is unknown \(there are price, year, author, isbn\), got colour"),
        ({"old": [4]}, "old is unknown"),
        ({"old": [None]}, "old must be an attribute"),
        ({"attribute": [None], "value": [NAN]}, "value must be a number where there is no attribute"),
        ({"subscription": [3]}, "subscription must be 0 to 2, got 3"),
        ({"colour": [3]}, "unknown column 'colour' of join predicates"),
        ({"value": [3, 4]}, r"'value' must have one value for each join predicate \(1\), got 2"),
    ],
)
def test_bad_joins(change: dict[str, Any], text: str) -> None:
    good: dict[str, Any] = {
        "subscription": [0],
        "quantifier": ["all"],
        "attribute": ["price"],
        "operator": ["="],
        "old": ["price"],
    }
    with pytest.raises(ValueError, match=text):
        Profiles(Predicates(NONE, BOOK, 3), {**good, **change})
    with pytest.raises(ValueError, match="lack the column 'old'"):
        Profiles(Predicates(NONE, BOOK, 3), {name: column for name, column in good.items() if name != "old"})


def test_bad_questions_of_profiles() -> None:
    made, new = books()
    with pytest.raises(ValueError, match="first must be constants or joins, got 'both'"):
        made.match(new, first="both")
    with pytest.raises(ValueError, match="unknown attribute 'colour'"):
        made.add({"colour": 1})
    mixed = [(0, 0, "exists", "price", "<", "price", 0.0), (0, 0, "all", "price", "<", "price", 0.0)]
    with pytest.raises(ValueError, match="expression must have one quantifier, got 0 in join predicate 1"):
        profiles(Predicates(NONE, BOOK, 1), mixed)
