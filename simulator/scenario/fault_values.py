"""Values of planned faults that are of several kinds: whom one concerns, and how much a link loses or delays."""

from typing import Annotated

from pydantic_core import PydanticCustomError

from simulator.scenario.table import Checked
from simulator.workload.units import DURATION

__all__ = ["LossOrDelay", "Whom"]

_MOST_LOSS = 0.9
"""Largest share of transmissions that a link may lose: of more, too few would ever arrive."""


def _whom(value: object) -> tuple[int, ...] | str:
    if value == "server":
        return "server"
    brokers = value if isinstance(value, list | tuple) else [value]
    if brokers and all(type(one) is int and one >= 0 for one in brokers) and len(set(brokers)) == len(brokers):
        return tuple(brokers)
    rule = 'must be numbers of brokers, each once, or "server"; write for example [3, 4]'
    raise PydanticCustomError("whom", "{rule}", {"rule": rule})


def _loss_or_delay(value: object) -> float | str:
    if isinstance(value, str):
        try:
            DURATION.parse(value)
        except ValueError as error:
            raise PydanticCustomError("quantity", "{rule}", {"rule": str(error)}) from error
        return value
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _MOST_LOSS:
        return float(value)
    rule = f'must be a share from 0 to {_MOST_LOSS}, or a duration; write for example 0.3 or "50ms"'
    raise PydanticCustomError("value", "{rule}", {"rule": rule})


_BROKER = {"type": "integer", "minimum": 0}
Whom = Annotated[
    tuple[int, ...] | str,
    Checked(
        _whom,
        ({"const": "server"}, _BROKER, {"type": "array", "items": _BROKER, "minItems": 1, "uniqueItems": True}),
    ),
]
LossOrDelay = Annotated[
    float | str,
    Checked(
        _loss_or_delay,
        (
            {"type": "number", "minimum": 0, "maximum": _MOST_LOSS},
            {"type": "string", "title": DURATION.name, "pattern": DURATION.pattern},
        ),
    ),
]
