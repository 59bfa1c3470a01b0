"""Values that say where the server is."""

from typing import Annotated

from pydantic_core import PydanticCustomError

from simulator.scenario.table import Checked

__all__ = ["BrokerOrCentre"]


def _broker_or_centre(value: object) -> int | str:
    if value == "centre" or (type(value) is int and value >= 0):
        return value
    rule = 'must be "centre" or the number of a broker, from 0 on; write for example 3'
    raise PydanticCustomError("broker", "{rule}", {"rule": rule})


BrokerOrCentre = Annotated[
    int | str, Checked(_broker_or_centre, ({"const": "centre"}, {"type": "integer", "minimum": 0}))
]
