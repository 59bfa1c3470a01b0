"""Where a broker of a content-addressable network sends a message, from its own zone and its neighbours'.

A message's rectangle G is `l_out < l <= l_in`, `r_in <= r < r_out` with l_in <= r_in: all of G lies in the triangle.
Messages with l_in > r_in are the matter of `cn.wide_forwarding`.

**To the region.** A broker whose zone does not meet G hands the message to a neighbour on a side that faces G
(left when l_in <= l_lo, right when l_hi <= l_out, below when r_out <= r_lo, above when r_hi <= r_in) that is no
worse in the other dimension: it meets G there if the broker does, and otherwise its edge that faces G is not
further off. Of those it takes the one nearest to G. Such a neighbour exists:

* in the square, it is the one across the facing side at the point nearest to G in the other dimension;
* in the triangle, that point may be missing only where the facing side has no length above the diagonal. A right
  side has none when l_hi = r_hi; G to the right of it has r_in >= l_in > l_out >= r_hi, so the upper side faces G
  too, and upper sides have their full length. A lower side has none when r_lo = l_lo; G below it has
  l_in <= r_in < r_out <= l_lo, so the left side faces G too, and left sides have their full length. Where the side
  has length, the wanted point is on it: G to the right has r_in > l_hi, G below has l_in < r_lo, which keeps the
  point above the diagonal.

Each hop strictly advances the edge in one dimension and loses nothing in the other, by comparisons without
rounding, so no zone is visited twice and the message arrives.

**In the region.** For a zone that meets G let (a, b) be the corner of the common part with the largest l and the
smallest r. If b > r_in the zone's parent is the zone just below (a, b); otherwise, if a < l_in, the one just right of
it; otherwise it is the root, the zone of (l_in, r_in). Parents meet G, and b falls or stays at r_in while a grows, so
the zones that meet G form one tree. Both ends of an edge can tell that it is one. A message that has come to any
zone of the tree is passed on along all its edges but the one it came by: each zone that meets G is reached once, and
no other beyond the route.
"""

import numpy as np

from cn.plane import ABOVE, BELOW, LEFT, RIGHT, ZoneTable
from cn.regions import Rectangle
from cn.zones import Ints
from floor.kernels import njit_inner

__all__ = ["spread", "toward"]


@njit_inner
def toward(zones: ZoneTable, broker: int, region: Rectangle) -> int:
    """Edge by which a message leaves a zone that its rectangle does not meet, or -1; see the module's proof.

    Only the broker's row and its neighbours' extents are read, here and below.
    """
    l_in, r_in, l_out, r_out = region
    best = -1
    nearest = np.inf
    for along, over in ((LEFT, BELOW), (BELOW, LEFT)):  # where l and r begin, in extents as in sides
        lo, hi, across_lo, across_hi = (l_out, l_in, r_in, r_out) if along == LEFT else (r_in, r_out, l_out, l_in)
        zone_lo, zone_hi = zones.extents[broker, along], zones.extents[broker, along + 1]
        if zone_lo < hi and lo < zone_hi:
            continue
        side = along if hi <= zone_lo else along + 1
        across_zone_lo, across_zone_hi = zones.extents[broker, over], zones.extents[broker, over + 1]
        for e in range(zones.sides[broker, side], zones.sides[broker, side + 1]):
            w_lo, w_hi = zones.beyond[e, over], zones.beyond[e, over + 1]
            if across_hi <= across_zone_lo:
                fit = w_lo <= across_zone_lo
            elif across_zone_hi <= across_lo:
                fit = w_hi >= across_zone_hi
            else:
                fit = w_lo < across_hi and across_lo < w_hi
            if fit:
                distance = max(zones.beyond[e, along] - hi, lo - zones.beyond[e, along + 1], 0.0)
                distance += max(w_lo - across_hi, across_lo - w_hi, 0.0)
                if best < 0 or distance < nearest:
                    nearest = distance
                    best = e
    return best


@njit_inner
def spread(zones: ZoneTable, broker: int, came_from: int, region: Rectangle, out: Ints) -> tuple[bool, int]:
    """Write the edges of the region's tree at a zone of it, but the one the message came by: at most its neighbours.

    Every zone of the tree delivers; returns that, and how many edges there are.
    """
    l_in, r_in, l_out, r_out = region
    l_lo, l_hi = zones.extents[broker, 0], zones.extents[broker, 1]
    r_lo, r_hi = zones.extents[broker, 2], zones.extents[broker, 3]
    count = 0
    if r_lo > r_in:  # the parent is below the corner (a, r_lo)
        a = min(l_hi, l_in)
        for e in range(zones.sides[broker, BELOW], zones.sides[broker, BELOW + 1]):
            if zones.beyond[e, 0] < a <= zones.beyond[e, 1] and zones.neighbours[e] != came_from:
                out[count] = e
                count += 1
    else:  # on the bottom row the parent is right of the corner and children are to the left
        if l_hi < l_in:
            for e in range(zones.sides[broker, RIGHT], zones.sides[broker, RIGHT + 1]):
                if zones.beyond[e, 2] <= r_in < zones.beyond[e, 3] and zones.neighbours[e] != came_from:
                    out[count] = e
                    count += 1
        if l_out < l_lo:
            for e in range(zones.sides[broker, LEFT], zones.sides[broker, LEFT + 1]):
                if zones.beyond[e, 2] <= r_in < zones.beyond[e, 3] and zones.neighbours[e] != came_from:
                    out[count] = e
                    count += 1
    if r_hi < r_out:  # children above have the corner of their common part over this zone
        for e in range(zones.sides[broker, ABOVE], zones.sides[broker, ABOVE + 1]):
            a = min(zones.beyond[e, 1], l_in)
            if l_lo < a <= l_hi and l_out < a and zones.beyond[e, 0] < a and zones.neighbours[e] != came_from:
                out[count] = e
                count += 1
    return True, count
