"""The INET-3.0 model: its degree law, its check values, its wiring."""

import math

import networkx as nx
import numpy as np
import pytest

from topologies import inet, inet_degrees
from topologies.inet import _draw, _preferences
from topologies.routes import Routes


@pytest.fixture(scope="module")
def network() -> "nx.Graph[int]":
    return inet(20_000, seed=1)


def test_check_values_of_the_degrees() -> None:
    degrees = inet_degrees(20_000)
    assert (degrees == 1).sum() == 6_302
    assert degrees[:3].tolist() == [3158, 3129, 2351]
    assert degrees.sum() % 2 == 0
    assert (np.diff(degrees) <= 0).all()


@pytest.mark.parametrize("nodes", [3_037, 10_000, 50_000])
def test_degrees_follow_the_law(nodes: int) -> None:
    degrees = inet_degrees(nodes)
    slope = 0.00324 * math.log(nodes / 3037) / 0.0281 - 1.223
    for degree in range(2, 40):
        above = (degrees > degree).sum() - math.exp(-0.711) * degree**slope * nodes
        # A degree takes whole nodes and only when it has more than one; three nodes have degrees of their own.
        assert -4 <= above <= 5


def test_largest_three_follow_their_rank() -> None:
    degrees = inet_degrees(3_037).tolist()
    assert degrees[:3] == [int(rank**-0.87 * math.exp(6.5285)) for rank in (1, 2, 3)]


def test_degrees_are_capped_in_large_networks() -> None:
    degrees = inet_degrees(100_000)
    assert degrees[0] == 99_999
    assert (degrees > 0).all()


def test_share_of_degree_one() -> None:
    assert (inet_degrees(4_000, 0.25) == 1).sum() == 1_000
    assert (inet_degrees(4_000, 0.0) == 1).sum() == 0
    assert nx.is_connected(inet(4_000, 0, degree_one_share=0.6))


def test_check_values_of_the_network(network: "nx.Graph[int]") -> None:
    assert list(network) == list(range(20_000))
    assert network.number_of_edges() == pytest.approx(52_600, rel=0.01)
    assert nx.is_connected(network)
    assert sum(degree == 1 for _, degree in network.degree) >= 6_302
    routes = Routes.build(network, range(0, 20_000, 200))
    hops = np.array([routes.row(broker).hops for broker in range(100)])
    assert hops.mean() == pytest.approx(3.1, abs=0.1)
    assert 6 <= hops.max() <= 8


def test_no_node_exceeds_its_degree(network: "nx.Graph[int]") -> None:
    wanted = inet_degrees(20_000)
    got = np.asarray([network.degree[v] for v in range(20_000)])
    assert (got <= wanted).all()
    assert (wanted - got).sum() < 0.01 * wanted.sum()
    assert nx.number_of_selfloops(network) == 0


def test_nodes_of_degree_one_hang_from_the_tree(network: "nx.Graph[int]") -> None:
    leaves = [v for v, degree in enumerate(inet_degrees(20_000)) if degree == 1]
    inner = network.subgraph(set(network) - set(leaves))
    assert all(network.degree[v] == 1 for v in leaves)
    assert nx.is_connected(inner)


def test_places_are_integers_of_the_square(network: "nx.Graph[int]") -> None:
    places = np.asarray([(data["x"], data["y"]) for _, data in network.nodes(data=True)])
    assert places.dtype.kind == "i"
    assert places.min() >= 0
    assert places.max() <= 10_000
    assert places.mean() == pytest.approx(5_000, abs=100)


def test_same_seed_same_network() -> None:
    first, again, other = inet(3_037, 7), inet(3_037, 7), inet(3_037, 8)
    assert list(first.edges(data=True)) == list(again.edges(data=True))
    assert dict(first.nodes) == dict(again.nodes)
    assert set(first.edges) != set(other.edges)


def test_preference_as_printed() -> None:
    degrees, frequency = [50, 7, 2, 1], [1, 12, 300, 200]
    table = _preferences(np.asarray(degrees), np.asarray(frequency))
    for a, (i, f_i) in enumerate(zip(degrees, frequency, strict=True)):
        for b, (j, f_j) in enumerate(zip(degrees, frequency, strict=True)):
            distance = math.sqrt(math.log(i / j) ** 2 + math.log(f_i / f_j) ** 2)
            assert table[a, b] == int(j / 2 * max(1.0, distance))


def test_draw_takes_nodes_in_proportion() -> None:
    weight, start, size = np.asarray([5, 2, 9]), np.asarray([0, 2, 5, 6]), np.asarray([2, 3, 0])
    pool = np.asarray([0, 1, 2, 3, 4, 5])
    drawn = [_draw((a + 0.5) / 16, weight, start, size, pool) for a in range(16)]
    assert drawn == [0] * 5 + [1] * 5 + [2] * 2 + [3] * 2 + [4] * 2
    assert _draw(0.5, weight, start, np.zeros(3, np.int64), pool) == -1


def test_wrong_arguments_name_the_rule() -> None:
    with pytest.raises(ValueError, match=r"nodes must be at least 3037 .* got 3036; use another model"):
        inet(3_036, 0)
    with pytest.raises(TypeError, match=r"nodes must be an integer, got 4000\.5"):
        inet(4_000.5, 0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"between 0 and 1, got 1\.5"):
        inet(4_000, 0, degree_one_share=1.5)
    with pytest.raises(ValueError, match="give a smaller share"):
        inet(4_000, 0, degree_one_share=1.0)


@pytest.mark.slow
def test_hundred_thousand_nodes_are_connected() -> None:
    assert nx.is_connected(inet(100_000, 3))
