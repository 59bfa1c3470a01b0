"""Lists are those of brute force after every event, in whatever order the messages arrive."""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cn import Inbox, RelaxedSubscribers, Subscribers
from tests.cn.drawing import LARGEST, seeds
from tests.oracles.network import Delivery, Event, Matrix, right_deliveries
from tests.oracles.topk import Objects, listed, top_k

CONTENT = np.dtype([("object", "i8"), ("x", "f8"), ("y", "f8")])


class World:
    """A few objects and ranges with many ties, and a stream of changes."""

    def __init__(self, seed: int, *, subscriptions: int = 12, objects: int = 9) -> None:
        self.rng = np.random.default_rng(seed)
        self.ranges: list[tuple[float, float]] = [(-LARGEST, LARGEST), (3.0, 3.0)]
        self.ranges += [(float(low), float(high)) for low, high in self.draw_ranges(subscriptions).T]
        x = self.rng.integers(0, 7, objects).astype(np.float64)
        y = self.rng.integers(0, 9, objects).astype(np.float64)
        y[self.rng.random(objects) < 0.2] = np.inf
        self.objects: Objects = dict(enumerate(zip(x.tolist(), y.tolist(), strict=True)))

    @property
    def x(self) -> npt.NDArray[np.float64]:
        return np.array([place[0] for place in self.objects.values()])

    @property
    def y(self) -> npt.NDArray[np.float64]:
        return np.array([place[1] for place in self.objects.values()])

    @property
    def l(self) -> npt.NDArray[np.float64]:  # noqa: E743
        return np.array([ends[0] for ends in self.ranges])

    @property
    def r(self) -> npt.NDArray[np.float64]:
        return np.array([ends[1] for ends in self.ranges])

    def draw_ranges(self, count: int) -> npt.NDArray[np.float64]:
        """Lower and upper ends, (2, count)."""
        return np.sort(self.rng.integers(0, 7, (2, count)), axis=0).astype(np.float64)

    def some(self, present: Iterable[int], most: int) -> list[int]:
        """Between one of those present and `most` of them, drawn at random."""
        found: list[int] = self.rng.choice(
            sorted(present), int(self.rng.integers(1, most + 1)), replace=False
        ).tolist()
        return found

    def changes(self, count: int) -> list[Event]:
        """Updates, deletions and insertions, and moves as a deletion and an insertion."""
        events: list[Event] = []
        x, y = self.x, self.y
        while len(events) < count:
            i = int(self.rng.integers(len(x)))
            new = float(self.rng.integers(0, 9)) if self.rng.random() < 0.8 else np.inf
            events.append(Event(len(events), i, float(x[i]), new))
            if new == np.inf and self.rng.random() < 0.5:
                x[i], y[i] = float(self.rng.integers(0, 7)), float(self.rng.integers(0, 9))
                events.append(Event(len(events), i, float(x[i]), float(y[i])))
        return events

    def lists(self, k: int) -> list[list[tuple[float, int]]]:
        return [listed(top_k(self.objects, ends, k)) for ends in self.ranges]


def tops(subscribers: Subscribers) -> list[list[tuple[float, int]]]:
    return [subscribers.top(s) for s in range(len(subscribers))]


def as_table(told: list[Delivery]) -> tuple[npt.NDArray[np.void], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    table = np.array([(d.obj, d.x, d.y) for d in told], CONTENT)
    return table, np.arange(len(told) + 1), np.array([d.subscription for d in told], np.int64)


def hand_over(inbox: Inbox, told: list[Delivery]) -> None:
    events, positions = np.array([d.event for d in told], int), np.array([d.position for d in told], int)
    inbox.arrive(*as_table(told), events, positions)


def started(world: World, k: int) -> Subscribers:
    """Everyone with the right list at the start."""
    subscribers = Subscribers(world.l, world.r, k)
    subscribers.start(world.x, world.y)
    return subscribers


def check_in_order(seed: int, k: int) -> None:
    world = World(seed)
    subscribers = started(world, k)
    assert tops(subscribers) == world.lists(k)
    for event in world.changes(20):
        before = tops(subscribers)
        told = right_deliveries(world.ranges, world.objects, k, event)
        changed = subscribers.apply(*as_table(told))
        assert tops(subscribers) == world.lists(k)
        assert changed >= sum(a != b for a, b in zip(before, tops(subscribers), strict=True))
        assert len(subscribers.wrong(world.x, world.y)) == 0


@settings(deadline=None, max_examples=25)
@given(seed=seeds, k=st.integers(1, 12))
def test_lists_follow_the_events(seed: int, k: int) -> None:
    check_in_order(seed, k)


def run_interpreted() -> None:
    check_in_order(3, 2)


@settings(deadline=None, max_examples=25)
@given(seed=seeds, k=st.integers(1, 4))
def test_an_inbox_keeps_lists_exact_when_messages_are_shuffled_and_doubled(seed: int, k: int) -> None:
    world = World(seed)
    subscribers = started(world, k)
    inbox = Inbox(subscribers)
    told: list[Delivery] = []
    states = [world.lists(k)]
    for event in world.changes(15):
        told += right_deliveries(world.ranges, world.objects, k, event)
        states.append(world.lists(k))
    copies = told + [d for d in told if world.rng.random() < 0.3]
    # A delay of a few events at random: some overtake, some come very late.
    delays = world.rng.exponential(3.0, len(copies))
    arrivals = [copies[i] for i in np.argsort([d.event + w for d, w in zip(copies, delays, strict=True)])]
    for first in range(0, len(arrivals), 5):
        part = arrivals[first : first + 5]
        hand_over(inbox, part)
        arrived = set(arrivals[: first + 5])
        watermark = min([d.event for d in told if d not in arrived], default=len(states) - 1)
        inbox.advance(watermark)
        assert tops(subscribers) == states[watermark]
    assert len(inbox) == 0
    assert inbox.ignored == len(copies) - len(told)
    assert tops(subscribers) == world.lists(k)


def test_watermarks_may_differ_between_subscriptions() -> None:
    subscribers = Subscribers([0.0, 0.0], [1.0, 1.0], 1)
    inbox = Inbox(subscribers)
    table = np.array([(4, 0.5, 2.0)], CONTENT)
    inbox.arrive(table, np.array([0, 2]), np.array([0, 1]), np.array([7]), np.array([0]))
    assert inbox.advance([8, 7]) == 1
    assert tops(subscribers) == [[(2.0, 4)], []]
    assert inbox.advance(8) == 1
    assert tops(subscribers) == [[(2.0, 4)], [(2.0, 4)]]


@settings(deadline=None, max_examples=20)
@given(seed=seeds, k=st.integers(1, 4))
def test_unicast_messages_drop_and_replace(seed: int, k: int) -> None:
    world = World(seed)
    subscribers = started(world, k)
    for event in world.changes(20):
        before = world.lists(k)
        right_deliveries(world.ranges, world.objects, k, event)
        rows = []
        for s, (old, new) in enumerate(zip(before, world.lists(k), strict=True)):
            kept = {i for _, i in new}
            entered = [(i, v) for v, i in new if i == event.obj or i not in {j for _, j in old}]
            if old != new:
                gone = event.obj if event.obj not in kept and event.obj in {i for _, i in old} else -1
                rows.append((s, gone, *(entered[0] if entered else (-1, np.inf))))
        who, dropped, objects = (np.array([row[i] for row in rows], np.int64) for i in range(3))
        subscribers.apply_unicast(who, dropped, objects, np.array([row[3] for row in rows], np.float64))
        assert tops(subscribers) == world.lists(k)


def test_newcomers_start_right_and_leavers_are_left_alone() -> None:
    world = World(11)
    subscribers = started(world, 3)
    inbox = Inbox(subscribers)
    subscribers.leave([2, 5])
    assert len(subscribers) == len(world.ranges) - 2
    message = np.array([(0, 3.0, -1.0)], CONTENT)
    subscribers.apply(message, np.array([0, 2]), np.array([2, 5]))
    assert subscribers.top(2) == subscribers.top(5) == []
    inbox.arrive(message, np.array([0, 1]), np.array([2]), np.array([4]), np.array([0]))
    ids = subscribers.join([1.0] * 5, [5.0] * 5, world.x, world.y)
    assert {2, 5} < set(ids.tolist())
    assert len(set(ids.tolist())) == 5
    assert [subscribers.top(s) for s in ids] == [listed(top_k(world.objects, (1.0, 5.0), 3))] * 5
    inbox.join(ids, 9)
    inbox.arrive(message, np.array([0, 1]), ids[-1:], np.array([8]), np.array([0]))
    assert inbox.advance(20) == 0
    assert len(subscribers.wrong(world.x, world.y)) == 0
    subscribers.leave(ids[:1])
    with pytest.raises(ValueError, match="subscriptions present"):
        subscribers.leave(ids[:1])


def test_wrong_lists_are_named() -> None:
    x, y = np.array([0.1, 0.2, 0.3]), np.array([3.0, 1.0, 2.0])
    subscribers = Subscribers([0.0, 0.0, 0.0, 0.25], [1.0, 1.0, 0.15, 1.0], 2)
    subscribers.start(x, y)
    assert subscribers.wrong(x, np.array([0.0, 1.0, 2.0])).tolist() == [0, 1, 2]
    assert subscribers.wrong(x, y, alive=[False, True, True]).tolist() == [2]
    assert subscribers.wrong(x, np.array([0.0, 1.0, 2.0]), ids=[1, 3]).tolist() == [1]


def test_what_is_no_number_ranks_after_all_numbers() -> None:
    x, y = np.array([0.1, 0.2, 0.3, 0.4]), np.array([1.0, 2.0, 3.0, 4.0])
    subscribers = Subscribers([0.0], [1.0], 3)
    subscribers.start(x, y)
    told = np.array([0, 3, 1, 0])
    subscribers.apply_each(np.zeros(4, np.int64), told, x[told], np.array([np.nan, 4.0, np.nan, 5.0]))
    assert subscribers.objects[0].tolist() == [2, 3, 0]  # 0 went last, 3 took its place, 1 gave its to 0
    assert subscribers.y[0].tolist() == [3.0, 4.0, 5.0]


def test_refusals() -> None:
    with pytest.raises(ValueError, match="k must be at least 1, got 0"):
        Subscribers([0.0], [1.0], 0)
    with pytest.raises(ValueError, match=r"l <= r, got \[2.0, 1.0\] at row 0"):
        Subscribers([2.0], [1.0], 1)
    with pytest.raises(ValueError, match="equally long"):
        Subscribers([2.0], [3.0, 4.0], 1)


@settings(deadline=None, max_examples=40)
@given(seed=seeds, k=st.integers(1, 4))
def test_newcomers_and_leavers_among_late_messages(seed: int, k: int) -> None:
    """Ids are given again while messages to those who had them before are still on their way, or come twice."""
    world = World(seed)
    subscribers = started(world, k)
    inbox = Inbox(subscribers)
    present = dict(enumerate(world.ranges))
    joined = dict.fromkeys(present, 0)
    under_way: list[tuple[float, Delivery]] = []
    history = [dict(world.objects)]
    for event in world.changes(20):
        now = event.number
        if present and world.rng.random() < 0.4:
            gone = world.some(present, len(present))
            subscribers.leave(gone)
            for s in gone:
                del present[s], joined[s]
        if world.rng.random() < 0.5:
            ends = world.draw_ranges(int(world.rng.integers(1, 6)))
            ids = subscribers.join(ends[0], ends[1], world.x, world.y)
            assert not set(ids.tolist()) & set(present)
            inbox.join(ids, now)
            for s, low, high in zip(ids.tolist(), *ends.tolist(), strict=True):
                present[s], joined[s] = (low, high), now
        who = sorted(present)
        told = right_deliveries([present[s] for s in who], world.objects, k, event)
        history.append(dict(world.objects))
        for delivery in (d._replace(subscription=who[d.subscription]) for d in told):
            copies = 1 + (world.rng.random() < 0.3)
            under_way += [(now + float(world.rng.exponential(3.0)), delivery) for _ in range(copies)]
        due = [d for when, d in sorted(under_way) if when <= now]
        under_way = [(when, d) for when, d in under_way if when > now]
        hand_over(inbox, due)
        # Who left is not waited for.
        waited_for = [d.event for _, d in under_way if d.event >= joined.get(d.subscription, np.inf)]
        watermark = min([now + 1, *waited_for])
        inbox.advance(watermark)
        for s, ends_of in present.items():
            assert subscribers.top(s) == listed(top_k(history[max(watermark, joined[s])], ends_of, k))
        assert len(subscribers) == len(present)


@settings(deadline=None, max_examples=60)
@given(seed=seeds, k=st.integers(1, 4))
def test_stale_pairs_say_what_the_full_matrix_says(seed: int, k: int) -> None:
    world = World(seed)
    matrix = Matrix(world.ranges, world.objects)
    relaxed = RelaxedSubscribers(world.l, world.r, world.x, world.y)
    exact = Subscribers(world.l, world.r, k)
    present = dict(enumerate(world.ranges))
    lost: list[tuple[int, Event]] = []
    for event in world.changes(30):
        if present and world.rng.random() < 0.3:
            gone = world.some(present, min(4, len(present)))
            relaxed.leave(gone)
            exact.leave(gone)
            for s in gone:
                del present[s]
                assert relaxed.top(s, k) == []
        if world.rng.random() < 0.4:
            ends = world.draw_ranges(int(world.rng.integers(1, 4)))
            ids = relaxed.join(*ends).tolist()
            assert exact.join(ends[0], ends[1], world.x, world.y).tolist() == ids
            for s, low, high in zip(ids, *ends.tolist(), strict=True):
                present[s] = (low, high)
                matrix.join(s, (low, high), world.objects, event.number - 1)
        concerned = [s for s, (low, high) in present.items() if low <= event.x <= high]
        missed = [s for s in concerned if world.rng.random() < 0.3]
        for s in set(concerned) - set(missed):
            matrix.tell(s, event)
        relaxed.event(event.number, event.obj, event.x, event.y, missed)
        world.objects[event.obj] = (event.x, event.y)
        lost += [(s, event) for s in missed]
        while lost and world.rng.random() < 0.6:
            s, late = lost.pop(int(world.rng.integers(len(lost))))
            # It may be meant for one who had the id before.
            matrix.tell(s, late)
            relaxed.late(late.number, late.obj, late.y, np.array([s]))
        for s in present:
            assert relaxed.top(s, k) == matrix.top(s, k)
    for s, late in lost:
        relaxed.late(late.number, late.obj, late.y, np.array([s]))
    assert relaxed.stale == []


def test_a_relaxed_newcomer_knows_the_objects_as_they_are() -> None:
    relaxed = RelaxedSubscribers([0.0], [1.0], [0.5], [2.0])
    relaxed.event(0, 0, 0.5, 1.0, missed=[0])
    (newcomer,) = relaxed.join(0.0, 1.0).tolist()
    assert (relaxed.top(0, 1), relaxed.top(newcomer, 1)) == ([(2.0, 0)], [(1.0, 0)])
    assert relaxed.stale == [(0, 0)]
    relaxed.leave(0)
    assert relaxed.stale == []
    assert relaxed.join(0.0, 1.0).tolist() == [0]
    assert relaxed.top(0, 1) == [(1.0, 0)]
    relaxed.leave([0, newcomer])
    for ids in ([0], [2], [-1]):
        with pytest.raises(ValueError, match="subscriptions present"):
            relaxed.leave(ids)
    relaxed.join([0.0], [1.0])
    with pytest.raises(ValueError, match="event must be above 0"):
        relaxed.event(0, 0, 0.5, 3.0, missed=[])
    with pytest.raises(ValueError, match=r"whose range has x = 7.0, got 0"):
        relaxed.event(1, 0, 7.0, 3.0, missed=[0])
