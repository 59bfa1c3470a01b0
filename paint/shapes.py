"""Halfspaces and disks: subscriptions as points of S, objects as halfspaces of S (Section IV-C), and who holds what.

A halfspace x_d >= a_1 x_1 + ... + a_(d-1) x_(d-1) + a_d is the point u = (a_1, ..., a_d), a disk around (a, b) the
point u = (a, b, a^2 + b^2 - radius^2): D sides, all upper ones (`paint.sides.upper_sides`). An object at x is a
*plane* of D numbers (c_1, ..., c_(D-1), t), (x_1, ..., x_d) for halfspaces and (-2 x_1, -2 x_2, -x_1^2 - x_2^2) for
disks, and the subscription holds it iff

    u_D + c_1 u_1 + ... + c_(D-1) u_(D-1) <= t,   products and sums rounded one after the other, from left to right.

**One predicate.** On the border rounding decides, and (x_1 - a)^2 + (x_2 - b)^2 <= radius^2 would decide otherwise at
times. So server, gateways, subscribers and whoever checks them lift by `lift` and ask `holds`, or in kernels
`plane_of` or `disk_plane` and `under`: the same operations in the same order, none of them fused, so the answers are
the same.

**Boxes of S.** Rounding is monotone: of two numbers, the larger is not rounded to less. So the left side above, as it
is computed, grows with u_D and, as c_j says, grows or falls with u_j, and over a box of S it is least and greatest at
two of its corners. `relation` computes it there: what it says of all points of a box holds for the predicate itself,
and nothing needs to be widened for rounding. For this sums may not overflow; numbers are at most `LARGEST` in size.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from floor.kernels import njit, njit_inner
from paint.place_arguments import rows_of
from paint.sides import Floats, Sides, upper_sides

__all__ = [
    "CROSSED",
    "DISKS",
    "HALFSPACES",
    "INSIDE",
    "LARGEST",
    "OUTSIDE",
    "SHAPES",
    "check_size",
    "count_held",
    "disk_plane",
    "holds",
    "lift",
    "names_of",
    "plane_of",
    "planes_of",
    "relation",
    "sides_of_shape",
    "under",
]

HALFSPACES = "halfspaces"
DISKS = "disks"
SHAPES: dict[str, tuple[int, ...]] = {HALFSPACES: (2, 3), DISKS: (2,)}
"""What may be subscribed to beside boxes, and over how many attributes."""

LARGEST = 1e150
"""The largest number in a place or a subscription; squares and sums of products are far from overflow then."""

OUTSIDE, CROSSED, INSIDE = range(3)
"""What `relation` says: none, perhaps some, or all of the points of a box hold an object."""


def names_of(shape: str, dimensions: int) -> list[str]:
    """Name the numbers of a subscription, as it is written."""
    return ["a", "b", "radius"] if shape == DISKS else [f"a{j + 1}" for j in range(dimensions)]


def sides_of_shape(shape: str, dimensions: int) -> Sides:
    """Make the sides of S: three for disks, d for halfspaces over d attributes."""
    return upper_sides(len(names_of(shape, dimensions)))


def check_size(name: str, array: NDArray[np.float64], most: float = LARGEST) -> None:
    """Refuse rows with a number that is not finite, or so large that sums might overflow.

    Raises
    ------
    ValueError
        If there is one; it names the first row.
    """
    wrong = np.flatnonzero(~(np.abs(array) <= most).all(axis=1))
    if wrong.size:
        row = int(wrong[0])
        raise ValueError(
            f"{name} must be finite and at most {most:g} in size, got {array[row].tolist()} in row {row} "
            f"({wrong.size} in all)"
        )


def lift(shape: str, rows: ArrayLike, dimensions: int = 2) -> Floats:
    """Give subscriptions as points of S.

    Parameters
    ----------
    shape : {"halfspaces", "disks"}
        What they are.
    rows : array_like of shape (m, D)
        Halfspaces (a_1, ..., a_d), or disks (a, b, radius).
    dimensions : int
        d, the number of attributes.

    Returns
    -------
    float64 array of shape (m, D)
        The points, of which the first D - 1 numbers are those given.

    Raises
    ------
    TypeError, ValueError
        If they are not numbers, too many or too few, not finite or beyond `LARGEST`, or a radius is below 0.

    Examples
    --------
    >>> lift("disks", [[3.0, 4.0, 5.0]]).tolist()
    [[3.0, 4.0, 0.0]]
    """
    points = rows_of("subscriptions", rows, names_of(shape, dimensions))
    check_size("subscriptions", points)
    if shape == DISKS:
        a, b, radius = points.T
        wrong = np.flatnonzero(radius < 0)
        if wrong.size:
            row = int(wrong[0])
            raise ValueError(
                f"subscriptions must have a radius of at least 0, got {points[row].tolist()} in row {row} "
                f"({wrong.size} in all)"
            )
        points[:, 2] = a * a + b * b - radius * radius
    return points


def planes_of(shape: str, x: Any) -> Floats:
    """Give objects at x, shape (..., d), as planes, shape (..., D)."""
    places = np.asarray(x, np.float64)
    if shape != DISKS:
        return places
    x_1, x_2 = places[..., 0], places[..., 1]
    return np.stack((-2.0 * x_1, -2.0 * x_2, -(x_1 * x_1 + x_2 * x_2)), axis=-1)


def holds(shape: str, points: Any, x: Any) -> NDArray[np.bool_]:
    """Whether subscriptions hold objects: the predicate over arrays.

    Parameters
    ----------
    shape : {"halfspaces", "disks"}
        What the subscriptions are.
    points : array_like of shape (..., D)
        Subscriptions as points of S.
    x : array_like of shape (..., d)
        Places of objects; the two are broadcast over all but the last axis.

    Examples
    --------
    >>> holds("disks", lift("disks", [[3.0, 4.0, 5.0], [3.0, 4.0, 4.0]]), (0.0, 0.0)).tolist()
    [True, False]
    """
    u, plane = np.asarray(points, np.float64), planes_of(shape, x)
    value = u[..., -1]
    for j in range(u.shape[-1] - 1):
        value = value + plane[..., j] * u[..., j]
    return np.asarray(value <= plane[..., -1])


@njit
def disk_plane(x: Floats) -> tuple[float, float, float]:
    """Plane of an object at x, two numbers, among disks."""
    return -2.0 * x[0], -2.0 * x[1], -(x[0] * x[0] + x[1] * x[1])


@njit
def plane_of(disks: bool, x: Floats, out: Floats) -> None:
    """Write the plane of an object at x, an array of d numbers, as `planes_of` does."""
    if disks:
        out[0], out[1], out[2] = disk_plane(x)
    else:
        for j in range(len(x)):
            out[j] = x[j]


@njit_inner
def under(plane: Any, point: Floats) -> bool:
    """Whether the subscription at a point of S holds the object with a plane: the predicate."""
    last = len(point) - 1
    value = point[last]
    for j in range(last):
        value += plane[j] * point[j]
    return bool(value <= plane[last])


@njit
def _count_held(planes: Floats, points: Floats, held: NDArray[np.int64]) -> None:
    for s in range(len(points)):
        for i in range(len(planes)):
            held[s] += under(planes[i], points[s])


def count_held(shape: str, points: Floats, x: Floats) -> NDArray[np.int64]:
    """How many of the objects at x, (n, d), each of the subscriptions at points of S, (m, D), holds; O(n m)."""
    held = np.zeros(len(points), np.int64)
    _count_held(np.ascontiguousarray(planes_of(shape, x)), np.ascontiguousarray(points), held)
    return held


@njit_inner
def relation(plane: Floats, lo: Floats, hi: Floats) -> int:
    """Whether no point of a closed box of S holds the object with a plane, some may, or all do; exact at a point."""
    last = len(lo) - 1
    least, most = lo[last], hi[last]
    for j in range(last):
        a, b = plane[j] * lo[j], plane[j] * hi[j]
        least += min(a, b)
        most += max(a, b)
    if least > plane[last]:
        return OUTSIDE
    return INSIDE if most <= plane[last] else CROSSED
