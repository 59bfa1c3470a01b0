"""Verification must find what is wrong: each kind of fault is planted once."""

import numpy as np
import pytest

from simulator.receivers import Received
from simulator.verify import Fault, Truth

X = np.array([0.1, 0.2, 0.3, 0.4])
Y = np.array([4.0, 3.0, 2.0, 1.0])
L = np.array([0.0, 0.0, 0.35])
R = np.array([1.0, 0.25, 0.5])


def received(subscriptions: list[int], i: int) -> Received:
    told = np.array(subscriptions, np.int64)
    return Received(told, np.full(len(told), i))


def check(truth: Truth, event: int, i: int, y: float, notified: list[int], *, exact: bool = True,
          ids: np.ndarray | None = None) -> Fault | None:  # fmt: skip
    concerned, affected = truth.advance(i, y)
    held = truth.ids.copy() if ids is None else ids
    return truth.check(event, concerned, affected, received(notified, i), held, truth.values, exact=exact)


def test_the_lists_are_the_lowest_in_range() -> None:
    truth = Truth(X, Y, L, R, 2)
    assert truth.ids.tolist() == [[3, 2], [1, 0], [3, -1]]
    assert truth.values.tolist() == [[1.0, 2.0], [3.0, 4.0], [1.0, np.inf]]


def test_ties_are_ordered_by_id() -> None:
    assert Truth(X, np.ones(4), L, R, 2).ids.tolist() == [[0, 1], [0, 1], [3, -1]]


def test_right_answers_pass() -> None:
    truth = Truth(X, Y, L, R, 2)
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
    fault = check(Truth(X, Y, L, R, 2), 5, 1, 0.5, notified, exact=exact)
    assert fault is not None
    assert fault.subscription == subscription
    assert str(fault) == text


def test_an_approach_that_is_not_exact_may_notify_more() -> None:
    assert check(Truth(X, Y, L, R, 2), 5, 1, 0.5, [0, 1, 2], exact=False) is None


def test_a_wrong_list_is_shown_beside_the_right_one() -> None:
    truth = Truth(X, Y, L, R, 2)
    fault = check(truth, 7, 1, 0.5, [0, 1], ids=np.array([[1, 3], [0, 1], [3, -1]]))
    assert str(fault) == "event 7: subscription 1 holds a wrong list: holds objects [0, 1], right is [1, 0]"
