"""Values that stand for a file, or for what one holds: nodes of brokers, and ranges of x."""

from math import isfinite
from typing import Annotated

from pydantic_core import PydanticCustomError

from simulator.scenario.table import Checked

__all__ = ["Intervals", "Nodes", "pairs_of"]

Pair = tuple[float, float]


def _nodes(value: object) -> tuple[int | str, ...]:
    """Nodes, each once; a file has been read before."""
    named = value if isinstance(value, list | tuple) else ()
    if named and all((type(one) is int and one >= 0) or (isinstance(one, str) and one) for one in named):
        if len(set(named)) == len(named):
            return tuple(named)
        repeated = next(one for one in named if named.count(one) > 1)
        rule = f"node {repeated} stands there twice, and a node has one broker; remove the repetition"
        raise PydanticCustomError("nodes", "{rule}", {"rule": rule, "value": None})
    rule = (
        "must be nodes, by number from 0 or by name as in topology.file, or a file with a column `node` or `name`; "
        "write for example [3, 17]"
    )
    raise PydanticCustomError("nodes", "{rule}", {"rule": rule})


def _pair(value: object) -> Pair | None:
    """Two finite numbers in ascending order; None if it is something else."""
    ends = value if isinstance(value, list | tuple) and len(value) == 2 else (0, 0)
    numbers = all(isinstance(end, int | float) and not isinstance(end, bool) and isfinite(end) for end in ends)
    return (float(ends[0]), float(ends[1])) if numbers and ends[0] < ends[1] else None


def _intervals(value: object) -> Pair | tuple[Pair, ...]:
    one = _pair(value)
    if one is not None:
        return one
    pairs = [_pair(each) for each in value] if isinstance(value, list | tuple) else []
    several = tuple(pair for pair in pairs if pair is not None)
    if len(several) == len(pairs) > 1:
        return several
    rule = (
        "must be two finite numbers in ascending order, or such a pair for each attribute; write for example [0, 10]"
    )
    raise PydanticCustomError("interval", "{rule}", {"rule": rule})


def pairs_of(intervals: Pair | tuple[Pair, ...], attributes: int) -> tuple[Pair, ...]:
    """The range of each attribute; one alone stands for all."""
    return intervals if isinstance(intervals[0], tuple) else (intervals,) * attributes


_NODE = {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "minLength": 1}]}
Nodes = Annotated[
    tuple[int | str, ...],
    Checked(
        _nodes,
        (
            {"type": "array", "title": "list of nodes", "items": _NODE, "minItems": 1, "uniqueItems": True},
            {"type": "string"},
        ),
    ),
]
_PAIR = {"type": "array", "title": "two numbers", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}
Intervals = Annotated[
    Pair | tuple[Pair, ...],
    Checked(_intervals, (_PAIR, {"type": "array", "title": "list of such pairs", "items": _PAIR, "minItems": 2})),
]
