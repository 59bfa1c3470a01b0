"""Ids that a caller hands to an index: whole numbers, of what it holds, each once."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

__all__ = ["known_ids"]

Ints = npt.NDArray[np.int64]


def known_ids(
    ids: npt.ArrayLike,
    issued: int,
    held: Callable[[Ints], npt.NDArray[np.bool_]],
    unknown: type[KeyError],
    what: str = "subscription",
    *,
    distinct: bool = False,
) -> Ints:
    """Ids as an array, all of them held.

    Parameters
    ----------
    issued : int
        How many ids have been given out.
    held : callable
        Tells of ids that were which are still held.
    unknown : type
        What to raise for others.
    what : str
        What an id stands for.
    distinct : bool
        Raise ValueError if one is there more than once.
    """
    array = np.atleast_1d(np.asarray(ids))
    if array.dtype.kind not in "iu" and array.size:
        raise TypeError(f"{what} ids must be integers, got dtype {array.dtype}: pass those that were given out")
    known = array.astype(np.int64)
    bad = (known < 0) | (known >= issued)
    bad[~bad] = ~held(known[~bad])
    if bad.any():
        raise unknown(f"no {what} has the id {known[bad][0]} ({bad.sum()} unknown ids): pass ids that are held")
    if distinct and known.size > 1 and np.unique(known).size < known.size:
        raise ValueError(f"{what} ids must be distinct, got some twice: pass each id once")
    return known
