"""Where a broker of a prefix network sends a message, from its own rungs and contacts.

A message's rectangle G is `l_out < l <= l_in`, `r_in <= r < r_out`, of which only l <= r counts, wide messages
(l_in > r_in) included. A part of S meets G if the corner of the common part with the smallest l and the largest r is
a range l <= r; over several attributes that is asked of each of them (`cn.regions`). A part that meets G holds a zone
that does, since its zones cover all its ranges.

**The rule.** A broker is responsible for one part of S on its way down the rungs: where the message starts, for all
of S, and where it came from another broker, for the largest of its own parts that does not hold that broker's zone.
From there down, as long as its own part meets G, it hands the message to the contact in each other part of the rung
that meets G. It delivers the message if its zone meets G.

**What it is responsible for.** Let s hand a message to its contact c in another part P of a rung whose part is B.
Both are in B, so B and all above it are rungs of c too, and hold s; the next part of c, down from B, is P, which does
not: c is responsible for P, and both can tell. The message has to carry no more than where it comes from.

**Whom a message reaches.** Who is responsible for a part hands over disjoint parts of it that do not hold its own
zone, and goes on in the part of its next rung, which does; together with it these are the whole part. So by induction
from the smallest parts up, all zones of the part that meet G get the message. Each gets it once: the parts that are
handed over from one rung are disjoint, and who gets the message is in the part that it gets it for. A broker that
does not meet G itself is a relay, for a part that does.

**A way to one broker** (`way`) is the same with the target's zone for G: each hop goes to the contact in that part of
the last rung that both have in common which holds the target. The next rung in common is further down, so a way has
no more hops than the target has rungs.
"""

import numpy as np

from cn.prefix_table import PrefixTable
from cn.regions import Region, holds_box, meets_box
from cn.zones import Ints
from floor.kernels import njit, njit_inner

__all__ = ["spread", "toward", "way"]


@njit_inner
def _rungs_in_common(table: PrefixTable, broker: int, other: int) -> int:
    """Row after the last rung of a broker that holds another's zone as well."""
    rung = int(table.starts[broker])
    while rung < table.starts[broker + 1] and holds_box(table.boxes, rung, table.extents, other):
        rung += 1
    return rung


@njit_inner
def toward(table: PrefixTable, broker: int, region: Region) -> int:  # noqa: ARG001
    """-1: a message spreads from where it starts."""
    return -1


@njit_inner
def spread(table: PrefixTable, broker: int, came_from: int, region: Region, out: Ints) -> tuple[bool, int]:
    """Whether a broker delivers a message, and how many contacts it hands it to; these are written into `out`.

    Reads the broker's own rungs and contacts, and the zone that the message came from.
    """
    count = 0
    first = table.starts[broker] if came_from < 0 else _rungs_in_common(table, broker, came_from)
    for rung in range(first, table.starts[broker + 1]):
        if not meets_box(table.boxes, rung, region):
            return False, count
        for e in range(table.edges[rung], table.edges[rung + 1]):
            if meets_box(table.beyond, e, region):
                out[count] = e
                count += 1
    return meets_box(table.extents, broker, region), count


@njit
def way(table: PrefixTable, source: int, target: int) -> Ints:
    """Brokers from one to another, both included. O(rungs of the target x contacts on a rung)."""
    brokers = np.empty(table.starts[target + 1] - table.starts[target] + 1, np.int64)
    brokers[0] = source
    count = 1
    while brokers[count - 1] != target:
        broker = brokers[count - 1]
        rung = _rungs_in_common(table, broker, target) - 1
        for e in range(table.edges[rung], table.edges[rung + 1]):
            if holds_box(table.beyond, e, table.extents, target):
                brokers[count] = table.neighbours[e]
                count += 1
                break
    return brokers[:count].copy()
