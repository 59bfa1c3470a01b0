"""Where a broker of a content-addressable network over several attributes sends a message.

The rules are those of `cn.zone_forwarding` and `cn.wide_forwarding`, and the way on two sides is theirs hop by hop. A
message's region G is lo <= u < hi. It is narrow if all of it has l <= r in every attribute that has both ends.

**To the region.** A broker whose zone does not meet G hands the message across a side that faces G, upward when
zone.hi <= lo and downward when hi <= zone.lo, to a neighbour that is no worse in any other side: it meets G there if
the broker does, and otherwise its edge that faces G is not further off. Of those it takes the one nearest to G. Each
hop strictly advances in one side and loses nothing in the others, so no zone is visited twice and the message
arrives, if there always is such a neighbour. Let q be a point of the zone as near to G as it gets in each side, and
as large as can be where zone and G overlap.

* In the cube, the neighbour at q across any side that faces G is one.
* Over triangles q itself, if need be moved a little, has l <= r in every attribute, by the zone's trim, l_lo <= r_lo
  and l_hi <= r_hi, and by l_out < l_in <= r_in < r_out. Where the zone's l is too small and its r too large,
  l_hi <= l_out < r_out <= r_lo. Where l is too small and r in reach, l_hi <= l_out is below r_hi and r_out. Where r
  is too large and l in reach, l_lo and l_out < r_out are not above r_lo. Otherwise l is too large or r too small, and
  q is as far out there as the zone goes. A step that raises u makes a range longer and stays in the triangles. If no
  side is to be raised, a step down in r has l_hi < r_lo, as above, or l in reach and
  l_lo < l_in <= r_in < r_out <= r_lo; a step down in -l has l_hi < r_lo, or r in reach and
  l_hi <= l_out < l_in <= r_in < r_hi. So it too stays there.

**In the region.** For a zone that meets G let p be the least corner of the common part, the larger of zone.lo and lo
in each side. The last side with p > lo gives the parent: the zone just below p in that side; if there is none the
zone is the root. That point is in G, so the parent meets G; p falls in that side and stays at lo in those after it,
so zones that meet G form one tree. Both ends of an edge can tell that it is one. A message that has come to any zone
of the tree is passed on along all its edges but the one it came by: each zone that meets G is reached once.

**Wide messages.** What counts of G is only where l <= r; with a point it holds all larger ones of G. The tree is the
mirrored one: q the largest corner of the common part, and the parent just above q in the last side with q < hi. The
way there goes to the single largest point of G, which is narrow.
"""

import numpy as np

from cn.regions import SideRegion, meets_box
from cn.side_space import Ints, SideTable
from floor.kernels import njit_inner

__all__ = ["spread", "toward"]


@njit_inner
def toward(zones: SideTable, broker: int, region: SideRegion) -> int:
    """Edge by which a message leaves a zone that it does not concern, or -1; see the module's proof.

    Only the broker's row and its neighbours' extents are read, here and below.
    """
    best = -1
    nearest = np.inf
    if not region[3] or not meets_box(zones.extents, broker, region):
        for side in range(len(region[1])):
            least, end = zones.extents[broker, 0, side], zones.extents[broker, 1, side]
            if least < region[1][side] and _low(region, side) < end:
                continue
            face = zones.rising[side] if end <= _low(region, side) else zones.rising[side] ^ 1
            for e in range(zones.sides[broker, face], zones.sides[broker, face + 1]):
                distance = 0.0
                fit = True
                for other in range(len(region[1])):
                    least, end = zones.extents[broker, 0, other], zones.extents[broker, 1, other]
                    w_lo, w_hi = zones.beyond[e, 0, other], zones.beyond[e, 1, other]
                    lo, hi = _low(region, other), region[1][other]
                    if other != side:
                        if hi <= least:
                            fit &= w_lo <= least
                        elif end <= lo:
                            fit &= w_hi >= end
                        else:
                            fit &= w_lo < hi and lo < w_hi
                    distance += max(w_lo - hi, lo - w_hi, 0.0)
                if fit and (best < 0 or distance < nearest):
                    nearest = distance
                    best = e
    return best


@njit_inner
def _low(region: SideRegion, side: int) -> float:
    """Where what a message is on its way to begins in a side: the region, or the largest point of a wide one."""
    return float(region[2][side] if region[3] else region[0][side])


@njit_inner
def spread(zones: SideTable, broker: int, came_from: int, region: SideRegion, out: Ints) -> tuple[bool, int]:
    """Write the edges of the region's tree at a zone of it, but the one the message came by: at most its neighbours.

    Every zone of the tree delivers; returns that, and how many edges there are.
    """
    if region[3]:
        count = _spread_wide(zones, broker, came_from, region, out)
    else:
        count = _spread_narrow(zones, broker, came_from, region, out)
    return True, count


@njit_inner
def _spread_narrow(zones: SideTable, broker: int, came_from: int, region: SideRegion, out: Ints) -> int:
    sides = len(region[0])
    count = 0
    first = sides - 1
    while first >= 0 and zones.extents[broker, 0, first] <= region[0][first]:
        first -= 1
    if first >= 0:
        face = zones.rising[first] ^ 1
        for e in range(zones.sides[broker, face], zones.sides[broker, face + 1]):
            # The parent holds the zone's least corner in all other sides.
            edge = count == 0 and zones.neighbours[e] != came_from
            for side in range(sides):
                p = max(zones.extents[broker, 0, side], region[0][side])
                edge &= (side == first) | ((zones.beyond[e, 0, side] <= p) & (p < zones.beyond[e, 1, side]))
            if edge:
                out[count] = e
                count += 1
    # Sides before the parent's have no children: their corner would not be at lo in the parent's side.
    for side in range(max(first, 0), sides):
        if zones.extents[broker, 1, side] < region[1][side]:
            face = zones.rising[side]
            for e in range(zones.sides[broker, face], zones.sides[broker, face + 1]):
                # A child meets the region, and has its least corner just above the zone.
                edge = zones.neighbours[e] != came_from
                for other in range(sides):
                    lo = region[0][other]
                    p = max(zones.beyond[e, 0, other], lo)
                    above = (zones.extents[broker, 0, other] <= p) & (p < zones.extents[broker, 1, other])
                    met = (p < zones.beyond[e, 1, other]) & (p < region[1][other])
                    edge &= (other == side) | (above & met & ((other < side) | (p <= lo)))
                if edge:
                    out[count] = e
                    count += 1
    return count


@njit_inner
def _spread_wide(zones: SideTable, broker: int, came_from: int, region: SideRegion, out: Ints) -> int:
    sides = len(region[1])
    last = -1
    for side in range(sides):
        if zones.extents[broker, 1, side] < region[1][side]:
            last = side
    count = 0
    for side in range(max(last, 0), sides):
        for face in range(2 * side, 2 * side + 2):
            rises = face == zones.rising[side]
            for e in range(zones.sides[broker, face], zones.sides[broker, face + 1]):
                edge = False
                if zones.neighbours[e] != came_from:
                    if rises:
                        edge = side == last and _is_above(zones, broker, e, side, region)
                    elif _is_wide_child(zones, broker, e, side, region):
                        edge = meets_box(zones.beyond, e, region)
                if edge:
                    out[count] = e
                    count += 1
    return count


@njit_inner
def _is_above(zones: SideTable, broker: int, e: int, side: int, region: SideRegion) -> bool:
    """Whether a neighbour above a zone in a side holds the zone's largest corner in all others."""
    holds = True
    for other in range(len(region[1])):
        q = min(zones.extents[broker, 1, other], region[1][other])
        holds &= (other == side) | ((zones.beyond[e, 0, other] < q) & (q <= zones.beyond[e, 1, other]))
    return holds


@njit_inner
def _is_wide_child(zones: SideTable, broker: int, e: int, side: int, region: SideRegion) -> bool:
    """Whether a neighbour below a zone in a side has its largest corner just below the zone."""
    child = True
    for other in range(len(region[1])):
        hi = region[1][other]
        q = min(zones.beyond[e, 1, other], hi)
        below = (zones.extents[broker, 0, other] < q) & (q <= zones.extents[broker, 1, other])
        child &= (other == side) | (below & ((other < side) | (q >= hi)))
    return child
