"""Seals: by which arrays that were kept on disk are known to be what was put there, under the name they have."""

import hashlib

import numpy as np
from numpy.typing import NDArray

__all__ = ["seal"]


def seal(name: str, *arrays: NDArray[np.generic]) -> str:
    """Digest of arrays and of the name of the file that keeps them: damage, and a file in another's place, change it.

    It keeps out accidents, not intruders: whoever can write the file can seal it. O(bytes).
    """
    digest = hashlib.sha256(name.encode())
    for array in arrays:
        digest.update(f"\0{array.dtype.str}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
