"""Windows and chunks: the stream of events cut into what a server answers at once and what is held in memory.

A window is what the server answers with one round of messages: one event, or for Paint-Batch those within a count or
a time. Windows are cut by event numbers and timestamps, never by the clock of an engine, so that both engines answer
the same ones. A chunk is a run of whole windows; everything that grows with the number of events, messages and
deliveries is held for a few chunks at a time.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.workload.events import EventStream

__all__ = ["Chunk", "Window", "chunks_of", "windows_for_everybody", "windows_in_room"]

_WINDOWS = 128
_EVENTS = 8192
"""A chunk ends with the window that reaches one of these."""

_MOST_WINDOWS = 1024
_ROOM = 2**18
"""Windows, and messages, of a chunk whose messages are counted and not followed."""

_LEAST_WINDOWS = 16
_WATCHED = 2**18
"""Windows, and watched subscriptions of all of them, of a chunk whose events are told to everybody in range."""


class Window(NamedTuple):
    """How far a window reaches: so many events, or all events of so many seconds; one of them is None."""

    events: int | None = None
    seconds: float | None = None


class Chunk(NamedTuple):
    """Some windows of the stream, one after the other."""

    first: int
    """Number of the first event."""
    events: EventStream
    starts: NDArray[np.int64]
    """Where each window starts among the events of the chunk; one more entry than there are windows."""
    closes_s: NDArray[np.float64]
    """(windows,) when each window is complete: at its last event, or at the end of its time."""
    until_s: float = np.inf
    """When the first event of the next chunk arises."""

    @property
    def windows(self) -> int:
        """Number of windows."""
        return len(self.starts) - 1

    def window(self, at: int) -> EventStream:
        """Events of one window."""
        return self.events.part(int(self.starts[at]), int(self.starts[at + 1]))


def windows_in_room(k: int) -> int:
    """Windows of a chunk, where their messages are all that it holds: an event of one attribute has some k squared.

    A chunk takes a millisecond or two by itself, as long as a hundred events at small k.
    """
    return max(_WINDOWS, min(_MOST_WINDOWS, _ROOM // k**2))


def windows_for_everybody(watched: int) -> int:
    """Windows of a chunk, where each event is told to everybody in range, and so many subscriptions are watched.

    What is noted of a chunk's notifications then stays in the processor's caches.
    """
    return max(_LEAST_WINDOWS, min(_WINDOWS, _WATCHED // max(watched, 1)))


def chunks_of(
    events: EventStream,
    window: Window | None = None,
    cuts: NDArray[np.int64] | None = None,
    warm_up: int = 0,
    windows: int = _WINDOWS,
) -> Iterator[Chunk]:
    """Cut a stream into chunks of windows; by default every event is a window of its own. O(events) time.

    Parameters
    ----------
    cuts : int64 array, optional
        Events, ascending, at which a window and a chunk begin in any case.
    warm_up : int
        Windows, by count and by time, begin anew with this event: none holds events from both sides of it.
    windows : int
        Of a chunk, at most.
    """
    forced = np.union1d(np.empty(0, np.int64) if cuts is None else cuts, [warm_up] if warm_up else [])
    starts, closes_s = _windows(events.time_s, window, forced.astype(np.int64), warm_up)
    begins = np.isin(starts, forced)
    at = 0
    while at < len(closes_s):
        end = min(at + windows, max(int(np.searchsorted(starts, starts[at] + _EVENTS)), at + 1), len(closes_s))
        cut = np.flatnonzero(begins[at + 1 : end])
        end = at + 1 + int(cut[0]) if len(cut) else end
        first, last = int(starts[at]), int(starts[end])
        until_s = float(events.time_s[last]) if last < len(events.time_s) else np.inf
        yield Chunk(first, events.part(first, last), starts[at : end + 1] - first, closes_s[at:end], until_s)
        at = end


def _windows(
    time_s: NDArray[np.float64], window: Window | None, cuts: NDArray[np.int64], warm_up: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Where windows start, and when each closes. Windows of time that hold no event are left out."""
    count = len(time_s)
    if window is None or window.seconds is None:
        every = 1 if window is None or window.events is None else window.events
        grid = np.concatenate((np.arange(0, warm_up, every), np.arange(warm_up, count, every), [count]))
        starts = np.union1d(grid, cuts)
        return starts, time_s[starts[1:] - 1]
    origin_s = np.where(np.arange(count) < warm_up, 0.0, time_s[warm_up] if warm_up else 0.0)
    # Rounded, so that 0.3 s opens the fourth window of 0.1 s: as floats it falls short of three times 0.1.
    number = np.floor(np.round((time_s - origin_s) / window.seconds, 9))
    starts = np.union1d(np.append(np.flatnonzero(np.diff(number, prepend=-1.0)), count), cuts)
    last = starts[1:] - 1
    whole = np.append(number, np.inf)[starts[1:]] != number[last]  # not ended early by a cut
    whole &= starts[1:] != (warm_up or -1)
    ends_s = np.maximum(origin_s[last] + (number[last] + 1) * window.seconds, time_s[last])
    return starts, np.where(whole, ends_s, time_s[last])
