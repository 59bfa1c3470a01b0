"""The log of faults: everything that goes wrong, when and where, until a collector takes it away."""

from typing import NamedTuple

__all__ = ["FaultLog", "FaultRow"]


class FaultRow(NamedTuple):
    """One row of `faults.parquet`; None where it does not apply."""

    time_s: float
    what: str
    why: str | None = None
    broker: int | None = None
    sender: int | None = None
    receiver: int | None = None
    event: int | None = None
    """First event of the window that the message answers."""
    message: int | None = None
    """Number of the message among those of its window."""
    seconds: float | None = None


class FaultLog:
    """Faults noted since they were last taken away, in the order in which they became known."""

    def __init__(self) -> None:
        self._rows: list[FaultRow] = []

    def note(self, row: FaultRow) -> None:
        """Add a fault."""
        self._rows.append(row)

    def drain(self) -> list[FaultRow]:
        """Take away what was noted."""
        rows, self._rows = self._rows, []
        return rows
