"""Checks of what a server is given: the value as it is wanted, or an error that names it and says the rule."""

import math
from collections.abc import Iterable, Mapping
from operator import index as as_integer
from typing import Any, SupportsFloat, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from paint.geometry import EACH, Cut

__all__ = [
    "CUTS",
    "LONGEST_LIST",
    "choice",
    "columns",
    "cut_of",
    "entry",
    "flat",
    "integer",
    "list_length",
    "number",
    "numbers",
    "range_end",
    "same_length",
]

LONGEST_LIST = 1_000_000
CUTS = ("levels", "strips", "tiles")
"""How the approximate versions may group tiles."""
_NOT_NUMBERS = (str, bytes, bool)
"""What `float` takes and we do not; a union of types would be made anew by every call."""


def number(name: str, value: SupportsFloat) -> float:
    """Give a finite number."""
    if isinstance(value, _NOT_NUMBERS):
        raise TypeError(f"{name} must be a number, got {value!r}")
    try:
        given = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number, got {value!r}") from None
    except OverflowError:
        given = math.inf
    if not math.isfinite(given):
        remedy = "; use delete to take an object out" if name in ("y", "new_y") and math.isinf(given) else ""
        raise ValueError(f"{name} must be finite, got {given}{remedy}")
    return given


def range_end(name: str, value: float) -> float:
    """Give one end of a range, which may be infinite."""
    return float(value) if value in (-math.inf, math.inf) else number(name, value)


def integer(name: str, value: SupportsIndex) -> int:
    """Give an integer."""
    try:
        if isinstance(value, bool):
            raise TypeError
        return as_integer(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, got {value!r}") from None


def list_length(k: SupportsIndex) -> int:
    """Give k, of which the scratch memory of an event is a small multiple."""
    length = integer("k", k)
    if not 1 <= length <= LONGEST_LIST:
        raise ValueError(f"k must be at least 1 and at most {LONGEST_LIST} (the length of the lists), got {length}")
    return length


def flat(name: str, values: ArrayLike) -> NDArray[Any]:
    """Give an array of one dimension, of whatever it holds."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} must have one dimension, got rows of unequal lengths") from None
    if array.ndim != 1:
        raise ValueError(f"{name} must have one dimension, got {array.ndim}")
    return array


def entry(name: str, array: NDArray[Any], at: int, rows: str = "") -> str:
    """Say which entry of an array is meant, or of a column of the argument `rows`."""
    return f"{rows}[{at}] with {name} = {array[at]}" if rows else f"{name}[{at}] = {array[at]}"


def numbers(name: str, values: ArrayLike, allowed: float = np.nan, rows: str = "") -> NDArray[np.float64]:
    """Check that values are finite, or the one infinity allowed."""
    array = flat(name, values)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} must be numbers, got an array of {array.dtype}")
    array = array.astype(np.float64)
    finite = np.isfinite(array) | (array == allowed)
    if not finite.all():
        raise ValueError(f"{name} must be finite, got {entry(name, array, int(np.argmin(finite)), rows)}")
    return array


def columns(name: str, rows: Iterable[Any], fields: tuple[str, ...]) -> list[tuple[Any, ...]]:
    """Take rows apart into one column per field."""
    try:
        taken = list(rows)
    except TypeError:
        raise TypeError(f"{name} must be rows ({', '.join(fields)}), got {rows!r}") from None
    for at, row in enumerate(taken):
        if not hasattr(row, "__len__") or len(row) != len(fields):
            raise TypeError(f"{name} must be rows ({', '.join(fields)}), got {name}[{at}] = {row!r}")
    return list(zip(*taken, strict=True)) if taken else [() for _ in fields]


def same_length(name_1: str, array_1: NDArray[Any], name_2: str, array_2: NDArray[Any]) -> None:
    """Check that two arrays are equally long."""
    if len(array_1) != len(array_2):
        raise ValueError(f"{name_1} and {name_2} must be equally long, got {len(array_1)} and {len(array_2)} values")


def choice(name: str, value: str, table: Mapping[str, Any], where: str = "") -> Any:
    """Give the entry of a table under a name; `where` says where there are no others."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be one of {', '.join(sorted(table))}{where}, got {value!r}")
    if value not in table:
        raise ValueError(f"{name} must be one of {', '.join(sorted(table))}{where}, got {value!r}")
    return table[value]


def cut_of(epsilon: float | None, cut: str | None, k: int) -> Cut:
    """Give how tiles are grouped: ceil(1 / epsilon) groups of levels or strips, or sublists of ceil(epsilon k) tiles.

    1 / 0.1 counts as 10 and 0.1 * 30 as 3, although floats are above. As many groups as levels are none.
    """
    if cut is not None:
        choice("cut", cut, dict.fromkeys(CUTS))
    if epsilon is None:
        if cut is not None:
            raise ValueError(f"cut is for approximate versions, got {cut!r} without epsilon; leave it out")
        return EACH
    share = number("epsilon", epsilon)
    if not 0 < share <= 1:
        raise ValueError(f"epsilon must be in (0, 1], got {share}; leave it out for the exact algorithm")
    if cut == "tiles":
        return Cut(0, max(1, math.ceil(share * k - 1e-9)), False)
    groups = math.ceil(min(1 / share - 1e-9, k))
    return Cut(groups, 1, cut == "strips") if groups < k else EACH
