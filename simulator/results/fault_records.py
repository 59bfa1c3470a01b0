"""Rows of `faults.parquet`: everything that went wrong, when and where."""

from collections import Counter
from collections.abc import Callable, Sequence

import pyarrow as pa

from pipeline import FAULTS
from simulator.engine.carried import Carried
from simulator.engine.fault_log import FaultLog, FaultRow

__all__ = ["FaultRecords", "fault_table"]


def fault_table(name: str, rows: Sequence[FaultRow]) -> pa.Table:
    """Faults of an approach in the columns of `faults.parquet`. O(rows)."""
    columns = list(zip(*rows, strict=True)) or [()] * len(FaultRow._fields)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, list(FAULTS)[1:], strict=True)]
    return pa.table([pa.repeat(name, len(rows)), *arrays], schema=FAULTS)


_OF_LINKS = {
    "loss": "transmissions lost",
    "in vain": "transmissions in vain",
    "resend": "transmissions sent again",
    "delay": "transmissions held up",
    "duplicate": "transmissions doubled",
}
"""What happens to transmissions, as it is told when they are counted."""


class FaultRecords:
    """Hands on the rows of `faults.parquet`; what happened since the last chunk is taken from the log with each.

    Parameters
    ----------
    happened : Counter
        To which what happened to transmissions is added.
    """

    def __init__(self, name: str, log: FaultLog, happened: Counter[str], write: Callable[[pa.Table], None]) -> None:
        self._name, self._log, self._happened, self._write = name, log, happened, write

    def take(self, carried: Carried) -> None:  # noqa: ARG002 (the log knows more than the chunk)
        """Tell what went wrong until a chunk had arrived."""
        rows = self._log.drain()
        kinds = ("in vain" if row.why == "anew" else row.what for row in rows)
        self._happened.update(_OF_LINKS[kind] for kind in kinds if kind in _OF_LINKS)
        self._write(fault_table(self._name, rows))
