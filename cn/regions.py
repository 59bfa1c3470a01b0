"""Regions of messages, as kernels take them: rectangles of one attribute, boxes of several.

The walks of `cn.forwarding` hand a *region* from kernel to kernel without a look at it. Of one attribute it is (l_in,
r_in, l_out, r_out); of several (lo, hi, last, wide, pairs), one message's rows of a `SideRegions`. The functions of
this module are chosen by the types of what they are given: in compiled code at compile time, at no cost.

A region lo <= u < hi counts only where l <= r in every attribute. If that is all of it, the message is narrow. It is
wide if in some attribute l_in > r_in: then the diagonal cuts it. Whatever holds a point that counts also holds, with
it, all others of the region with larger coordinates, so it holds a point that counts iff its largest one does.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba.extending import overload

from cn.side_space import pairs_of
from floor.kernel_forms import by_ndim
from floor.kernels import njit_inner
from paint.sides import Sides, boxes_of

__all__ = [
    "Corners",
    "Rectangle",
    "Region",
    "Regions",
    "SideRegion",
    "SideRegions",
    "corner_region",
    "holds_box",
    "meets",
    "meets_box",
    "region_at",
    "side_regions",
]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Rectangle = tuple[float, float, float, float]
SideRegion = tuple[Floats, Floats, Floats, bool, Ints]
Region = Rectangle | SideRegion


class Corners(NamedTuple):
    """Rectangles of messages over one attribute, (messages,) f8 each."""

    l_in: Floats
    r_in: Floats
    l_out: Floats
    r_out: Floats


class SideRegions(NamedTuple):
    """Boxes of messages over several attributes.

    `lo`, `hi` (messages, D) f8: the box lo <= u < hi, which holds a subscription.
    `last` (messages, D) f8: the largest u below hi; of no use where no message is wide.
    `wide` (messages,) bool: the message is wide. `pairs` (p, 2) i8: left and right side of attributes that have both.
    """

    lo: Floats
    hi: Floats
    last: Floats
    wide: npt.NDArray[np.bool_]
    pairs: Ints


Regions = Corners | SideRegions


def side_regions(sides: Sides, table: npt.NDArray[np.void]) -> SideRegions:
    """Regions of a table of messages with vector fields; O(D) each."""
    lo, hi = boxes_of(sides, table)
    pairs = pairs_of(sides)
    wide = np.zeros(len(lo), np.bool_)
    for l, r in pairs.tolist():
        wide |= -lo[:, l] > lo[:, r]
    return SideRegions(lo, hi, np.nextafter(hi, -np.inf) if wide.any() else hi, wide, pairs)


def corner_region(box: Floats) -> Region:
    """Region of the single subscription with the largest coordinates in a zone."""
    if box.ndim == 1:
        l_lo, _, _, r_hi = box.tolist()
        return float(np.nextafter(l_lo, np.inf)), float(np.nextafter(r_hi, -np.inf)), l_lo, r_hi
    last = np.nextafter(box[1], -np.inf)
    return last, box[1], last, False, np.empty((0, 2), np.int64)


def _rectangle_at(regions: Corners, i: int) -> Rectangle:
    return regions.l_in[i], regions.r_in[i], regions.l_out[i], regions.r_out[i]


def _box_at(regions: SideRegions, i: int) -> SideRegion:
    return regions.lo[i], regions.hi[i], regions.last[i], regions.wide[i], regions.pairs


_AT: dict[type, Callable[..., Any]] = {Corners: _rectangle_at, SideRegions: _box_at}


def region_at(regions: Regions, i: int) -> Region:
    """Region of one message."""
    region: Region = _AT[type(regions)](regions, i)
    return region


@overload(region_at, strict=False)
def _choose_at(regions: Any, i: Any) -> Any:  # noqa: ARG001
    return _AT[regions.instance_class]


@njit_inner
def meets(
    l_lo: float, l_hi: float, r_lo: float, r_hi: float, l_in: float, r_in: float, l_out: float, r_out: float
) -> bool:
    """Whether a zone meets what of a message's rectangle lies above the diagonal: all of it unless it is wide."""
    a, b = max(l_lo, l_out), min(r_hi, r_out)
    return a < min(l_hi, l_in) and max(r_lo, r_in) < b and np.nextafter(a, np.inf) <= np.nextafter(b, -np.inf)


@njit_inner
def _rectangle_meets(boxes: Floats, at: int, region: Rectangle) -> bool:
    l_in, r_in, l_out, r_out = region
    return bool(meets(boxes[at, 0], boxes[at, 1], boxes[at, 2], boxes[at, 3], l_in, r_in, l_out, r_out))


@njit_inner
def _box_meets(boxes: Floats, at: int, region: SideRegion) -> bool:
    # To leave at the first side that keeps them apart halves the time of a broker with many boxes to look at. Neither
    # is empty by itself: a region holds a subscription, and the zone of a broker that is absent begins at +inf.
    for side in range(len(region[0])):
        if boxes[at, 0, side] >= region[1][side] or region[0][side] >= boxes[at, 1, side]:
            return False
    met = True
    if region[3]:
        for pair in range(len(region[4])):
            l, r = region[4][pair, 0], region[4][pair, 1]
            low = min(np.nextafter(boxes[at, 1, l], -np.inf), region[2][l])
            met &= -low <= min(np.nextafter(boxes[at, 1, r], -np.inf), region[2][r])
    return met


@njit_inner
def _rectangle_holds(boxes: Floats, at: int, zones: Floats, zone: int) -> bool:
    return bool(
        boxes[at, 0] <= zones[zone, 0]
        and zones[zone, 1] <= boxes[at, 1]
        and boxes[at, 2] <= zones[zone, 2]
        and zones[zone, 3] <= boxes[at, 3]
    )


@njit_inner
def _box_holds(boxes: Floats, at: int, zones: Floats, zone: int) -> bool:
    inside = True
    for side in range(boxes.shape[2]):
        inside &= boxes[at, 0, side] <= zones[zone, 0, side] and zones[zone, 1, side] <= boxes[at, 1, side]
    return inside


meets_box = by_ndim({2: _rectangle_meets, 3: _box_meets})
"""Whether a zone, or a part of S, of a list holds a subscription of a region: (boxes, at, region)."""

holds_box = by_ndim({2: _rectangle_holds, 3: _box_holds})
"""Whether a part of S holds a zone, each of a list: (boxes, at, zones, zone)."""
