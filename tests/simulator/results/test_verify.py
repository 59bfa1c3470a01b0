"""Verification must find what is wrong: each kind of fault is planted once."""

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.results.verify import Mismatch, Truth
from simulator.workload.events import LOWER, EventStream

X = np.array([0.1, 0.2, 0.3, 0.4])
Y = np.array([4.0, 3.0, 2.0, 1.0])
L = np.array([0.0, 0.0, 0.35])
R = np.array([1.0, 0.25, 0.5])


def truth_of(
    x: NDArray[np.float64], y: NDArray[np.float64], l: NDArray[np.float64], r: NDArray[np.float64], k: int
) -> Truth:
    truth = Truth(x, y, l, r, k, len(x))
    truth.let_in(np.ones(len(l), np.bool_))
    return truth


def told(subscriptions: list[int], i: int) -> NDArray[np.int64]:
    return np.array([(subscription, i) for subscription in subscriptions], np.int64).reshape(-1, 2)


def one(i: int, y: float) -> EventStream:
    kind, now, origin = np.array([LOWER], np.int8), np.zeros(1), np.zeros(1, np.int64)
    return EventStream(np.array([i]), X[[i]], np.array([y]), kind, now, origin)


def check(truth: Truth, event: int, i: int, y: float, notified: list[int], *, exact: bool = True,
          ids: np.ndarray | None = None) -> Mismatch | None:  # fmt: skip
    concerned, affected = truth.advance(one(i, y))
    held = truth.ids.copy() if ids is None else ids
    return truth.check(event, concerned, affected, told(notified, i), held, truth.values, exact=exact)


def test_the_lists_are_the_lowest_in_range() -> None:
    truth = truth_of(X, Y, L, R, 2)
    assert truth.ids.tolist() == [[3, 2], [1, 0], [3, -1]]
    assert truth.values.tolist() == [[1.0, 2.0], [3.0, 4.0], [1.0, np.inf]]


def test_ties_are_ordered_by_id() -> None:
    assert truth_of(X, np.ones(4), L, R, 2).ids.tolist() == [[0, 1], [0, 1], [3, -1]]


def test_right_answers_pass() -> None:
    truth = truth_of(X, Y, L, R, 2)
    assert check(truth, 0, 1, 0.5, [0, 1]) is None
    assert check(truth, 1, 1, 9.0, [0, 1]) is None
    assert truth.ids.tolist() == [[3, 2], [0, 1], [3, -1]]


@pytest.mark.parametrize(
    ("notified", "exact", "subscription", "text"),
    [
        ([0], True, 1, "event 5: subscription 1 was not notified although its list changed"),
        ([0, 1, 1], True, 1, "event 5: subscription 1 was told of the same object twice"),
        ([0, 1, 2], True, 2, "event 5: subscription 2 was notified although nothing changed"),
    ],
)
def test_wrong_notifications_are_named(notified: list[int], exact: bool, subscription: int, text: str) -> None:
    fault = check(truth_of(X, Y, L, R, 2), 5, 1, 0.5, notified, exact=exact)
    assert fault is not None
    assert fault.subscription == subscription
    assert str(fault) == text


def test_the_x_of_an_object_in_a_list_counts() -> None:
    truth = truth_of(X, Y, L, R, 2)
    move = one(3, 1.0)._replace(x=np.array([0.6]))
    concerned, affected = truth.advance(move)
    assert concerned[affected].tolist() == [0, 2]
    assert truth.ids.tolist() == [[3, 2], [1, 0], [-1, -1]]
    concerned, affected = truth.advance(move)
    assert not affected.any()


def test_an_approach_that_is_not_exact_may_notify_more() -> None:
    assert check(truth_of(X, Y, L, R, 2), 5, 1, 0.5, [0, 1, 2], exact=False) is None


def test_a_wrong_list_is_shown_beside_the_right_one() -> None:
    truth = truth_of(X, Y, L, R, 2)
    fault = check(truth, 7, 1, 0.5, [0, 1], ids=np.array([[1, 3], [0, 1], [3, -1]]))
    assert str(fault) == "event 7: subscription 1 holds a wrong list: holds objects [0, 1], right is [1, 0]"
