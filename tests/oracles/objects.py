"""The object index as sorted lists: every question answered by looking at all live objects."""

import math


class Objects:
    """Positions of the live objects by id."""

    def __init__(self, x: list[float], y: list[float]) -> None:
        self.at = {i: (x[i], y[i]) for i in range(len(x))}

    def update(self, object: int, y: float) -> None:
        self.at[object] = (self.at[object][0], y)

    def insert(self, object: int, x: float, y: float) -> None:
        self.at[object] = (x, y)

    def delete(self, object: int) -> None:
        del self.at[object]

    def first_k(self, object: int, y: float, west: bool, k: int) -> list[int]:
        here = (self.at[object][0], object)
        low = [(x, i) for i, (x, height) in self.at.items() if height < math.inf and (height, i) < (y, object)]
        if west:
            side = sorted((place for place in low if place < here), reverse=True)
        else:
            side = sorted(place for place in low if place > here)
        return [i for _, i in side[:k]]

    def min_y(self, l: float, r: float, y: float, object: int) -> int:
        inside = [(height, i) for i, (x, height) in self.at.items() if l < x < r and height < math.inf]
        return min((place for place in inside if place > (y, object)), default=(0.0, -1))[1]
