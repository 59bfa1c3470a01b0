"""One protocol for every object index, so that each algorithm is written once.

An index module holds a NamedTuple of flat arrays, with the fields `x` and `y` by object id (y is +inf for an id
that is not in the index), and njit kernels over it:

`update(arrays, i, y)`
    give object i a new finite y;
`first_k(arrays, i, y, west, k, out) -> count`
    the ids of the objects with (y, id) below (y, i) that lie west (or east) of object i in (x, id) order, nearest
    first;
`min_y(arrays, left, right, y, i) -> id or -1`
    the least (y, id) above (y, i) among the objects with left < x < right.

A class around it, an `ArrayIndex`, has `update(i, y)`, `insert(i, x, y)`, `delete(i)`, `first_k(i, y, west, k)`,
`min_y(left, right, y, i)`, `_check()` and `arrays`. Ids are 0, 1, 2, ... and never reused; an x-update is a deletion
and an insertion of the same id.

The functions of this module choose the kernel by the type of the arrays: in compiled code at compile time, at no
cost, and in Python by a table. A module may bring its own `open_sweep` and `next_exposed`; the others get them from
first_k and min_y.
"""

from abc import ABC, abstractmethod
from types import ModuleType
from typing import Any, Protocol

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from paint import kd, range_tree, tournament
from paint.sweep import EAST, WEST, Sweep

__all__ = ["ArrayIndex", "ObjectIndex", "first_k", "min_y", "next_exposed", "open_sweep", "update"]


class ObjectIndex(Protocol):
    """What a server needs of the class around an index."""

    arrays: Any

    def __init__(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> None: ...

    def update(self, i: int, y: float) -> None:
        """Give object i a new finite y."""

    def insert(self, i: int, x: float, y: float) -> None:
        """Add object i, whose id is not in the index."""

    def delete(self, i: int) -> None:
        """Take object i out."""

    def first_k(self, i: int, y: float, west: bool, k: int) -> NDArray[np.int64]:
        """List the first k objects on one side of object i with (y, id) below (y, i)."""

    def min_y(self, left: float, right: float, y: float, i: int) -> int:
        """Find the least (y, id) above (y, i) with left < x < right, or -1."""

    def _check(self) -> None: ...


_MODULES: dict[type, ModuleType] = {
    kd.Kd: kd,
    range_tree.RangeTree: range_tree,
    tournament.Tournament: tournament,
}


def update(arrays: Any, i: int, y: float) -> None:
    """Give object i a new y."""
    _MODULES[type(arrays)].update(arrays, i, y)


def first_k(arrays: Any, i: int, y: float, west: bool, k: int, out: NDArray[np.int64]) -> int:
    """List the first k objects west or east of object i that rank above (y, i); the number found."""
    return int(_MODULES[type(arrays)].first_k(arrays, i, y, west, k, out))


def min_y(arrays: Any, left: float, right: float, y: float, i: int) -> int:
    """Find the least (y, id) above (y, i) among the objects with left < x < right, or -1."""
    return int(_MODULES[type(arrays)].min_y(arrays, left, right, y, i))


def open_sweep(arrays: Any, sweep: Sweep, i: int, y: float, k: int) -> None:
    """Start the sweep of object i from its y in the index up to `y`, with both lists (two first_k calls).

    With y = -inf there is nothing to sweep and only the lists are made.
    """
    _own(type(arrays), "open_sweep", _open_sweep)(arrays, sweep, i, y, k)


def next_exposed(arrays: Any, sweep: Sweep, left: float, right: float) -> int:
    """Find the next object of the sweep with left < x < right, or -1 (one min_y call); intervals only shrink.

    Its y is in `sweep.ys[0]` and its x in `sweep.ys[2]`; the caller adds it to the lists by `paint.sweep.expose`.
    """
    return int(_own(type(arrays), "next_exposed", _next_exposed)(arrays, sweep, left, right))


def _open_sweep(arrays: Any, sweep: Sweep, i: int, y: float, k: int) -> None:
    old = arrays.y[i]
    sweep.ys[0] = old
    sweep.ys[1] = y
    sweep.counts[2] = i
    sweep.counts[3] = i
    for side in (WEST, EAST):
        count = first_k(arrays, i, old, side == WEST, k, sweep.ids[side])
        sweep.counts[side] = count
        for at in range(count):
            sweep.xs[side, at] = arrays.x[sweep.ids[side, at]]


def _next_exposed(arrays: Any, sweep: Sweep, left: float, right: float) -> int:
    h = min_y(arrays, left, right, sweep.ys[0], sweep.counts[2])
    if h < 0:
        return -1
    y = arrays.y[h]
    if y > sweep.ys[1] or (y == sweep.ys[1] and h > sweep.counts[3]):
        return -1
    sweep.ys[0] = y
    sweep.ys[2] = arrays.x[h]
    sweep.counts[2] = h
    return h


def _own(arrays_type: type, name: str, otherwise: Any) -> Any:
    """Give the module's kernel of that name, or the one for modules without."""
    return getattr(_MODULES[arrays_type], name, otherwise)


def _compile(name: str, otherwise: Any = None) -> None:
    """Tell Numba to put the kernel of the arrays' module where compiled code calls the function of that name."""

    def choose(arrays: Any, *_: Any) -> Any:
        kernel = _own(arrays.instance_class, name, otherwise)
        return getattr(kernel, "py_func", kernel)

    overload(globals()[name], strict=False)(choose)


_compile("update")
_compile("first_k")
_compile("min_y")
_compile("open_sweep", _open_sweep)
_compile("next_exposed", _next_exposed)


class ArrayIndex(ABC):
    """What the classes around the indexes share; they add construction, insertion, deletion and `_check`.

    Parameters
    ----------
    x, y : float64 arrays of n
        Object i stands at (x[i], y[i]); y = +inf for one that is not live.

    Attributes
    ----------
    arrays : NamedTuple
        The arrays of the index, for kernels; an insertion or deletion may replace them.
    """

    arrays: Any

    def __init__(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> None:
        self._load(x, y, max(len(x), 1))

    @abstractmethod
    def _load(self, x: NDArray[np.float64], y: NDArray[np.float64], capacity: int) -> None:
        """Set `arrays` to those of an index over all objects, with room for `capacity` ids."""

    def update(self, i: int, y: float) -> None:
        """Give object i a new finite y."""
        update(self.arrays, i, y)

    def first_k(self, i: int, y: float, west: bool, k: int) -> NDArray[np.int64]:
        """List the first k objects west or east of object i with (y, id) below (y, i), nearest first."""
        out = np.empty(k, np.int64)
        return out[: first_k(self.arrays, i, y, west, k, out)]

    def min_y(self, left: float, right: float, y: float, i: int) -> int:
        """Find the least (y, id) above (y, i) with left < x < right, or -1."""
        return min_y(self.arrays, left, right, y, i)
