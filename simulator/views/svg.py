"""Places in drawings: a frame with axes, linear or logarithmic, that says where values lie.

What is drawn there, and how, is said by templates (`templates/marks.svg` has the frame itself).

Whose fonts a page is read with is not known here: every reader has others. Room around a frame is in multiples of the
size of its text, for fonts as wide and as high as those of common systems get.
"""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

__all__ = ["Axis", "Box", "Frame", "Spot", "Tick", "number", "numbers"]


_WIDE, _TALL, _DEEP = 0.64, 1.1, 0.3
"""Of the widest and highest fonts that systems come with, in sizes of the text: a digit's width (DejaVu, Verdana),
and how far a line reaches above and below the foot of its letters (Noto, Segoe)."""
_MIDDLE, _GAP, _VALUES, _NAME = 0.35, 0.4, 1.4, 1.3
"""Likewise: from the foot of a digit to its middle, between the frame and the values at its left, and from the frame
down to the foot of the values, and on to that of what they are called."""


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
        raw = (self.high - self.low) / 6
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
    text : int
        Size of its text where that is largest, as on phones.
    left : float
        Room at the left at least, for frames that are to stand in line; more where values and the name of the axis
        up the drawing need it.

    Attributes
    ----------
    left, right, top, bottom : float
        Where the area ends.
    x_values, x_name : float
        How far down the feet of the values along the drawing stand, and of what they are called.
    y_values, y_name : float
        Where the values up the drawing end, and where the foot of what they are called stands, which is turned.
    """

    def __init__(
        self,
        x: Axis,
        y: Axis,
        title: str,
        *,
        width: int = 520,
        height: int = 340,
        text: int = 17,
        left: float = 0,
    ) -> None:
        self.x_axis, self.y_axis, self.title = x, y, title
        self.width, self.height, self._text = width, height, text
        longest = max(map(len, numbers(y.ticks())), default=1)
        values, name = _WIDE * longest + _GAP, _TALL + _DEEP if y.label else 0.2
        self.left = max(left, round(text * (name + values)))
        self.right, self.top = round(width - 1.3 * text), round(text * (_TALL - _MIDDLE))
        self.bottom = round(height - text * (_DEEP + _VALUES + (_NAME if x.label else 0)))
        self.x_values = round(self.bottom + _VALUES * text)
        self.x_name, self.y_name = round(height - _DEEP * text), round(_TALL * text)
        self.y_values = round(self.left - _GAP * text)

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
        """Values along the drawing, as many as there is room for; what would be cut has no name."""
        letter, room = _WIDE * self._text, self.right - self.left
        values, told = self.x_axis.ticks(), numbers(self.x_axis.ticks())
        every = max(1, math.ceil(len(values) * letter * (max(map(len, told), default=1) + 1) / room))
        ticks = self._named(letter) or [*map(Tick, map(self.x, values[::every]), told[::every])]
        return [
            tick if tick.place + letter * len(tick.label) / 2 <= self.width else tick._replace(label="")
            for tick in ticks
        ]

    def _named(self, letter: float) -> list[Tick]:
        """Of the values that have names those whose names do not touch, from the left; long names are cut."""
        most = max(6, int((self.right - self.left) / letter / max(1, min(len(self.x_axis.named), 4))) - 1)
        kept, end = [], -math.inf
        for value, name in self.x_axis.named:
            short = name if len(name) <= most else f"{name[: most - 1]}…"
            place, half = self.x(value), letter * (len(short) + 1) / 2
            if place - half >= end:
                kept.append(Tick(place, short))
                end = place + half
        return kept

    @property
    def y_ticks(self) -> list[Tick]:
        """Round values up the drawing."""
        values = self.y_axis.ticks()
        return [Tick(self.y(value), name) for value, name in zip(values, numbers(values), strict=True)]
