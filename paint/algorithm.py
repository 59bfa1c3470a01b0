"""What a server and its algorithm say to each other: settings, counters and what an event can ask."""

from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit
from paint.geometry import Cut
from paint.index import ObjectIndex
from paint.known_subscriptions import KnownSubscriptions

__all__ = [
    "COUNTERS",
    "EMPTY",
    "FIRST_K",
    "MIN_X2",
    "MIN_Y",
    "MIN_Y_APART",
    "SNAP",
    "SNAP_APART",
    "Algorithm",
    "Batching",
    "Change",
    "Outlining",
    "Plan",
    "Rows",
    "make_marks",
    "mark",
]

Rows = NDArray[np.float64]
"""Messages as kernels write them: shape (messages, fields), see `paint.messages.Messages.of_rows`."""

FIRST_K = 0
MIN_Y = 1
SNAP = 2
EMPTY = 3
MIN_Y_APART = 4
SNAP_APART = 5
MIN_X2 = 6
COUNTERS = 7


class Plan(NamedTuple):
    """What a server's algorithm is set to; kernels take it whole.

    Attributes
    ----------
    k : int
        Length of the lists.
    cut : Cut
        Which neighbouring tiles are sent as one box; EACH for an exact algorithm.
    sign : float
        1.0, or -1.0 when the largest y ranks first: the index then holds -y, and messages carry the true y.
    costs : int64 array of 7
        Calls so far of first_k, min_y and snap, and emptiness tests of merging; then by how much the paper's way of
        counting min_y and snap (Tables III, IV and VI) is above ours, below 0 if it is less; last those of the least
        x2, which only `paint.interval_search` asks for.
    """

    k: int
    cut: Cut
    sign: float
    costs: NDArray[np.int64]


@njit
def make_marks(events: int) -> NDArray[np.int64]:
    """Make room for the marks of a stream: a row per event and one for the end, see `mark`."""
    return np.empty((events + 1, 1 + COUNTERS), np.int64)


@njit
def mark(marks: NDArray[np.int64], event: int, row: int, costs: NDArray[np.int64]) -> None:
    """Note where an event's messages start and what the counters stand at."""
    marks[event, 0] = row
    for at in range(COUNTERS):
        marks[event, 1 + at] = costs[at]


class Change(NamedTuple):
    """What a window makes of one object; y is +inf while it is not there, an x over several attributes a tuple."""

    id: int
    x_0: Any
    y_0: float
    x_1: Any
    y_1: float

    @property
    def moves(self) -> bool:
        """Whether it is there before and after, at two places."""
        return bool(self.x_0 != self.x_1) and max(self.y_0, self.y_1) < np.inf


class Algorithm(Protocol):
    """Message generation over an object index; `takes` names the optional settings of the server it understands.

    Values of y are those of the index. Rows given back by the first four methods hold until the next call.
    """

    takes: ClassVar[frozenset[str]]

    def __init__(self, index: ObjectIndex, plan: Plan, subscribers: KnownSubscriptions) -> None: ...

    @property
    def dtype(self) -> np.dtype[np.void]:
        """Type of its messages."""

    def change(self, i: int, y: float) -> Rows:
        """Give object i a new y, in the index too; the messages, none if y is what it was."""

    def enter(self, i: int) -> Rows:
        """Tell of object i, which was just put into the index."""

    def leave(self, i: int) -> Rows:
        """Tell that object i, still in the index, is about to be deleted."""

    def leave_for(self, i: int, x: float) -> Rows:
        """Tell those that lose object i as it moves to x; the index still has it at its old place."""

    def replay(self, ids: NDArray[np.int64], ys: NDArray[np.float64]) -> tuple[Rows, NDArray[np.int64]]:
        """Change one object after the other in one compiled call; rows of their own, and the marks of each event."""


@runtime_checkable
class Batching(Protocol):
    """An algorithm that Paint-Batch can be built on."""

    def batch(self, ids: NDArray[np.int64], ys: NDArray[np.float64], printed: bool) -> Rows:
        """Give each of these distinct objects a new y, in the index too; rows of their own (see `paint.batch`)."""

    def window(self, changes: list[Change]) -> Rows:
        """Change distinct objects, which may enter, leave and move, in the index too; rows (see `paint.window`)."""


@runtime_checkable
class Outlining(Protocol):
    """An algorithm that writes to single subscriptions and can tell the regions that hold them instead."""

    def regions(self, ids: NDArray[np.int64], ys: NDArray[np.float64]) -> tuple[Rows, NDArray[np.int64]]:
        """Change one object after the other; rows of `paint.MESSAGE`, of their own, and the marks of each event."""
