"""Which subscriptions a message reaches, by its condition in every attribute; shares no code with anything."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def reaches_box(row: np.void, l: Floats, r: Floats) -> npt.NDArray[np.bool_]:
    """Of subscriptions with ends (m, d), those with l_out < l <= l_in and r_in <= r < r_out in every attribute.

    Over one attribute ends may be (m,), as the fields of the message are single numbers.
    """
    l_in, r_in, l_out, r_out = (np.atleast_1d(row[name]) for name in ("l_in", "r_in", "l_out", "r_out"))
    l, r = (ends[:, None] if ends.ndim == 1 else ends for ends in (l, r))
    told = np.ones(len(l), np.bool_)
    for j, (left, right) in enumerate(zip(l.T, r.T, strict=True)):
        told &= (l_out[j] < left) & (left <= l_in[j])
        told &= (r_in[j] <= right) & (right < r_out[j])
    return told
