"""What a subscription makes of a batch of messages, and what its list should be, from the definitions."""

import math
from itertools import pairwise
from typing import Any

List = dict[int, tuple[float, float]]
Range = tuple[float, float]


def distinct_ranges(x: list[float]) -> list[Range]:
    """Every range that a value or a gap between values can tell from another, ends in ascending order."""
    places = sorted(set(x))
    gaps = [(a + b) / 2 for a, b in pairwise(places)]
    ends = sorted([places[0] - 1, *places, *gaps, places[-1] + 1]) if places else [0.0]
    return [(left, right) for left in ends for right in ends if left <= right]


def top_k(objects: List, k: int, left: float, right: float) -> List:
    inside = sorted((y, i) for i, (x, y) in objects.items() if left <= x <= right and y < math.inf)
    return {i: objects[i] for _, i in inside[:k]}


def receives(message: Any, left: float, right: float) -> bool:
    return bool(message["l_out"] < left <= message["l_in"] and message["r_in"] <= right < message["r_out"])


def apply(held: List, message: Any, k: int) -> None:
    i, x, y = int(message["object"]), float(message["x"]), float(message["y"])
    if y == math.inf:
        held.pop(i, None)
        return
    held[i] = (x, y)
    if len(held) > k:
        del held[max(held, key=lambda j: (held[j][1], j))]
