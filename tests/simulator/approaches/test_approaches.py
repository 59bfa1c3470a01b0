"""Every approach keeps every list right on streams of all kinds of events, and both engines count the same.

Arrays in, no Spark: few objects and few values, so that ties in x and y, lists that are not full and windows that
undo themselves are common.
"""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline import EVENTS, TIMES
from simulator.approaches.approach import Approach
from simulator.approaches.registry import APPROACHES
from simulator.approaches.session import Outgoing, Session
from simulator.inputs.ingredients import Ingredients, assemble
from simulator.results.verify import Mismatch
from simulator.runs.answer import verified_records
from simulator.scenario.scenario import Scenario
from simulator.workload.events import DELETE, KINDS, LOWER, MOVE, RAISE, EventStream
from simulator.workload.windows import Chunk
from simulator.workload.workload import Workload

NAMES = [
    "paint-dense",
    "paint-dense(0.5)",
    "paint-dense(0.5, tiles)",
    "paint-sparse",
    "paint-sparse(1)",
    "paint-sparse(0.5, sketch=4)",
    "paint-batch(3)",
    "paint-batch(25ms)",
    "paint-batch(4, 0.5)",
    "paint-batch-sparse(5)",
    "paint-batch-sparse(100s)",
    "unicast",
    "cn-relax",
    "flood",
    "rendezvous",
    "poll(30ms)",
]
NETWORKS = {
    "can": {"brokers": 5},
    "can-square-overlay": {"brokers": 4, "space": "square", "unicast": "overlay"},
    "prefix-overlay": {"brokers": 6, "kind": "prefix", "base": 2, "unicast": "overlay"},
    "tree": {"brokers": 5, "kind": "tree", "summary_boxes": 2},
}
COUNTED = [name for name in EVENTS.names if name not in TIMES]


def scenario(network: str, engine: str, k: int) -> Scenario:
    mixture = {"insert": 0.2, "delete": 0.2, "move": 0.2}
    return Scenario.model_validate(
        {
            "name": "small",
            "k": k,
            "approaches": ["unicast"],
            "engine": engine,
            "verify": "all",
            "topology": {"model": "barabasi-albert", "nodes": 30},
            "network": NETWORKS[network],
            "objects": {"count": 10},
            "events": {"count": 40, "arrival": "poisson", **mixture},
        }
    )


def world(network: str, k: int, seed: int, coarse: bool) -> Ingredients:
    """A handful of objects, and subscriptions of all widths; on sixths if coarse, so that ranges may be points."""
    rng = np.random.default_rng(seed)
    n = k + int(rng.integers(6))
    x, y = rng.integers(6, size=(2, n)) / 6 if coarse else rng.random((2, n))
    l, r = np.sort(rng.integers(7, size=(2, 25)) / 6 if coarse else rng.random((2, 25)), axis=0)
    made = assemble(scenario(network, "tally", k), Workload(k, x, y, l.copy(), r.copy()), rng.random(25))
    return made._replace(events=coarsened(made.events, made.workload)) if coarse else made


def coarsened(events: EventStream, load: Workload) -> EventStream:
    """The stream on sixths, kinds put right; so values tie, and events change nothing or are undone."""
    x, y = (np.floor(column * 6) / 6 for column in (events.x, events.y))
    now = dict(enumerate(zip(load.x.tolist(), load.y.tolist(), strict=True)))
    kind = events.kind.copy()
    for event, i in enumerate(events.object.tolist()):
        if kind[event] <= LOWER:
            x[event] = now[i][0]
            kind[event] = LOWER if y[event] > now[i][1] else RAISE
        elif kind[event] == MOVE:
            y[event] = now[i][1]
        elif kind[event] == DELETE:
            x[event] = now[i][0]
        now[i] = (float(x[event]), float(y[event]))
    return events._replace(x=x, y=y, kind=kind)


def run(ingredients: Ingredients, network: str, engine: str, name: str) -> tuple[pa.Table, Mismatch | None]:
    chosen = scenario(network, engine, ingredients.workload.k)
    return verified_records(chosen, ingredients, name)


def check(name: str, network: str, seed: int, k: int, coarse: bool) -> None:
    ingredients = world(network, k, seed, coarse)
    records = {}
    for engine in ("tally", "des"):
        records[engine], fault = run(ingredients, network, engine, name)
        assert fault is None, (engine, str(fault))
    assert records["des"].select(COUNTED).equals(records["tally"].select(COUNTED))
    assert sum(records["tally"]["events"].to_pylist()) == len(ingredients.events.object)


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=3, deadline=None)
@given(seed=st.integers(0, 2**31), k=st.integers(1, 5), coarse=st.booleans())
def test_lists_stay_right_and_engines_agree(name: str, network: str, seed: int, k: int, coarse: bool) -> None:
    check(name, network, seed, k, coarse)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_lists_stay_right_over_many_worlds(name: str) -> None:
    for seed in range(100):
        check(name, [*NETWORKS][seed % 3], seed, 1 + seed % 5, seed % 4 != 0)


@pytest.mark.parametrize("engine", ["tally", "des"])
@pytest.mark.parametrize("name", ["forgetful", "forgetful-batch(4)"])
def test_an_approach_that_drops_a_deletion_is_found_out(
    name: str, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingredients = world("can", 3, 8, coarse=False)
    events = ingredients.events
    doomed = int(events.object[np.argmax(events.kind == DELETE)])

    class Forgetful(Session):
        """Tells everything but that one object is deleted."""

        def __init__(self, workload: Workload, approach: Approach) -> None:
            self.honest = APPROACHES["paint-dense"].open(workload, approach)

        def answer(self, chunk: Chunk) -> Outgoing:
            sent = self.honest.answer(chunk)
            dropped = (sent.table["object"] == doomed) & (sent.table["y"] == np.inf)
            assert dropped.any()
            offsets = sent.offsets - np.append(0, np.cumsum(dropped))[sent.offsets]
            return Outgoing(sent.table[~dropped], offsets, sent.costs)

    monkeypatch.setitem(APPROACHES, "forgetful", Approach(Forgetful, exact=True))
    monkeypatch.setitem(APPROACHES, "forgetful-batch", Approach(Forgetful, exact=True, takes="window"))
    _, fault = run(ingredients, "can", engine, name)
    assert fault is not None
    at = int(np.argmax(events.kind == DELETE))
    assert fault.event == (at if name == "forgetful" else at - at % 4)
    assert (
        run(
            ingredients, "can", engine, name.replace("forgetful-batch", "paint-batch").replace("forgetful", "unicast")
        )[1]
        is None
    )


def test_rows_of_windows_and_of_single_events() -> None:
    ingredients = world("can", 3, 4, coarse=True)
    events = ingredients.events
    single, _ = run(ingredients, "can", "tally", "paint-dense")
    assert single["event"].to_pylist() == list(range(40))
    assert single["kind"].to_pylist() == [KINDS[kind] for kind in events.kind]
    assert single["object"].to_pylist() == events.object.tolist()
    assert set(single["events"].to_pylist()) == {1}
    assert set(single["bytes_in"].to_pylist()) == {16}
    assert set(run(ingredients, "can", "tally", "cn-relax")[0]["bytes_in"].to_pylist()) == {0}

    batch, _ = run(ingredients, "can", "tally", "paint-batch(15)")
    assert batch["event"].to_pylist() == [0, 15, 30]
    assert batch["events"].to_pylist() == [15, 15, 10]
    assert batch["bytes_in"].to_pylist() == [240, 240, 160]
    assert batch["kind"].to_pylist() == ["batch"] * 3
    assert batch["object"].to_pylist() == [None] * 3
    for column, values in (("time", events.time_s), ("origin", events.origin)):
        assert batch[column].to_pylist() == values[[0, 15, 30]].tolist()
    assert batch["bytes_out"].to_pylist() == [24 * messages for messages in batch["messages"].to_pylist()]
