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
from floor.kernels import njit
from paint.sides import Floats

__all__ = ["spread", "toward"]


@njit
def toward(zones: SideTable, broker: int, region: SideRegion) -> int:
    """Edge by which a message leaves a zone that it does not concern, or -1; see the module's proof.

    Only the broker's row and its neighbours' extents are read, here and below.
    """
    if region[3]:
        if meets_box(zones.extents[broker], region):
            return -1
        return _toward(zones, broker, region[2], region[1])
    return _toward(zones, broker, region[0], region[1])


@njit
def _toward(zones: SideTable, broker: int, lo: Floats, hi: Floats) -> int:
    zone = zones.extents[broker]
    best = -1
    nearest = np.inf
    for side in range(len(lo)):
        if zone[0, side] < hi[side] and lo[side] < zone[1, side]:
            continue
        face = zones.rising[side] if zone[1, side] <= lo[side] else zones.rising[side] ^ 1
        for e in range(zones.sides[broker, face], zones.sides[broker, face + 1]):
            distance = 0.0
            fit = True
            for other in range(len(lo)):
                w_lo, w_hi = zones.beyond[e, 0, other], zones.beyond[e, 1, other]
                if other != side:
                    if hi[other] <= zone[0, other]:
                        fit = w_lo <= zone[0, other]
                    elif zone[1, other] <= lo[other]:
                        fit = w_hi >= zone[1, other]
                    else:
                        fit = w_lo < hi[other] and lo[other] < w_hi
                    if not fit:
                        break
                distance += max(w_lo - hi[other], lo[other] - w_hi, 0.0)
            if fit and (best < 0 or distance < nearest):
                nearest = distance
                best = e
    return best


@njit
def spread(zones: SideTable, broker: int, came_from: int, region: SideRegion, out: Ints) -> tuple[bool, int]:
    """Write the edges of the region's tree at a zone of it, but the one the message came by: at most its neighbours.

    Every zone of the tree delivers; returns that, and how many edges there are.
    """
    if region[3]:
        return True, _spread_wide(zones, broker, came_from, region, out)
    return True, _spread_narrow(zones, broker, came_from, region[0], region[1], out)


@njit
def _spread_narrow(zones: SideTable, broker: int, came_from: int, lo: Floats, hi: Floats, out: Ints) -> int:
    zone = zones.extents[broker]
    count = 0
    first = 0  # sides before the parent's have no children: their corner would not be at lo in the parent's side
    for side in range(len(lo) - 1, -1, -1):
        if zone[0, side] > lo[side]:
            first = side
            face = zones.rising[side] ^ 1
            for e in range(zones.sides[broker, face], zones.sides[broker, face + 1]):
                if zones.neighbours[e] != came_from and _below(zones.beyond[e], zone, side, lo):
                    out[count] = e
                    count += 1
                    break
            break
    for side in range(first, len(lo)):
        if zone[1, side] >= hi[side]:
            continue
        face = zones.rising[side]
        for e in range(zones.sides[broker, face], zones.sides[broker, face + 1]):
            if zones.neighbours[e] != came_from and _is_child(zones.beyond[e], zone, side, lo, hi):
                out[count] = e
                count += 1
    return count


@njit
def _below(parent: Floats, zone: Floats, side: int, lo: Floats) -> bool:
    """Whether a neighbour below a zone in a side holds the zone's least corner in all others."""
    for other in range(len(lo)):
        if other != side:
            p = max(zone[0, other], lo[other])
            if not parent[0, other] <= p < parent[1, other]:
                return False
    return True


@njit
def _is_child(child: Floats, zone: Floats, side: int, lo: Floats, hi: Floats) -> bool:
    """Whether a neighbour above a zone in a side meets the region, with its least corner just above the zone."""
    for other in range(len(lo)):
        if other != side:
            p = max(child[0, other], lo[other])
            if not (zone[0, other] <= p < zone[1, other] and p < child[1, other] and p < hi[other]):
                return False
            if other > side and p > lo[other]:
                return False
    return True


@njit
def _spread_wide(zones: SideTable, broker: int, came_from: int, region: SideRegion, out: Ints) -> int:
    hi = region[1]
    zone = zones.extents[broker]
    last = -1
    for side in range(len(hi)):
        if zone[1, side] < hi[side]:
            last = side
    count = 0
    for side in range(max(last, 0), len(hi)):
        for face in range(2 * side, 2 * side + 2):
            rises = face == zones.rising[side]
            for e in range(zones.sides[broker, face], zones.sides[broker, face + 1]):
                if zones.neighbours[e] == came_from:
                    continue
                if rises:
                    edge = side == last and _above(zones.beyond[e], zone, side, hi)
                else:
                    edge = _is_wide_child(zones.beyond[e], zone, side, hi) and meets_box(zones.beyond[e], region)
                if edge:
                    out[count] = e
                    count += 1
    return count


@njit
def _above(parent: Floats, zone: Floats, side: int, hi: Floats) -> bool:
    """Whether a neighbour above a zone in a side holds the zone's largest corner in all others."""
    for other in range(len(hi)):
        if other != side:
            q = min(zone[1, other], hi[other])
            if not parent[0, other] < q <= parent[1, other]:
                return False
    return True


@njit
def _is_wide_child(child: Floats, zone: Floats, side: int, hi: Floats) -> bool:
    """Whether a neighbour below a zone in a side has its largest corner just below the zone."""
    for other in range(len(hi)):
        if other != side:
            q = min(child[1, other], hi[other])
            if not zone[0, other] < q <= zone[1, other] or (other > side and q < hi[other]):
                return False
    return True
