"""The ledger: what an engine with a clock notes beside the deliveries."""

from collections import Counter
from dataclasses import dataclass, field

from simulator.engine.fault_log import FaultLog, FaultRow

__all__ = ["Ledger"]


@dataclass
class Ledger:
    """What an engine with a clock notes beside the deliveries."""

    happened: Counter[str] = field(default_factory=Counter)
    """Faults, by what they are."""
    server_busy_s: float = 0.0
    server_waited_s: float = 0.0
    """Time that windows waited for the server to be free, added up."""
    end_s: float = 0.0
    """When the last message arrived."""
    faults: FaultLog | None = None
    """Every fault by itself, where somebody takes them away."""

    def note(self, row: FaultRow) -> None:
        """Log a fault, if faults are logged."""
        if self.faults is not None:
            self.faults.note(row)
