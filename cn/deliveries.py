"""What a network is asked to carry and what it says it did: the same for every network."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from paint.messages import holds_some

__all__ = ["Deliveries", "Hops", "finite_ends", "link_costs", "message_corners", "message_starts"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


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


def message_corners(table: npt.NDArray[np.void]) -> tuple[Floats, Floats, Floats, Floats]:
    """Columns l_in, r_in, l_out, r_out of messages, refused unless each reaches some range l <= r."""
    fields = ("l_in", "r_in", "l_out", "r_out")
    if not set(fields) <= set(getattr(getattr(table, "dtype", None), "names", None) or ()):
        raise TypeError(
            f"table must be an array with the fields {', '.join(fields)}, got {type(table).__name__}; "
            "Messages of a server have one as their table"
        )
    l_in, r_in, l_out, r_out = (np.ascontiguousarray(table[name]) for name in fields)
    wrong = ~holds_some(l_in, r_in, l_out, r_out)
    if wrong.any():
        at = int(wrong.argmax())
        raise ValueError(
            f"a message needs l_out < l_in, r_in < r_out and a range l <= r that it reaches, got {table[at]} "
            f"at row {at}"
        )
    return l_in, r_in, l_out, r_out


def message_starts(sources: npt.ArrayLike, messages: int, present: npt.NDArray[np.bool_]) -> Ints:
    """Broker at which each message starts, (messages,) i8; `sources` may be one for all."""
    given = np.asarray(sources)
    if given.dtype.kind not in "iu" and given.size:
        raise TypeError(f"sources must be integers, got an array of {given.dtype}")
    if given.shape not in ((), (messages,)):
        raise ValueError(f"sources must be one broker or one per message ({messages}), got shape {given.shape}")
    starts = np.ascontiguousarray(np.broadcast_to(given.astype(np.int64), messages))
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
