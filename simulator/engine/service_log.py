"""The services of brokers while a chunk is under way, from which a crash may take something back."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.engine.carried import Queues
from simulator.engine.control import echo
from simulator.engine.flights import Flown
from simulator.engine.holding_back import Heard
from simulator.engine.ways import Ways

__all__ = ["ServiceLog", "Services"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Services(NamedTuple):
    """Services as columns, in the order in which what was served came."""

    place: Ints
    came_s: Floats
    begun_s: Floats
    """When the broker began with it, or crashed before."""
    done_s: Floats
    busy_s: Floats
    """How long it served it."""

    def queues(self, ways: Ways, flown: Flown, brokers: int) -> Queues:
        """Sums per broker; of uplinks by what flew."""
        places, waits, longest_s = ways.places, self.begun_s - self.came_s, np.zeros(brokers)
        where, sender = places.broker[self.place], places.sender[flown.place]
        np.maximum.at(longest_s, where, waits)
        sums = ((where, self.busy_s), (sender, flown.uplink_s), (where, places.held[self.place] * waits))
        return Queues._make(
            [*(np.bincount(at, some_s, brokers).astype(np.float64) for at, some_s in sums), longest_s]
        )

    def waits(self, ways: Ways) -> tuple[Floats, Floats]:
        """When each message came that had to wait, and when the broker began with it, or crashed."""
        waited = np.flatnonzero(self.begun_s > self.came_s)
        waited = np.repeat(waited, ways.places.held[self.place[waited]])
        return self.came_s[waited], self.begun_s[waited]

    def wait_s(self, ways: Ways, flown: Flown) -> Floats:
        """How long each transmission had waited at its sender, for broker and uplink together."""
        number = np.zeros(len(ways.broker), np.int64)
        number[self.place] = np.arange(len(self.place))
        before = number[ways.places.before[flown.place]]
        served = (self.begun_s - self.came_s)[before] + (flown.depart_s - self.done_s[before])
        return np.where(np.isnan(flown.resent_s), served, flown.depart_s - flown.resent_s)


class ServiceLog:
    """What brokers serve, in plain lists to which clockworks append, and what a crash takes back.

    Attributes
    ----------
    place : list of int
        Where what is served came; each place has one service.
    came_s, begun_s, done_s : list of float
        When it came there, and when its broker begins with it and is done with it.
    """

    def __init__(self, ways: Ways) -> None:
        self._ways = ways
        self.place, self.came_s, self.begun_s, self.done_s = list[int](), list[float](), list[float](), list[float]()
        self._last_s, self._seen = 0.0, 0
        self._waiting = self._stopped = self._unheard = np.empty(0, np.int64)

    @property
    def last_s(self) -> float:
        """When the last service ends, or would if no broker had crashed."""
        return max(self._last_s, max(self.done_s, default=0.0))

    def deliver(self, until_s: float) -> tuple[Ints, Floats]:
        """Places that have something to deliver and are served until then, and when they are; each once."""
        numbers = self._undelivered()
        place, done_s = self._ends(numbers)
        self._waiting = numbers[done_s > until_s]
        return place[done_s <= until_s], done_s[done_s <= until_s]

    @property
    def waiting(self) -> Ints:
        """Places that had something to deliver when that was last asked for, and had not been served."""
        return np.array([self.place[number] for number in self._waiting.tolist()], np.int64)

    def _undelivered(self) -> Ints:
        """Services that have something to deliver and have not, ascending."""
        fresh = np.array(self.place[self._seen :], np.int64)
        self._waiting = np.append(self._waiting, self._seen + np.flatnonzero(self._ways.places.told[fresh]))
        self._seen = len(self.place)
        return self._waiting

    def _ends(self, numbers: Ints) -> tuple[Ints, Floats]:
        """Places of services, ascending, and when they are done."""
        first = int(numbers[0]) if len(numbers) else self._seen
        place, done_s = np.array(self.place[first:], np.int64), np.array(self.done_s[first:])
        return place[numbers - first], done_s[numbers - first]

    def stop(self, broker: int, now: float) -> Ints:
        """Let a broker neither serve nor keep waiting from now on; places that therefore do not deliver."""
        self._last_s = self.last_s
        place = np.array(self.place, np.int64)
        stopped = np.flatnonzero((np.array(self.done_s) > now) & (self._ways.places.broker[place] == broker))
        for number in stopped.tolist():
            self.begun_s[number], self.done_s[number] = min(self.begun_s[number], now), now
        self._stopped, self._unheard = (np.append(some, stopped) for some in (self._stopped, self._unheard))
        numbers = self._undelivered()
        lost = np.isin(numbers, stopped)
        self._waiting = numbers[~lost]
        return place[numbers[lost]]

    def give_up(self) -> Ints:
        """Deliver nothing more of what was served until now; places that would."""
        numbers, self._waiting = self._undelivered(), np.empty(0, np.int64)
        return self._ends(numbers)[0]

    def ignore(self, starts: Ints, now: float) -> None:
        """Let nobody hear of what is served later of some starts, which begin anew."""
        start = self._ways.places.start[np.array(self.place, np.int64)]
        late = np.flatnonzero((np.array(self.done_s) > now) & np.isin(start, starts))
        self._unheard = np.append(self._unheard, late)

    def services(self) -> Services:
        """All of them."""
        place = np.array(self.place, np.int64)
        came_s, begun_s, done_s = (np.array(column) for column in (self.came_s, self.begun_s, self.done_s))
        busy_s = self._ways.broker_s * self._ways.places.held[place].astype(np.float64)
        busy_s[self._stopped] = (done_s - begun_s)[self._stopped]
        return Services(place, came_s, begun_s, done_s, busy_s)

    def heard(self) -> tuple[Heard, Floats]:
        """Acknowledgements that nothing is missing beyond a place, and when the source of each start had all."""
        ways, place, places = self._ways, np.array(self.place, np.int64), self._ways.places
        served_s = np.full(len(ways.broker), np.inf)
        served_s[place] = self.done_s
        served_s[place[self._unheard]] = np.inf
        heard_s = echo(places.before, served_s, places.delay_s)
        ends = np.flatnonzero((places.before >= 0) & np.isfinite(heard_s))
        heard = Heard(ways.first_messages(ends), places.broker[ends], places.sender[ends], heard_s[ends])
        return heard, heard_s[ways.origin]
