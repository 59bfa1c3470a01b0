"""The prefix network: the zones of `cn.can`, and ways as short as the split tree is high.

A broker's path in the split tree is a word, as in networks that route by the prefix of an address (C. G. Plaxton,
R. Rajaraman and A. W. Richa, SPAA 1997; Pastry; Tapestry), and base b takes log2(b) splits for a letter. The broker
knows one contact for every word that differs from a prefix of its own in the last letter: in every other part of S
around it, one broker (`cn.prefix_table`). How it decides from these, and why every message arrives at each zone that
it concerns once, is told and shown in `cn.prefix_forwarding`.

**Contacts.** Of all brokers in a part, the contact is the one of least distance from the broker, and of several at
that distance the one with the smallest number. Distance is the delay of the IP path (`near`), or a number drawn for
the pair (`random`). So a contact depends on who is in its part and on nothing that was before.

**Who comes and goes.** A broker that leaves or crashes has its zone taken over (`cn.zones.Zones.leave`). Whoever had
it for a contact takes the next in distance of that part instead, and so with the one that moved into its zone; a
broker that comes to a part becomes a contact where it is nearer than the one there was. All other contacts stay.
Brokers decide by the tables before a change or by those after it, never by both: a message that is under way when the
network changes is started anew by who sent it first, as on every network (`simulator.engine.fault_injector`).
"""

from typing import Literal

import numpy as np
import numpy.typing as npt

from cn.prefix_forwarding import way
from cn.prefix_table import PrefixTable, find_rungs, leaf_order, nearest_in_spans
from cn.zone_network import ZoneNetwork
from cn.zones import Floats, Ints, Zones
from floor.errors import RangecastError
from topologies.arguments import integer

__all__ = ["BASES", "PrefixError", "PrefixNetwork"]

BASES = (2, 4, 8, 16)
"""Parts into which a group of splits may cut a part of S."""


class PrefixError(RangecastError):
    """A broker does not know what it should."""


class PrefixNetwork(ZoneNetwork):
    """Brokers that hold a zone each and know a few contacts for every group of splits above it.

    Parameters
    ----------
    zones
        The brokers' zones. When they change, the next decision uses the new tables.
    delay_ms
        Delay from broker to broker, (n, n), of which single rows are read; needed for near contacts.
    base
        2, 4, 8 or 16: parts into which a group of splits cuts a part of S.
    contacts
        `"near"`: in every other part the broker of least delay. `"random"`: any.
    seed
        What random contacts follow from.

    Notes
    -----
    With splits at random points a broker has about (base - 1) / log2(base) times log2(n) contacts, and a zone is at
    most about log2(n) / log2(base) hops away; near contacts make the first of these short.
    To make the tables, at the start and after each change, takes O(n^2) time, a pass over every row of `delay_ms`,
    and O(contacts) space.

    Examples
    --------
    >>> network = PrefixNetwork(Zones(64, seed=1), contacts="random")
    >>> len(network.path(3, 40)) - 1
    2
    """

    def __init__(
        self,
        zones: Zones,
        delay_ms: npt.NDArray[np.floating] | None = None,
        *,
        base: int = 16,
        contacts: Literal["near", "random"] = "near",
        seed: int = 0,
    ) -> None:
        super().__init__(zones)
        if integer("base", base) not in BASES:
            raise ValueError(f"base must be one of {', '.join(map(str, BASES))}, got {base}")
        if contacts not in ("near", "random"):
            raise ValueError(f"contacts must be 'near' or 'random', got {contacts!r}")
        if contacts == "near" and (delay_ms is None or delay_ms.shape != (len(zones), len(zones))):
            shape = "none" if delay_ms is None else f"shape {delay_ms.shape}"
            raise ValueError(
                f"delay_ms must be square with a row per broker ({len(zones)}), got {shape}; "
                "take that of Routes, or contacts='random'"
            )
        self.base, self.contacts = base, contacts
        self._seed = integer("seed", seed, 0)
        self._delay_ms = delay_ms
        self._make_table()

    @property
    def table(self) -> PrefixTable:
        """What brokers know."""
        if self._made_for is not self.zones.table:
            self._make_table()
        return self._table

    @property
    def links(self) -> Ints:
        """A broker and a contact of it, (links, 2) i8."""
        table = self.table
        owners = np.repeat(np.arange(len(self)), np.diff(table.edges[table.starts]))
        return np.column_stack((owners, table.neighbours))

    def path(self, source: int, target: int) -> list[int]:
        """Brokers from one to another by contacts, both included: for unicast over the overlay. O(contacts)."""
        self._check_ends(source, target)
        brokers: list[int] = way(self.table, source, target).tolist()
        return brokers

    def _table_for(self, *, wide: bool) -> PrefixTable:  # noqa: ARG002
        return self.table

    def _make_table(self) -> None:
        zones, n = self.zones, len(self.zones)
        order, place, spans = leaf_order(zones.splits, n)
        levels = self.base.bit_length() - 1
        starts, boxes, edges, part_spans, beyond = find_rungs(zones.splits, zones.table.extents, place, spans, levels)
        contacts = np.empty(len(beyond), np.int64)
        for broker in order.tolist():
            own = slice(*edges[starts[broker : broker + 2]].tolist())
            nearest_in_spans(order, self._distances(broker), part_spans[own], contacts[own])
        self._table = PrefixTable(zones.table.extents, starts, boxes, edges, contacts, beyond)
        self._made_for = zones.table

    def _distances(self, broker: int) -> Floats:
        """Distances from a broker to all, by which it chooses its contacts, (n,) f8."""
        if self.contacts == "random":
            return np.random.default_rng([self._seed, broker]).random(len(self))
        assert self._delay_ms is not None  # looked at when it was given
        if broker >= len(self._delay_ms):
            raise PrefixError(f"broker {broker} joined later and has no delays; take contacts='random', or all anew")
        return np.asarray(self._delay_ms[broker], np.float64)

    def _check(self) -> None:
        """Raise PrefixError unless the parts on each broker's rungs hold all others once and contacts fit; O(n^3)."""
        table, present = self.table, np.flatnonzero(self.present).tolist()
        for broker in present:
            distance = self._distances(broker)
            known = []
            for rung in range(*table.starts[broker : broker + 2].tolist()):
                if not _lies_in(table.extents[broker], table.boxes[rung]):
                    raise PrefixError(f"broker {broker} is not in the part of its own rung {rung}")
                for e in range(*table.edges[rung : rung + 2].tolist()):
                    if not _lies_in(table.beyond[e], table.boxes[rung]):
                        raise PrefixError(f"contact {e} of broker {broker} is for a part beyond the rung's")
                    held = [b for b in present if _lies_in(table.extents[b], table.beyond[e])]
                    if table.neighbours[e] != min(held, key=lambda b: (distance[b], b), default=-1):
                        raise PrefixError(f"contact {e} of broker {broker} is not the nearest in its part")
                    known += held
            if sorted([*known, broker]) != present:
                raise PrefixError(f"the parts that broker {broker} knows do not hold all others once")


def _lies_in(zone: Floats, box: Floats) -> bool:
    (lo, hi), (zone_lo, zone_hi) = (one if one.ndim == 2 else one.reshape(2, 2).T for one in (box, zone))
    return bool((lo <= zone_lo).all() and (zone_hi <= hi).all())
