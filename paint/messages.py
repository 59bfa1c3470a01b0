"""The message table: what the server sends, and what a subscription does with it.

A message Msg(l_in, r_in, l_out, r_out, object) reaches the subscription [l, r] iff

    l_out < l <= l_in  and  r_in <= r < r_out

(Section II-A with half-open sides: the inner range [l_in, r_in] lies in [l, r], and [l, r] in the open outer
range). A side that is open is -inf or +inf; a subscription end that is infinite is kept as the largest finite
float, so that the condition holds for it. Every message of an event with `cause` UPDATE carries the object the
event is about; EXPOSED ones carry an object that replaces it in some list.

What a subscription does with the messages of an event, in their order:

1. An object whose x lies outside its range, or whose y is infinite (the object is gone; the infinity is the one that
   ranks last), leaves its list.
2. An object its list holds takes the new x and y.
3. Any other object enters; if the list then holds more than k, the last in rank leaves.

Rank is by (y, object id), ties in x are ordered by (x, object id).

**Several attributes.** Over d > 1 attributes l_in, r_in, l_out, r_out and x are vectors of d numbers (`message_of`),
a subscription has an l and an r for each attribute, and the condition holds for every one of them. An attribute with
an upper bound only, the last one of 1.5 or 2.5 dimensions, has l_in = +inf and l_out = -inf there: whatever stands
for the missing left end, -inf kept as the largest finite float, is within.

**Halfspaces and disks** are points of D upper sides (`paint.shapes`): l_in, r_in, l_out and r_out are vectors of D
numbers, with l_in = +inf and l_out = -inf, and x is a vector of d. "Outside its range" in 1 above is what
`paint.shapes.holds` says.
"""

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit, njit_inner

__all__ = [
    "EXPOSED",
    "MESSAGE",
    "UNICAST",
    "UPDATE",
    "Messages",
    "holds_some",
    "message_of",
    "reserve",
    "stamp",
    "stamp_box",
]

MESSAGE = np.dtype(
    [
        ("l_in", "f8"),
        ("r_in", "f8"),
        ("l_out", "f8"),
        ("r_out", "f8"),
        ("x", "f8"),
        ("y", "f8"),
        ("object", "i8"),
        ("cause", "i8"),
    ]
)


def message_of(attributes: int, ends: int | None = None) -> np.dtype[np.void]:
    """Type of messages over d attributes: MESSAGE for one, with vectors of d numbers for more.

    Ranges may have another number of ends than there are attributes: those of disks have three, of two attributes.
    """
    if attributes == 1:
        return MESSAGE
    count = attributes if ends is None else ends
    ranges = [(name, "f8", (count,)) for name in ("l_in", "r_in", "l_out", "r_out")]
    return np.dtype([*ranges, ("x", "f8", (attributes,)), ("y", "f8"), ("object", "i8"), ("cause", "i8")])


UNICAST = np.dtype([("subscription", "i8"), ("dropped", "i8"), ("object", "i8"), ("y", "f8")])
"""A message to one subscription: take one object out of the list, put one in; -1 is none (see `paint.unicast`)."""

UPDATE = 0
EXPOSED = 1


def holds_some(
    l_in: NDArray[np.float64], r_in: NDArray[np.float64], l_out: NDArray[np.float64], r_out: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Whether each region holds a range l <= r at all; no if one of its sides is not a number.

    Where l_in <= r_in all of it lies in S. Where l_in > r_in the diagonal cuts it off, and what is left holds the
    outermost corner, if anything is left.
    """
    found: NDArray[np.bool_] = (l_out < l_in) & (r_in < r_out)
    inside = l_in <= r_in
    if not inside.all():
        inside |= np.nextafter(l_out, np.inf) <= np.nextafter(r_out, -np.inf)
    return found & inside


class Messages:
    """The messages of one event or of a stream of events.

    Attributes
    ----------
    table : structured array of MESSAGE or UNICAST
        The messages, in the order in which subscriptions must see them.
    offsets : int64 array, one longer than the number of events
        The messages of event e are `table[offsets[e]:offsets[e + 1]]`.
    costs : int64 array of shape (events, 4), or None
        What each event of a replayed stream cost: calls of first_k, min_y and snap, and emptiness tests of merging.
    paper_costs : int64 array of shape (events, 3), or None
        The same calls as the paper counts them (see `paint.sparse`).
    """

    __slots__ = ("_offsets", "costs", "paper_costs", "table")

    def __init__(
        self,
        table: NDArray[np.void],
        offsets: NDArray[np.int64] | None = None,
        costs: NDArray[np.int64] | None = None,
        paper_costs: NDArray[np.int64] | None = None,
    ) -> None:
        self.table = table
        self._offsets = offsets
        self.costs = costs
        self.paper_costs = paper_costs

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where each event's messages start and the last one's end; for a single event made when asked for."""
        if self._offsets is None:
            self._offsets = np.array((0, len(self.table)))
        return self._offsets

    @classmethod
    def of_event(cls, rows: NDArray[np.float64], dtype: np.dtype[np.void]) -> "Messages":
        """Copy the rows of one event out of a buffer that will be written again, by the cheapest way there is."""
        return cls(np.frombuffer(bytearray(rows), dtype) if len(rows) else np.empty(0, dtype))

    @classmethod
    def of_rows(
        cls, rows: NDArray[np.float64], offsets: NDArray[np.int64], dtype: np.dtype[np.void] = MESSAGE
    ) -> "Messages":
        """Take rows as kernels write them: float64, a column per field, those of int64 fields in disguise."""
        return cls(rows.view(dtype)[:, 0], offsets)

    @classmethod
    def of_stream(cls, rows: NDArray[np.float64], marks: NDArray[np.int64], dtype: np.dtype[np.void]) -> "Messages":
        """Take the rows of a stream with its marks, see `paint.algorithm.mark`."""
        counters = np.diff(marks[:, 1:], axis=0)
        paper_costs = counters[:, :3].copy()
        paper_costs[:, 1:] += counters[:, 4:6]
        return cls(rows.view(dtype)[:, 0], marks[:, 0].copy(), counters[:, :4], paper_costs)

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        return f"Messages({len(self.table)} messages of {len(self.offsets) - 1} events)"


@njit
def reserve(out: NDArray[np.float64], row: int, count: int) -> NDArray[np.float64]:
    """Give back `out`, or a larger copy of its first `row` rows, with room for `count` more rows."""
    if row + count <= len(out):
        return out
    larger = np.empty((2 * len(out) + count, out.shape[1]), np.float64)
    for at in range(row):
        for field in range(out.shape[1]):
            larger[at, field] = out[at, field]
    return larger


@njit_inner
def stamp(out: NDArray[np.float64], row: int, end: int, x: float, y: float, i: int, cause: int) -> None:
    """Turn the tiles in rows `row` to `end` (columns 0 to 3) into messages that carry object i."""
    whole = out.view(np.int64)
    for at in range(row, end):
        out[at, 4] = x
        out[at, 5] = y
        whole[at, 6] = i
        whole[at, 7] = cause


@njit_inner
def stamp_box(
    out: NDArray[np.float64], row: int, end: int, x: NDArray[np.float64], y: float, i: int, cause: int
) -> None:
    """Turn the boxes in rows `row` to `end` into messages that carry object i, which has several attributes."""
    whole = out.view(np.int64)
    first = out.shape[1] - 3 - len(x)
    for at in range(row, end):
        for j in range(len(x)):
            out[at, first + j] = x[j]
        out[at, first + len(x)] = y
        whole[at, first + len(x) + 1] = i
        whole[at, first + len(x) + 2] = cause
