"""Places in drawings: a frame with axes, linear or logarithmic, that says where values lie.

What is drawn there, and how, is said by templates (`templates/marks.svg` has the frame itself).
"""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

__all__ = ["Axis", "Box", "Frame", "Spot", "Tick", "number", "numbers"]


_LETTER = 9.6
"""Width of a digit at most, as large as phones get them."""


class Axis(NamedTuple):
    """Values from `low` to `high`, which are different, and both above 0 when `log`."""

    label: str
    low: float
    high: float
    log: bool = False
    named: tuple[tuple[float, str], ...] = ()
    """Values to mark and what they are called, in place of round ones."""

    def share(self, value: float) -> float:
        """Where a value lies between the ends, 0 to 1; values beyond stay at the end."""
        value = min(max(value, self.low), self.high)
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def ticks(self) -> list[float]:
        """About five round values."""
        if self.log:
            first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
            every = max(1, math.ceil((last - first + 1) / 6))
            return [10.0**power for power in range(first, last + 1, every)]
        raw = (self.high - self.low) / 5
        unit = 10.0 ** math.floor(math.log10(raw))
        step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= raw * 0.999)
        first = math.ceil(self.low / step - 1e-9)
        return [count * step for count in range(first, math.floor(self.high / step + 1e-9) + 1)]


def number(value: float, digits: int = 3) -> str:
    """Few digits, thousands and more with a unit: 1.2k, 30M; small ones by their power of ten: 2e-4."""
    size = abs(value)
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if size >= limit:
            return f"{value / limit:.{digits}g}{unit}"
    if size < 1e-12:
        return "0"
    return f"{value:.{digits}g}" if size >= 1e-3 else _power(value, digits)


def _power(value: float, digits: int) -> str:
    factor, _, power = f"{value:.{digits - 2}e}".partition("e")
    return f"{factor.removesuffix('.0')}e{int(power)}"


def numbers(values: Sequence[float]) -> list[str]:
    """Values in as few digits as it takes to tell them apart, three at least."""
    for digits in range(3, 17):
        told = [number(value, digits) for value in values]
        if len(set(told)) == len(values):
            return told
    return [repr(value) for value in values]


class Tick(NamedTuple):
    """A round value of an axis: its place in the drawing, and its name."""

    place: float
    label: str


class Spot(NamedTuple):
    """A point of a drawing."""

    x: float
    y: float


class Box(NamedTuple):
    """A rectangle of a drawing, by its upper left corner."""

    x: float
    y: float
    width: float
    height: float


class Frame:
    """An area between two axes: values become places in the drawing.

    Parameters
    ----------
    title : str
        What the drawing shows, read aloud in its place.
    """

    def __init__(self, x: Axis, y: Axis, title: str, *, width: int = 520, height: int = 340, left: int = 62) -> None:
        self.x_axis, self.y_axis, self.title = x, y, title
        self.width, self.height = width, height
        self.left, self.right, self.top, self.bottom = left, width - 22, 12, height - (46 if x.label else 28)

    def x(self, value: float) -> float:
        """Place of a value along the drawing."""
        return round(self.left + self.x_axis.share(value) * (self.right - self.left), 2)

    def y(self, value: float) -> float:
        """Place of a value down the drawing."""
        return round(self.bottom - self.y_axis.share(value) * (self.bottom - self.top), 2)

    def spot(self, x: float, y: float) -> Spot:
        """Place of a point."""
        return Spot(self.x(x), self.y(y))

    def box(self, extent: Sequence[float]) -> Box:
        """Place of a rectangle from x_lo to x_hi and y_lo to y_hi."""
        x_lo, x_hi, y_lo, y_hi = extent
        left, right, top, bottom = self.x(x_lo), self.x(x_hi), self.y(y_hi), self.y(y_lo)
        return Box(left, top, round(right - left, 2), round(bottom - top, 2))

    def path(self, points: Iterable[Sequence[float]]) -> str:
        """Places of points one after the other, as the attribute `points` wants them."""
        return " ".join(f"{self.x(x)},{self.y(y)}" for x, y in points)

    @property
    def x_ticks(self) -> list[Tick]:
        """Round values along the drawing, as many as there is room for; those that would be cut have no name."""
        if self.x_axis.named:
            return [Tick(self.x(value), label) for value, label in self.x_axis.named]
        values = self.x_axis.ticks()
        told = numbers(values)
        longest = _LETTER * max(map(len, told), default=1)
        every = max(1, math.ceil(len(values) * (longest + _LETTER) / (self.right - self.left)))
        ticks = [Tick(self.x(value), name) for value, name in zip(values, told, strict=True)][::every]
        return [tick if tick.place + longest / 2 <= self.width else tick._replace(label="") for tick in ticks]

    @property
    def y_ticks(self) -> list[Tick]:
        """Round values up the drawing."""
        values = self.y_axis.ticks()
        return [Tick(self.y(value), name) for value, name in zip(values, numbers(values), strict=True)]

    @staticmethod
    def margin(axis: Axis) -> int:
        """Room at the left for the values of an axis up the drawing and for its name."""
        return round(34 + _LETTER * max(map(len, numbers(axis.ticks())), default=1))
