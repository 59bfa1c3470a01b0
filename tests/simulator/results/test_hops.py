"""`hops.parquet`: rows that add up to the records, in trees that begin where messages do."""

from collections import defaultdict

import numpy as np
import pyarrow as pa
import pytest

from pipeline import HOPS
from simulator.approaches.registry import parse_approach
from simulator.inputs.ingredients import Ingredients
from simulator.scenario.scenario import Scenario
from tests.simulator.small import APPROACHES, bundled, random_scenario, run_hops, run_small, small_ingredients

RECORD = {"record": ["hops"], "verify": "none"}
QUIET = {"objects": {"count": 20}, "subscriptions": {"count": 40}, "events": {"count": 40, "rate": "200/s"}, "k": 3}


def small(kind: str, *, bundle: bool = False, **changes: object) -> tuple[Scenario, Ingredients]:
    network = {"kind": kind, "brokers": 8, "unicast": "overlay"} | ({"base": 2} if kind == "prefix" else {})
    scenario = random_scenario(3, **RECORD, **QUIET, network=network, **changes)
    return bundled(scenario) if bundle else scenario, small_ingredients(scenario)


def check_sums(records: pa.Table, hops: pa.Table) -> None:
    """Rows and bytes of every event are those of the records; acknowledgements are bytes, but no messages."""
    counted: dict[int, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for event, size, kind in zip(*(hops[name].to_pylist() for name in ("event", "bytes", "kind")), strict=True):
        counted[event] = (counted[event][0] + (kind in ("message", "resent")), counted[event][1] + size)
    columns = (records[name].to_pylist() for name in ("event", "overlay_hops", "overlay_bytes"))
    for event, number, size in zip(*columns, strict=True):
        assert counted.pop(event, (0, 0)) == (number, size), event
    assert not counted


def check_trees(records: pa.Table, hops: pa.Table, server: int | None, *, returns: bool) -> None:
    """Every message begins at the server, or the event's origin, and comes to a broker before it leaves it.

    It comes there once, unless it `returns` from a rendezvous.
    """
    origin = dict(zip(records["event"].to_pylist(), records["origin"].to_pylist(), strict=True))
    arrived: dict[tuple[int, int], dict[int, float]] = {}
    for row in hops.to_pylist():
        if row["kind"] in ("question", "no-news"):
            assert server in (row["from"], row["to"])
            assert row["message"] == -1
            continue
        begins = origin[row["event"]] if server is None else server
        seen = arrived.setdefault((row["event"], row["message"]), {begins: -np.inf})
        assert row["from"] in seen, row
        assert returns or row["to"] not in seen, row
        if row["depart"] is not None:
            assert seen[row["from"]] <= row["depart"] < row["arrive"], row
        seen.setdefault(row["to"], -np.inf if row["arrive"] is None else row["arrive"])


@pytest.mark.parametrize("name", APPROACHES)
@pytest.mark.parametrize(("kind", "bundle"), [("can", False), ("prefix", False), ("tree", False), ("can", True)])
def test_hops_add_up_and_form_trees(kind: str, bundle: bool, name: str) -> None:
    scenario, ingredients = small(kind, bundle=bundle)
    server = None if parse_approach(name).serverless else ingredients.server
    timed, timed_hops = run_hops(scenario, ingredients, name)
    counted, counted_hops = run_hops(scenario.model_copy(update={"engine": "tally"}), ingredients, name)
    assert len(timed_hops)
    for records, hops in ((timed, timed_hops), (counted, counted_hops)):
        assert hops.schema == HOPS
        check_sums(records, hops)
        check_trees(records, hops, server, returns=name == "rendezvous")
    assert timed_hops.select(HOPS.names[:-2]).equals(counted_hops.select(HOPS.names[:-2]))
    assert timed_hops["arrive"].null_count == 0
    assert counted_hops["depart"].null_count == counted_hops["arrive"].null_count == len(counted_hops)


@pytest.mark.parametrize("bundle", [False, True])
@pytest.mark.parametrize("name", ["paint-dense", "paint-batch(20ms)", "unicast", "cn-relax", "rendezvous"])
def test_faults_leave_a_row_for_every_transmission(name: str, bundle: bool) -> None:
    faults = {"crashes": 3, "detection": "20ms", "downtime": "50ms", "loss": 0.3, "duplication": 0.2, "delayed": 0.2}
    scenario, ingredients = small("can", bundle=bundle, faults=faults)
    records, hops = run_hops(scenario, ingredients, name)
    check_sums(records, hops)
    assert hops["arrive"].null_count > 0.2 * len(hops)  # lost, or sent to or by one that crashed
    assert hops["depart"].null_count == 0
    got = hops.filter(hops["arrive"].is_valid())
    assert np.all(got["arrive"].to_numpy() > got["depart"].to_numpy())
    silent = run_small(scenario.model_copy(update={"record": []}), ingredients, name)[0]
    assert silent.equals(records)


def test_every_lost_transmission_is_followed_by_another() -> None:
    scenario, ingredients = small("can", faults={"loss": 0.3})
    records, hops = run_hops(scenario, ingredients, "paint-dense")
    assert hops["arrive"].null_count * 24 == sum(records["resent_bytes"].to_pylist()) > 0


def test_without_loss_or_crash_nothing_is_missing() -> None:
    scenario, ingredients = small("tree", faults={"duplication": 0.5})
    records, hops = run_hops(scenario, ingredients, "paint-dense")
    check_sums(records, hops)
    assert hops["arrive"].null_count == 0


def test_nothing_is_recorded_unless_asked() -> None:
    scenario, ingredients = small("can")
    with pytest.raises(ValueError, match="not recorded"):
        run_hops(scenario.model_copy(update={"record": []}), ingredients, "paint-dense")
