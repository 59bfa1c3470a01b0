"""When something was down or cut off, from the rows of `faults.parquet`."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from simulator.views.report.wording import in_a_row

__all__ = ["KINDS", "Span", "fault_spans", "within"]

KINDS = {"crash": "broker down", "partition": "brokers cut off", "server crash": "server down"}
"""What lasts, by the row that begins it."""
_ENDS = {"return": "crash", "heal": "partition"}


class Span(NamedTuple):
    """From `start_s` to `end_s` something was down or cut off."""

    start_s: float
    end_s: float
    kind: str
    """A key of `KINDS`."""
    brokers: tuple[int, ...]

    @property
    def told(self) -> str:
        """Who was down, in words."""
        if self.kind == "server crash":
            return "the server is down"
        names = in_a_row([str(broker) for broker in self.brokers])
        who = f"broker{'' if len(self.brokers) == 1 else 's'} {names}"
        state = "down" if self.kind == "crash" else "cut off"
        return f"{who} {'is' if len(self.brokers) == 1 else 'are'} {state}"


def fault_spans(faults: pa.Table, end_s: float) -> list[Span]:
    """All spans of one approach, by their start; what does not end lasts until `end_s`."""
    open_: dict[tuple[str, int], float] = {}
    found: dict[tuple[float, float, str], list[int]] = {}
    for row in sorted(faults.to_pylist(), key=lambda row: row["time"]):
        what, broker = row["what"], -1 if row["broker"] is None else row["broker"]
        if what == "server crash":
            found.setdefault((row["time"], row["time"] + (row["seconds"] or 0.0), what), [])
        elif what in KINDS:
            open_.setdefault((what, broker), row["time"])
        elif what in _ENDS and (_ENDS[what], broker) in open_:
            kind = _ENDS[what]
            found.setdefault((open_.pop((kind, broker)), row["time"], kind), []).append(broker)
    for (kind, broker), start_s in open_.items():
        found.setdefault((start_s, max(end_s, start_s), kind), []).append(broker)
    return [Span(*key, tuple(sorted(brokers))) for key, brokers in sorted(found.items())]


def within(spans: Sequence[Span], start_s: NDArray[np.float64], length_s: NDArray[np.float64]) -> Any:
    """Of slices of time, which of them some span touches; an array of bool."""
    touched = np.zeros(len(start_s), np.bool_)
    for span in spans:
        touched |= (start_s < span.end_s) & (start_s + length_s > span.start_s)
    return touched
