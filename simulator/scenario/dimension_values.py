"""Dimensions: over how many attributes ranges are, and what follows from that for messages."""

from typing import Annotated

from pydantic_core import PydanticCustomError

from paint.sides import DIMENSIONS, sides_of
from simulator.scenario.table import Checked

__all__ = ["Dimensions", "message_bytes", "message_values"]

_VALUE_BYTES = 4


def _dimensions(value: object) -> float:
    if type(value) in (int, float) and value in DIMENSIONS:
        return next(one for one in DIMENSIONS if one == value)
    offered = ", ".join(map(str, DIMENSIONS))
    rule = f"must be one of {offered}; .5 is one more attribute with an upper bound only; choose one of them"
    raise PydanticCustomError("dimensions", "{rule}", {"rule": rule})


Dimensions = Annotated[float, Checked(_dimensions, ({"enum": list(DIMENSIONS)},))]


def message_values(dimensions: float) -> int:
    """How many values a message to a region has: two for each side, x in every attribute, and y."""
    sides = sides_of(dimensions)
    return 2 * len(sides.sign) + int(sides.attribute[-1]) + 2


def message_bytes(dimensions: float) -> int:
    """Bytes of a message to a region by the paper's cost model: 24, 36, 44, 56 and 64 B in 1, 1.5, 2, 2.5 and 3."""
    return _VALUE_BYTES * message_values(dimensions)
