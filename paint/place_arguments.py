"""Checks of the places of objects over several attributes."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["place", "places"]


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
