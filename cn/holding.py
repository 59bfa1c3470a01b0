"""Which objects a subscription holds: the predicate of the subscribers' lists.

Kernels ask `holds(ranges, s, x, i)`: does subscription s hold the object at x[i]? The type of `ranges` says what a
subscription is. `Ranges` are ends l <= r, of one attribute, (m,), or of several, (m, d): x lies between them in each.
`Halfspaces` and `Disks` are points r of S, (m, D), with the lowest finite float for l (`paint.shapes`); objects have
an x of d numbers. `OF_SHAPE` has the kind of each shape. For another kind of subscription make a class with the same
fields l and r, in whatever sense, and enter it with its kernel in `KINDS`, here, so that compiled kernels are made
anew when it changes; `Subscribers` and `RelaxedSubscribers` take the class as their `kind`. Rows of subscriptions
that are gone have l = inf and r = -inf, and hold nothing.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba.extending import overload

from floor.kernel_forms import by_ndim
from floor.kernels import njit
from paint.shapes import DISKS, HALFSPACES, disk_plane, under

__all__ = [
    "KINDS",
    "OF_SHAPE",
    "Disks",
    "Halfspaces",
    "Ranges",
    "held_by",
    "holds",
    "is_here",
    "refuse_wrong_ranges",
]

Floats = npt.NDArray[np.float64]


class Ranges(NamedTuple):
    """Subscriptions that hold what lies between their ends, (m,) f8 or (m, d) each.

    An attribute without a left end has the lowest finite float for l.
    """

    l: Floats
    r: Floats


class Halfspaces(NamedTuple):
    """Subscriptions to halfspaces, (m, d) each."""

    l: Floats
    r: Floats


class Disks(NamedTuple):
    """Subscriptions to disks, (m, 3) each."""

    l: Floats
    r: Floats


@njit
def _holds_number(l: Floats, r: Floats, s: int, x: Floats, i: int) -> bool:
    return bool(l[s] <= x[i] <= r[s])


@njit
def _holds_place(l: Floats, r: Floats, s: int, x: Floats, i: int) -> bool:
    inside = True
    for j in range(l.shape[1]):
        inside &= l[s, j] <= x[i, j] <= r[s, j]
    return inside


_between = by_ndim({1: _holds_number, 2: _holds_place})


@njit
def _ranges_hold(ranges: Ranges, s: int, x: Floats, i: int) -> bool:
    return bool(_between(ranges.l, ranges.r, s, x, i))


@njit
def _number_is_here(l: Floats, r: Floats, s: int) -> bool:
    return bool(l[s] <= r[s])


@njit
def _place_is_here(l: Floats, r: Floats, s: int) -> bool:
    return bool(l[s, 0] <= r[s, 0])


is_here = by_ndim({1: _number_is_here, 2: _place_is_here})
"""Whether row s is that of a subscription that is not gone: (l, r, s)."""


@njit
def _halfspaces_hold(halfspaces: Halfspaces, s: int, x: Floats, i: int) -> bool:
    return bool(_place_is_here(halfspaces.l, halfspaces.r, s) and under(x[i], halfspaces.r[s]))


@njit
def _disks_hold(disks: Disks, s: int, x: Floats, i: int) -> bool:
    return bool(_place_is_here(disks.l, disks.r, s) and under(disk_plane(x[i]), disks.r[s]))


KINDS: dict[type, Callable[..., bool]] = {Ranges: _ranges_hold, Halfspaces: _halfspaces_hold, Disks: _disks_hold}
"""Kernel of each kind of subscriptions: (ranges, s, x, i)."""

OF_SHAPE: dict[str, Any] = {"boxes": Ranges, HALFSPACES: Halfspaces, DISKS: Disks}
"""The kind of subscriptions of each shape that a server offers."""


def holds(ranges: Any, s: int, x: Floats, i: int) -> bool:
    """Whether subscription s holds the object at x[i]."""
    return bool(KINDS[type(ranges)](ranges, s, x, i))


@overload(holds, strict=False)
def _choose(ranges: Any, s: Any, x: Any, i: Any) -> Any:  # noqa: ARG001
    kernel = KINDS[ranges.instance_class]
    return getattr(kernel, "py_func", kernel)


@njit
def held_by(ranges: Any, s: int, x: Floats) -> npt.NDArray[np.bool_]:
    """Which of many objects a subscription holds, (n,) bool."""
    held = np.empty(len(x), np.bool_)
    for i in range(len(x)):
        held[i] = holds(ranges, s, x, i)
    return held


def refuse_wrong_ranges(l: Floats, r: Floats) -> None:
    """Raise ValueError unless l <= r everywhere."""
    wrong = ~(l <= r)
    if wrong.any():
        at = int(wrong.argmax()) if l.ndim == 1 else int(wrong.any(axis=1).argmax())
        raise ValueError(f"a subscription needs l <= r, got [{l[at]}, {r[at]}] at row {at}")
