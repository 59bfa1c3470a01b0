"""The stream of events: the walk the paper's tables were calibrated with, Gaussian steps, mixtures and arrivals."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from floor.errors import RangecastError
from simulator.inputs import event_stream
from simulator.inputs.event_stream import make_events
from simulator.scenario.scenario import Scenario
from simulator.scenario.tables import Events
from simulator.workload.arrivals import ARRIVALS
from simulator.workload.event_kinds import EVENT_KINDS
from simulator.workload.events import DELETE, INSERT, KINDS, LOWER, MOVE, RAISE, EventStream
from simulator.workload.traces import Updates

Floats = NDArray[np.float64]


def purposes(seed: int) -> Callable[[str], np.random.Generator]:
    return lambda purpose: np.random.default_rng([seed, *purpose.encode()])


def near(brokers: int) -> Floats:
    """Delays between brokers that are all in one place."""
    return np.zeros((brokers, brokers))


def stream(**keys: Any) -> tuple[Floats, Floats, EventStream]:
    """Objects and events on them; what is no key of a scenario's events has a default here."""
    n, k, seed, brokers = (
        keys.pop(name, value) for name, value in (("n", 50), ("k", 5), ("seed", 1), ("brokers", 7))
    )
    x, y = np.random.default_rng(9).random((2, n))
    events = Events.model_validate({"count": 4000} | keys)
    return x, y, make_events(events, x, y, k, near(brokers), purposes(seed))


def old_values(y: Floats, events: EventStream) -> Floats:
    """The y that each event's object had before it, +inf if it was not there."""
    now = dict(enumerate(y.tolist()))
    old = []
    for i, new in zip(events.object.tolist(), events.y.tolist(), strict=True):
        old.append(now.get(i, np.inf))
        now[i] = new
    return np.array(old)


def test_a_uniform_event_is_uniform_on_its_side_of_the_evolving_y() -> None:
    _, y, events = stream()
    old, lowers = old_values(y, events), events.kind == LOWER
    assert set(events.kind.tolist()) == {RAISE, LOWER}
    assert ((events.y >= 0) & (events.y < 1)).all()
    assert (events.y[lowers] >= old[lowers]).all()
    assert (events.y[~lowers] <= old[~lowers]).all()
    shares = np.where(lowers, (events.y - old) / (1 - old), events.y / np.maximum(old, 1e-300))
    assert np.abs(np.histogram(shares, 4, (0, 1))[0] / 4000 - 0.25).max() < 0.03
    assert abs(lowers.mean() - 0.5) < 0.03


@pytest.mark.parametrize("volatility", [0.1, 1.0, 40.0])
def test_a_gaussian_step_is_reflected_at_the_ends(volatility: float) -> None:
    _, y, events = stream(kind="gaussian", volatility=volatility)
    assert ((events.y >= 0) & (events.y < 1)).all()
    old = old_values(y, events)
    np.testing.assert_array_equal(events.kind == LOWER, events.y > old)
    if volatility == 0.1:  # where the ends are far, steps are as drawn
        middle = (old > 0.1) & (old < 0.9)
        assert abs((events.y - old)[middle].std() - 0.1 / 8) < 0.001
    steps = np.random.default_rng(3).normal(scale=volatility / 8, size=1)
    first = EVENT_KINDS["gaussian"](np.array([0.25]), np.array([0]), volatility, np.random.default_rng(3))
    place = 0.25 + steps[0]
    while not 0 <= place <= 1:
        place = -place if place < 0 else 2 - place
    np.testing.assert_allclose(first, [place], atol=1e-12)


def follow(x: Floats, y: Floats, events: EventStream, k: int) -> dict[int, tuple[float, float]]:
    """Play a stream by its rules, one event after the other."""
    now = dict(enumerate(zip(x.tolist(), y.tolist(), strict=True)))
    fresh = len(now)
    for i, new_x, new_y, kind in zip(*(column.tolist() for column in events[:4]), strict=True):
        if kind == INSERT:
            assert i == fresh
            fresh += 1
            assert x.min() <= new_x <= x.max()
            assert y.min() <= new_y <= y.max()
            now[i] = (new_x, new_y)
            continue
        old_x, old_y = now.pop(i)
        if kind == DELETE:
            assert (new_x, new_y) == (old_x, np.inf)
            assert len(now) >= k
            continue
        now[i] = (new_x, new_y)
        if kind == MOVE:
            assert new_y == old_y
            assert x.min() <= new_x <= x.max()
        else:
            assert new_x == old_x
            assert (new_y > old_y) == (kind == LOWER)
    return now


@pytest.mark.parametrize("attributes", [2, 3])
def test_a_mixture_over_several_attributes(attributes: int) -> None:
    """Who does what is as over one; a move changes some attributes, every choice alike, and the others stay."""
    shares = {"insert": 0.2, "delete": 0.1, "move": 0.4}
    _, y, alone = stream(**shares)
    x = np.random.default_rng(8).random((len(y), attributes)) * np.arange(1, attributes + 1)
    about = Events.model_validate({"count": 4000} | shares)
    events = make_events(about, x, y, 5, near(7), purposes(1))
    for name in ("object", "y", "kind", "time_s", "origin"):
        np.testing.assert_array_equal(getattr(events, name), getattr(alone, name))
    assert events.x.shape == (4000, attributes)
    assert ((x.min(axis=0) <= events.x) & (events.x <= x.max(axis=0))).all()
    now, choices = dict(enumerate(x.tolist())), list[tuple[bool, ...]]()
    for i, place, kind in zip(events.object.tolist(), events.x.tolist(), events.kind.tolist(), strict=True):
        if kind == MOVE:
            choices.append(tuple(old != new for old, new in zip(now[i], place, strict=True)))
        elif kind != INSERT:
            assert place == now[i]
        now[i] = place
    counts = Counter(choices)
    assert len(counts) == 2**attributes - 1
    assert not counts[(False,) * attributes]
    assert max(counts.values()) < 1.4 * min(counts.values())
    entered = events.x[events.kind == INSERT]
    assert np.abs(np.median(entered, axis=0) - np.median(x, axis=0)).max() < 0.1 * attributes


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(1, 9),
    k=st.integers(1, 9),
    shares=st.tuples(*[st.sampled_from([0.0, 0.1, 0.3])] * 3),
    kind=st.sampled_from(sorted(EVENT_KINDS)),
    seed=st.integers(0, 1000),
)
def test_a_mixture_follows_the_rules(n: int, k: int, shares: tuple[float, ...], kind: str, seed: int) -> None:
    keys = dict(zip(("insert", "delete", "move"), shares, strict=True))
    x, y, events = stream(n=n, k=k, seed=seed, count=150, kind=kind, **keys)
    follow(x, y, events, min(k, n))


def test_all_in_turn() -> None:
    _, _, events = stream(n=7, k=1, count=30, pick="turn", kind="gaussian")
    assert events.object.tolist() == [event % 7 for event in range(30)]


def test_shares_are_as_asked() -> None:
    _, _, events = stream(insert=0.2, delete=0.1, move=0.05)
    assert np.abs(np.bincount(events.kind)[2:] / 4000 - [0.2, 0.1, 0.05]).max() < 0.02
    _, _, all_moves = stream(move=1.0)
    assert set(all_moves.kind.tolist()) == {MOVE}


def test_deletions_stop_at_k_objects() -> None:
    x, y, events = stream(delete=1.0, k=20)
    assert np.count_nonzero(events.kind == DELETE) == 30
    assert len(follow(x, y, events, 20)) == 20
    assert set(events.kind[30:].tolist()) <= {RAISE, LOWER}


def test_same_seed_same_stream_and_the_given_objects_are_not_touched() -> None:
    keys = {"insert": 0.1, "delete": 0.1, "move": 0.1, "arrival": "poisson"}
    x, y, first = stream(**keys)
    again_x, again_y, second = stream(**keys)
    np.testing.assert_array_equal((x, y), (again_x, again_y))
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a, b)
    assert not np.array_equal(first.y, stream(seed=2, **keys)[2].y)


@pytest.mark.parametrize(
    ("keys", "changed"),
    [
        ({"arrival": "poisson"}, {"time_s"}),
        ({"brokers": 3}, {"origin"}),
        ({"kind": "gaussian"}, {"y", "kind"}),
    ],
    ids=["arrival", "brokers", "kind"],
)
def test_a_change_of_one_part_leaves_the_others(keys: dict[str, Any], changed: set[str]) -> None:
    _, _, one = stream(insert=0.1, delete=0.1)
    _, _, other = stream(insert=0.1, delete=0.1, **keys)
    differ = {name for name in one._fields if not np.array_equal(getattr(one, name), getattr(other, name))}
    assert differ == changed


def test_arrivals() -> None:
    def times(**keys: Any) -> Floats:
        return stream(**keys)[2].time_s

    np.testing.assert_allclose(np.diff(times()), 0.01)
    gaps = np.diff(times(arrival="poisson", rate="50/s"))
    assert abs(gaps.mean() - 0.02) < 0.0012
    assert abs(gaps.std() - 0.02) < 0.002
    assert set(times(arrival="at-once").tolist()) == {0.0}
    bursts = times(arrival="bursts", burst=3, gap="2s", count=8)
    assert bursts.tolist() == [0, 0, 0, 2, 2, 2, 4, 4]
    assert (np.diff(times(arrival="bursts", burst=7, gap="0.1s")) >= 0).all()


def test_a_kind_and_an_arrival_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EVENT_KINDS, "halves", lambda y, objects, _volatility, _rng: y[objects] / 2)
    monkeypatch.setitem(ARRIVALS, "slow", lambda count, _pace, _rng: 60.0 * np.arange(count))
    keys = {"kind": "halves", "arrival": "slow"}
    Scenario.model_validate({"name": "mine", "approaches": ["unicast"], "events": keys})
    _, y, events = stream(count=3, **keys)
    np.testing.assert_array_equal(events.y, y[events.object] / 2)
    assert events.time_s.tolist() == [0, 60, 120]
    assert [KINDS[kind] for kind in events.kind] == ["raise"] * 3


def test_no_objects_no_events() -> None:
    with pytest.raises(ValueError, match="at least one object"):
        stream(n=0)


def lasting(duration: str, **keys: Any) -> EventStream:
    """Events until a time is over."""
    x, y = np.random.default_rng(9).random((2, 50))
    return make_events(Events.model_validate({"duration": duration} | keys), x, y, 5, near(7), purposes(1))


def test_a_duration_has_the_events_that_arise_in_it() -> None:
    assert len(lasting("20s", rate="100/s").object) == 2000  # a rounding error more would lose the last
    assert lasting("0.3s", rate="10/s").time_s.tolist() == pytest.approx([0.1, 0.2, 0.3])
    assert len(lasting("1s", arrival="bursts", burst=4, gap="300ms").object) == 16
    for duration in ("3s", "30s"):
        found = lasting(duration, arrival="poisson", rate="100/s")
        assert len(found.object) == pytest.approx(float(duration[:-1]) * 100, rel=0.15)
        longer = stream(arrival="poisson", rate="100/s", count=len(found.object) + 1)[2]
        assert found.time_s.tolist() == longer.time_s[:-1].tolist()
        assert longer.time_s[-1] > float(duration[:-1])


def test_a_duration_and_a_count_that_come_to_the_same_give_the_same_events() -> None:
    one, other = lasting("4s", rate="50/s"), stream(rate="50/s", count=200)[2]
    for column in EventStream._fields:
        assert np.array_equal(getattr(one, column), getattr(other, column))


def test_a_duration_cuts_a_trace() -> None:
    count = 10
    ids, zeros = np.zeros(count, np.int64), np.zeros(count)
    trace = Updates(ids, zeros, zeros, np.zeros(count, np.int8), np.arange(count, dtype=float))
    events = Events.model_construct(arrival="trace", speed=2.0, duration_s=2.5, warm_up=0)
    assert make_events(events, np.zeros(1), np.zeros(1), 1, near(3), purposes(1), trace).time_s.tolist() == [
        0.0, 0.5, 1.0, 1.5, 2.0, 2.5,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ({"duration": "1ms", "rate": "10/s"}, "events.duration = 1ms: no event arises in that time"),
        (
            {"duration": "1s", "rate": "10/s", "warm_up": 10},
            "events.warm_up = 10: must be below the number of",
        ),
        ({"duration": "1000h", "rate": "1000000/s"}, "events.duration = 1000h: more than "),
    ],
)
def test_a_duration_that_leaves_nothing_or_has_no_end_is_told(
    keys: dict[str, Any], line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_stream, "_MOST", 10_000)
    with pytest.raises(RangecastError) as told:
        lasting(**keys)
    assert str(told.value).startswith(line)
