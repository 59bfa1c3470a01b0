"""Control messages, which carry no update: acknowledgements and watermarks, and where subscriptions ask, questions.

**Acknowledgements** are sent where messages may be lost: each broker acknowledges each transmission that comes to it,
to its sender, at once. A packet of several messages is one transmission, here and below.

**Order "hold"** wants to know when nothing is missing. A broker that has served a message, and has heard the same
from all to whom it sent it on, acknowledges it to the one it has it from (the termination detection of Dijkstra and
Scholten); in the end the broker where the message started knows, and tells the broker at the server's place, if that
is another. When this one knows it of all messages up to a window, it sends a watermark straight to every gateway that
has some of that window, which then hands them to its subscriptions.

**Questions** go from a subscription's gateway straight to the server, as does an answer without news back.

All are small and take their time on the way, but neither a broker's nor an uplink's; they are never lost.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit
from topologies import Routes

__all__ = ["Ends", "Watermarks", "control_rows", "echo", "watermarks", "words_to_server"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Ends(NamedTuple):
    """Control messages, as columns: the window that each belongs to, and between which brokers it goes."""

    window: Ints
    sender: Ints
    receiver: Ints


@njit
def echo(before: Ints, served_s: Floats, delay_s: Floats) -> Floats:
    """When each place had heard that all beyond it have the message; +inf for never.

    Parameters
    ----------
    before : (hops,) int64 array
        Place that each hop comes from, hops being the first places; negative for none. A hop comes after its previous
        one.
    served_s : (places,) float64 array
        When the broker there had served it; +inf for never.
    delay_s : (hops,) float64 array
        How long the acknowledgement takes on its way back.
    """
    heard_s = served_s.copy()
    for row in range(len(before) - 1, -1, -1):
        if before[row] >= 0:
            heard_s[before[row]] = max(heard_s[before[row]], heard_s[row] + delay_s[row])
    return heard_s


def control_rows(brokers: int, *parts: Ends) -> Ints:
    """Count control messages of the same window, sender and receiver: rows of `Traffic.control`."""
    window, sender, receiver = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    keys, times = np.unique((window * brokers + sender) * brokers + receiver, return_counts=True)
    return np.column_stack((keys // brokers**2, keys // brokers % brokers, keys % brokers, times))


def words_to_server(window_of: Ints, sources: Ints, server: int) -> Ends:
    """One for each message, or packet of them, that started elsewhere and that everyone has."""
    return Ends(window_of, sources, np.full(len(sources), server))


def watermarks(window_of: Ints, message: Ints, gateway: Ints, server: int) -> Ends:
    """One for each window and gateway that has some of it, but the server's own; of deliveries, as columns."""
    pairs = np.unique(np.column_stack((window_of[message], gateway)), axis=0)
    window, receiver = pairs[pairs[:, 1] != server].T
    return Ends(window, np.full(len(window), server), receiver)


class Watermarks:
    """When the watermark of each window can leave the server's place; windows come in their order."""

    def __init__(self, routes: Routes, server: int) -> None:
        self._delay_s, self._last_s = routes.delay_ms[:, server] / 1e3, 0.0

    def leave_s(self, windows: int, window_of: Ints, sources: Ints, complete_s: Floats) -> Floats:
        """When nothing up to each window is missing, as far as the server's place knows."""
        known_s = np.full(windows, self._last_s)
        np.maximum.at(known_s, window_of, complete_s + self._delay_s[sources])
        known_s = np.maximum.accumulate(known_s)
        self._last_s = float(known_s[-1])
        return known_s
