"""What owners of flat arrays do with them: count their bytes, and make room for more rows."""

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from floor.kernels import njit

__all__ = ["bytes_of", "grown", "resized", "room_for"]

Ints = npt.NDArray[np.int64]
Scalar = TypeVar("Scalar", bound=np.generic)


def bytes_of(arrays: Any) -> int:
    """Bytes of an array, or of all in a tuple of them; numbers are not counted."""
    return sum(map(bytes_of, arrays)) if isinstance(arrays, tuple) else int(getattr(arrays, "nbytes", 0))


def resized(array: npt.NDArray[Scalar], rows: int) -> npt.NDArray[Scalar]:
    """A copy of an array with so many rows; those beyond its own are not set."""
    new = np.empty((rows, *array.shape[1:]), array.dtype)
    new[: len(array)] = array[:rows]
    return new


def grown(
    array: npt.NDArray[Scalar], used: int, more: npt.NDArray[Scalar], growth: float = 2.0
) -> npt.NDArray[Scalar]:
    """The array with `more` behind its first `used` rows, in a new one `growth` times as long where room is short."""
    behind = used + len(more)
    if behind > len(array):
        array = resized(array, max(int(len(array) * growth), behind))
    array[used:behind] = more
    return array


@njit
def room_for(entries: Ints, used: int, more: int) -> Ints:
    """Give back `entries`, or a larger copy of those used, with room for some more."""
    if used + more <= len(entries):
        return entries
    larger = np.empty(2 * (used + more), np.int64)
    for at in range(used):
        larger[at] = entries[at]
    return larger
