"""Slices of time: sums against what was carried, queues against a count at every moment, lengths that stay round."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from pipeline import SERIES
from simulator.engine.carried import Carried
from simulator.inputs.ingredients import Ingredients
from simulator.results.collectors import EventRecords
from simulator.results.lists import lists_of
from simulator.results.needed import needed_of
from simulator.results.series import Series, series_table
from simulator.runs.answer import answer, records_of
from simulator.scenario.scenario import Scenario
from tests.oracles.timeline import closing
from tests.simulator.small import bundled, random_scenario, run_hops, small_ingredients


class Kept:
    """Keeps all chunks."""

    def __init__(self) -> None:
        self.chunks: list[Carried] = []

    def take(self, carried: Carried) -> None:
        self.chunks.append(carried)


def busy(faults: dict[str, Any]) -> tuple[Scenario, Ingredients]:
    scenario = random_scenario(
        4,
        verify="none",
        record=["hops"],
        network={"kind": "can", "brokers": 6},
        objects={"count": 20},
        subscriptions={"count": 40},
        k=3,
        events={"count": 150, "rate": "400/s", "arrival": "poisson"},
        costs={"broker": "3ms"},
        faults=faults,
    )
    return scenario, small_ingredients(scenario)


FAULTS = {"crashes": 3, "detection": "20ms", "downtime": "50ms", "loss": 0.1, "duplication": 0.1}


@pytest.mark.parametrize("bundle", [False, True])
@pytest.mark.parametrize("faults", [{}, FAULTS], ids=["quiet", "faults"])
def test_slices_add_up_to_the_records(faults: dict[str, Any], bundle: bool) -> None:
    scenario, ingredients = busy(faults)
    scenario = bundled(scenario) if bundle else scenario
    series, kept = Series(8, 3e-3), Kept()
    records = records_of(scenario, ingredients, "paint-dense", series, kept)
    rows = series.table("paint-dense").to_pydict()
    assert list(rows) == SERIES.names
    assert sum(rows["bytes"]) == sum(records["overlay_bytes"].to_pylist())
    received = np.sum(records["received_update"].to_numpy()) + np.sum(records["received_exposed"].to_numpy())
    assert sum(rows["notifications"]) == received > 0
    length = rows["seconds"][0]
    assert rows["time"] == [round(place * length, 4) for place in range(len(rows["time"]))]
    hops = run_hops(scenario, ingredients, "paint-dense")[1]
    sent, size = hops["depart"].to_numpy() / 1e3, hops["bytes"].to_numpy()
    assert [int(np.sum(size[(sent >= t) & (sent < t + length)])) for t in rows["time"]] == pytest.approx(
        rows["bytes"], abs=24 if not bundle else int(size.max())
    )  # a departure on the edge of a slice may be in either


@pytest.mark.parametrize("faults", [{}, FAULTS], ids=["quiet", "faults"])
def test_queues_are_those_of_every_moment(faults: dict[str, Any]) -> None:
    scenario, ingredients = busy(faults)
    series, kept = Series(8, 3e-3), Kept()
    records_of(scenario, ingredients, "paint-dense", series, kept)
    rows, length = series.table("paint-dense").to_pydict(), series.slice_s
    moments = [chunk.moments for chunk in kept.chunks if chunk.moments is not None]
    waits = [pair for one in moments for pair in zip(one.came_s.tolist(), one.begun_s.tolist(), strict=True)]
    for place, mean in enumerate(rows["queue_mean"]):
        start, end = place * length, (place + 1) * length
        waited_s = sum(max(min(begun, end) - max(came, start), 0.0) for came, begun in waits)
        assert mean == pytest.approx(waited_s / length, abs=1e-9)
    assert max(rows["queue_mean"]) > 3
    longest = max(begun - came for came, begun in waits)
    if not faults:
        assert max(rows["queue_longest"]) == np.ceil(longest / 3e-3 - 1e-6) > 3
    queues = [chunk.traffic.queues for chunk in kept.chunks if chunk.traffic.queues is not None]
    assert longest == pytest.approx(max(one.longest_wait_s.max() for one in queues))
    total = sum(one.waited_s.sum() for one in queues)
    assert sum(rows["queue_mean"]) * length == pytest.approx(total)


def test_a_queue_written_down_by_hand() -> None:
    """Four messages come to one broker that takes 1 s for each: at 0, 0.1, 0.2 and 2.5 s."""
    series = Series(8, 1.0)
    came, begun = np.array([0.1, 0.2, 2.5]), np.array([1.0, 2.0, 3.0])
    series._reach(3.0)
    while series.slice_s < 1:
        series.lengthen()
    series._wait(came, begun)
    rows = series.table("by-hand").to_pydict()
    assert rows["seconds"] == [1.0] * 4
    assert rows["queue_mean"] == pytest.approx([0.9 + 0.8, 1.0, 0.5, 0.0])
    assert rows["queue_longest"] == [2, 0, 1, 0]


def test_slices_are_round_and_few_however_long_a_run_is() -> None:
    seen = []
    for end_s in (1e-5, 0.0399, 0.04, 0.3, 7.0, 199.0, 200.0, 1e4, 3.6e6):
        series = Series(8, 1e-3)
        series._reach(end_s)
        assert len(series) <= 400
        assert len(series) * series.slice_s > end_s
        seen.append(series.slice_s)
    assert seen == [1e-4, 1e-4, 5e-4, 1e-3, 5e-2, 0.5, 1.0, 50.0, 1e4]


def test_all_approaches_of_a_run_have_slices_of_one_length() -> None:
    short, long = Series(8, 1e-3), Series(8, 1e-3)
    short._reach(0.1)
    long._reach(30.0)
    long.take_wrong(np.array([0.0, 10.0]), np.array([10.0, 30.0]), np.array([3, 1]), 4)
    table = series_table([("short", short), ("long", long)])
    assert set(table["seconds"].to_pylist()) == {0.1}
    wrong = table["wrong_lists"].to_pylist()
    assert wrong[: len(short)] == [None] * len(short)
    assert wrong[len(short) : -1] == pytest.approx([0.75] * 100 + [0.25] * 200)


def followed(scenario: Scenario, ingredients: Ingredients, approach: str) -> tuple[pa.Table, Series]:
    """The records of a run, and what its lists were in slices."""
    series, tables = Series(8, 3e-3), list[pa.Table]()
    lists, needed = lists_of(scenario, ingredients, approach, series), needed_of(scenario, ingredients)
    records = EventRecords(scenario, ingredients, approach, needed, lists, tables.append)
    answer(scenario, ingredients, approach, [records, series])
    return pa.concat_tables(tables), series


def test_wrong_lists_add_up_to_the_records() -> None:
    scenario, ingredients = busy(FAULTS)
    records, series = followed(scenario, ingredients, "paint-dense")
    wrong_s, counted_s = (np.sum(records[name].to_numpy()) for name in ("wrong_s", "counted_s"))
    closes_s, slice_s = closing(ingredients.events.time_s.tolist()), series.slice_s
    last = int(closes_s / slice_s)
    # Records end with the time in which events arise, slices go on; one of them is cut by it.
    for column, total in ((series._wrong_s, wrong_s), (series._counted_s, counted_s)):
        assert np.sum(column[:last]) <= total + 1e-9
        assert total <= np.sum(column[: last + 1]) + 1e-9
        assert total > 0
    shares = [share for share in series.table("paint-dense")["wrong_lists"].to_pylist() if share is not None]
    assert all(0 <= share <= 1 for share in shares)


def rounded(values: list[Any]) -> list[Any]:
    return [round(value, 9) if isinstance(value, float) else value for value in values]


def test_times_are_the_same_whatever_is_verified_and_last_as_long_for_all_approaches() -> None:
    """Of 1,030 lists 1,000 count, and the last thing that happens is mostly about others."""
    counted_s = set()
    for approach in ("paint-dense", "paint-batch(3)", "unicast", "cn-relax", "poll(50ms)"):
        told = []
        for verify in ("none", "sample:30", "all"):
            scenario = random_scenario(
                6,
                verify=verify,
                network={"kind": "can", "brokers": 6},
                objects={"count": 20},
                subscriptions={"count": 1030},
                k=2,
                events={"count": 12, "rate": "100/s"},
                faults=FAULTS | {"joins": 9, "leaves": 9},
            )
            records, series = followed(scenario, small_ingredients(scenario), approach)
            told.append({**records.to_pydict(), "wrong_lists": series.table(approach)["wrong_lists"].to_pylist()})
        for one in told[1:]:  # times are added up in other steps
            assert one.keys() == told[0].keys()
            for name, values in one.items():
                assert rounded(values) == rounded(told[0][name]), name
        counted_s.add(round(sum(told[0]["counted_s"]), 9))
    assert len(counted_s) == 1


def test_without_a_clock_there_is_nothing_to_tell() -> None:
    scenario, ingredients = busy({})
    series = Series(8, 1e-3)
    records_of(scenario.model_copy(update={"engine": "tally"}), ingredients, "paint-dense", series)
    assert len(series) == 0
