"""A server under random events and windows of them, each checked against brute force.

Tests of a space of subscriptions say where its objects lie, and make the server and its subscribers.
"""

from typing import Any, ClassVar

import numpy as np

import paint
from tests.oracles.boxes import Objects, Subscribers

__all__ = ["EventRun"]

KINDS = ("update", "insert", "delete", "move")


class EventRun:
    """Objects, the truth about them, and a stream of events: kind, which object, place and value.

    The tests of a space make `server` and `subscribers`, and say where objects lie.
    """

    COUNTS: ClassVar[tuple[int, ...]] = (0, 1, 3, 6, 9, 12)
    DISTINCT: ClassVar[tuple[int, ...]] = (3, 6, 1000)

    server: paint.Server
    subscribers: Subscribers

    def __init__(self, seed: int, d: int, events: int, *, n: int | None = None, distinct: int | None = None) -> None:
        rng = self.rng = np.random.default_rng(seed)
        drawn = int(rng.choice(self.DISTINCT)), int(rng.choice(self.COUNTS))
        self.d, self.distinct = d, distinct or drawn[0]
        n, self.k = n or drawn[1], int(rng.choice([1, 2, 3, 5]))
        self.sent = 0
        self.x, self.y = self.places(n), self.values(n)
        self.objects: Objects = {i: (tuple(self.x[i].tolist()), float(self.y[i])) for i in range(n)}
        kinds = rng.choice(KINDS, events, p=[0.5, 0.15, 0.15, 0.2])
        self.stream = [
            (str(kind), int(rng.integers(1000)), tuple(self.places(1)[0].tolist()), float(self.values()))
            for kind in kinds
        ]

    def values(self, *shape: int) -> Any:
        return self.rng.integers(0, self.distinct, shape) * 1.0

    def places(self, count: int) -> Any:
        return self.values(count, self.d)

    def every_place(self) -> list[tuple[float, ...]]:
        """Where objects lie and come to lie."""
        return [*(place for place, _ in self.objects.values()), *(event[2] for event in self.stream)]

    def run(self) -> None:
        for kind, which, place, value in self.stream:
            messages = self._send(kind, which, place, value)
            if messages is not None:
                self.server._index._check()
                self.check(messages)
                self.sent += len(messages)
            self.come_and_go()

    def check(self, messages: paint.Messages) -> None:
        """Deliver the messages of an event to the subscribers, who check them."""
        if messages.table.dtype == paint.UNICAST:
            self.subscribers.unicast_event(messages.table, self.objects)
        else:
            self.subscribers.event(messages.table, self.objects)

    def come_and_go(self) -> None:
        """Let subscriptions come and go between events, where the server knows them."""

    def _send(self, kind: str, which: int, place: tuple[float, ...], value: float) -> paint.Messages | None:
        server, objects = self.server, self.objects
        if kind == "insert":
            i, messages = server.insert(place, value)
            objects[i] = (place, value)
            return messages
        if not objects:
            return None
        i = sorted(objects)[which % len(objects)]
        x, y = objects[i]
        if kind == "update":
            objects[i] = (x, value)
            return server.update(i, value)
        if kind == "delete":
            del objects[i]
            return server.delete(i)
        objects[i] = (place, y)
        return server.move(i, place)

    def run_windows(self, windows: int, longest: int) -> None:
        self.issued = len(self.objects)
        for _ in range(windows):
            only_y = bool(self.rng.random() < 0.4)
            events = [event for _ in range(int(self.rng.integers(1, longest + 1))) if (event := self._event(only_y))]
            messages = self.server.window(events)
            self.server._index._check()
            self.subscribers.event(messages.table, self.objects)
            self.sent += len(messages)
            self.come_and_go()

    def _event(self, only_y: bool) -> tuple[int, tuple[float, ...], float] | None:
        """Draw an event, mostly of an object that ranks high, apply it to the truth, give it as a server takes it."""
        rng, objects, sign = self.rng, self.objects, self.subscribers.sign
        kind, place, value = rng.random(), self.stream[int(rng.integers(len(self.stream)))][2], float(self.values())
        if not only_y and (kind < 0.2 or not objects):
            self.issued += 1
            objects[self.issued - 1] = (place, value)
            return self.issued - 1, place, value
        if not objects:
            return None
        order = sorted(objects, key=lambda i: sign * objects[i][1])
        i = order[int(rng.integers(len(order) if rng.random() < 0.4 else 1 + len(order) // 4))]
        x, y = objects[i]
        if kind < 0.3:
            del objects[i]
            return i, x, sign * np.inf
        objects[i] = (x, value)
        if kind < 0.6 and not only_y:
            objects[i] = (place, value if rng.random() < 0.5 else y)
        return i, *objects[i]
