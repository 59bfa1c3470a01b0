"""Bytes: whatever is sent is in every file, once; with faults, in every order, by both engines."""

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from pipeline import HOPS
from simulator.approaches.registry import parse_approach
from simulator.results.collectors import HopRecords
from simulator.results.loads import Loads, link_table
from simulator.runs.answer import verified_records
from simulator.scenario.scenario import Scenario
from tests.simulator.small import random_scenario, small_ingredients

FAULTS = {"crashes": 3, "detection": "20ms", "downtime": "60ms", "loss": 0.2, "timeout": "30ms", "duplication": 0.1}


def total(table: pa.Table, column: str) -> int:
    return int(np.sum(table[column].to_numpy()))


def tables(scenario: Scenario, name: str) -> tuple[int, dict[str, pa.Table]]:
    """The server's broker, and the files of an approach."""
    ingredients, hops = small_ingredients(scenario), list[pa.Table]()
    loads = Loads(len(ingredients.network))
    collectors = (loads, HopRecords(scenario, name, hops.append))
    events, mismatch = verified_records(scenario, ingredients, name, *collectors)
    assert mismatch is None
    return ingredients.server, {
        "events": events,
        "brokers": loads.broker_table(name, 8),
        "links": link_table({name: loads.sent(8)}, ingredients.routes),
        "hops": pa.concat_tables([HOPS.empty_table(), *hops]),
    }


@pytest.mark.parametrize("faulty", [False, True])
@pytest.mark.parametrize("order", ["place", "hold", "none"])
@pytest.mark.parametrize("name", ["paint-dense", "paint-batch(7)", "unicast", "cn-relax", "rendezvous", "poll(20ms)"])
def test_the_sums_of_all_files_are_equal(name: str, order: str, faulty: bool) -> None:
    for seed, kind, engine in ((4, "can", "des"), (5, "tree", "des"), (6, "prefix", "des"), (7, "can", "tally")):
        if faulty and engine == "tally":
            continue
        changes: dict[str, Any] = {"network": {"kind": kind, "brokers": 7, "order": order}, "record": ["hops"]}
        scenario = random_scenario(
            seed,
            **changes,
            engine=engine,
            faults=FAULTS if faulty else {},
            objects={"count": 20},
            subscriptions={"count": 60},
            k=2,
        )
        server, files = tables(scenario, name)
        events, brokers, hops = files["events"], files["brokers"], files["hops"]
        assert total(events, "overlay_bytes") == total(brokers, "bytes_out") == total(hops, "bytes") > 0
        assert total(events, "ip_bytes") == total(files["links"], "bytes")
        kinds: Counter[str] = Counter()
        again = 0
        for row in hops.to_pylist():
            kinds[row["kind"]] += row["bytes"]
            again += row["kind"] == "resent" and row["from"] == server
        asked = parse_approach(name).asked
        assert bool(kinds["question"]) == asked
        control = sum(kinds[kind] for kind in ("acknowledgement", "watermark", "question", "no-news"))
        assert total(events, "control_bytes") == total(brokers, "control_bytes") == control
        assert total(events, "resent_bytes") == kinds["resent"]
        assert bool(control) == (faulty or order == "hold" or asked)
        assert bool(kinds["watermark"]) == (order == "hold" and not asked)
        size = 16 if name == "unicast" else 24
        to_server, from_server = (
            sum(row["bytes"] for row in hops.to_pylist() if row["bytes"] == 8 and row[end] == server)
            for end in ("to", "from")
        )
        if asked:  # some are put at the server's own broker, see test_polling
            continue
        if parse_approach(name).serverless:
            assert total(events, "bytes_in") == total(events, "bytes_out") == 0
            continue
        assert total(events, "bytes_in") == total(events, "events") * 16 + to_server
        out = total(events, "messages") * size + from_server
        if not faulty:
            assert total(events, "bytes_out") == out
        elif name == "unicast":  # of these, one transmission leaves the server each time
            assert out < total(events, "bytes_out") <= out + again * size
