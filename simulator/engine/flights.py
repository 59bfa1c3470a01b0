"""Flights: every transmission of a packet from one broker to another, where some go wrong."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.engine.ways import Ways

__all__ = ["Fault", "Flights", "Flown"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Fault = tuple[str, str, float]
"""What, why and seconds."""


class Flown(NamedTuple):
    """Transmissions that took place, as columns."""

    place: Ints
    """Where each went."""
    depart_s: Floats
    """When the uplink began with it."""
    arrive_s: Floats
    """When it came there, NaN if never."""
    again: NDArray[np.bool_]
    """Whether it repeats an earlier one."""
    resent_s: Floats
    """When its sender decided on that, without serving it anew; NaN if it did not."""
    uplink_s: Floats
    """How long it took its sender's uplink."""


class Flights:
    """Transmissions, numbered as they are handed to uplinks: as columns, and apart what is not as it should be.

    Attributes
    ----------
    place : list of int
        Where each goes.
    departed_s : list of float
        When each is on the wire; a broker that crashes before has not sent it.
    came : list of int
        Those that came to their receivers, in that order.
    over : set of int
        Those that ended otherwise.
    faults : dict of int to tuple
        What happened to some: all that links did something to or that a crash prevented.
    """

    def __init__(self, ways: Ways) -> None:
        self._ways = ways
        self.place, self.departed_s, self.came = list[int](), list[float](), list[int]()
        self.over: set[int] = set()
        self.faults: dict[int, tuple[Fault, ...]] = {}
        self._arrive_s: dict[int, float] = {}
        self._resent_s: dict[int, float] = {}
        self._copies: set[int] = set()
        self._unsent: set[int] = set()
        self._cut_s: dict[int, float] = {}

    def depart_s(self, number: int) -> float:
        """When the uplink begins with one."""
        return self.departed_s[number] - self._ways.transmit_s[self.place[number]]

    def arrive_s(self, number: int) -> float:
        """When one arrives, NaN if never."""
        on_time_s = self.departed_s[number] + self._ways.delay_s[self.place[number]]
        return self._arrive_s.get(number, on_time_s)

    def sender(self, number: int) -> int:
        """Broker that sends one."""
        return int(self._ways.broker[self._ways.places.before[self.place[number]]])

    def in_vain(self, number: int) -> bool:
        """Whether its messages have been begun anew since."""
        place = self.place[number]
        return place < self._ways.since[self._ways.start[place]]

    def repeat(self, now: float) -> None:
        """Note that the next one is sent again, since now."""
        self._resent_s[len(self.place)] = now

    def copy(self, number: int) -> int:
        """Let the link make two of one, without the uplink; number of the second."""
        copy = len(self.place)
        self.place.append(self.place[number])
        self.departed_s.append(self.departed_s[number])
        self._copies.add(copy)
        if number in self._resent_s:
            self._resent_s[copy] = self._resent_s[number]
        return copy

    def suffer(self, number: int, arrive_s: float, *faults: Fault) -> None:
        """Note what a link did to one, and when it therefore arrives; NaN for never."""
        self.faults[number], self._arrive_s[number] = faults, arrive_s

    def lose(self, number: int) -> None:
        """Let one that is under way come to nothing."""
        self.over.add(number)
        self._arrive_s[number] = np.nan

    def cut(self, broker: int, now: float) -> list[int]:
        """Take back what a broker that crashes would send from now on; those that it was in the midst of."""
        departed_s, sender = np.array(self.departed_s), self._ways.places.sender[np.array(self.place, np.int64)]
        late = self._flying() & (departed_s > now) & (sender == broker)
        begun = []
        for number in np.flatnonzero(late).tolist():
            self.over.add(number)
            self.faults.setdefault(number, ())
            if self.depart_s(number) < now and number not in self._copies:
                self._cut_s[number] = now - self.depart_s(number)
                begun.append(number)
            else:
                self._unsent.add(number)
        return begun

    def under_way(self) -> list[int]:
        """Those that have not ended."""
        numbers: list[int] = np.flatnonzero(self._flying()).tolist()
        return numbers

    def _flying(self) -> NDArray[np.bool_]:
        flying = np.ones(len(self.place), np.bool_)
        flying[self.came] = flying[list(self.over)] = False
        return flying

    def flown(self) -> tuple[Flown, Ints]:
        """All that took place; and which of them came to their receivers, in that order."""
        places, place, departed_s = self._ways.places, np.array(self.place, np.int64), np.array(self.departed_s)
        transmit_s, again = places.transmit_s[place], places.again[place]
        again[list(self._copies)] = again[list(self._resent_s)] = True
        resent_s = _with(np.full(len(place), np.nan), self._resent_s)
        arrive_s = _with(departed_s + places.delay_s[place], self._arrive_s)
        uplink_s = _with(transmit_s, self._cut_s | dict.fromkeys(self._copies, 0.0))
        kept = np.ones(len(place), np.bool_)
        kept[list(self._unsent)] = False
        columns = place, departed_s - transmit_s, arrive_s, again, resent_s, uplink_s
        came = (np.cumsum(kept) - 1)[np.array(self.came, np.int64)]
        return Flown._make(column[kept] for column in columns), came


def _with(column: Floats, other: dict[int, float]) -> Floats:
    """A copy of a column with other values for some."""
    column = column.copy()
    column[list(other)] = list(other.values())
    return column
