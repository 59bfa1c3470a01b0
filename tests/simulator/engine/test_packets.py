"""Packets against what goes together hop by hop, and different values counted one by one; in both engines."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cn import Hops
from paint import MESSAGE, UNICAST
from pipeline import EVENTS, TIMES
from simulator.approaches.registry import parse_approach
from simulator.engine.carried import Carried
from simulator.engine.carry import carry_events
from simulator.engine.packets import Packing, begins_of, message_of, packets_of
from simulator.inputs.ingredients import Ingredients
from simulator.scenario.scenario import Scenario
from tests.oracles.packets import Hop, size_of, together
from tests.simulator.small import APPROACHES, bundled, random_scenario, run_hops, run_small, small_ingredients

COUNTED = [name for name in EVENTS.names if name not in TIMES]
HEADER = 20


def draw_table(rng: np.random.Generator, count: int, unicast: bool) -> NDArray[np.void]:
    """Messages of which many values are the same, some open sides among them."""
    table = np.zeros(count, UNICAST if unicast else MESSAGE)
    for name in table.dtype.names or ():
        table[name] = rng.integers(0, 4, count)
    if not unicast:
        table["l_out"] = np.where(rng.random(count) < 0.3, -np.inf, -1 - table["l_out"])
        table["r_out"] = np.where(rng.random(count) < 0.3, np.inf, 10 + table["r_out"])
    return table


def draw_ways(rng: np.random.Generator, brokers: int) -> list[Hop]:
    """The hops of a message that starts at broker 0, in the order in which they are taken; sometimes two alike."""
    ways, waiting = list[Hop](), [(0, -1)]
    for broker, came_by in waiting:
        for _ in range(int(rng.choice([0, 1, 2], p=[0.3, 0.4, 0.3])) if len(ways) < 12 else 0):
            receiver = int(rng.integers(brokers))
            waiting.append((receiver, len(ways)))
            ways.append(Hop(broker, came_by, receiver, bool(rng.random() < 0.5)))
    return ways


def hops_of(ways: list[list[Hop]]) -> Hops:
    offsets = np.append(0, np.cumsum([len(way) for way in ways])).astype(np.int64)
    rows = [(hop, first) for way, first in zip(ways, offsets.tolist(), strict=False) for hop in way]
    columns = [(hop.sender, hop.receiver, hop.before + first if hop.before >= 0 else -1) for hop, first in rows]
    senders, receivers, previous = np.array(columns, np.int64).reshape(-1, 3).T.copy()
    delivers = np.array([hop.delivers for hop, _ in rows], np.bool_)
    return Hops(offsets, senders, receivers, previous, delivers, np.zeros(len(ways), np.bool_))


@pytest.mark.parametrize("unicast", [False, True])
@pytest.mark.parametrize("seed", range(60))
def test_packets_are_those_that_go_together(seed: int, unicast: bool) -> None:
    rng = np.random.default_rng(seed)
    messages, brokers = int(rng.integers(0, 12)), int(rng.integers(2, 5))
    table, begins = draw_table(rng, messages, unicast), np.sort(rng.integers(0, 4, messages))
    ways = [draw_ways(rng, brokers) for _ in range(messages)]
    hops, alone = hops_of(ways), 16 if unicast else 24
    got = packets_of(Packing(HEADER + alone, HEADER, bundles=True), hops, table, begins)
    of_message, place = message_of(hops), 0
    for start, number in enumerate(np.unique(begins).tolist()):
        mine = np.flatnonzero(begins == number).tolist()
        assert list(range(got.starts[start], got.starts[start + 1])) == mine
        assert sum(got.out[mine].tolist()) == size_of([table[one] for one in mine], HEADER, alone)
        first = place
        for packet in together([ways[one] for one in mine]):
            members = got.members[got.bounds[place] : got.bounds[place + 1]]
            assert of_message[members].tolist() == [mine[one] for one in packet.members]
            each = dict.fromkeys(packet.members)  # the copy of a message adds nothing
            size = size_of([table[mine[one]] for one in each], HEADER, alone)
            assert got.size[place] == got.added[members].sum() == size
            assert set(got.of_hop[members].tolist()) == {place}
            ends = got.hops.senders[place], got.hops.receivers[place]
            assert ends == (packet.sender, packet.receiver)
            assert got.hops.previous[place] == (first + packet.before if packet.before >= 0 else -1)
            assert got.hops.delivers[place] == bool(packet.delivers)
            assert got.first[place] == mine[packet.members[0]]
            place += 1
        assert got.hops.offsets[start + 1] == place
    assert place == len(got.size)
    assert got.start_of.tolist() == np.unique(begins, return_inverse=True)[1].tolist()


def test_without_bundles_every_message_is_a_packet() -> None:
    rng = np.random.default_rng(1)
    ways = [draw_ways(rng, 4) for _ in range(9)]
    hops, table = hops_of(ways), draw_table(rng, 9, False)
    got = packets_of(Packing(44, 20, bundles=False), hops, table, np.zeros(9, np.int64))
    assert got.hops is hops
    assert got.first.tolist() == message_of(hops).tolist()
    assert set(got.size.tolist()) == set(got.added.tolist()) == set(got.out.tolist()) == {44}
    assert got.places.tolist() == [1] * (len(got.size) + 9)


def test_a_staircase_has_its_corners_once() -> None:
    """Five tiles in a row: six values of l and of r, x and y, instead of thirty; one missing costs two more."""
    table = np.zeros(5, MESSAGE)
    steps = np.arange(5.0)
    table["l_in"], table["l_out"], table["r_in"], table["r_out"] = -steps, -1 - steps, 5 - steps, 6 - steps
    table["x"], table["y"], table["object"] = 0.5, 0.25, 7
    hops = hops_of([[Hop(0, -1, 1, True)] for _ in range(5)])
    packing = Packing(20 + 24, 20, bundles=True)
    assert packets_of(packing, hops, table, np.zeros(5, np.int64)).size.tolist() == [20 + 4 * (6 + 6 + 2)]
    gap = hops_of([[Hop(0, -1, 1 + (step == 2), True)] for step in range(5)])
    together_and_apart = packets_of(packing, gap, table, np.zeros(5, np.int64))
    assert together_and_apart.size.tolist() == [20 + 4 * (6 + 6 + 2), 20 + 4 * 6]
    assert together_and_apart.added.tolist() == [44, 8, 44, 16, 8]


def carrying(scenario: Scenario, ingredients: Ingredients, name: str) -> Iterator[Carried]:
    approach = parse_approach(name)
    session = approach.open(ingredients.workload, approach)
    return carry_events(scenario, ingredients, approach, session, np.empty(0, np.int64))


def expected(scenario: Scenario, ingredients: Ingredients, name: str) -> dict[int, Counter[str]]:
    """Bytes of every event, from the hops of messages by themselves."""
    alone = 16 if parse_approach(name).unicast else 24
    found: dict[int, Counter[str]] = defaultdict(Counter)
    for carried in carrying(scenario, ingredients, name):
        table, begins, sent = carried.outgoing.table, begins_of(carried.outgoing), carried.sent
        assert sent is not None
        for number in np.unique(begins).tolist():
            mine = np.flatnonzero(begins == number).tolist()
            event = int(carried.chunk.first + carried.chunk.starts[carried.window_of[mine[0]]])
            found[event]["out"] += size_of([table[one] for one in mine], HEADER, alone)
            ways = [list(ways_of(sent, one)) for one in mine]
            for packet in together(ways):
                size = size_of([table[mine[one]] for one in packet.members], HEADER, alone)
                found[event]["overlay"] += size
                found[event]["ip"] += size * int(ingredients.routes.hops[packet.sender, packet.receiver])
    return found


def ways_of(sent: Any, message: int) -> Iterator[Hop]:
    """Hops of a message, each after the latest one that came to its sender and was not the last to be sent on."""
    came: dict[int, list[int]] = defaultdict(list)
    rows = np.flatnonzero((sent.message == message) & (sent.kind == 0)).tolist()
    for number, row in enumerate(rows):
        sender, receiver = int(sent.sender[row]), int(sent.receiver[row])
        yield Hop(sender, came[sender][-1] if came[sender] else -1, receiver, delivers=True)
        came[receiver].append(number)


@pytest.mark.parametrize("name", [name for name in APPROACHES if name != "rendezvous"])
@pytest.mark.parametrize("kind", ["can", "tree"])
def test_bytes_are_those_of_the_packets_in_both_engines(kind: str, name: str) -> None:
    network = {"kind": kind, "brokers": 8, "unicast": "overlay"}
    quiet = {"objects": {"count": 20}, "subscriptions": {"count": 40}, "events": {"count": 40, "rate": "200/s"}}
    alone = random_scenario(3, network=network, record=["hops"], **quiet, k=3)
    ingredients = small_ingredients(alone)
    right = expected(alone, ingredients, name)
    scenario = bundled(alone, HEADER)
    timed, counted = (
        run_small(scenario.model_copy(update={"engine": engine}), ingredients, name) for engine in ("des", "tally")
    )
    assert (timed[1], counted[1]) == ("", "")
    assert timed[0].select(COUNTED).equals(counted[0].select(COUNTED))
    serverless, asked = parse_approach(name).serverless, parse_approach(name).asked
    for row in counted[0].to_pylist():
        event, control = row["event"], row["control_bytes"]
        assert row["overlay_bytes"] - control == right[event]["overlay"], event
        if not asked:  # else control messages take links, and leave the server, too
            assert row["ip_bytes"] == right[event]["ip"], event
            assert row["bytes_out"] == (0 if serverless else right[event]["out"]), event
    by_itself = run_small(alone, ingredients, name)[0]
    assert by_itself["overlay_hops"].equals(counted[0]["overlay_hops"])
    assert by_itself["received_update"].equals(counted[0]["received_update"])


@pytest.mark.parametrize("unicast", ["direct", "overlay"])
@pytest.mark.parametrize("kind", ["can", "tree"])
def test_copies_of_a_rendezvous_on_the_same_way_are_one(kind: str, unicast: str) -> None:
    """Two copies of a message in a packet have all in common: the second adds nothing to it."""
    network = {"kind": kind, "brokers": 9, "unicast": unicast}
    events = {"count": 30, "rate": "200/s"}  # one message each
    alone = random_scenario(6, network=network, record=["hops"], objects={"count": 20}, events=events, k=2)
    ingredients, scenario = small_ingredients(alone), bundled(alone, HEADER)
    timed, hops = run_hops(scenario, ingredients, "rendezvous")
    counted = run_small(scenario.model_copy(update={"engine": "tally", "record": []}), ingredients, "rendezvous")
    assert counted[1] == ""
    assert timed.select(COUNTED).equals(counted[0].select(COUNTED))
    packets = {(row["event"], row["message"], row["from"], row["to"], row["depart"]) for row in hops.to_pylist()}
    assert sum(hops["bytes"].to_pylist()) == len(packets) * (HEADER + 24)
    assert len(packets) == len(hops) if unicast == "direct" else len(packets) < len(hops)


def test_packets_take_less_and_the_way_is_the_same() -> None:
    """A header apart, the events of a run with and without bundles differ in bytes and times only."""
    alone = random_scenario(3, verify="none", objects={"count": 200}, subscriptions={"count": 300}, k=5)
    header = Scenario.model_validate(
        alone.model_dump(exclude_none=True) | {"sizes": alone.sizes.model_dump(exclude_none=True) | {"header": "20B"}}
    )
    ingredients = small_ingredients(alone)
    one, other = (run_small(scenario, ingredients, "paint-dense")[0] for scenario in (header, bundled(alone, HEADER)))
    same = [name for name in COUNTED if not name.endswith("bytes") and name != "bytes_out"]
    assert one.select(same).equals(other.select(same))
    plain = run_small(alone, ingredients, "paint-dense")[0]
    bytes_of = [np.sum(table["overlay_bytes"].to_numpy()) for table in (plain, one, other)]
    assert bytes_of[1] == bytes_of[0] // 24 * 44
    assert bytes_of[2] < 0.5 * bytes_of[1]
