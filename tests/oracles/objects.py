"""The object index as sorted lists: every question answered by looking at all live objects."""

import math


class Objects:
    """Positions of the live objects by id."""

    def __init__(self, x: list[float], y: list[float]) -> None:
        self.at = {h: (x[h], y[h]) for h in range(len(x))}

    def update(self, i: int, y: float) -> None:
        self.at[i] = (self.at[i][0], y)

    def insert(self, i: int, x: float, y: float) -> None:
        self.at[i] = (x, y)

    def delete(self, i: int) -> None:
        del self.at[i]

    def first_k(self, i: int, y: float, west: bool, k: int) -> list[int]:
        here = (self.at[i][0], i)
        low = [(x, h) for h, (x, height) in self.at.items() if height < math.inf and (height, h) < (y, i)]
        if west:
            side = sorted((place for place in low if place < here), reverse=True)
        else:
            side = sorted(place for place in low if place > here)
        return [h for _, h in side[:k]]

    def min_y(self, left: float, right: float, y: float, i: int) -> int:
        inside = [(height, h) for h, (x, height) in self.at.items() if left < x < right and height < math.inf]
        return min((place for place in inside if place > (y, i)), default=(0.0, -1))[1]
