"""From the server's messages through zones and gateways to the lists: everyone is right after every event."""

import numpy as np
import numpy.typing as npt
import pytest

from cn import Can, Gateways, Inbox, Subscribers, Zones
from paint import Server
from tests.oracles.topk import listed, top_k


def wrong(subscribers: Subscribers, present: npt.NDArray[np.bool_], x: list[float], y: list[float]) -> list[int]:
    """Subscriptions present whose list is not that of brute force."""
    objects = dict(enumerate(zip(x, y, strict=True)))
    ends = list(zip(subscribers.l.tolist(), subscribers.r.tolist(), strict=True))
    right = {s: listed(top_k(objects, ends[s], subscribers.k)) for s in np.flatnonzero(present).tolist()}
    return [s for s, expected in right.items() if subscribers.top(s) != expected]


@pytest.mark.parametrize("space", ["triangle", "square"])
def test_lists_are_right_while_brokers_and_subscriptions_come_and_go(space: str) -> None:
    rng = np.random.default_rng(17)
    x, y = rng.random((2, 60))
    l, r = np.sort(rng.random((2, 300)), axis=0)
    server = Server(x, y, k=4, algorithm="dense")
    zones = Zones(30, seed=2, space=space)  # type: ignore[arg-type]
    can = Can(zones)
    gateways = Gateways(can, l, r)
    subscribers = Subscribers(l, r, 4)
    subscribers.start(x, y)
    for step in range(120):
        i = int(rng.integers(len(x)))
        y[i] = rng.random()
        table = server.update(i, y[i]).table
        subscribers.apply(table, *gateways.match(table, can.multicast(table, can.centre)))
        assert wrong(subscribers, gateways.home >= 0, x.tolist(), y.tolist()) == []
        if step % 5 == 0:
            left = np.flatnonzero(~zones.present)
            if step % 2 or not len(left):
                gateways.rehome(can.leave(int(rng.choice(np.flatnonzero(zones.present)))))
            else:
                gateways.rehome(can.join(int(rng.choice(left)), rng))
        if step % 7 == 0:
            gone = rng.choice(np.flatnonzero(gateways.home >= 0), 3, replace=False)
            gateways.leave(gone)
            subscribers.leave(gone)
            ends = np.sort(rng.random((2, 4)), axis=0)
            gateways.join(subscribers.join(ends[0], ends[1], x, y), ends[0], ends[1])


def test_lists_are_right_in_the_end_when_whole_messages_overtake_each_other() -> None:
    rng = np.random.default_rng(18)
    x, y = rng.random((2, 60))
    l, r = np.sort(rng.random((2, 300)), axis=0)
    server = Server(x, y, k=3, algorithm="dense")
    can = Can(Zones(20, seed=2))
    gateways = Gateways(can, l, r)
    subscribers = Subscribers(l, r, 3)
    subscribers.start(x, y)
    inbox = Inbox(subscribers)
    objects, new = rng.integers(0, len(x), 80), rng.random(80)
    messages = server.replay(objects, new)
    y[objects] = new
    events = np.repeat(np.arange(80), np.diff(messages.offsets))
    positions = np.arange(len(messages)) - messages.offsets[events]
    order = rng.permutation(np.concatenate([np.arange(len(messages)), rng.integers(0, len(messages), 200)]))
    for part in np.array_split(order, 10):
        table = messages.table[part]
        pairs = gateways.match(table, can.multicast(table, can.centre))
        inbox.arrive(table, *pairs, events[part], positions[part])
        inbox.advance(0)
    everyone = np.ones(len(l), np.bool_)
    assert len(wrong(subscribers, everyone, x.tolist(), y.tolist())) > 0
    inbox.advance(80)
    assert wrong(subscribers, everyone, x.tolist(), y.tolist()) == []
