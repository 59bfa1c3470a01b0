"""Attributes by name: which columns objects and subscriptions have, over one attribute or several.

An object over one attribute has the column x, over d of them x1 to xd. A subscription is a *box*, a *halfspace* or a
*disk*. A box has the ends of every attribute: l and r of one, l1, r1, l2, r2, ... of several; the last attribute of
1.5 and 2.5 dimensions has no left end. The halfspace x_d >= a1 x_1 + ... + a_(d-1) x_(d-1) + a_d has a1 to ad, a disk
its centre x1, x2 and its radius. In memory all are arrays l and r, as `paint.sides` wants them: of boxes (m,) or
(m, d); of a halfspace or disk r is the point of its right sides, (a1, ..., ad) or (x1, x2, x1² + x2² - radius²).
"""

from collections.abc import Mapping, Sequence
from itertools import product
from math import ceil
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from paint.shapes import lift
from paint.sides import DIMENSIONS, Sides, sides_of, upper_sides
from pipeline.errors import PipelineError

__all__ = [
    "SHAPES",
    "UNIT",
    "Form",
    "Range",
    "XRange",
    "attribute_ranges",
    "attributes_of",
    "form_of",
    "other_attributes",
    "other_form",
    "side_ranges",
    "spread_ends",
    "x_names",
]

Floats = npt.NDArray[np.float64]
Range = tuple[float, float]
XRange = Range | Sequence[Range]
"""Of x: lowest and highest of every attribute alike, or a pair for each."""

UNIT: Range = (0.0, 1.0)
SHAPES: dict[str, tuple[float, ...]] = {"boxes": DIMENSIONS, "halfspaces": (2, 3), "disks": (2,)}
"""What subscriptions may be, and in which dimensions."""

_OPEN = -np.finfo(np.float64).max
"""Stands for the left end that an attribute has not."""


class Form(NamedTuple):
    """What the subscriptions of a population are; see `form_of`, which checks."""

    dimensions: float = 1
    shape: str = "boxes"

    def __str__(self) -> str:
        many = f"{self.dimensions:g} dimension{'' if self.dimensions == 1 else 's'}"
        return f"{self.shape} in {many} ({', '.join(self.columns)})"

    @property
    def attributes(self) -> int:
        """d, the number of attributes."""
        return attributes_of(self.dimensions)

    @property
    def ends(self) -> list[tuple[str | None, str]]:
        """Of boxes, the columns of the left and right end of each attribute; None where it has no left one."""
        if self.dimensions == 1:
            return [("l", "r")]
        both: list[tuple[str | None, str]] = [(f"l{j}", f"r{j}") for j in range(1, self.attributes + 1)]
        if self.dimensions != self.attributes:
            both[-1] = None, both[-1][1]
        return both

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that say what a subscription is."""
        if self.shape == "halfspaces":
            return tuple(f"a{j}" for j in range(1, self.attributes + 1))
        if self.shape == "disks":
            return (*x_names(self.attributes), "radius")
        return tuple(name for pair in self.ends for name in pair if name is not None)

    @property
    def sides(self) -> Sides:
        """Sides of the subscription space."""
        return sides_of(self.dimensions) if self.shape == "boxes" else upper_sides(len(self.columns))

    @property
    def side_names(self) -> tuple[str, ...]:
        """What is measured along each side; along the last of a disk it is the lifted number, not the radius."""
        *names, last = self.columns
        return (*names, "x1² + x2² - radius²") if self.shape == "disks" else (*names, last)

    def laid(self, columns: Mapping[str, Floats], x_range: XRange = UNIT) -> tuple[Floats, Floats]:
        """Arrays l and r of subscriptions whose columns, by name, are shares of a range of x; O(m).

        Boxes and halfspaces follow the range of each attribute. A disk stays one: its centre follows the ranges, and
        its radius is a share of the shortest of them.
        """
        if self.dimensions == 1:
            return spread_ends(columns["l"], x_range), spread_ends(columns["r"], x_range)
        if self.shape == "boxes":
            rows = len(columns[self.columns[0]])
            l, r = np.full((rows, self.attributes), _OPEN), np.empty((rows, self.attributes))
            for at, (left, right) in enumerate(self.ends):
                if left is not None:
                    l[:, at] = columns[left]
                r[:, at] = columns[right]
            return spread_ends(l, x_range), spread_ends(r, x_range)
        ranges = attribute_ranges(x_range, self.attributes)
        low, width = ranges[:, 0], ranges[:, 1] - ranges[:, 0]
        given = np.column_stack([columns[name] for name in self.columns])
        points = _lifted(given, low, width) if self.shape == "disks" else _tilted(given, low, width)
        return np.full(points.shape, _OPEN), points


def _lifted(disks: Floats, low: Floats, width: Floats) -> Floats:
    """Disks over ranges as points of three right sides."""
    centre, radius = low + disks[:, :2] * width, disks[:, 2] * width.min()
    return lift("disks", np.column_stack((centre, radius)))


def _tilted(halfspaces: Floats, low: Floats, width: Floats) -> Floats:
    """Halfspaces over ranges: x_j is low_j and a share of width_j."""
    slopes = halfspaces[:, :-1] * (width[-1] / width[:-1])
    return np.column_stack((slopes, low[-1] + halfspaces[:, -1] * width[-1] - slopes @ low[:-1]))


def side_ranges(form: Form, columns: Sequence[Range], x_range: XRange = UNIT) -> tuple[Range, ...]:
    """Lowest and highest number of each side of halfspaces or disks, from those of each column.

    They are at corners of what the columns span, but that the third of a disk is less where its centre passes 0.

    Parameters
    ----------
    columns
        Lowest and highest value of each, as shares of a range of x.
    x_range
        Over which they are laid, as in `Form.laid`.
    """
    corners = np.array(list(product(*columns)))
    points = form.laid(dict(zip(form.columns, corners.T, strict=True)), x_range)[1]
    low, high = points.min(axis=0), points.max(axis=0)
    if form.shape == "disks":
        passes = (low[:2] < 0) & (high[:2] > 0)
        low[2] -= (np.minimum(-low[:2], high[:2])[passes] ** 2).sum()
    return tuple(zip(low.tolist(), high.tolist(), strict=True))


def form_of(dimensions: float, shape: str = "boxes") -> Form:
    """Make the form of subscriptions of a shape.

    Raises
    ------
    TypeError, ValueError
        There are no such dimensions, or no such shape in them.
    """
    if shape not in SHAPES:
        raise ValueError(f"shape must be one of {', '.join(SHAPES)}, got {shape!r}")
    if isinstance(dimensions, bool) or not isinstance(dimensions, int | float):
        raise TypeError(f"dimensions must be a number, got {dimensions!r}")
    offered = SHAPES[shape]
    if dimensions not in offered:
        told = f"{'one of ' if len(offered) > 1 else ''}{', '.join(f'{one:g}' for one in offered)}"
        raise ValueError(
            f"dimensions must be {told}{'' if shape == 'boxes' else f' for {shape}'}, got {dimensions:g}"
        )
    return Form(int(dimensions) if dimensions == int(dimensions) else float(dimensions), shape)


def attributes_of(dimensions: float) -> int:
    """d, the number of attributes that so many dimensions have."""
    return ceil(dimensions)


def x_names(attributes: int) -> tuple[str, ...]:
    """Columns of the attributes of objects."""
    return ("x",) if attributes == 1 else tuple(f"x{j}" for j in range(1, attributes + 1))


def attribute_ranges(x_range: XRange, attributes: int) -> Floats:
    """Lowest and highest x of each attribute, (d, 2)."""
    return np.broadcast_to(np.asarray(x_range, np.float64), (attributes, 2))


def spread_ends(ends: Floats, x_range: XRange) -> Floats:
    """Ends in [0, 1] of a population laid over a range of x: u stands for low + u (high - low).

    Parameters
    ----------
    ends : (m,) or (m, d) float64 array
        Of boxes; an end that an attribute has not, the lowest float, stays what it is.
    x_range
        Of the attribute; beyond one, of all alike or a pair for each.
    """
    if ends.ndim == 1:
        low, high = attribute_ranges(x_range, 1)[0].tolist()
        one: Floats = low + ends * (high - low)
        return one
    ranges = attribute_ranges(x_range, ends.shape[1])
    if (ranges == UNIT).all():
        return ends
    there = ends != _OPEN
    spread = np.full(ends.shape, _OPEN)
    np.multiply(ends, ranges[:, 1] - ranges[:, 0], out=spread, where=there)
    return np.add(ranges[:, 0], spread, out=spread, where=there)


def other_form(path: Path, found: Form, asked: Form) -> PipelineError:
    """One line: a population or file holds other subscriptions than those that are asked for."""
    remedy = f"set dimensions = {found.dimensions:g}" if found.shape == asked.shape else "ask for its shape"
    return PipelineError(f"{path}: holds {found}, and the scenario asks for {asked}; bring another, or {remedy}")


def other_attributes(path: Path, found: int, dimensions: float) -> PipelineError:
    """One line: a file or trace holds objects with more or fewer attributes than the dimensions asked for have."""
    wanted = attributes_of(dimensions)
    names = [", ".join(x_names(count)) for count in (found, wanted)]
    return PipelineError(
        f"{path}: objects have {_counted(found)} ({names[0]}), and dimensions = {dimensions:g} needs "
        f"{_counted(wanted)} ({names[1]}); bring another, or mend dimensions"
    )


def _counted(attributes: int) -> str:
    return "one attribute" if attributes == 1 else f"{attributes} attributes"
