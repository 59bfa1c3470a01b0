"""On a prefix network messages reach every zone they concern exactly once, by contacts that an oracle chooses too."""

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cn import PrefixError, PrefixNetwork, Zones
from cn.prefix import BASES
from tests.cn.drawing import EVERYBODY, RECTANGLE, SPACES, draw_rectangles, draw_wide, seeds, spaces
from tests.cn.walking import Carried
from tests.oracles import prefix as oracle
from tests.oracles.network import zones_with_a_range

bases = st.sampled_from(BASES)
kinds = st.sampled_from(["near", "random"])


def make(zones: Zones, base: int, contacts: str, rng: np.random.Generator) -> PrefixNetwork:
    """A network; one with near contacts has delays with many ties, unlike there and back."""
    delay_ms = rng.integers(0, 5, (len(zones), len(zones))).astype(float) if contacts == "near" else None
    seed = int(rng.integers(100))
    return PrefixNetwork(zones, delay_ms, base=base, contacts=contacts, seed=seed)  # type: ignore[arg-type]


class Expected:
    """What the oracle says of a network as it is."""

    def __init__(self, network: PrefixNetwork) -> None:
        splits = network.zones.splits
        self.levels = {2: 1, 4: 2, 8: 3, 16: 4}[network.base]
        self.tree = oracle.tree_of(splits.children, splits.root)
        rows = [network._distances(broker).tolist() for broker in range(len(network))]
        self.distance = lambda a, b: rows[a][b]

    def contacts(self, broker: int) -> list[int]:
        return oracle.contacts(self.tree, broker, self.levels, self.distance)

    def hops(self, source: int, concerned: set[int]) -> list[tuple[int, int]]:
        return oracle.hops(self.tree, source, self.levels, self.distance, concerned)

    def path(self, source: int, target: int) -> list[int]:
        return oracle.way(self.tree, source, target, self.levels, self.distance)


def concerned_by(zones: Zones, row: Any) -> set[int]:
    """Zones that hold a range of the message, by trying ranges at every edge."""
    corners = tuple(float(end) for end in row)
    extents = zones.table.extents
    cuts = {*extents[np.isfinite(extents)].tolist(), *(end for end in corners if np.isfinite(end)), 0.0, 1.0}
    return zones_with_a_range(extents, corners, sorted(cuts))


def check_messages(network: PrefixNetwork, rng: np.random.Generator, count: int) -> None:
    zones = network.zones
    network._check()
    table = np.concatenate((draw_rectangles(zones, rng, count), draw_wide(zones, rng, count)))
    carried, expected = Carried(network, table, rng), Expected(network)
    for i, row in enumerate(table):
        delivered, hops = carried.follow(i)
        concerned = concerned_by(zones, row)
        assert sorted(delivered) == sorted(concerned)
        assert sorted(hops) == sorted(expected.hops(int(carried.sources[i]), concerned))
        visited = [int(carried.sources[i]), *(b for _, b in hops)]
        assert len(set(visited)) == len(visited), "somebody gets it twice"
    carried.check_sums()
    present = np.flatnonzero(zones.present).tolist()
    links = [(a, b) for a in present for b in expected.contacts(a)]
    assert [tuple(link) for link in network.links.tolist()] == links
    for source, target in rng.choice(present, (10, 2)).tolist():
        assert network.path(source, target) == expected.path(source, target)


@settings(deadline=None, max_examples=40)
@given(brokers=st.integers(1, 40), seed=seeds, space=spaces, base=bases, contacts=kinds)
def test_every_zone_concerned_is_reached_once(brokers: int, seed: int, space: str, base: int, contacts: str) -> None:
    rng = np.random.default_rng(seed)
    zones = Zones(brokers, seed=seed, space=space)  # type: ignore[arg-type]
    check_messages(make(zones, base, contacts, rng), rng, 10)


@settings(deadline=None, max_examples=20)
@given(brokers=st.integers(2, 30), seed=seeds, space=spaces, base=bases, contacts=kinds)
def test_nothing_is_lost_as_brokers_leave_and_return(
    brokers: int, seed: int, space: str, base: int, contacts: str
) -> None:
    rng = np.random.default_rng(seed)
    network = make(Zones(brokers, seed=seed, space=space), base, contacts, rng)  # type: ignore[arg-type]
    for _ in range(rng.integers(1, brokers)):
        network.leave(int(rng.choice(np.flatnonzero(network.present))))
    check_messages(network, rng, 6)
    for broker in rng.permutation(np.flatnonzero(~network.present)).tolist():
        network.join(broker, rng)
    check_messages(network, rng, 6)


@pytest.mark.parametrize("space", ["triangle", "square"])
@pytest.mark.parametrize("base", BASES)
def test_from_every_zone_to_every_rectangle_between_edges(space: str, base: int) -> None:
    rng = np.random.default_rng(base)
    zones = Zones(7, seed=base, space=space)  # type: ignore[arg-type]
    network = make(zones, base, "near", rng)
    extents = zones.table.extents
    cuts = [-np.inf, *np.unique(extents[np.isfinite(extents)]).tolist(), np.inf]
    rows = [
        (l_in, r_in, l_out, r_out)
        for i, l_out in enumerate(cuts)
        for l_in in cuts[i + 1 :]
        for j, r_in in enumerate(cuts)
        for r_out in cuts[j + 1 :]
        if l_in <= r_in or l_out < r_out
    ]
    table, sources = np.repeat(np.array(rows, RECTANGLE), len(zones)), np.tile(np.arange(len(zones)), len(rows))
    got = network.multicast(table, sources)
    concerned = [sorted(concerned_by(zones, row)) for row in rows]
    for i in range(len(table)):
        assert sorted(got.zones[got.offsets[i] : got.offsets[i + 1]].tolist()) == concerned[i // len(zones)]


def met(extents: npt.NDArray[np.float64], table: npt.NDArray[np.void]) -> npt.NDArray[np.bool_]:
    """Whether each message holds a range of each zone, (messages, zones): the one with least l and largest r."""
    l_in, r_in, l_out, r_out = (table[name][:, None] for name in ("l_in", "r_in", "l_out", "r_out"))
    l_lo, l_hi, r_lo, r_hi = extents.T
    l = np.nextafter(np.maximum(l_lo, l_out), np.inf)
    r = np.nextafter(np.minimum(r_hi, r_out), -np.inf)
    held: npt.NDArray[np.bool_] = (l <= np.minimum(l_hi, l_in)) & (r >= np.maximum(r_lo, r_in)) & (l <= r)
    return held


def check_many(network: PrefixNetwork, rng: np.random.Generator) -> None:
    """Compare what each of many messages reaches with every zone of the network."""
    table = np.concatenate((draw_rectangles(network.zones, rng, 200), draw_wide(network.zones, rng, 50)))
    got = network.multicast(table, rng.choice(np.flatnonzero(network.present), len(table)))
    times = np.zeros((len(table), len(network)), np.int64)
    np.add.at(times, (np.repeat(np.arange(len(table)), got.zones_reached), got.zones), 1)
    assert (times == met(network.zones.table.extents, table)).all()


@pytest.mark.parametrize("space", ["triangle", "square"])
@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("contacts", ["near", "random"])
def test_a_thousand_brokers_exactly_once(space: str, base: int, contacts: str) -> None:
    rng = np.random.default_rng(base)
    network = make(Zones(1_000, seed=base, space=space), base, contacts, rng)  # type: ignore[arg-type]
    check_many(network, rng)
    gone = rng.choice(1_000, 12, replace=False).tolist()
    for broker in gone:
        network.leave(broker)
    check_many(network, rng)
    for broker in gone[:6]:
        network.join(broker, rng)
    check_many(network, rng)


@pytest.mark.slow
@pytest.mark.parametrize("space", ["triangle", "square"])
def test_many_networks_with_departures(space: str) -> None:
    for seed in range(120):
        rng = np.random.default_rng(seed)
        zones = Zones(int(rng.integers(1, 1_000)), seed=seed, space=space)  # type: ignore[arg-type]
        network = make(zones, int(rng.choice(BASES)), str(rng.choice(["near", "random"])), rng)
        for _ in range(rng.integers(0, min(len(zones), 40))):
            network.leave(int(rng.choice(np.flatnonzero(zones.present))))
        check_many(network, rng)
        for broker in rng.permutation(np.flatnonzero(~zones.present))[:10].tolist():
            network.join(broker, rng)
        check_many(network, rng)


def test_zones_split_at_equal_subscriptions_make_deep_trees() -> None:
    zones = Zones(90, seed=1, population=([0.3] * 5, [0.3] * 5))
    rng = np.random.default_rng(1)
    network = make(zones, 16, "near", rng)
    tree = Expected(network).tree
    assert max(oracle.depth(tree, broker) for broker in range(90)) > 40
    check_messages(network, rng, 8)


@pytest.mark.parametrize("contacts", ["near", "random"])
def test_a_change_leaves_all_other_contacts_as_they_were(contacts: str) -> None:
    rng = np.random.default_rng(3)
    network = make(Zones(120, seed=3), 4, contacts, rng)
    changed = 0
    for broker in range(0, 120, 7):
        before = known_of(network)
        gave = set(network.leave(broker).tolist())
        after = known_of(network)
        assert all(contact not in gave or contact in np.flatnonzero(network.present) for contact in after.values())
        changed += sum(after[key] != before[key] for key in after.keys() & before.keys())
        assert all(before[key] in gave or after[key] in gave for key in differing(before, after))
        network.join(broker, rng)
        returned = known_of(network)
        assert all(returned[key] == broker or after[key] in gave for key in differing(after, returned))
    assert changed > 100


def known_of(network: PrefixNetwork) -> dict[tuple[int, ...], int]:
    """Contact of each broker for each part that it knows."""
    table, links = network.table, network.links
    return {
        (owner, *box): contact for (owner, contact), box in zip(links.tolist(), table.beyond.tolist(), strict=True)
    }


def differing(before: dict[tuple[int, ...], int], after: dict[tuple[int, ...], int]) -> list[tuple[int, ...]]:
    return [key for key in before.keys() & after.keys() if before[key] != after[key]]


def test_the_same_seed_gives_the_same_contacts() -> None:
    first, same, other = (PrefixNetwork(Zones(60, seed=2), contacts="random", seed=seed) for seed in (4, 4, 5))
    assert first.links.tolist() == same.links.tolist()
    assert first.links.tolist() != other.links.tolist()


def test_more_parts_at_once_make_ways_shorter_and_near_contacts_make_them_quicker() -> None:
    rng = np.random.default_rng(7)
    places = rng.random((300, 2))
    delay_ms = np.hypot(*(places[:, None] - places).T)
    pairs = rng.integers(0, 300, (400, 2)).tolist()
    hops, delay = {}, {}
    for contacts in ("near", "random"):
        for base in BASES:
            network = PrefixNetwork(Zones(300, seed=7), delay_ms, base=base, contacts=contacts, seed=1)
            ways = [network.path(a, b) for a, b in pairs]
            hops[contacts, base] = sum(len(way) - 1 for way in ways)
            delay[contacts, base] = sum(delay_ms[a, b] for way in ways for a, b in pairwise(way))
        assert hops[contacts, 2] > hops[contacts, 4] > hops[contacts, 16]
    assert all(delay["near", base] < 0.8 * delay["random", base] for base in (2, 4, 16))


def test_one_that_joins_later_has_no_delays() -> None:
    zones = Zones(8, seed=1)
    near, random = PrefixNetwork(zones, np.zeros((8, 8))), PrefixNetwork(zones, contacts="random")
    zones.join()
    rng = np.random.default_rng(1)
    check_messages(random, rng, 8)
    with pytest.raises(PrefixError, match="broker 8 joined later and has no delays; take contacts='random', or all"):
        near.path(0, 8)


def test_defects_are_found() -> None:
    network = PrefixNetwork(Zones(30, seed=1), contacts="random", base=4)
    table = network.table
    everything = table.beyond.copy()
    everything[table.edges[table.starts[1]] - 1] = (-np.inf, np.inf, -np.inf, np.inf)
    for rule, spoilt in (
        ("is not the nearest", table._replace(neighbours=np.roll(table.neighbours, 1))),
        ("is for a part beyond", table._replace(beyond=everything)),
        ("is not in the part of its own rung", table._replace(boxes=np.roll(table.boxes, 1, axis=0))),
        ("do not hold all others once", table._replace(starts=np.append(table.starts[:-1], table.starts[-2]))),
    ):
        network._check()
        network._table = spoilt
        with pytest.raises(PrefixError, match=rule):
            network._check()
        network._table = table


def test_refusals() -> None:
    zones = Zones(4, seed=1)
    for base in (1, 3, 32):
        with pytest.raises(ValueError, match=f"base must be one of 2, 4, 8, 16, got {base}"):
            PrefixNetwork(zones, np.zeros((4, 4)), base=base)
    with pytest.raises(ValueError, match="contacts must be 'near' or 'random', got 'far'"):
        PrefixNetwork(zones, contacts="far")  # type: ignore[arg-type]
    with pytest.raises(
        ValueError, match=r"a row per broker \(4\), got none; take that of Routes, or contacts='random'"
    ):
        PrefixNetwork(zones)
    with pytest.raises(ValueError, match=r"a row per broker \(4\), got shape \(3, 3\)"):
        PrefixNetwork(zones, np.zeros((3, 3)))
    with pytest.raises(TypeError, match=r"zones must be Zones, got 5"):
        PrefixNetwork(5)  # type: ignore[arg-type]
    network = PrefixNetwork(zones, contacts="random")
    with pytest.raises(ValueError, match="target must be a broker that holds a zone, got 4"):
        network.path(0, 4)
    with pytest.raises(ValueError, match="broker must be a broker that holds a zone, got 4"):
        network.next_hops(4, -1, *EVERYBODY)
    assert network.next_hops(0, -1, 0.5, 0.5, 0.5, 0.5) == (False, []), "nothing is in it"


def test_one_broker_delivers_to_itself() -> None:
    network = PrefixNetwork(Zones(1), contacts="random")
    assert network.next_hops(0, -1, *EVERYBODY) == (True, [])
    assert network.path(0, 0) == [0]
    assert len(network.links) == 0


def run_interpreted() -> None:
    rng = np.random.default_rng(1)
    for space in SPACES:
        check_messages(make(Zones(9, seed=3, space=space), 4, "near", rng), rng, 4)
