"""Servers alone on objects of several attributes: what is measured, against the messages themselves."""

from typing import Any

import numpy as np
import pytest

import paint
from simulator.runs import server_measures
from simulator.runs.index_measures import Ask
from simulator.runs.server_measures import DENSE, FORMULAS, PIECE, SERVER_KINDS, SERVER_METRICS, SPARSE, Objects
from simulator.workload.appendix_d import make_dataset

KIND = SERVER_KINDS["servers"]
SMALL = Objects(objects=200, subscriptions=300, dimensions=1.5)


def test_rows_are_those_of_the_messages() -> None:
    ask = Ask(events=PIECE + 20, k=2)
    made = KIND.make(SMALL, ask.events, 5)
    row = KIND.ask(KIND.build(DENSE, made), made, ask).row
    assert set(row) == set(SERVER_METRICS)
    server = paint.Server(made.x, made.y, k=2, dimensions=1.5)
    single = [server.update(i, y).table for i, y in zip(made.ids.tolist(), made.ys.tolist(), strict=True)]
    exposed = [len(set(table["object"][table["cause"] == paint.EXPOSED].tolist())) for table in single]
    own = [int((table["cause"] == paint.UPDATE).sum()) for table in single]
    assert row["messages"] == pytest.approx(np.mean([len(table) for table in single]))
    assert row["own"] == pytest.approx(np.mean(own))
    around, y = [], made.y.copy()
    for i, new, messages in zip(made.ids.tolist(), made.ys.tolist(), own, strict=True):
        better = made.x[(y < min(y[i], new)) & (np.arange(len(y)) != i), 0]
        if min(np.count_nonzero(better < made.x[i, 0]), np.count_nonzero(better > made.x[i, 0])) >= ask.k:
            around.append(messages)
        y[i] = new
    assert len(own) // 2 < len(around) < len(own)
    assert row["own_around"] == pytest.approx(np.mean(around))
    assert row["exposed"] == pytest.approx(np.mean(exposed))
    assert row["bytes_out"] == pytest.approx(36 * row["messages"])
    assert row["bytes_out_max"] == 36 * max(len(table) for table in single)
    assert row["first_k"] == 2
    assert row["min_queries"] == pytest.approx(row["min_x2"] + row["min_y"])


@pytest.mark.parametrize(("rows", "pieces"), [(1, [1] * 24), (10**9, [1, 23])])
def test_events_are_replayed_by_as_many_as_their_messages_allow(
    rows: int, pieces: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    replay, seen = paint.Server.replay, []

    def noted(self: paint.Server, ids: Any, ys: Any) -> paint.Messages:
        seen.append(len(ids))
        return replay(self, ids, ys)

    ask = Ask(events=24, k=2)
    made = KIND.make(SMALL, ask.events, 5)
    who = KIND.build(DENSE, made)
    wanted = KIND.ask(who, made, ask)
    monkeypatch.setattr(paint.Server, "replay", noted)
    monkeypatch.setattr(server_measures, "ROWS", rows)
    assert KIND.ask(who, made, ask) == wanted
    assert seen == pieces


def test_paint_sparse_takes_the_dataset_that_its_name_has() -> None:
    made = KIND.make(SMALL._replace(objects=1000), 3, 5)
    for name, number in SPARSE.items():
        who = KIND.build(name, made)
        assert (who["subscriptions"] == make_dataset(number, 300, made.x[:, 0], 5)).all()
        row = KIND.ask(who, made, Ask(events=3, k=1)).row
        assert row["min_queries"] >= row["min_x2"] + row["min_y"]
        assert row["paper_snap"] > 0


def test_formulas_are_known_at_a_few_places() -> None:
    assert FORMULAS["formula"](5, 10_000, 1.5) == {"own": 35.0, "own_around": 35.0}
    assert FORMULAS["formula"](1, 10_000, 2)["own"] == pytest.approx(36.7, abs=0.05)
    assert FORMULAS["theorem 8"](2, 1000, 1) == {"own": 2.0, "messages": 4.0}
    squared = (3 * np.log(1000)) ** 2
    assert FORMULAS["theorem 8"](3, 1000, 2) == pytest.approx({"own": squared, "messages": squared**1.5})


@pytest.mark.parametrize(("dataset", "covered"), [(1, None), (2, 1000), (3, 100)])
def test_datasets_are_those_of_appendix_d(dataset: int, covered: int | None) -> None:
    x1 = np.random.default_rng(1).random(3000)
    rows = make_dataset(dataset, 2000, x1, 7)
    assert rows.shape == (2000, 3)
    assert (rows == make_dataset(dataset, 2000, x1, 7)).all()
    l, r, r2 = rows.T
    assert ((l >= 0) & (l <= r) & (r <= 1)).all()
    assert 0.45 < r2.mean() < 0.55
    inside = np.array([np.count_nonzero((left <= x1) & (x1 <= right)) for left, right in zip(l, r, strict=True)])
    if covered is None:
        assert 0.3 < l.mean() < 0.37
        assert 0.3 < (r - l).mean() < 0.37
        return
    assert (inside[r < 1] == covered).all()
    assert (inside[r == 1] <= covered).all()
    assert np.count_nonzero(r < 1) > 1000
    with pytest.raises(ValueError, match=f"objects must be at least {covered} for dataset {dataset}, got 99"):
        make_dataset(dataset, 10, x1[:99], 7)
