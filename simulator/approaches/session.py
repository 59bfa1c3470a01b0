"""Sessions: an approach at work on one stream of events, and what it sends."""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from floor.errors import RangecastError
from paint import UNICAST
from paint.messages import holds_some, message_of
from simulator.workload.places import attributes_in
from simulator.workload.windows import Chunk

__all__ = ["Asked", "Outgoing", "Session", "ask"]


class Asked(NamedTuple):
    """What subscriptions ask the server for, each for its own list, as columns in the order of time."""

    subscription: NDArray[np.int64]
    time_s: NDArray[np.float64]
    """When it asks, from the chunk's first event on and before the next chunk's."""
    window: NDArray[np.int64]
    """The last window of the chunk that is there by then; the answer knows all up to it, and nothing later."""
    starts: NDArray[np.int64]
    """Where the rows of each answer start; one more entry than there are questions. Every row is of an answer."""
    since_s: NDArray[np.float64]
    """When the first event arose that the answer tells of; NaN where it has no rows."""
    costs: NDArray[np.int64]
    """Calls of the server for each answer, shape (questions, 3); those of `Outgoing` include them."""

    @property
    def row_of(self) -> NDArray[np.int64]:
        """(rows,) number of the question that each row answers."""
        return np.repeat(np.arange(len(self.time_s)), np.diff(self.starts))


class Outgoing(NamedTuple):
    """What an approach sends for a chunk of events."""

    table: NDArray[np.void]
    """Rows of `paint.MESSAGE`, or of `paint.UNICAST` for an approach that writes to single subscriptions. Over d
    attributes the former are of `paint.messages.message_of(d)`: l_in, r_in, l_out, r_out and x are vectors of d; of
    disks of `message_of(2, 3)`, as ranges of S have three ends."""
    offsets: NDArray[np.int64]
    """Where each window's rows start; one more entry than there are windows."""
    costs: NDArray[np.int64]
    """Calls of the server per window, shape (windows, 3): first_k, min_y, snap."""
    asked: Asked | None = None
    """Which questions the rows answer, where subscriptions ask; else they are sent when their window is answered."""
    apart: NDArray[np.int64] | None = None
    """What is counted apart per window, shape (windows, 3): emptiness tests of merging, and min_y and snap as the
    paper counts them. None if there are no tests and the paper would count as `costs` does."""

    @property
    def questions(self) -> int:
        """How many questions are answered."""
        return 0 if self.asked is None else len(self.asked.time_s)


class Session(ABC):
    """An approach at work on one stream of events, from a workload on; made as `session(workload, approach)`."""

    @abstractmethod
    def answer(self, chunk: Chunk) -> Outgoing:
        """Messages for the next windows of the stream."""

    def regions(self, chunk: Chunk) -> Outgoing | None:  # noqa: ARG002 - most approaches cannot tell
        """Instead of `answer`, for messages to single subscriptions: disjoint `paint.MESSAGE` rows that hold them.

        None, and nothing has happened, if it cannot tell.
        """
        return None

    def subscribe(self, l: Any, r: Any) -> None:  # noqa: B027 - most approaches need not know
        """Take note of a new subscription; ids go on from those of the workload.

        Its ends are numbers, over several attributes lists of d numbers.
        """

    def unsubscribe(self, subscription: int) -> None:  # noqa: B027
        """Take note that a subscription is gone."""


def ask(session: Session, chunk: Chunk, ends: int | None = None) -> Outgoing:
    """Messages of a session for the next windows of the stream.

    Parameters
    ----------
    ends : int, optional
        Numbers of a range in a message, where it is not one for each attribute.

    Raises
    ------
    RangecastError
        A session of a user's own answers with something else, or with rows, offsets or costs that are malformed.
    """
    try:
        outgoing = session.answer(chunk)
    except SystemExit as error:
        raise RangecastError(f"{type(session).__name__}.answer ends the program; mend the approach") from error
    wrong = _mistake(outgoing, chunk, ends)
    if wrong is not None:
        raise RangecastError(f"{type(session).__name__}.answer must return {wrong}; mend the approach")
    return outgoing


def _mistake(outgoing: object, chunk: Chunk, ends: int | None) -> str | None:
    """What an answer should have been, and is; None if it is. O(messages)."""
    if not isinstance(outgoing, Outgoing):
        return f"an Outgoing, got {outgoing!r:.80}"
    table, offsets, costs, asked, apart = outgoing
    parts = (table, offsets, costs, *(asked or ()), *(() if apart is None else (apart,)))
    if not all(isinstance(part, np.ndarray) for part in parts):
        return f"an Outgoing of arrays, got {' and '.join(type(part).__name__ for part in parts)}"
    windows = chunk.windows
    attributes = attributes_in(chunk.events.x)
    if table.dtype not in (message_of(attributes, ends), UNICAST) or table.ndim != 1:
        more = "" if ends in (None, attributes) else f", {ends}"
        rows = "paint.MESSAGE" if attributes == 1 else f"paint.messages.message_of({attributes}{more})"
        return f"a table of {rows} or paint.UNICAST rows, got {table.dtype} of shape {table.shape}"
    if offsets.dtype.kind != "i" or offsets.shape != (windows + 1,):
        told = f"integer offsets, one more than the {windows} windows"
        return f"{told}, got {offsets.dtype} of shape {offsets.shape}"
    if offsets[0] != 0 or offsets[-1] != len(table) or (np.diff(offsets) < 0).any():
        return f"offsets that ascend from 0 to {len(table)}, the number of rows, got {_few(offsets)}"
    if costs.dtype.kind != "i" or costs.shape != (windows, 3):
        return f"integer costs of shape ({windows}, 3), got {costs.dtype} of shape {costs.shape}"
    if costs.min(initial=0) < 0:
        return f"costs of at least 0, got {_few(costs[costs.min(axis=1).argmin()])}"
    if apart is not None and (apart.dtype.kind != "i" or apart.shape != (windows, 3)):
        return f"integer counts apart of shape ({windows}, 3), got {apart.dtype} of shape {apart.shape}"
    return _wrong_row(table) or (None if asked is None else _wrong_question(table, offsets, asked, chunk))


def _wrong_row(table: NDArray[np.void]) -> str | None:
    if table.dtype == UNICAST:
        wrong = table["subscription"] < 0
        rule = "rows with subscription >= 0"
    else:
        empty = ~holds_some(table["l_in"], table["r_in"], table["l_out"], table["r_out"])
        wrong = empty if empty.ndim == 1 else np.logical_or.reduce(empty, axis=1)
        rule = "rows with l_out < l_in and r_in < r_out whose region holds some range l <= r"
        rule += " in every attribute" if empty.ndim > 1 else ""
    return f"{rule}, got {table[wrong.argmax()]} in row {int(wrong.argmax())}" if wrong.any() else None


def _wrong_question(table: NDArray[np.void], offsets: NDArray[np.int64], asked: Asked, chunk: Chunk) -> str | None:
    count = len(asked.time_s)
    shapes = [(count,), (count,), (count,), (count + 1,), (count,), (count, 3)]
    if [column.shape for column in asked] != shapes or table.dtype != UNICAST:
        return "paint.UNICAST rows, and columns of Asked that are equally long, starts one longer, costs in threes"
    began_s = chunk.events.time_s[chunk.starts[:-1]]
    window = np.searchsorted(began_s, asked.time_s, side="right") - 1
    if (np.diff(asked.time_s) < 0).any() or not np.array_equal(window, asked.window) or window.min(initial=0) < 0:
        return "questions in the order of time, each with the last window that is there by then"
    if asked.time_s.max(initial=-np.inf) >= chunk.until_s:
        return f"questions before {chunk.until_s:g} s, when the next chunk begins"
    answers = asked.starts[np.searchsorted(window, np.arange(chunk.windows + 1))]
    if asked.starts[0] != 0 or (np.diff(asked.starts) < 0).any() or not np.array_equal(answers, offsets):
        return "rows that are all of an answer, in the order of the questions"
    wrong = table["subscription"] != asked.subscription[asked.row_of]
    return f"rows to those who asked, got {table[wrong.argmax()]}" if wrong.any() else None


def _few(values: NDArray[np.int64]) -> str:
    return " ".join(str(np.array2string(values, threshold=6, edgeitems=3)).split())
