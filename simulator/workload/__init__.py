"""Events: their kinds, arrivals and mix, traces of them, and the windows and chunks that a stream is cut into."""

from simulator.workload.arrivals import ARRIVALS
from simulator.workload.event_kinds import EVENT_KINDS
from simulator.workload.events import DELETE, INSERT, KINDS, LOWER, MOVE, RAISE, EventStream
from simulator.workload.origins import ORIGINS
from simulator.workload.windows import Chunk, Window, chunks_of
from simulator.workload.workload import Workload

__all__ = [
    "ARRIVALS",
    "DELETE",
    "EVENT_KINDS",
    "INSERT",
    "KINDS",
    "LOWER",
    "MOVE",
    "ORIGINS",
    "RAISE",
    "Chunk",
    "EventStream",
    "Window",
    "Workload",
    "chunks_of",
]
