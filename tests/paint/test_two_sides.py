"""On two sides the code for several attributes sends the rows of one dimension, of every event, cut and direction."""

from typing import Any

import numpy as np
import pytest

import paint
from paint.messages import MESSAGE
from paint.spaces import Boxes

SETTINGS: list[dict[str, Any]] = [
    {},
    {"descending": True},
    {"epsilon": 0.4},
    {"epsilon": 0.4, "cut": "tiles"},
    {"epsilon": 1},
    {"epsilon": 1, "cut": "tiles", "descending": True},
]


class Both:
    """A server of one dimension, one of boxes over one attribute, and random events for both."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, seed: int, distinct: int, **settings: Any) -> None:
        self.rng, self.distinct = np.random.default_rng(seed), distinct
        x, y = self.values(30), self.values(30)
        self.line = paint.Server(x, y, **settings)
        with monkeypatch.context() as patch:
            patch.setattr("paint.server.space_of", lambda *_: Boxes(1))
            self.boxes = paint.Server(x[:, None], y, **settings)
        self.live = list(range(30))
        self.fresh, self.sent = 30, 0

    def values(self, *shape: int) -> Any:
        return self.rng.integers(0, self.distinct, shape) * 1.0

    def some(self) -> int:
        return self.live[int(self.rng.integers(len(self.live)))]

    def compare(self, line: paint.Messages, boxes: paint.Messages) -> None:
        assert boxes.table.dtype == line.table.dtype == MESSAGE
        assert boxes.table.tolist() == line.table.tolist()
        assert boxes.offsets.tolist() == line.offsets.tolist()
        self.sent += len(line)

    def event(self, kind: str) -> None:
        i, x, y = self.some(), float(self.values()), float(self.values())
        if kind == "update":
            self.compare(self.line.update(i, y), self.boxes.update(i, y))
        elif kind == "move":
            self.compare(self.line.move(i, x), self.boxes.move(i, [x]))
        elif kind == "insert":
            (one, line), (other, boxes) = self.line.insert(x, y), self.boxes.insert([x], y)
            assert one == other == self.fresh
            self.live.append(one)
            self.fresh += 1
            self.compare(line, boxes)
        elif kind == "delete":
            self.live.remove(i)
            self.compare(self.line.delete(i), self.boxes.delete(i))
        else:
            ids, ys = self.rng.choice(self.live, 8), self.values(8)
            self.compare(self.line.replay(ids, ys), self.boxes.replay(ids, ys))

    def window(self, count: int, *, enters: bool) -> None:
        """Some new y, the last of which takes its object away, and perhaps an object that enters."""
        ids, ys = self.rng.choice(self.live, count).tolist(), self.values(count).tolist()
        gone, infinity = ids[-1], self.line._sign * np.inf
        events = [*((i, y) for i, y in zip(ids, ys, strict=True) if i != gone), (gone, infinity)]
        if enters:
            x = float(self.values())
            there = [(i, float(self.line._index.arrays.x[i]), y) for i, y in events] + [(self.fresh, x, 1.0)]
            line, boxes = self.line.window(there), self.boxes.window([(i, [x], y) for i, x, y in there])
            self.live.append(self.fresh)
            self.fresh += 1
        else:
            line, boxes = self.line.batch(events), self.boxes.batch(events)
        for messages in (line, boxes):  # objects exposed, or whose y falls, may come in another order
            messages.table.sort(kind="stable", order="object")
        self.live.remove(gone)
        self.compare(line, boxes)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("distinct", [4, 1000])
def test_rows_of_events(monkeypatch: pytest.MonkeyPatch, distinct: int, settings: dict[str, Any]) -> None:
    """But of an object that moves where sublists of tiles are cut: those out of reach count in one dimension only."""
    kinds = ["update", "insert", "delete", "replay", *(["move"] if settings.get("cut") != "tiles" else [])]
    sent = 0
    for k in (1, 3, 6):
        both = Both(monkeypatch, k, distinct, k=k, **settings)
        for kind in kinds * 4:
            both.event(kind)
        sent += both.sent
    assert sent > 30


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("distinct", [4, 1000])
def test_rows_of_windows(monkeypatch: pytest.MonkeyPatch, distinct: int, settings: dict[str, Any]) -> None:
    sent = 0
    for k in (1, 3, 6):
        both = Both(monkeypatch, k, distinct, k=k, **settings)
        for count in (1, 2, 5, 9):
            both.window(count, enters=count == 5)
        sent += both.sent
    assert sent > 30
