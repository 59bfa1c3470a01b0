"""Windows and chunks against the obvious: a loop over the events with a count or a clock in hand."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.workload import windows
from simulator.workload.events import EventStream
from simulator.workload.windows import Window, chunks_of, windows_for_everybody, windows_in_room


def stream(times: list[float]) -> EventStream:
    count = len(times)
    numbers, zeros = np.arange(count), np.zeros(count)
    return EventStream(numbers, zeros, zeros, np.zeros(count, np.int8), np.array(times, float), numbers)


def windows_of(times: list[float], window: Window | None, warm_up: int = 0) -> list[tuple[list[int], float]]:
    """Events of each window and when it closes, from the windows."""
    found, number = [], 0
    for chunk in chunks_of(stream(times), window, None, warm_up):
        assert not chunk.first < warm_up < chunk.first + len(chunk.events.object)
        assert chunk.first == number
        assert chunk.starts[0] == 0
        assert chunk.starts[-1] == len(chunk.events.object)
        assert chunk.windows == len(chunk.closes_s)
        for at in range(chunk.windows):
            found.append((chunk.window(at).object.tolist(), float(chunk.closes_s[at])))
        number += len(chunk.events.object)
    assert number == len(times)
    return found


def by_count(times: list[float], size: int) -> list[tuple[list[int], float]]:
    groups = [list(range(at, min(at + size, len(times)))) for at in range(0, len(times), size)]
    return [(group, times[group[-1]]) for group in groups]


def by_time(ticks: list[int], length: int) -> list[tuple[list[int], float]]:
    """Window w holds the events with w length <= tick < (w + 1) length; whole numbers, so there is no rounding."""
    found = []
    for number in range(max(ticks, default=-1) // length + 1):
        group = [at for at, tick in enumerate(ticks) if number * length <= tick < (number + 1) * length]
        if group:
            found.append((group, float((number + 1) * length)))
    return found


ticks = st.lists(st.integers(0, 40), max_size=30).map(sorted)


@settings(deadline=None)
@given(ticks=ticks, size=st.integers(1, 40), most=st.sampled_from([(256, 8192), (2, 5), (1, 1)]))
def test_cut_by_count(ticks: list[int], size: int, most: tuple[int, int]) -> None:
    times = [float(tick) for tick in ticks]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(windows, "_WINDOWS", most[0])
        patch.setattr(windows, "_EVENTS", most[1])
        assert windows_of(times, Window(events=size)) == by_count(times, size)
        assert windows_of(times, None) == by_count(times, 1)


@settings(deadline=None)
@given(ticks=ticks, length=st.integers(1, 60), most=st.sampled_from([(256, 8192), (2, 5)]))
def test_cut_by_time(ticks: list[int], length: int, most: tuple[int, int]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(windows, "_WINDOWS", most[0])
        patch.setattr(windows, "_EVENTS", most[1])
        assert windows_of([float(tick) for tick in ticks], Window(seconds=float(length))) == by_time(ticks, length)


@settings(deadline=None)
@given(ticks=ticks.filter(bool), size=st.integers(1, 40), data=st.data())
def test_windows_begin_anew_after_the_warm_up(ticks: list[int], size: int, data: st.DataObject) -> None:
    """As if the events before and after were two streams, the second with a clock that starts at its first event."""
    warm_up = data.draw(st.integers(1, len(ticks) - 1)) if len(ticks) > 1 else 0
    before, after = ticks[:warm_up], ticks[warm_up:]
    start = after[0] if warm_up else 0
    times = [float(tick) for tick in ticks]
    counted = by_count(times[:warm_up], size) + [
        ([at + warm_up for at in group], closes) for group, closes in by_count(times[warm_up:], size)
    ]
    assert windows_of(times, Window(events=size), warm_up) == counted
    *whole, last = by_time(before, size) or [([], 0.0)]
    early = [(last[0], times[warm_up - 1])] if warm_up else []  # it waits for no more events
    timed = [
        ([at + warm_up for at in group], closes + start)
        for group, closes in by_time([tick - start for tick in after], size)
    ]
    assert windows_of(times, Window(seconds=float(size)), warm_up) == [*whole, *early, *timed]


def test_the_warm_up_by_hand() -> None:
    times = [0.0, 0.5, 0.7, 1.2, 1.6, 2.0]
    assert windows_of(times, Window(seconds=1.0), 2) == [([0, 1], 0.5), ([2, 3, 4], 1.7), ([5], 2.7)]
    assert windows_of(times, Window(events=4), 1) == [([0], 0.0), ([1, 2, 3, 4], 1.6), ([5], 2.0)]
    assert windows_of(times, None, 3) == windows_of(times, None)


def test_edges_by_hand() -> None:
    """An event on the edge opens the next window, empty windows are left out, events of one time stay together."""
    times = [0.0, 0.5, 0.5, 1.0, 1.0, 3.0, 7.5]
    assert windows_of(times, Window(seconds=0.5)) == [
        ([0], 0.5), ([1, 2], 1.0), ([3, 4], 1.5), ([5], 3.5), ([6], 8.0),
    ]  # fmt: skip
    assert windows_of(times, Window(seconds=100.0)) == [([0, 1, 2, 3, 4, 5, 6], 100.0)]
    assert windows_of(times, Window(events=3)) == [([0, 1, 2], 0.5), ([3, 4, 5], 3.0), ([6], 7.5)]
    assert windows_of([], Window(seconds=1.0)) == windows_of([], Window(events=2)) == windows_of([], None) == []


@pytest.mark.parametrize("seconds", [0.1, 0.3, 0.05, 1 / 3])
def test_no_window_closes_before_its_last_event_or_overlaps_the_next(seconds: float) -> None:
    """Times that are multiples of a length without an exact float."""
    times = [step * seconds for step in range(500)]
    found = windows_of(times, Window(seconds=seconds))
    assert [group for group, _ in found] == [[event] for event in range(500)]
    for (group, closes), (_, closes_next) in pairwise(found):
        assert times[group[-1]] <= closes < closes_next


def test_a_fixed_rate_fills_every_window_alike() -> None:
    times = (np.arange(1, 1001) / 100).tolist()
    assert [len(group) for group, _ in windows_of(times, Window(seconds=0.05))] == [4, *[5] * 199, 1]


def test_a_chunk_ends_with_the_window_that_fills_it() -> None:
    sizes = [len(chunk.events.object) for chunk in chunks_of(stream([0.0] * 20_000), Window(events=3000))]
    assert sum(sizes) == 20_000
    assert max(sizes) < 8192 + 3000
    assert [chunk.windows for chunk in chunks_of(stream([0.0] * 600))] == [128, 128, 128, 128, 88]


@pytest.mark.parametrize("most", [1, 3, 100])
def test_a_chunk_has_no_more_windows_than_are_asked_for(most: int) -> None:
    times = [float(at) for at in range(20)]
    chunks = list(chunks_of(stream(times), Window(events=2), windows=most))
    assert [chunk.windows for chunk in chunks] == [min(most, 10 - at) for at in range(0, 10, most)]
    assert np.concatenate([chunk.events.object for chunk in chunks]).tolist() == list(range(20))


def test_the_longer_the_lists_the_fewer_windows_are_in_memory() -> None:
    rooms = [windows_in_room(k) for k in (1, 10, 20, 40, 80, 1000)]
    assert rooms == sorted(rooms, reverse=True)
    assert rooms[0] == 1024
    assert rooms[-1] == 128
    assert all(128 < room <= 2**18 / k**2 for k, room in zip((20, 40), rooms[2:4], strict=True))


def test_the_more_are_watched_the_fewer_windows_are_in_memory() -> None:
    assert [windows_for_everybody(watched) for watched in (0, 1, 2048)] == [128, 128, 128]
    assert 16 < windows_for_everybody(8000) <= 2**18 / 8000
    assert windows_for_everybody(10**7) == 16
