"""The inbox against a list that is sorted whenever somebody asks; free ids against a list of all of them."""

import numpy as np
import numpy.typing as npt
from hypothesis import given, settings
from hypothesis import strategies as st

from cn import Inbox, Subscribers
from cn.free_ids import FreeIds
from tests.cn.drawing import seeds

CONTENT = np.dtype([("object", "i8"), ("x", "f8"), ("y", "f8")])
Arrival = tuple[int, int, int, tuple[int, float, float]]
"""Subscription, event, position and content."""


class Pile:
    """Arrivals as they came, all of them looked at whenever a watermark is told."""

    def __init__(self) -> None:
        self.arrivals: list[Arrival] = []
        self.closed: dict[int, int] = {}
        self.ignored = 0

    def advance(self, watermark: npt.NDArray[np.int64]) -> list[Arrival]:
        """Arrivals to apply, in order."""
        seen: set[tuple[int, ...]] = set()
        kept: list[Arrival] = []
        due: list[Arrival] = []
        for arrival in self.arrivals:
            s, event = arrival[:2]
            if event < self.closed.get(s, 0) or arrival[:3] in seen:
                self.ignored += 1
            else:
                (due if event < watermark[s] else kept).append(arrival)
            seen.add(arrival[:3])
        self.arrivals = kept
        self.closed = {s: max(self.closed.get(s, 0), int(mark)) for s, mark in enumerate(watermark)}
        return sorted(due, key=lambda arrival: arrival[:3])


@settings(deadline=None, max_examples=60)
@given(seed=seeds, most=st.sampled_from([3, 400]))
def test_the_inbox_does_what_a_pile_does(seed: int, most: int) -> None:
    """A few at a time or hundreds at once, out of order, twice, too late, for newcomers; watermarks far apart."""
    rng = np.random.default_rng(seed)
    ends = np.sort(rng.integers(0, 7, (2, 8)), axis=0).astype(np.float64)
    held, plain = (Subscribers(ends[0], ends[1], 2) for _ in range(2))
    inbox, pile = Inbox(held), Pile()
    for now in range(12):
        count = int(rng.integers(0, most))
        rows = np.array([tuple(rng.integers(0, 7, 3)) for _ in range(count)], CONTENT)
        events, positions = rng.integers(max(now - 4, 0), now + 1, count), rng.integers(0, 3, count)
        offsets = np.append(0, np.cumsum(rng.integers(0, 3, count)))
        who = rng.integers(0, len(held.l), offsets[-1])
        inbox.arrive(rows, offsets, who, events, positions)
        for i in range(count):
            for s in who[offsets[i] : offsets[i + 1]].tolist():
                pile.arrivals.append((s, int(events[i]), int(positions[i]), rows[i].item()))
        if rng.random() < 0.3:
            (gone,) = rng.choice(8, 1).tolist()
            for subscribers in (held, plain):
                subscribers.leave([gone])
                assert subscribers.join([1.0], [5.0], [2.0], [float(now)]).tolist() == [gone]
            inbox.join([gone], now)
            pile.closed[gone] = now
        if rng.random() < 0.7:
            common = rng.random() < 0.5
            marks = np.full(8, rng.integers(now + 2)) if common else rng.integers(0, now + 2, 8)
            due = pile.advance(marks)
            contents = np.array([content for *_, content in due], CONTENT)
            expected = plain.apply(contents, np.arange(len(due) + 1), np.array([arrival[0] for arrival in due], int))
            assert inbox.advance(marks[0] if common else marks) == expected
            assert (inbox.ignored, len(inbox)) == (pile.ignored, len(pile.arrivals))
        assert [held.top(s) for s in range(8)] == [plain.top(s) for s in range(8)]


@given(
    st.integers(0, 5), st.lists(st.one_of(st.integers(0, 4), st.sets(st.integers(0, 30), max_size=4)), max_size=20)
)
def test_ids_are_given_again_before_new_ones(given_already: int, steps: list[int | set[int]]) -> None:
    ids, given, back = FreeIds(given_already), list(range(given_already)), list[int]()
    for step in steps:
        if isinstance(step, int):
            expected = []
            for _ in range(step):
                expected.append(back.pop() if back else max([*given, -1]) + 1)
                given = sorted({*given, expected[-1]})
            assert ids.take_many(step).tolist() == expected
        else:
            gone = [i for i in step if i in given and i not in back]
            ids.give_back(gone)
            back += gone
        assert ids.bound == len(given)
