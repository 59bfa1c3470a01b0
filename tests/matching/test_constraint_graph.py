"""The constraint graph as the paper defines it, the arrangement, and what Theorem 3.2 says of every query."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matching.ranked import ScoredRTree, SOPTRTree
from matching.ranked.constraint_graph import arrangement, constraint_graph
from tests.oracles.constraint_graph import Ends, constraint_edges, entered, witnesses

END = st.one_of(st.integers(0, 8).map(float), st.floats(-3, 3))
RANGE = st.one_of(st.tuples(END, END).map(lambda ends: (min(ends), max(ends))), END.map(lambda v: (v, v)))
RANGES = st.lists(RANGE, max_size=40)

EXAMPLE: list[Ends] = [(30, 55), (65, 90), (45, 55), (65, 90), (0, 30), (0, 30), (75, 100), (65, 90), (10, 45)]
EXAMPLE.append((0, 90))
"""A set that fits the examples of the paper, whose figures are lost; range i of the paper is at position i - 1."""


def columns(ranges: list[Ends]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([one[0] for one in ranges], float), np.array([one[1] for one in ranges], float)


def edges_of(ranges: list[Ends]) -> list[tuple[int, int]]:
    graph = constraint_graph(*columns(ranges))
    return list(zip(graph.tail.tolist(), graph.head.tolist(), strict=True))


@settings(deadline=None, max_examples=150)
@given(RANGES)
def test_the_graph_is_the_one_defined_with_at_most_3n_edges(ranges: list[Ends]) -> None:
    edges = edges_of(ranges)
    assert set(edges) == constraint_edges(ranges)
    assert len(edges) <= 3 * len(ranges)


def test_the_bound_of_3n_edges_is_nearly_met() -> None:
    n = 2000
    ranges = [(0.0, 2.0 * n), *((2 * i + 0.5, 2 * i + 1.0) for i in range(n)), (0.0, 2.0 * n)]
    assert 2.99 * len(ranges) < len(edges_of(ranges)) <= 3 * len(ranges)


def test_a_block_met_in_one_point_counts() -> None:
    assert edges_of([(1.0, 2.0), (0.0, 1.0)]) == [(0, 1)]


def test_the_example_of_the_paper() -> None:
    edges = {(a + 1, b + 1) for a, b in edges_of([(float(l), float(r)) for l, r in EXAMPLE])}
    assert {(1, 3), (1, 9), (1, 5)} <= edges
    assert (1, 10) not in edges
    assert (arrangement(*columns(EXAMPLE)) + 1).tolist() == [1, 5, 6, 3, 9, 2, 4, 7, 8, 10]


@settings(deadline=None, max_examples=100)
@given(RANGES)
def test_the_arrangement_respects_the_graph(ranges: list[Ends]) -> None:
    order = arrangement(*columns(ranges)).tolist()
    assert sorted(order) == list(range(len(ranges)))
    place = {rank: at for at, rank in enumerate(order)}
    assert all(place[a] < place[b] for a, b in constraint_edges(ranges))


def assert_few_holes(ranges: list[Ends], b: int, points: list[float]) -> None:
    arranged = [ranges[i] for i in arrangement(*columns(ranges))]
    for x in points:
        for k in (1, 2, 5, 50):
            for nodes, holes in entered(arranged, b, x, k):
                assert holes <= k
                assert nodes <= 2 * k


@settings(deadline=None, max_examples=60)
@given(RANGES, st.sampled_from([2, 3, 4, 8]))
def test_at_most_k_holes_and_2k_nodes_per_level(ranges: list[Ends], b: int) -> None:
    assert_few_holes(ranges, b, witnesses(ranges))


@pytest.mark.parametrize("length", [0.003, 0.03, 0.3])
def test_at_most_k_holes_and_2k_nodes_per_level_on_more_ranges(length: float) -> None:
    rng = np.random.default_rng(3)
    l = rng.random(400)
    ranges = list(zip(l.tolist(), (l + rng.exponential(length, 400)).tolist(), strict=True))
    assert_few_holes(ranges, 4, [*l[:20].tolist(), *rng.random(20).tolist()])


def test_the_index_itself_tests_no_more_than_the_theorem_allows() -> None:
    """Short ranges of random rank, where an R-tree in the order of ranks is full of holes."""
    rng = np.random.default_rng(4)
    n, b = 4096, 8
    l = rng.random(n)
    ends = l, l + 0.002
    levels = 3  # of nodes below the eight at the top
    tree, holed = (kind(*ends, score=rng.random(n), b=b) for kind in (SOPTRTree, ScoredRTree))
    for k in (1, 2, 5):
        most = b + levels * 2 * k * b
        tests = []
        for index in (tree, holed):
            before = [index.evaluations]
            for x in rng.random(50).tolist():
                index.top(x, k)
                before.append(index.evaluations)
            tests.append(np.diff(before).max())
        assert tests[0] <= most < tests[1]
