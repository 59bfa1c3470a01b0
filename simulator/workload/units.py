"""Units: quantities that a scenario writes with their unit ("10ms", "2kB", "50/s", "100Mbps").

A quantity is text: a decimal number, then a unit, with at most one space between. A number alone is refused, since
nobody can tell what it counts. In the program a quantity is a plain number in one fixed unit, which the name of the
attribute tells (`broker_s`, `rate_per_s`). Reading is exact up to one rounding, and what is written reads back equal.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Context, Decimal, Inexact, InvalidOperation, Overflow
from fractions import Fraction
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

__all__ = ["BANDWIDTH", "DURATION", "RATE", "SIZE", "Dimension", "Quantity"]

# Enough for any finite float written in full, few enough for Python's limit on digits.
_NUMBER = r"[0-9]{1,400}(?:\.[0-9]{1,400})?"
_EXACT = Context(prec=1000, traps=[Inexact, InvalidOperation, Overflow])


@dataclass(frozen=True, eq=False)
class Dimension:
    """What a quantity measures, the units it may be written in, and its bounds.

    Attributes
    ----------
    units : mapping of str to Fraction
        Each unit in terms of the one the program uses, smallest first.
    least, most : str
        Bounds, both allowed.
    whole : bool
        Whether the program's unit cannot be divided.
    """

    name: str
    units: Mapping[str, Fraction]
    example: str
    least: str
    most: str
    whole: bool = False

    def parse(self, text: object) -> float:
        """Read a quantity; an int where the dimension is whole.

        Raises
        ------
        ValueError
            Rule and remedy: no text, no number, no unit, another dimension's unit, out of bounds.
        """
        match = re.fullmatch(rf"({_NUMBER}) ?({self._alternatives})", text) if isinstance(text, str) else None
        if match is None:
            raise ValueError(
                f"must be a {self.name}: a number and its unit in quotes, the unit one of {', '.join(self.units)}; "
                f'write for example "{self.example}"'
            )
        exact = self._exact(match)
        if exact < self._bound(self.least):
            raise ValueError(f"must be at least {self.least}; raise it")
        if exact > self._bound(self.most):
            raise ValueError(f"must be at most {self.most}; lower it")
        if not self.whole:
            return float(exact)
        if exact.denominator != 1:
            raise ValueError(f"must be a whole number of {next(iter(self.units))}; round it")
        return int(exact)

    def format(self, value: float) -> str:
        """Write a quantity so that `parse` gives the value back.

        The unit is the one that makes the shortest text; of those, one that needs no decimals, the program's own, or
        the largest, in this order.
        """
        texts = []
        for unit, factor in self.units.items():
            try:
                scaled = _EXACT.multiply(Decimal(str(value)), Decimal(factor.denominator))
                number = _EXACT.divide(scaled, Decimal(factor.numerator)).normalize(_EXACT)
            except Inexact:  # a third of a minute, say
                continue
            text = f"{number:f}{unit}"
            texts.append((len(text), "." in text, factor != 1, -factor, text))
        return min(texts)[-1]

    @property
    def pattern(self) -> str:
        """A regular expression for editors, which leaves bounds aside."""
        return rf"^[0-9]+(\.[0-9]+)? ?({self._alternatives})$"

    @property
    def _alternatives(self) -> str:
        return "|".join(self.units)

    def _exact(self, match: re.Match[str]) -> Fraction:
        return Fraction(match[1]) * self.units[match[2]]

    def _bound(self, text: str) -> Fraction:
        match = re.fullmatch(rf"({_NUMBER})({self._alternatives})", text)
        if match is None:
            raise ValueError(f"the bound of a {self.name} must be a number and its unit, got {text!r}")
        return self._exact(match)


def _powers(first: int, *units: str) -> dict[str, Fraction]:
    """Units a thousand times one another, the first 1000 ** first of the program's unit."""
    return {unit: Fraction(1000) ** power for power, unit in enumerate(units, start=first)}


DURATION = Dimension(
    "duration",
    _powers(-3, "ns", "us", "ms", "s") | {"min": Fraction(60), "h": Fraction(3600)},
    example="10ms",
    least="0s",
    most="1000h",
)
"""In seconds."""

RATE = Dimension(
    "rate",
    {"/h": Fraction(1, 3600), "/min": Fraction(1, 60), "/s": Fraction(1)},
    example="50/s",
    least="0.000001/s",
    most="1000000000/s",
)
"""Per second."""

SIZE = Dimension("size", _powers(0, "B", "kB", "MB", "GB"), example="24B", least="1B", most="1GB", whole=True)
"""In bytes; a kB is 1000 B."""

BANDWIDTH = Dimension(
    "bandwidth", _powers(-2, "bps", "kbps", "Mbps", "Gbps"), example="100Mbps", least="1bps", most="1000000Gbps"
)
"""In megabits per second."""


@dataclass(frozen=True)
class Quantity:
    """Marks a number of a scenario's table as written with a unit: `Annotated[float, Quantity(DURATION)]`."""

    dimension: Dimension

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Read with `Dimension.parse`, write with `Dimension.format`."""
        return core_schema.no_info_plain_validator_function(
            self._read, serialization=core_schema.plain_serializer_function_ser_schema(self.dimension.format)
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Text of a number and a unit, for editors."""
        return {
            "type": "string",
            "title": self.dimension.name,
            "pattern": self.dimension.pattern,
            "examples": [self.dimension.example],
        }

    def _read(self, value: object) -> float:
        try:
            return self.dimension.parse(value)
        except ValueError as error:
            raise PydanticCustomError("quantity", "{rule}", {"rule": str(error)}) from error
