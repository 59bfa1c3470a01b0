"""Dimensions and shape: over how many attributes subscriptions are, of what kind, and what follows for messages."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic_core import PydanticCustomError

from paint.sides import DIMENSIONS
from pipeline import Form, distribution_shape, form_of
from simulator.scenario.table import Checked

__all__ = ["Dimensions", "form_in", "message_bytes", "message_values", "shape_of"]

_VALUE_BYTES = 4


def _dimensions(value: object) -> float:
    if type(value) in (int, float) and value in DIMENSIONS:
        return next(one for one in DIMENSIONS if one == value)
    offered = ", ".join(map(str, DIMENSIONS))
    rule = f"must be one of {offered}; .5 is one more attribute with an upper bound only; choose one of them"
    raise PydanticCustomError("dimensions", "{rule}", {"rule": rule})


Dimensions = Annotated[float, Checked(_dimensions, ({"enum": list(DIMENSIONS)},))]


def shape_of(file: object, shape: object, distribution: object) -> str:
    """What subscriptions are: a file's are noted when it is read, others follow from their distribution."""
    return str(shape or "boxes") if file is not None else distribution_shape(str(distribution))


def form_in(values: Mapping[str, Any]) -> Form | None:
    """What the values of a scenario say of its subscriptions; None if there are no such, which is told elsewhere."""
    about = values.get("subscriptions", {})
    keys = about if isinstance(about, dict) else {}
    try:
        return form_of(values.get("dimensions", 1), shape_of(*map(keys.get, ("file", "shape", "distribution"))))
    except (TypeError, ValueError):
        return None


def message_values(form: Form) -> int:
    """How many values a message to a region has: two for each side, x in every attribute, and y."""
    return 2 * len(form.sides.sign) + form.attributes + 1


def message_bytes(form: Form) -> int:
    """Bytes of a message to a region by the paper's cost model.

    Over ranges 24, 36, 44, 56 and 64 B in 1, 1.5, 2, 2.5 and 3 dimensions; halfspaces 28 and 40 in 2 and 3, disks 36.
    """
    return _VALUE_BYTES * message_values(form)
