"""Predicates as columns: what each operator becomes, and what is refused."""

from typing import Any

import numpy as np
import pytest

from matching.predicates import IN, INTERVAL, OUT, Predicates

INF = np.inf


@pytest.mark.parametrize(
    ("operator", "given", "low", "high"),
    [
        ("<", {"high": [5]}, -INF, np.nextafter(5, 0)),
        ("<", {"low": [5]}, -INF, np.nextafter(5, 0)),
        ("<", {"low": [-INF]}, INF, -INF),
        ("<=", {"high": [5], "low": [0]}, -INF, 5),
        ("=", {"low": [5]}, 5, 5),
        ("=", {"low": [5], "high": [5]}, 5, 5),
        ("!=", {"low": [5]}, -INF, INF),
        (">=", {"low": [5]}, 5, INF),
        (">", {"low": [5], "high": [9]}, np.nextafter(5, 9), INF),
        (">", {"high": [INF]}, INF, -INF),
        ("between", {"low": [2], "high": [3]}, 2, 3),
        ("in", {"set": [[9, 1, 9]]}, 1, 9),
        ("in", {"set": [[4, 4]]}, 4, 4),
        ("not in", {"set": [[4, 2]]}, -INF, INF),
    ],
)
def test_operators_become_intervals(operator: str, given: dict[str, Any], low: float, high: float) -> None:
    wanted = Predicates({"attribute": [0], "operator": [operator], **given})
    assert (wanted.low.tolist(), wanted.high.tolist()) == ([low], [high])


def test_sets_stay_beside_their_intervals() -> None:
    given = {
        "subscription": [1, 0, 1, 0],
        "attribute": [0, 1, 2, 0],
        "operator": ["not in", "=", "in", "!="],
        "low": [None, 3, None, 8],
        "set": [[2, 1], None, (7, 5, 7), None],
        "weight": [1, 2, 3, 4],
    }
    wanted = Predicates(given)
    assert wanted.subscription.tolist() == [0, 0, 1, 1]
    assert wanted.attribute.tolist() == [1, 0, 0, 2]
    assert wanted.kind.tolist() == [INTERVAL, OUT, OUT, IN]
    assert wanted.offset.tolist() == [0, 0, 1, 3, 5]
    assert wanted.value.tolist() == [8, 1, 2, 5, 7]
    assert wanted.weight.tolist() == [2, 4, 1, 3]
    flat = Predicates({**given, "set": (np.array([0, 2, 2, 5, 5]), np.array([2.0, 1, 7, 5, 7]))})
    assert flat.value.tolist() == wanted.value.tolist()
    assert (wanted.subscriptions, wanted.attributes, len(wanted)) == (2, 3, 4)


@pytest.mark.parametrize(
    ("change", "kind", "text"),
    [
        ({"colour": [1, 1]}, ValueError, "unknown column 'colour' of predicates: there are subscription"),
        ({"operator": ["=", "~"]}, ValueError, "unknown operator '~' in predicate 1: there are <, <="),
        ({"operator": [2, 9]}, ValueError, "operator is unknown, got 9 in predicate 1"),
        ({"attribute": ["a", "c"]}, ValueError, "unknown attribute 'c' in predicate 1: there are a, b"),
        ({"attribute": [0, 2]}, ValueError, r"attribute is unknown \(there are 2\), got 2 in predicate 1"),
        (
            {"attribute": [0]},
            ValueError,
            r"'attribute' must have one value for each predicate \(2\), got shape \(1,\)",
        ),
        ({"attribute": [0.0, 1.0]}, TypeError, "'attribute' must hold names or integers, got dtype float64"),
        ({"low": [1]}, ValueError, "'low' must have one value for each predicate"),
        ({"low": ["x", 1]}, TypeError, "'low' must hold numbers"),
        ({"low": [1, None]}, ValueError, "operator needs a number, got = in predicate 1"),
        ({"low": [1, 1], "high": [1, 2]}, ValueError, "operator takes one number, not two, got = in predicate 1"),
        ({"operator": ["=", "between"]}, ValueError, "operator needs low and high, got between in predicate 1"),
        ({"operator": ["=", "between"], "high": [None, 0]}, ValueError, r"low <= high, got \[1. 0.\] in predicate 1"),
        ({"operator": ["=", "in"]}, ValueError, "'in' in predicate 1 needs a set"),
        ({"operator": ["=", "in"], "set": [None, []]}, ValueError, "the set of predicate 1 is empty"),
        ({"operator": ["=", "in"], "set": [None, None]}, ValueError, "the set of predicate 1 is empty"),
        ({"operator": ["=", "in"], "set": [None]}, ValueError, "'set' must have one value"),
        ({"operator": ["=", "in"], "set": [None, ["x"]]}, TypeError, "'set' must hold numbers"),
        (
            {"operator": ["=", "in"], "set": [None, [1, np.nan]]},
            ValueError,
            "a set must not hold NaN, got one in predicate 1",
        ),
        ({"weight": [1, np.nan]}, ValueError, "weight must be finite, got nan in predicate 1"),
        ({"subscription": [0, 2]}, ValueError, "subscription 1 has no predicate: number them without gaps"),
        ({"subscription": [0, -1]}, ValueError, "subscription must be 0 to 0, got -1 in predicate 1"),
        ({"subscription": [0.0, 1.0]}, TypeError, "'subscription' must hold integers"),
    ],
)
def test_bad_predicates(change: dict[str, Any], kind: type[Exception], text: str) -> None:
    good = {"subscription": [0, 0], "attribute": ["a", "b"], "operator": ["=", "="], "low": [1, 1]}
    Predicates(good, ["a", "b"])
    with pytest.raises(kind, match=text):
        Predicates({**good, **change}, ["a", "b"])


def test_bad_attributes() -> None:
    good = {"attribute": ["a"], "operator": ["="], "low": [1]}
    with pytest.raises(ValueError, match="got 'a' twice"):
        Predicates(good, ["a", "a"])
    with pytest.raises(ValueError, match="'a' is a name: say which there are"):
        Predicates(good)
    with pytest.raises(ValueError, match="0 to 65535 attributes, got -1"):
        Predicates({**good, "attribute": [0]}, -1)
    with pytest.raises(ValueError, match="predicates lack the column 'operator'"):
        Predicates({"attribute": [0]})
