"""A message over the routing tree misses nobody, visits no broker twice and, given room, makes no needless hop."""

import networkx as nx
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cn import Can, Gateways, Network, RoutingTree, TreeError, Zones
from cn.summaries import reduce_boxes
from tests.cn.drawing import LARGEST, RECTANGLE, seeds
from tests.cn.walking import Carried
from tests.oracles.routing_tree import distance, inside, links_to, nearest, spanning_tree
from tests.oracles.topk import reaches
from topologies import Routes

Population = dict[int, tuple[float, float]]
limits = st.sampled_from([1, 2, 3, 8, 1000])


def link_up(graph: "nx.Graph[int]", rng: np.random.Generator) -> "nx.Graph[int]":
    for _, _, link in graph.edges(data=True):
        link["delay_ms"], link["bandwidth_mbps"] = float(rng.integers(1, 4)), 100.0
    return graph


def draw_network(rng: np.random.Generator, brokers: int) -> tuple["nx.Graph[int]", npt.NDArray[np.int64]]:
    """A tree of up to 20 nodes with some links more, and brokers on it that may share nodes."""
    nodes = int(rng.integers(1, 21))
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(nodes))
    graph.add_edges_from((v, int(rng.integers(v))) for v in range(1, nodes))
    for _ in range(int(rng.integers(nodes))):
        a, b = rng.integers(nodes, size=2).tolist()
        if a != b:
            graph.add_edge(a, b)
    return link_up(graph, rng), rng.integers(nodes, size=brokers)


def draw_ranges(rng: np.random.Generator, count: int) -> npt.NDArray[np.float64]:
    """Ends on a coarse grid, so that they coincide; some ranges open, some one point."""
    ends = np.sort(rng.integers(0, 17, (2, count)) / 16, axis=0)
    ends[0, rng.random(count) < 0.1] = -LARGEST
    ends[1, rng.random(count) < 0.1] = LARGEST
    return ends


def draw_messages(rng: np.random.Generator, count: int) -> npt.NDArray[np.void]:
    """Valid messages with sides on the same grid and beside it, some open."""
    ends = np.sort(rng.integers(-1, 19, (4, count)) / 16, axis=0)
    step = rng.integers(0, 3, ends.shape)
    ends = np.where(step == 0, np.nextafter(ends, -np.inf), np.where(step == 1, np.nextafter(ends, np.inf), ends))
    table = np.zeros(count, RECTANGLE)
    table["l_out"], table["l_in"], table["r_in"], table["r_out"] = ends
    table["l_out"][rng.random(count) < 0.1] = -np.inf
    table["r_out"][rng.random(count) < 0.1] = np.inf
    return table[
        (table["l_out"] < table["l_in"]) & (table["l_in"] <= table["r_in"]) & (table["r_in"] < table["r_out"])
    ]


def subscribe(tree: RoutingTree, known: Population, rng: np.random.Generator, ids: list[int]) -> dict[int, int]:
    """Subscribe with drawn ranges and nodes; returns the nodes by id."""
    l, r = draw_ranges(rng, len(ids))
    nodes = rng.integers(tree.ip_routes.nodes, size=len(ids))
    home = tree.subscribe(ids, l, r, nodes)
    assert home.tolist() == tree.home(l, r, nodes).tolist()
    known.update(zip(ids, zip(l.tolist(), r.tolist(), strict=True), strict=True))
    return dict(zip(ids, nodes.tolist(), strict=True))


def check_messages(
    tree: RoutingTree, known: Population, nodes: dict[int, int], rng: np.random.Generator, *, exact: bool
) -> None:
    tree._check()
    table = draw_messages(rng, 12)
    carried = Carried(tree, table, rng)
    graph: nx.Graph[int] = nx.Graph(tree.links.tolist())
    graph.add_nodes_from(np.flatnonzero(tree.present).tolist())
    homes = {i: int(tree.home([0.0], [0.0], [nodes[i]])[0]) for i in known}
    for i, row in enumerate(table):
        source = int(carried.sources[i])
        wanted = {homes[s] for s, ends in known.items() if reaches(row, *ends)}
        least = links_to(graph, source, wanted)
        delivered, hops = carried.follow(i)
        visited = [source, *(b for _, b in hops)]
        assert len(set(visited)) == len(visited)
        assert wanted <= set(delivered) <= set(visited)
        assert all(graph.has_edge(a, b) for a, b in hops)
        assert least <= {frozenset(hop) for hop in hops}
        if exact:
            assert set(delivered) == wanted
            assert len(hops) == len(least)
    carried.check_sums()


@settings(deadline=None, max_examples=60)
@given(brokers=st.integers(1, 15), count=st.integers(0, 60), limit=limits, seed=seeds)
def test_nobody_is_missed_and_room_makes_it_exact(brokers: int, count: int, limit: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    tree = RoutingTree(Routes.build(*draw_network(rng, brokers)), limit=limit)
    known: Population = {}
    nodes = subscribe(tree, known, rng, rng.permutation(2 * count)[:count].tolist())
    check_messages(tree, known, nodes, rng, exact=limit >= count)


@settings(deadline=None, max_examples=25)
@given(brokers=st.integers(1, 12), limit=limits, seed=seeds)
def test_joins_leaves_and_crashes_lose_nothing(brokers: int, limit: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    tree = RoutingTree(Routes.build(*draw_network(rng, brokers)), limit=limit)
    known: Population = {}
    nodes = subscribe(tree, known, rng, list(range(40)))
    gone = False
    for _ in range(12):
        what = rng.integers(5)
        left = np.flatnonzero(~tree.present)
        if what == 0 and tree.present.sum() > 1:
            tree.leave(int(rng.choice(np.flatnonzero(tree.present))))
        elif what == 1 and len(left):
            tree.join(int(rng.choice(left)))
        elif what == 2:
            leavers = rng.choice(sorted(known), int(rng.integers(1, 4)), replace=False).tolist()
            tree.unsubscribe(leavers)
            known = {i: ends for i, ends in known.items() if i not in leavers}
            gone = True
        else:
            free = [i for i in range(60) if i not in known]
            nodes |= subscribe(tree, known, rng, free[: int(rng.integers(1, 3))])
        check_messages(tree, known, nodes, rng, exact=limit == 1000 and not gone)
    tree.rebuild()
    check_messages(tree, known, nodes, rng, exact=limit == 1000)


@settings(deadline=None, max_examples=25)
@given(brokers=st.integers(1, 10), seed=seeds)
def test_homes_links_and_centre_follow_the_rules(brokers: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph, places = draw_network(rng, brokers)
    tree = RoutingTree(Routes.build(graph, places))
    present = dict(enumerate(places.tolist()))

    def centre() -> int:
        return min(present, key=lambda b: (sum(distance(graph, present[b], v)[0] for v in present.values()), b))

    full = spanning_tree(graph, present)
    expected = full
    while True:
        nodes = np.arange(len(graph))
        assert tree.home(nodes, nodes, nodes).tolist() == [nearest(graph, present, v) for v in range(len(graph))]
        assert {(min(e), max(e)) for e in tree.links.tolist()} == expected
        assert tree.centre == centre()
        if len(present) == 1:
            break
        broker = int(rng.choice(sorted(present)))
        around = {b: present[b] for e in expected if broker in e for b in e if b != broker}
        expected = {e for e in expected if broker not in e} | spanning_tree(graph, around)
        tree.leave(broker)
        del present[broker]
    with pytest.raises(TreeError, match="is the last one"):
        tree.leave(tree.centre)
    for broker in rng.permutation([b for b in range(brokers) if b not in present]).tolist():
        tree.join(broker)
        present[broker] = int(places[broker])
        assert tree.home(nodes, nodes, nodes).tolist() == [nearest(graph, present, v) for v in range(len(graph))]
        assert {e for e in full if set(e) <= set(present)} <= {(a, b) for a, b in tree.links.tolist()}
        assert tree.centre == centre()
    assert {(a, b) for a, b in tree.links.tolist()} == full


@pytest.mark.parametrize("shape", [nx.star_graph(40), nx.path_graph(41), nx.balanced_tree(3, 3)])
@pytest.mark.parametrize("limit", [2, 500])
def test_stars_paths_and_bushes(shape: "nx.Graph[int]", limit: int) -> None:
    rng = np.random.default_rng(5)
    tree = RoutingTree(Routes.build(link_up(shape, rng), range(len(shape))), limit=limit)
    known: Population = {}
    nodes = subscribe(tree, known, rng, list(range(100)))
    check_messages(tree, known, nodes, rng, exact=limit == 500)
    for i in range(100, 120):
        nodes |= subscribe(tree, known, rng, [i])
    check_messages(tree, known, nodes, rng, exact=limit == 500)
    tree.leave(tree.centre)
    check_messages(tree, known, nodes, rng, exact=limit == 500)


@settings(deadline=None, max_examples=60)
@given(count=st.integers(0, 60), limit=st.integers(1, 20), seed=seeds)
def test_reduced_boxes_cover_all_and_are_few(count: int, limit: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    l, r = draw_ranges(rng, count)
    boxes = np.stack((l, np.maximum(l, rng.choice(l, count) if count else l), r, r), axis=1)
    out = np.full((limit, 4), np.nan)
    used = reduce_boxes(boxes, out)
    assert used <= min(limit, count)
    assert all(any(inside(box, cover) for cover in out[:used]) for box in boxes)
    bounds = [boxes[:, 0].min(initial=1), boxes[:, 1].max(initial=-1), r.min(initial=1), r.max(initial=-1)]
    assert all(inside(cover, np.array(bounds)) for cover in out[:used])


def test_paths_follow_the_tree() -> None:
    rng = np.random.default_rng(4)
    tree = RoutingTree(Routes.build(*draw_network(rng, 12)))
    tree.leave(3)
    paths = nx.shortest_path(nx.Graph(tree.links.tolist()), 5)
    assert {b: tree.path(5, b) for b in range(12) if b != 3} == paths
    with pytest.raises(ValueError, match="3"):
        tree.path(5, 3)


def test_few_boxes_keep_clusters_apart() -> None:
    rng = np.random.default_rng(3)
    centres = np.array([[0.1, 0.2], [0.1, 0.9], [0.5, 0.6], [0.8, 0.95]])
    points = (centres[rng.integers(4, size=500)] + rng.uniform(-0.01, 0.01, (500, 2))).repeat(2, axis=1)
    out = np.empty((4, 4))
    assert reduce_boxes(points, out) == 4
    assert (out[:, 1::2] - out[:, ::2] < 0.021).all()


def test_news_stops_where_an_older_box_covers_it_and_a_rebuild_tightens() -> None:
    routes = Routes.build(link_up(nx.path_graph(5), np.random.default_rng(1)), range(5))
    tree = RoutingTree(routes, limit=1)
    tree.subscribe(range(18), np.linspace(0.1, 0.4, 18), np.linspace(0.6, 0.9, 18), [0] * 16 + [4] * 2)
    before = tree.table.boxes.copy()
    tree.subscribe([20], [0.2], [0.7], [0])
    assert np.array_equal(tree.table.boxes, before, equal_nan=True)
    tree.subscribe([21], [0.05], [0.7], [0])
    assert tree.next_hops(4, -1, 0.06, 0.65, 0.04, 0.8) == (False, [3])
    tree.unsubscribe([21])
    assert tree.next_hops(4, -1, 0.06, 0.65, 0.04, 0.8) == (False, [3])
    tree.rebuild()
    assert tree.next_hops(4, -1, 0.06, 0.65, 0.04, 0.8) == (False, [])


def test_summaries_are_made_anew_after_changes_to_a_quarter() -> None:
    routes = Routes.build(link_up(nx.path_graph(2), np.random.default_rng(1)), range(2))
    tree = RoutingTree(routes, limit=1)
    tree.subscribe(range(10), np.linspace(0.1, 0.4, 10), [0.9] * 10, [1] * 10)
    tree.unsubscribe([9])
    assert tree.next_hops(0, -1, 0.5, 0.5, 0.39, 1.0) == (False, [1])
    tree.unsubscribe([8])
    assert tree.next_hops(0, -1, 0.5, 0.5, 0.39, 1.0) == (False, [])


def follow_a_population(network: Network, nodes: npt.NDArray[np.int64], rng: np.random.Generator) -> None:
    """One scenario for every network: joins, leaves and a crash, then all concerned get the message once."""
    l, r = draw_ranges(rng, len(nodes))
    ids = np.arange(len(nodes))
    half = len(ids) // 2
    gateways = Gateways(network, l[:half], r[:half], nodes=nodes[:half])
    gateways.join(ids[half:], l[half:], r[half:], nodes[half:])
    gateways.leave(ids[:5])
    gone = network.centre
    gateways.rehome(network.leave(gone))
    assert gateways.home.tolist() == [-1] * 5 + network.home(l[5:], r[5:], nodes[5:]).tolist()
    assert gone not in gateways.home
    table = draw_messages(rng, 50)
    got = network.multicast(table, network.centre)
    offsets, handed = gateways.match(table, got)
    for i, row in enumerate(table):
        mine = reaches(row, l, r) & (ids >= 5)
        assert sorted(handed[offsets[i] : offsets[i + 1]].tolist()) == np.flatnonzero(mine).tolist()


def test_networks_are_interchangeable() -> None:
    graph = link_up(nx.random_labeled_tree(30, seed=1), np.random.default_rng(1))
    tree = RoutingTree(Routes.build(graph, range(0, 30, 2)))
    for network in (Can(Zones(15, seed=1)), tree):
        rng = np.random.default_rng(7)
        follow_a_population(network, rng.integers(30, size=80), rng)
        assert len(network) == 15


def test_refusals() -> None:
    routes = Routes.build(link_up(nx.path_graph(3), np.random.default_rng(1)), range(3))
    with pytest.raises(ValueError, match="limit must be at least 1, got 0"):
        RoutingTree(routes, limit=0)
    with pytest.raises(TypeError, match=r"limit must be an integer, got 1\.5"):
        RoutingTree(routes, limit=1.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"routes must be Routes, got 5; make them with Routes\.build"):
        RoutingTree(5)  # type: ignore[arg-type]
    tree = RoutingTree(routes)
    tree.subscribe([3], [0.1], [0.2], [0])
    for arguments, reason in [
        (([3], [0.1], [0.2], [0]), "ids must not be in use, got 3"),
        (([-1], [0.1], [0.2], [0]), "ids must not be negative, got -1"),
        (([4, 4], [0.1, 0.1], [0.2, 0.2], [0, 0]), "ids must be distinct"),
        (([4], [0.3], [0.2], [0]), r"needs l <= r, got \[0.3, 0.2\] at row 0"),
        (([4], [0.1], [np.nan], [0]), "needs l <= r"),
        (([4], [0.1], [0.2], [3]), "nodes must be between 0 and 2, got 3"),
        (([4], [0.1], [0.2], [0, 1]), "equally long"),
    ]:
        with pytest.raises(ValueError, match=reason):
            tree.subscribe(*arguments)
    with pytest.raises(TypeError, match="nodes must be integers, got float64"):
        tree.home([0.1], [0.2], [0.5])
    for ids in ([2], [99]):
        with pytest.raises(ValueError, match=f"ids must be in use, got {ids[0]}"):
            tree.unsubscribe(ids)
    tree.leave(1)
    with pytest.raises(ValueError, match="broker must be one of the 2 present, got 1"):
        tree.leave(1)
    for broker in (0, 3, -2):
        with pytest.raises(ValueError, match=f"broker must be one of the 1 that left, got {broker}"):
            tree.join(broker)
    with pytest.raises(ValueError, match="broker must be one of the 2 present, got 3"):
        tree.next_hops(3, -1, 0.1, 0.2, 0.0, 0.6)
    with pytest.raises(ValueError, match="nodes must be between 0 and 2, got -1"):
        Gateways(RoutingTree(routes), [0.1], [0.2])
    good = np.array([(0.1, 0.2, 0.0, 0.6)], RECTANGLE)
    with pytest.raises(ValueError, match=r"sources must be brokers that are present \(2 of 3 are\), got 1$"):
        tree.multicast(good, 1)
    assert tree.multicast(good, 2).zones.tolist() == [0]
    assert len(tree.multicast(good[:0], 2).zones) == 0


def run_interpreted() -> None:
    rng = np.random.default_rng(1)
    tree = RoutingTree(Routes.build(*draw_network(rng, 6)), limit=3)
    known: Population = {}
    nodes = subscribe(tree, known, rng, list(range(30))) | subscribe(tree, known, rng, [30, 31])
    gone = tree.centre
    tree.leave(gone)
    check_messages(tree, known, nodes, rng, exact=False)
    tree.join(gone)
    check_messages(tree, known, nodes, rng, exact=False)


def test_open_ended_subscriptions_are_reached_on_both_networks() -> None:
    routes = Routes.build(link_up(nx.path_graph(4), np.random.default_rng(1)), range(4))
    l, r = [-np.inf, 0.2, -np.inf, 0.1], [0.4, np.inf, np.inf, 0.2]
    open_sides = np.array([(0.3, 0.3, -np.inf, np.inf)], RECTANGLE)
    for network in (Can(Zones(4, seed=1)), RoutingTree(routes)):
        gateways = Gateways(network, l, r, nodes=[0, 1, 2, 3])
        gateways.join([4], [0.3], [np.inf], nodes=[2])
        _, told = gateways.match(open_sides, network.multicast(open_sides, network.centre))
        assert sorted(told.tolist()) == [0, 1, 2, 4]
