"""Subscriptions as two numpy columns and a mask: what every subscription index must answer."""

import numpy as np
import numpy.typing as npt

Box = tuple[float, float, float, float]


class Points:
    """Ranges with ids in the order of insertion; deleted ones are masked out."""

    def __init__(self) -> None:
        self.l: npt.NDArray[np.float64] = np.empty(0)
        self.r: npt.NDArray[np.float64] = np.empty(0)
        self.alive: npt.NDArray[np.bool_] = np.empty(0, bool)

    def insert(self, l: list[float], r: list[float]) -> list[int]:
        largest = np.finfo(float).max
        first = self.l.size
        self.l = np.concatenate((self.l, np.clip(np.array(l, float), -largest, largest)))
        self.r = np.concatenate((self.r, np.clip(np.array(r, float), -largest, largest)))
        self.alive = np.concatenate((self.alive, np.ones(len(l), bool)))
        return list(range(first, self.l.size))

    def delete(self, ids: list[int]) -> None:
        self.alive[ids] = False

    def report(self, box: Box) -> list[int]:
        l_lo, l_hi, r_lo, r_hi = box
        inside = self.alive & (self.l >= l_lo) & (self.l <= l_hi) & (self.r >= r_lo) & (self.r <= r_hi)
        return [int(i) for i in np.flatnonzero(inside)]

    def snap(self, box: Box) -> Box | None:
        inside = self.report(box)
        if not inside:
            return None
        l, r = self.l[inside], self.r[inside]
        return float(l.min()), float(l.max()), float(r.min()), float(r.max())
