"""Checks of what has several numbers: places of objects, rows of subscriptions."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["place", "places", "rows_of"]


def _floats(name: str, values: Any, rows: str) -> NDArray[np.float64]:
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} must be {rows}, got rows of unequal lengths") from None
    if array.dtype.kind not in "iuf" and array.size:
        raise TypeError(f"{name} must be numbers, got an array of {array.dtype}")
    return array.astype(np.float64)


def places(x: ArrayLike, attributes: int, dimensions: float) -> NDArray[np.float64]:
    """Give the x of objects as an array of shape (n, d)."""
    rows = f"rows of {attributes} numbers (dimensions = {dimensions:g})"
    array = _floats("x", x, rows)
    if array.size == 0 and array.ndim <= 2:
        return np.empty((0, attributes))
    if array.ndim != 2 or array.shape[1] != attributes:
        raise ValueError(f"x must have the shape (n, {attributes}), {rows}, got {array.shape}")
    finite = np.isfinite(array)
    if not finite.all():
        at, j = (int(one) for one in np.argwhere(~finite)[0])
        raise ValueError(f"x must be finite, got x[{at}, {j}] = {array[at, j]}")
    return np.ascontiguousarray(array)


def place(name: str, x: Any, attributes: int, dimensions: float) -> NDArray[np.float64]:
    """Give the x of one object as an array of d."""
    rows = f"{attributes} numbers (dimensions = {dimensions:g})"
    array = _floats(name, x, rows)
    if array.shape != (attributes,):
        raise ValueError(f"{name} must be {rows}, got {x!r}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite, got {array.tolist()}")
    return array


def rows_of(name: str, values: Any, columns: Sequence[str]) -> NDArray[np.float64]:
    """Give rows with a number for each of some columns as an array of their own; NaN is let through."""
    rows = f"one row [{', '.join(columns)}] each"
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} must be rows of equal lengths, {rows}") from None
    if array.size == 0:
        array = np.empty((0, len(columns)))
    if array.ndim != 2 or array.shape[1] != len(columns):
        raise ValueError(f"{name} must have the shape (m, {len(columns)}), {rows}, got {array.shape}")
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} must be numbers, got an array of {array.dtype}")
    return array.astype(np.float64)
