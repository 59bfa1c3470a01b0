"""Which subscriptions over several attributes a message reaches, by its condition; shares no code with anything."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def reaches_box(row: np.void, l: Floats, r: Floats) -> npt.NDArray[np.bool_]:
    """Of subscriptions with ends (m, d), those with l_out < l <= l_in and r_in <= r < r_out in every attribute."""
    told = np.ones(len(l), np.bool_)
    for j in range(l.shape[1]):
        told &= (row["l_out"][j] < l[:, j]) & (l[:, j] <= row["l_in"][j])
        told &= (row["r_in"][j] <= r[:, j]) & (r[:, j] < row["r_out"][j])
    return told
