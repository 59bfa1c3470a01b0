"""Where a broker of a content-addressable network sends a wide message; all others go by `cn.zone_forwarding`.

A wide message has l_in > r_in: its rectangle G is `l_out < l <= l_in`, `r_in <= r < r_out`, and it is for all ranges
that meet [r_in, l_in], or for everybody with l_in = inf and r_in = -inf. The diagonal cuts G; what is left, G', holds
with a point every other one of G further up or left, and so a corner c: the smallest l of G with its largest r. A
zone meets G' if it meets G at points with l <= r, which is the case if the corner of the common part with the
smallest l and the largest r is one.

**To the region.** A broker whose zone does not meet G' hands the message on toward c, a rectangle of one point, by
the rule of `cn.zone_forwarding`; the zone of c meets G'.

**In the region.** The tree is the mirrored one, which stays above the diagonal: with (a, b) the corner of the common
part with the smallest l and the largest r, the parent is the zone just above (a, b) if b < r_out, otherwise, if
a > l_out, the one just left of it, otherwise it is the root, the zone of c. Parents meet G', since they hold a point
further up or left; b grows or stays at r_out while a falls, and both ends of an edge can tell it. A message that has
come to any zone of the tree is passed on along all its edges but the one it came by: each zone that meets G' is
reached once, and no other beyond the route.

The tables are the same under another type: kernels for messages that are never wide stay as small as they are.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from cn import zone_forwarding
from cn.plane import ABOVE, BELOW, LEFT, RIGHT
from cn.regions import Rectangle, meets
from cn.zones import Floats, Ints
from floor.kernels import njit_inner

__all__ = ["WideTable", "spread", "toward"]

_narrow_toward: Callable[..., int] = zone_forwarding.toward
_narrow_spread: Callable[..., tuple[bool, int]] = zone_forwarding.spread


class WideTable(NamedTuple):
    """A `cn.zones.ZoneTable` for messages of which some are wide."""

    extents: Floats
    sides: Ints
    neighbours: Ints
    beyond: Floats


@njit_inner
def _spread_wide(
    zones: WideTable, broker: int, came_from: int, l_in: float, r_in: float, l_out: float, r_out: float, out: Ints
) -> int:
    """Write the edges of a wide message's tree at a zone of it, but the one the message came by: how many."""
    l_lo, l_hi, r_lo, r_hi = zones.extents[broker]
    count = 0
    for e in range(zones.sides[broker, LEFT], zones.sides[broker, ABOVE + 1]):
        if zones.neighbours[e] == came_from:
            continue
        w_l_lo, w_l_hi, w_r_lo, w_r_hi = zones.beyond[e]
        if e >= zones.sides[broker, ABOVE]:  # the parent, unless the zone is in the top row
            edge = r_hi < r_out and w_l_lo <= max(l_lo, l_out) < w_l_hi
        elif e >= zones.sides[broker, BELOW]:  # children with their corner under this zone
            edge = l_lo <= max(w_l_lo, l_out) < l_hi
            edge = edge and meets(w_l_lo, w_l_hi, w_r_lo, w_r_hi, l_in, r_in, l_out, r_out)
        elif e >= zones.sides[broker, RIGHT]:  # children in the top row
            edge = r_lo < r_out <= r_hi and w_r_lo < r_out <= w_r_hi
            edge = edge and meets(w_l_lo, w_l_hi, w_r_lo, w_r_hi, l_in, r_in, l_out, r_out)
        else:  # the parent in the top row
            edge = r_lo < r_out <= r_hi and l_out < l_lo and w_r_lo < r_out <= w_r_hi
        if edge:
            out[count] = e
            count += 1
    return count


@njit_inner
def toward(zones: WideTable, broker: int, region: Rectangle) -> int:
    """Edge by which a message leaves a zone that it does not concern, or -1."""
    l_in, r_in, l_out, r_out = region
    if l_in > r_in:
        l_lo, l_hi, r_lo, r_hi = zones.extents[broker]
        if meets(l_lo, l_hi, r_lo, r_hi, l_in, r_in, l_out, r_out):
            return -1
        corner = np.nextafter(l_out, np.inf), np.nextafter(r_out, -np.inf), l_out, r_out
        return _narrow_toward(zones, broker, corner)
    return _narrow_toward(zones, broker, region)


@njit_inner
def spread(zones: WideTable, broker: int, came_from: int, region: Rectangle, out: Ints) -> tuple[bool, int]:
    """Write the edges of the region's tree at a zone of it, but the one the message came by: True, and how many."""
    l_in, r_in, l_out, r_out = region
    if l_in > r_in:
        return True, _spread_wide(zones, broker, came_from, l_in, r_in, l_out, r_out, out)
    return _narrow_spread(zones, broker, came_from, region, out)
