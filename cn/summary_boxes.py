"""Closed boxes in lists, as summaries keep them: of one attribute, (boxes, 4), or of several, (boxes, 2, D).

A box of one attribute is l_lo, l_hi, r_lo, r_hi; of several it is the least and the largest coordinate of each side.
What is done with a box is here in both forms, chosen by the shape of the list; `cn.summaries` is written once for
both.
"""

import numpy as np
import numpy.typing as npt

from cn.regions import Rectangle, SideRegion
from floor.kernel_forms import by_ndim
from floor.kernels import njit, njit_inner

__all__ = [
    "best_cut",
    "clear_box",
    "copy_box",
    "covers",
    "growth",
    "meets_any",
    "middle",
    "put_point",
    "sides_in",
    "take_in",
]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

# Keeps members x half perimeter finite, whatever finite ends the boxes have.
_SCALE = 2.0**-40


# The outer ends of a message rule out more boxes than its inner ones. Asked for first, over several attributes those
# of three sides outside of any loop, they take two thirds of the time.
@njit_inner
def _rectangles_meet(boxes: Floats, count: int, region: Rectangle) -> bool:
    l_in, r_in, l_out, r_out = region
    i = 0
    while i < count and not (
        boxes[i, 2] < r_out and l_out < boxes[i, 1] and boxes[i, 0] <= l_in and r_in <= boxes[i, 3]
    ):
        i += 1
    return i < count


@njit_inner
def _boxes_meet(boxes: Floats, count: int, region: SideRegion) -> bool:
    lo, hi = region[0], region[1]
    last = len(lo) - 1
    first, second, third = hi[0], hi[1], hi[last]
    for i in range(count):
        if boxes[i, 0, 1] < second and boxes[i, 0, 0] < first and boxes[i, 0, last] < third:
            found = True
            for side in range(len(lo)):
                if boxes[i, 0, side] >= hi[side] or boxes[i, 1, side] < lo[side]:
                    found = False
                    break
            if found:
                return True
    return False


meets_any = by_ndim({2: _rectangles_meet, 3: _boxes_meet})
"""Whether one of the first `count` boxes has a point of a message's region: (boxes, count, region)."""


@njit
def _half_perimeter(l_lo: float, l_hi: float, r_lo: float, r_hi: float) -> float:
    return (l_hi * _SCALE - l_lo * _SCALE) + (r_hi * _SCALE - r_lo * _SCALE)


@njit
def _best_cut_of_rectangles(
    boxes: Floats, order: Ints, first: int, last: int, heads: Floats
) -> tuple[float, int, int]:
    best, dimension, position = 0.0, 0, first
    for d in range(2):
        l_lo, l_hi, r_lo, r_hi = np.inf, -np.inf, np.inf, -np.inf
        for i in range(first, last):
            box = boxes[order[d, i]]
            l_lo, l_hi = min(l_lo, box[0]), max(l_hi, box[1])
            r_lo, r_hi = min(r_lo, box[2]), max(r_hi, box[3])
            heads[i] = (i + 1 - first) * _half_perimeter(l_lo, l_hi, r_lo, r_hi)
        whole = heads[last - 1]
        l_lo, l_hi, r_lo, r_hi = np.inf, -np.inf, np.inf, -np.inf
        for i in range(last - 1, first, -1):
            box = boxes[order[d, i]]
            l_lo, l_hi = min(l_lo, box[0]), max(l_hi, box[1])
            r_lo, r_hi = min(r_lo, box[2]), max(r_hi, box[3])
            gain = whole - heads[i - 1] - (last - i) * _half_perimeter(l_lo, l_hi, r_lo, r_hi)
            if gain > best:
                best, dimension, position = gain, d, i
    return best, dimension, position


@njit
def _stretch(around: Floats, boxes: Floats, i: int) -> float:
    """Make a box hold another; its half perimeter."""
    total = 0.0
    for side in range(around.shape[1]):
        around[0, side] = min(around[0, side], boxes[i, 0, side])
        around[1, side] = max(around[1, side], boxes[i, 1, side])
        total += around[1, side] * _SCALE - around[0, side] * _SCALE
    return total


@njit
def _best_cut_of_boxes(boxes: Floats, order: Ints, first: int, last: int, heads: Floats) -> tuple[float, int, int]:
    best, dimension, position = 0.0, 0, first
    around = np.empty((1, *boxes.shape[1:]))
    for d in range(len(order)):
        _clear_box(around, 0)
        for i in range(first, last):
            heads[i] = (i + 1 - first) * _stretch(around[0], boxes, order[d, i])
        whole = heads[last - 1]
        _clear_box(around, 0)
        for i in range(last - 1, first, -1):
            gain = whole - heads[i - 1] - (last - i) * _stretch(around[0], boxes, order[d, i])
            if gain > best:
                best, dimension, position = gain, d, i
    return best, dimension, position


best_cut = by_ndim({2: _best_cut_of_rectangles, 3: _best_cut_of_boxes})
"""(gain, side, position) of the cut that most lowers members x half perimeter: (boxes, order, first, last, heads).

`order` (sides, members): members in the order of their middles in each side, of which `first:last` are looked at;
`heads` is scratch.
"""


@njit
def _sides_of_rectangles(boxes: Floats) -> int:  # noqa: ARG001
    return 2


@njit
def _sides_of_boxes(boxes: Floats) -> int:
    return int(boxes.shape[2])


sides_in = by_ndim({2: _sides_of_rectangles, 3: _sides_of_boxes})
"""Number of sides of boxes."""


@njit
def _middle_of_rectangle(boxes: Floats, i: int, side: int) -> float:
    return float(boxes[i, 2 * side] * 0.5 + boxes[i, 2 * side + 1] * 0.5)


@njit
def _middle_of_box(boxes: Floats, i: int, side: int) -> float:
    return float(boxes[i, 0, side] * 0.5 + boxes[i, 1, side] * 0.5)


middle = by_ndim({2: _middle_of_rectangle, 3: _middle_of_box})
"""Middle of box i in a side: (boxes, i, side)."""


# Loops, here and below, compile in a third of the time of assignments to slices.
@njit
def _copy_rectangle(boxes: Floats, i: int, out: Floats, at: int) -> None:
    for d in range(4):
        out[at, d] = boxes[i, d]


@njit
def _copy_box(boxes: Floats, i: int, out: Floats, at: int) -> None:
    for side in range(boxes.shape[2]):
        out[at, 0, side] = boxes[i, 0, side]
        out[at, 1, side] = boxes[i, 1, side]


copy_box = by_ndim({2: _copy_rectangle, 3: _copy_box})
"""Write box i of a list to a place of another: (boxes, i, out, at)."""


@njit
def _clear_rectangle(boxes: Floats, i: int) -> None:
    boxes[i, 0], boxes[i, 1], boxes[i, 2], boxes[i, 3] = np.inf, -np.inf, np.inf, -np.inf


@njit
def _clear_box(boxes: Floats, i: int) -> None:
    for side in range(boxes.shape[2]):
        boxes[i, 0, side], boxes[i, 1, side] = np.inf, -np.inf


clear_box = by_ndim({2: _clear_rectangle, 3: _clear_box})
"""Make box i hold nothing: (boxes, i)."""


@njit
def _take_in_rectangle(boxes: Floats, i: int, others: Floats, j: int) -> None:
    boxes[i, 0], boxes[i, 1] = min(boxes[i, 0], others[j, 0]), max(boxes[i, 1], others[j, 1])
    boxes[i, 2], boxes[i, 3] = min(boxes[i, 2], others[j, 2]), max(boxes[i, 3], others[j, 3])


@njit
def _take_in_box(boxes: Floats, i: int, others: Floats, j: int) -> None:
    for side in range(boxes.shape[2]):
        boxes[i, 0, side] = min(boxes[i, 0, side], others[j, 0, side])
        boxes[i, 1, side] = max(boxes[i, 1, side], others[j, 1, side])


take_in = by_ndim({2: _take_in_rectangle, 3: _take_in_box})
"""Make box i of a list hold box j of another: (boxes, i, others, j)."""


@njit
def _put_rectangle(boxes: Floats, i: int, points: Floats, row: int) -> None:
    boxes[i, 0] = boxes[i, 1] = points[row, 0]
    boxes[i, 2] = boxes[i, 3] = points[row, 1]


@njit
def _put_box(boxes: Floats, i: int, points: Floats, row: int) -> None:
    for side in range(boxes.shape[2]):
        boxes[i, 0, side] = boxes[i, 1, side] = points[row, side]


put_point = by_ndim({2: _put_rectangle, 3: _put_box})
"""Make box i a subscription alone, a row of points, (m, sides): (boxes, i, points, row)."""


@njit
def _rectangle_covers(boxes: Floats, i: int, others: Floats, j: int) -> bool:
    return bool(
        boxes[i, 0] <= others[j, 0]
        and others[j, 1] <= boxes[i, 1]
        and boxes[i, 2] <= others[j, 2]
        and others[j, 3] <= boxes[i, 3]
    )


@njit
def _box_covers(boxes: Floats, i: int, others: Floats, j: int) -> bool:
    inside = True
    for side in range(boxes.shape[2]):
        inside &= boxes[i, 0, side] <= others[j, 0, side] and others[j, 1, side] <= boxes[i, 1, side]
    return inside


covers = by_ndim({2: _rectangle_covers, 3: _box_covers})
"""Whether box i of a list covers box j of another: (boxes, i, others, j)."""


@njit
def _growth_of_rectangle(boxes: Floats, i: int, others: Floats, j: int) -> float:
    wide = _half_perimeter(
        min(boxes[i, 0], others[j, 0]),
        max(boxes[i, 1], others[j, 1]),
        min(boxes[i, 2], others[j, 2]),
        max(boxes[i, 3], others[j, 3]),
    )
    return wide - _half_perimeter(boxes[i, 0], boxes[i, 1], boxes[i, 2], boxes[i, 3])


@njit
def _growth_of_box(boxes: Floats, i: int, others: Floats, j: int) -> float:
    wide, now = 0.0, 0.0
    for side in range(boxes.shape[2]):
        lo, hi = boxes[i, 0, side], boxes[i, 1, side]
        wide += max(hi, others[j, 1, side]) * _SCALE - min(lo, others[j, 0, side]) * _SCALE
        now += hi * _SCALE - lo * _SCALE
    return wide - now


growth = by_ndim({2: _growth_of_rectangle, 3: _growth_of_box})
"""By how much the half perimeter of box i grows if it takes in box j of another list: (boxes, i, others, j)."""
