"""Answers that are the same: of two approaches of a task, and of one approach from task to task.

An ε that leaves every level of the lists by itself, as all do at k = 1, is none. And what tells all whose ranges hold
an object (CN-Relax) knows nothing of lists: a sweep over k has the same messages and the same ways of them at every
k, and only what was needed differs. It is the engine `tally` that shares so, and only what is not verified.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from paint.arguments import cut_of
from simulator.approaches.registry import parse_approach
from simulator.approaches.server_session import ServerSession
from simulator.scenario.scenario import Scenario
from simulator.workload.events import EventStream

__all__ = ["answers_as", "keep_relaxed", "relaxed_before"]


def _algorithm(name: str) -> str | None:
    """The algorithm of an approach that is a server and nothing else; None for others, of which nothing is known."""
    opened = parse_approach(name).open
    if isinstance(opened, partial) and opened.func is ServerSession:
        return str(opened.keywords["algorithm"])
    return None


def answers_as(scenario: Scenario, name: str) -> object:
    """What the answers of an approach follow from: where two of a scenario have the same, one may be asked."""
    if scenario.engine != "tally" or scenario.verify != "none" or _algorithm(name) is None:
        return name
    approach = parse_approach(name)
    cut = cut_of(approach.epsilon, approach.cut, scenario.k)
    return replace(approach, exact=True, epsilon=None, cut=None), cut


class _Relaxed(NamedTuple):
    events: EventStream
    """Part of the setting; some kinds are drawn by k."""
    records: pa.Table


_KEPT = 4
"""Settings at a time: tasks of several sweeps over one population take turns. Some 20 MB each for 50,000 events."""

_last: dict[tuple[str, str], _Relaxed] = {}
"""Records of this process, by approach and setting, the oldest first."""


def _setting(scenario: Scenario) -> str:
    """All of a scenario that such an approach depends on."""
    return scenario.model_dump_json(exclude={"name", "approaches", "k"})


def _independent(scenario: Scenario, name: str) -> bool:
    """Whether the records of an approach, but for what is needed, do not depend on k."""
    return scenario.engine == "tally" and scenario.verify == "none" and _algorithm(name) == "relax"


def _same(one: Sequence[NDArray[Any]], other: Sequence[NDArray[Any]]) -> bool:
    return all(np.array_equal(column, beside) for column, beside in zip(one, other, strict=True))


def relaxed_before(scenario: Scenario, events: EventStream, name: str) -> pa.Table | None:
    """Records of an approach that a task before has kept, with what was needed there; O(events) to compare."""
    if not _independent(scenario, name):
        return None
    kept = _last.get((name, _setting(scenario)))
    return None if kept is None or not _same(kept.events, events) else kept.records


def keep_relaxed(scenario: Scenario, events: EventStream, name: str, records: pa.Table) -> None:
    """Keep the records of an approach for a task of another k, if they do not depend on it."""
    if not _independent(scenario, name):
        return
    _last[name, _setting(scenario)] = _Relaxed(events, records)
    if len(_last) > _KEPT:
        del _last[next(iter(_last))]
