"""Drawings as SVG text: a frame with labelled axes, linear or logarithmic, to which marks are added.

Colours are variables of the page's style (`simulator.page`): a drawing follows the reader's light or dark mode,
prints, and needs no script.
"""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from simulator.views.page import escape

__all__ = ["Axis", "Frame", "colour", "number", "stroke"]

_DASHES = ("8 6", "3 5", "10 5 3 5", "14 7", "10 5 3 5 3 5")
"""Of all series but the first, so that lines differ without colours, and show under those that coincide with them."""
_SHIFT = 5
"""Of dashes that come again, along the line, for the same reason."""


class Axis(NamedTuple):
    """Values from `low` to `high`, which are different, and both above 0 when `log`."""

    label: str
    low: float
    high: float
    log: bool = False

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


def number(value: float) -> str:
    """Few digits, thousands and more with a unit: 1.2k, 30M."""
    size = abs(value)
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if size >= limit:
            return f"{value / limit:.3g}{unit}"
    return "0" if size < 1e-12 else f"{value:.3g}"


def colour(at: int) -> str:
    """Colour of the series `at`."""
    return f"var(--c{at % 7})"


def stroke(at: int) -> str:
    """Attributes of the lines of series `at`: colour and dashes, no pair of which comes twice in 35 series."""
    if at == 0:
        return f'stroke="{colour(at)}"'
    again, dashes = divmod(at - 1, len(_DASHES))
    shift = f' stroke-dashoffset="{again * _SHIFT}"' if again else ""
    return f'stroke="{colour(at)}" stroke-dasharray="{_DASHES[dashes]}"{shift}'


class Frame:
    """An area between two axes; marks are given in the axes' values.

    Parameters
    ----------
    title : str
        What the drawing shows, read aloud in its place.
    """

    def __init__(self, x: Axis, y: Axis, title: str, *, width: int = 520, height: int = 340, left: int = 62) -> None:
        self._x, self._y, self._title = x, y, title
        self._width, self._height = width, height
        self._left, self._right, self._top, self._bottom = left, width - 22, 12, height - 46
        self._marks: list[str] = []

    def x(self, value: float) -> float:
        """Place of a value along the drawing."""
        return round(self._left + self._x.share(value) * (self._right - self._left), 2)

    def y(self, value: float) -> float:
        """Place of a value down the drawing."""
        return round(self._bottom - self._y.share(value) * (self._bottom - self._top), 2)

    def add(self, mark: str) -> None:
        """Add SVG as it is."""
        self._marks.append(mark)

    def line(self, points: Iterable[tuple[float, float]], at: int) -> None:
        """A line in the colour and with the dashes of series `at`."""
        path = " ".join(f"{self.x(x)},{self.y(y)}" for x, y in points)
        self.add(f'<polyline points="{path}" fill="none" {stroke(at)} stroke-width="2.2"/>')

    def box(self, box: Sequence[float], style: str, tip: str = "") -> None:
        """A rectangle from x_lo to x_hi and y_lo to y_hi; `style` are attributes, `tip` is text."""
        x_lo, x_hi, y_lo, y_hi = box
        left, right, top, bottom = self.x(x_lo), self.x(x_hi), self.y(y_hi), self.y(y_lo)
        inside = f"<title>{escape(tip)}</title></rect>" if tip else "</rect>"
        place = f'x="{left}" y="{top}" width="{round(right - left, 2)}" height="{round(bottom - top, 2)}"'
        self.add(f"<rect {place} {style}>{inside}")

    def dot(self, x: float, y: float, radius: float, style: str, tip: str = "") -> None:
        """A circle."""
        inside = f"<title>{escape(tip)}</title></circle>" if tip else "</circle>"
        self.add(f'<circle cx="{self.x(x)}" cy="{self.y(y)}" r="{radius}" {style}>{inside}')

    def text(self, x: float, y: float, text: str, style: str = 'text-anchor="middle"') -> None:
        """A word or two."""
        self.add(f'<text x="{self.x(x)}" y="{self.y(y)}" {style}>{escape(text)}</text>')

    def svg(self) -> str:
        """The drawing, axes under the marks."""
        head = f'<svg viewBox="0 0 {self._width} {self._height}" role="img" aria-label="{escape(self._title)}">'
        return "".join([head, *self._grid(), *self._marks, *self._labels(), "</svg>"])

    def _grid(self) -> list[str]:
        thin = 'stroke="var(--line)" stroke-width="0.7"'
        parts = []
        for value in self._x.ticks():
            at = self.x(value)
            parts.append(f'<line x1="{at}" y1="{self._top}" x2="{at}" y2="{self._bottom}" {thin}/>')
            parts.append(f'<text x="{at}" y="{self._bottom + 17}" text-anchor="middle">{number(value)}</text>')
        for value in self._y.ticks():
            at = self.y(value)
            parts.append(f'<line x1="{self._left}" y1="{at}" x2="{self._right}" y2="{at}" {thin}/>')
            parts.append(f'<text x="{self._left - 6}" y="{at + 4}" text-anchor="end">{number(value)}</text>')
        return parts

    def _labels(self) -> list[str]:
        left, right, top, bottom = self._left, self._right, self._top, self._bottom
        rim = f'x="{left}" y="{top}" width="{right - left}" height="{bottom - top}"'
        centre, middle = (left + right) / 2, (top + bottom) / 2
        return [
            f'<rect {rim} fill="none" stroke="var(--soft)"/>',
            f'<text x="{centre}" y="{self._height - 6}" text-anchor="middle">{escape(self._x.label)}</text>',
            f'<text x="16" y="{middle}" text-anchor="middle" transform="rotate(-90 16 {middle})">'
            f"{escape(self._y.label)}</text>",
        ]
