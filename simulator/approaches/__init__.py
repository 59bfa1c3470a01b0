"""Approaches: how events become messages."""

from simulator.approaches.approach import Approach
from simulator.approaches.registry import APPROACHES, parse_approach
from simulator.approaches.session import Asked, Outgoing, Session
from simulator.workload.workload import Workload

__all__ = ["APPROACHES", "Approach", "Asked", "Outgoing", "Session", "Workload", "parse_approach"]
