"""Errors of the papers on matching, as `docs/errata.md` lists them: wrong as printed, right here."""

import math
from typing import Any

import numpy as np
import pytest

from matching.conjunctions import Profiles
from matching.intervals import HybridIndex, IntervalTree
from matching.places import RITree
from matching.predicates import Predicates
from matching.ranked import RelaxedMatching, SOPTRTree
from matching.ranked.constraint_graph import arrangement, constraint_graph
from matching.registry import EVENT_INDEXES
from tests.oracles.constraint_graph import Ends, constraint_edges, witnesses
from tests.oracles.joins import Profile, Quantified, Term, matching_profiles
from tests.oracles.places import Placed, similarity
from tests.oracles.printed_matching import (
    algorithm_1,
    algorithm_2,
    case_1,
    cluster,
    equation_5,
    equation_8,
    in_range,
    interval_of,
    join_table,
    leaves_in_order,
    point_of,
    prefiltered,
    threshold_algorithm,
)

UB_TREES = [name for name in EVENT_INDEXES if name.startswith("ub-tree")]


def ours(ranges: list[Ends]) -> list[tuple[int, int]]:
    """Edges of the constraint graph of ranges in the order of ranks."""
    graph = constraint_graph(*np.array(ranges, float).T)
    return list(zip(graph.tail.tolist(), graph.head.tolist(), strict=True))


def first_at(ranges: list[Ends], order: list[int], x: float) -> int:
    """The range that a walk over an arrangement gives first at a point."""
    return next(i for i in order if ranges[i][0] <= x <= ranges[i][1])


def test_algorithm_2_misses_ranges_that_touch() -> None:
    """Seed 000: [1, 2] ranks above [0, 1], and at 1 the lower one is given first."""
    ranges: list[Ends] = [(1.0, 2.0), (0.0, 1.0)]
    assert algorithm_2(ranges) == []
    assert first_at(ranges, algorithm_1(ranges, algorithm_2(ranges)), 1.0) == 1
    assert ours(ranges) == [(0, 1)]
    assert SOPTRTree([1.0, 0.0], [2.0, 1.0], score=[2.0, 1.0]).top(1.0, 1).tolist() == [0]


@pytest.mark.parametrize("distinct", [True, False])
def test_algorithm_2_on_random_ranges(distinct: bool) -> None:
    """As defined where all ends differ; where they meet, 93 of 100 graphs and 39 answers are wrong."""
    rng = np.random.default_rng(2)
    graphs = answers = 0
    for _ in range(100):
        ends = rng.permutation(20)[:16] if distinct else rng.integers(0, 9, 16)
        ranges: list[Ends] = [(float(min(pair)), float(max(pair))) for pair in ends.reshape(8, 2)]
        right = constraint_edges(ranges)
        graphs += set(algorithm_2(ranges)) != right
        assert set(ours(ranges)) == right
        printed = algorithm_1(ranges, algorithm_2(ranges))
        own = arrangement(*np.array(ranges).T).tolist()
        for x in witnesses(ranges):
            held = [i for i, (l, r) in enumerate(ranges) if l <= x <= r]
            if held:
                answers += first_at(ranges, printed, x) != held[0]
                assert first_at(ranges, own, x) == held[0]
    assert (graphs, answers) == ((0, 0) if distinct else (93, 39))


def test_blocks_are_not_edges() -> None:
    """Seed 000: a range inside another leaves two blocks of one owner, so one edge comes up twice."""
    ranges: list[Ends] = [(0.0, 10.0), (4.0, 5.0), (0.0, 10.0)]
    assert algorithm_2(ranges) == ours(ranges) == [(0, 1), (0, 2), (1, 2), (0, 2)]
    assert constraint_edges(ranges) == {(0, 1), (0, 2), (1, 2)}


def test_the_threshold_algorithm_does_not_end_when_lists_have() -> None:
    """Seed 000: a single range is worth as much as the threshold, which stays there after its list has ended."""
    with pytest.raises(RecursionError, match="all lists have ended"):
        threshold_algorithm([[0.5]], 1, most=100)
    assert RelaxedMatching([[0.0]], [[1.0]], [[0.5]]).top([0.5], 1).tolist() == [0]


def test_the_threshold_algorithm_needs_weights_that_are_not_negative() -> None:
    """Seed 000: 0 is worth 1 - 1/2, 1 is worth 9/10, and 2, first of its list with -2, takes the threshold below."""
    nothing = math.nan
    weights = [[1.0, 0.9, nothing], [nothing, nothing, -2.0], [-0.5, nothing, nothing]]
    assert threshold_algorithm(weights, 1, most=100) == [0]
    stabbed = np.array([[0 if math.isnan(weight) else 1 for weight in column] for column in weights]).T
    given = np.nan_to_num(np.array(weights).T)
    assert int(np.argmax((given * stabbed).sum(axis=1))) == 1
    with pytest.raises(ValueError, match="weights must not be negative"):
        RelaxedMatching(np.zeros((3, 3)), stabbed, given)


def ri_tree(held: list[Placed], max_distance: float, fan_out: int = 50) -> RITree:
    rows = [(i, *predicate) for i, one in enumerate(held) for predicate in one.predicates]
    columns: dict[str, Any] = {
        "subscription": [row[0] for row in rows],
        "attribute": [row[1] for row in rows],
        "operator": [row[2] for row in rows],
        "low": [row[3][0] if row[2] == "between" else row[3] if row[2] == "!=" else None for row in rows],
        "high": [row[3][1] if row[2] == "between" else None for row in rows],
        "set": [row[3] if row[2] in ("in", "not in") else None for row in rows],
        "weight": [row[4] for row in rows],
    }
    places, alpha = [one.place for one in held], [one.alpha for one in held]
    return RITree(columns, places, alpha, max_distance=max_distance, attributes=1, fan_out=fan_out)


def test_equation_8_is_too_low_for_events_far_away() -> None:
    """Seed 001: an event at twice the largest distance from one leaf and a little nearer to another, which ask for 1.

    The best subscription, 0, is in the first, whose bound is below what the second has.
    """
    asked = [(0, "between", (1.0, 1.0), 1.0)]
    held = [
        *(Placed([*asked], (0.0, 0.0), alpha) for alpha in (0.25, 0.75)),
        *(Placed([*asked], (0.5, 0.0), 0.8) for _ in range(2)),
    ]
    event, far = [0.0], (2.0, 0.0)
    scores = [similarity(one, event, far, 1.0) for one in held]
    assert scores == pytest.approx([-0.25, -0.75, -0.4, -0.4])
    ub_t = equation_5(held, event)
    bounds = [equation_8(0.25, 0.75, ub_t, ub_s=-1.0), equation_8(0.8, 0.8, ub_t, ub_s=-0.5)]
    assert bounds == pytest.approx([-0.75, -0.4])
    assert leaves_in_order([(bounds[0], scores[:2]), (bounds[1], scores[2:])]) == scores[2]
    index = ri_tree(held, 1.0, fan_out=2)
    assert sorted(best for bound, best in index.bounds(event, far) if bound < math.inf) == pytest.approx(
        [-0.4, -0.25]
    )
    assert index.top(event, far, 1).tolist() == [0]


def test_equation_8_on_random_nodes() -> None:
    """Seed 001: the most that a node allows is above the bound of 326 of 500 nodes far away, and of none near."""
    rng = np.random.default_rng(8)
    wrong = {"near": 0, "far": 0}
    for _ in range(500):
        low, high = np.sort(rng.random(2))
        ub_t = rng.random()
        for name, ub_s in (("near", rng.random()), ("far", -3 * rng.random())):
            worth = max(min(1 - alpha, ub_t) + alpha * ub_s for alpha in (low, high, (low + high) / 2))
            wrong[name] += worth > equation_8(low, high, ub_t, ub_s) + 1e-12
    assert wrong == {"near": 0, "far": 326}


def test_bounds_need_weights_that_sum_to_1() -> None:
    """Seed 001: its generator does not see to that. One subscription is worth 2, and bounded by 1."""
    held = [Placed([(0, "between", (1.0, 1.0), 2.0)], (0.0, 0.0), 0.0)]
    assert similarity(held[0], [1.0], (0.0, 0.0), 1.0) == 2
    assert equation_8(0.0, 0.0, equation_5(held, [1.0]), ub_s=1.0) == 1
    with pytest.raises(ValueError, match="must sum to 1, got 2"):
        ri_tree(held, 1.0)


def test_bounds_need_one_predicate_for_an_attribute() -> None:
    """Seed 001: of two on one attribute the larger weight is taken, where both count."""
    asked = [(0, "between", (1.0, 9.0), 0.5), (0, "between", (2.0, 9.0), 0.5)]
    held = [Placed(asked, (0.0, 0.0), 0.0)]
    assert similarity(held[0], [3.0], (0.0, 0.0), 1.0) == 1
    assert equation_8(0.0, 0.0, equation_5(held, [3.0]), ub_s=1.0) == 0.5
    with pytest.raises(ValueError, match="two predicates on one attribute"):
        ri_tree(held, 1.0)


def test_an_interval_is_not_a_set() -> None:
    """Seed 001, Table 2: 5 lies in the interval of {1, 9}, and Eq. 3 asks no more."""
    low, high = interval_of("in", [1.0, 9.0])
    assert low <= 5.0 <= high
    held = [Placed([(0, "in", [1.0, 9.0], 1.0)], (0.0, 0.0), 0.5), Placed([(0, "in", [5.0], 1.0)], (1.0, 0.0), 0.5)]
    assert [similarity(one, [5.0], (0.0, 0.0), 2.0) for one in held] == [0.5, 0.75]
    assert ri_tree(held, 2.0).top([5.0], (0.0, 0.0), 2).tolist() == [1, 0]


def test_the_largest_distance_between_subscriptions_changes_with_each() -> None:
    """Seed 001, Eq. 4: a third subscription, at 10, turns round which of two is best; a parameter leaves it."""
    half = [(0, "=", 5.0, 0.6), (1, "=", 9.0, 0.4)]
    held = [Placed(half, (0.0, 0.0), 0.5), Placed(half, (1.0, 0.0), 0.5), Placed(half, (10.0, 0.0), 0.5)]
    held[0] = held[0]._replace(predicates=[(0, "=", 9.0, 1.0)])
    for count, best in ((2, 0), (3, 1)):
        some = held[:count]
        largest = max(math.dist(one.place, other.place) for one in some for other in some)
        scores = [similarity(one, [5.0, 5.0], (0.0, 0.0), largest) for one in some]
        assert int(np.argmax(scores)) == best
        assert similarity(held[0], [5.0, 5.0], (0.0, 0.0), 1.0) > similarity(held[1], [5.0, 5.0], (0.0, 0.0), 1.0)


def test_the_larger_of_the_rareness_and_a_normal_value_is_the_rareness() -> None:
    """Seed 001, Section 6: max(ξ, N(0.8 ξ, 0.05 ξ)) is ξ but for 2 of 100,000, the smaller of both for 2."""
    drawn = np.random.default_rng(1).normal(0.8, 0.05, 100_000)
    assert int((np.maximum(1.0, drawn) > 1.0).sum()) == 2
    assert int((np.minimum(1.0, drawn) < 1.0).sum()) == 99_998


@pytest.mark.parametrize(("operator", "value"), [("!=", 5.0), ("not in", [5.0, 6.0])])
def test_an_interval_is_not_all_but_some(operator: str, value: Any) -> None:
    """Seed 001, Table 2: 5, which is asked not to be, lies in the whole domain."""
    low, high = interval_of(operator, [5.0])
    assert low <= 5.0 <= high
    held = [Placed([(0, operator, value, 1.0)], (0.0, 0.0), 0.5), Placed([(0, "in", [5.0], 1.0)], (1.0, 0.0), 0.5)]
    assert [similarity(one, [5.0], (0.0, 0.0), 2.0) for one in held] == [0.5, 0.75]
    assert ri_tree(held, 2.0).top([5.0], (0.0, 0.0), 2).tolist() == [1, 0]
    assert ri_tree(held, 2.0).top([4.0], (0.0, 0.0), 2).tolist() == [0, 1]


def test_a_leaf_of_the_hybrid_index_only_says_may() -> None:
    """Seed 002: "in the other indices, it shows which profiles do match"; 1.5 is in the leaf of [0, 1] alone."""
    ranges: list[Ends] = [(0.0, 1.0), (2.0, 3.0)]
    assert cluster(ranges, 1.5) == [0]
    assert HybridIndex(*np.array(ranges).T).stab(1.5).tolist() == []


def test_example_4_of_profiles() -> None:
    """Seed 002: the text to Figure 6 reports P2, which is [30, 40], at x = 20."""
    ends = [(10, 25), (20, 45), (30, 40), (45.5, 49.5), (-math.inf, 40), (55, 55), (5, 45), (35, 35), (60, 65)]
    l, r = (np.array(column, float) for column in zip(*ends, strict=True))
    assert sorted(IntervalTree(l, r).stab(20.0).tolist()) == [0, 1, 4, 6]


def test_a_join_table_accepts_what_one_predicate_holds_for() -> None:
    """Seed 002: a profile with two quantified predicates on the documents of Example 5; the first is false."""
    cheaper, newer = Quantified("exists", [Term(0, "<", 0)]), Quantified("all", [Term(1, ">", 1)])
    wanted = [Profile([], [cheaper, newer])]
    documents, new = [[10.0, 2000.0], [25.0, 1999.0]], [30.0, 2001.0]
    assert join_table(wanted, documents, new) == [0]
    assert matching_profiles(wanted, documents, new) == []
    joins: dict[str, list[Any]] = {
        "subscription": [0, 0],
        "expression": [0, 1],
        "quantifier": ["exists", "all"],
        "attribute": [0, 1],
        "operator": ["<", ">"],
        "old": [0, 1],
    }
    none: dict[str, Any] = {"attribute": [], "operator": [], "subscription": []}
    made = Profiles(Predicates(none, 2, 1), joins)
    for document in documents:
        made.add(document)
    assert made.match(new).tolist() == []


def test_prefiltering_contradicts_for_all() -> None:
    """Seed 002: Example 3 wants a book unlike all before, and pre-filtering drops it before the first book."""
    wanted = [Profile([], [Quantified("all", [Term(0, "!=", 0)])])]
    assert prefiltered(wanted, []) == []
    assert matching_profiles(wanted, [], [1.0]) == [0]
    none: dict[str, Any] = {"attribute": [], "operator": [], "subscription": []}
    unlike: dict[str, list[Any]] = {"quantifier": ["all"], "attribute": [0], "operator": ["!="], "old": [0]}
    assert Profiles(Predicates(none, 1, 1), {"subscription": [0], **unlike}).match([1.0]).tolist() == [0]


def test_the_loop_without_an_index_knows_exists_only() -> None:
    """Seed 002, case 1: it reports Example 3 for a book that is there, as another one differs from it."""
    unlike = [Profile([], [Quantified("all", [Term(0, "!=", 0)])])]
    documents = [[1.0], [2.0]]
    assert case_1(unlike, documents, [2.0]) == [0]
    assert case_1(unlike, [], [2.0]) == []
    assert [matching_profiles(unlike, some, [2.0]) for some in (documents, [])] == [[], [0]]
    none: dict[str, Any] = {"attribute": [], "operator": [], "subscription": []}
    joins: dict[str, list[Any]] = {"quantifier": ["all"], "attribute": [0], "operator": ["!="], "old": [0]}
    made = Profiles(Predicates(none, 1, 1), {"subscription": [0], **joins})
    assert made.match([2.0]).tolist() == [0]
    for document in documents:
        made.add(document)
    assert made.match([2.0]).tolist() == []


@pytest.mark.parametrize("operator", ["!=", "<", ">"])
def test_operators_of_ub_trees_without_a_point(operator: str) -> None:
    """Seed 004: they are among its operators; the nearest that has a point holds 5 for an event of 5, too."""
    with pytest.raises(KeyError):
        point_of(operator, 5.0, (0.0, 9.0))
    nearest = {"!=": "TRUE", "<": "<=", ">": ">="}[operator]
    assert in_range(point_of(nearest, 5.0, (0.0, 9.0)), 5.0, (0.0, 9.0))
    asked = {"subscription": [0], "attribute": [0], "operator": [operator], "low": [5], "high": [None]}
    for name in UB_TREES:
        index: Any = EVENT_INDEXES[name].make(Predicates(asked, 1))
        found = [index.match([x]).tolist() for x in (np.nextafter(5, 0), 5.0, np.nextafter(5, 9))]
        assert found == {"!=": [[0], [], [0]], "<": [[0], [], []], ">": [[], [], [0]]}[operator]


def test_true_has_the_point_of_the_whole_domain() -> None:
    """Seed 004: an event without the attribute holds TRUE, and with it 0 <= a <= 9, which it must not."""
    domain = (0.0, 9.0)
    true, asked = point_of("TRUE", 0.0, domain), point_of(">=", 0.0, domain)
    assert true == asked == point_of("<=", 9.0, domain)
    assert in_range(true, None, domain)
    assert in_range(asked, None, domain)


@pytest.mark.parametrize("name", UB_TREES)
def test_a_missing_attribute_is_not_the_whole_domain(name: str) -> None:
    """Seed 004: TRUE has the point of a range over the whole domain, and != has none.

    Subscription 0 asks for all of the domain, 1 for nothing of that attribute, 2 for all but 5.
    """
    asked = {
        "subscription": [0, 0, 1, 2, 2],
        "attribute": [0, 1, 1, 0, 1],
        "operator": ["between", "=", "=", "!=", "="],
        "low": [0, 1, 1, 5, 1],
        "high": [9, None, None, None, None],
    }
    index: Any = EVENT_INDEXES[name].make(Predicates(asked, 2))
    assert sorted(index.match([4.0, 1.0]).tolist()) == [0, 1, 2]
    assert sorted(index.match([5.0, 1.0]).tolist()) == [0, 1]
    assert sorted(index.match([math.nan, 1.0]).tolist()) == [1]
