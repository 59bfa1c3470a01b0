"""What a network is asked to carry and what it says it did: the same for every network."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cn.regions import Corners, Region, Regions, region_at, side_regions
from paint.messages import holds_some
from paint.sides import Sides

__all__ = [
    "Deliveries",
    "End",
    "Hops",
    "finite_ends",
    "link_costs",
    "message_regions",
    "message_starts",
    "one_region",
]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
End = float | Floats
"""A number, or over several attributes a vector of them."""


class Deliveries(NamedTuple):
    """What a network did with a table of messages.

    `overlay_hops`, `ip_hops` (messages,) i8: hops between brokers, and links under them.
    `offsets`, `zones` i8: message i reached the zones of brokers `zones[offsets[i]:offsets[i + 1]]`, in that order.
    `travelled` i8, as long as `zones`: IP hops from the message's source to there, along the overlay.
    `crossed` (links, 3) i8: a broker, a neighbour of it, and how many messages it sent there.
    """

    overlay_hops: Ints
    ip_hops: Ints
    offsets: Ints
    zones: Ints
    travelled: Ints
    crossed: Ints

    @property
    def zones_reached(self) -> Ints:
        """Number of zones that each message reached, (messages,) i8."""
        return np.diff(self.offsets)


class Hops(NamedTuple):
    """Every hop of a table of messages, so that a clock can be put on them.

    Hops of message i are rows `offsets[i]:offsets[i + 1]`, each after the one that brought its sender the message:
    `senders`, `receivers` i8: brokers. `previous` i8: row of that earlier hop, -1 at the source.
    `delivers` bool: the receiver hands the message to its own subscriptions.
    `at_source` (messages,) bool: the source does.
    """

    offsets: Ints
    senders: Ints
    receivers: Ints
    previous: Ints
    delivers: npt.NDArray[np.bool_]
    at_source: npt.NDArray[np.bool_]


def finite_ends(ends: npt.ArrayLike) -> Floats:
    """Ends of subscriptions, infinite ones as the largest finite value: an open side of a message is beyond these."""
    largest = np.finfo(np.float64).max
    return np.clip(np.asarray(ends, np.float64), -largest, largest)


def message_regions(table: npt.NDArray[np.void], sides: Sides | None = None) -> Regions:
    """Regions of messages, over some sides or of one attribute; refused unless each reaches some range l <= r."""
    fields = Corners._fields
    if not set(fields) <= set(getattr(getattr(table, "dtype", None), "names", None) or ()):
        raise TypeError(
            f"table must be an array with the fields {', '.join(fields)}, got {type(table).__name__}; "
            "Messages of a server have one as their table"
        )
    corners = Corners(*(np.ascontiguousarray(table[name]) for name in fields))
    attributes = 1 if sides is None else int(sides.attribute.max()) + 1
    shape = (len(table),) if attributes == 1 else (len(table), attributes)
    if corners.l_in.shape != shape:
        raise ValueError(
            f"table must hold messages over as many attributes as the network ({attributes}), "
            f"got fields of shape {corners.l_in.shape}"
        )
    wrong = ~holds_some(*corners)
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0]) // attributes
        raise ValueError(
            f"a message needs l_out < l_in, r_in < r_out and a range l <= r that it reaches, got {table[at]} "
            f"at row {at}"
        )
    return corners if sides is None else side_regions(sides, table)


def one_region(sides: Sides | None, *corners: End) -> Region:
    """Region of one message from its l_in, r_in, l_out, r_out: vectors over several attributes."""
    if sides is None:
        l_in, r_in, l_out, r_out = corners
        return l_in, r_in, l_out, r_out  # type: ignore[return-value]
    vectors = [np.atleast_1d(np.asarray(corner, np.float64)) for corner in corners]
    table = np.empty(1, [(name, "f8", (len(vectors[0]),)) for name in Corners._fields])
    for name, vector in zip(Corners._fields, vectors, strict=True):
        table[name] = vector
    return region_at(side_regions(sides, table), 0)


def message_starts(sources: npt.ArrayLike, messages: int, present: npt.NDArray[np.bool_]) -> Ints:
    """Broker at which each message starts, (messages,) i8; `sources` may be one for all."""
    given = np.asarray(sources)
    if given.dtype.kind not in "iu" and given.size:
        raise TypeError(f"sources must be integers, got an array of {given.dtype}")
    if given.shape not in ((), (messages,)):
        raise ValueError(f"sources must be one broker or one per message ({messages}), got shape {given.shape}")
    starts = np.full(messages, given, np.int64)  # an array of its own: read-only ones would be another type to Numba
    if messages and not (starts.min() >= 0 and starts.max() < len(present) and present[starts].all()):
        wrong = next(start for start in starts.tolist() if not (0 <= start < len(present) and present[start]))
        here = f"{int(present.sum())} of {len(present)} are"
        raise ValueError(f"sources must be brokers that are present ({here}), got {wrong}")
    return starts


def link_costs(ip_hops: npt.NDArray[np.integer] | None, brokers: int, owners: Ints, neighbours: Ints) -> Ints:
    """IP hops from each owner to its neighbour, (links,) i8; 1 each when `ip_hops` is missing."""
    if ip_hops is None:
        return np.ones(len(neighbours), np.int64)
    if ip_hops.shape != (brokers, brokers):
        raise ValueError(f"ip_hops must be square with a row per broker ({brokers}), got {ip_hops.shape}")
    return ip_hops[owners, neighbours].astype(np.int64)
