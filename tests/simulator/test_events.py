"""The stream of events: the walk the paper's tables were calibrated with."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from simulator.events import EventStream, uniform_events


def stream(arrival: Literal["fixed", "poisson"] = "fixed") -> tuple[NDArray[np.float64], EventStream]:
    y = np.random.default_rng(9).random(50)
    rng = np.random.default_rng(1)
    return y, uniform_events(y, count=4000, brokers=7, rate_per_s=100.0, arrival=arrival, rng=rng)


def test_every_event_stays_on_its_side_of_the_evolving_y() -> None:
    start, events = stream()
    y = start.copy()
    shares = []
    for i, new, kind in zip(events.object, events.y, events.kind, strict=True):
        assert (new >= y[i]) if kind else (new <= y[i])
        assert 0 <= new < 1
        shares.append((new - y[i]) / (1 - y[i]) if kind else new / y[i])
        y[i] = new
    assert abs(np.mean(shares) - 0.5) < 0.02
    assert abs(np.mean(events.kind) - 0.5) < 0.03


def test_same_seed_same_stream_and_the_given_y_is_not_touched() -> None:
    start, first = stream()
    again, second = stream()
    np.testing.assert_array_equal(start, again)
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a, b)


def test_arrivals_have_the_rate_asked_for() -> None:
    _, fixed = stream()
    np.testing.assert_allclose(np.diff(fixed.time_s), 0.01)
    _, poisson = stream(arrival="poisson")
    gaps = np.diff(poisson.time_s)
    assert abs(gaps.mean() - 0.01) < 0.0006
    assert abs(gaps.std() - 0.01) < 0.001
