"""The R^I-tree: an R-tree over places that knows the intervals of every node's entries. Seed 001, Section 5.

Lists, bounds and search are in `matching.places.node_weights`, insertion and deletion in
`matching.places.place_owner`.
"""

from matching.places.rooted import RootedPlaces

__all__ = ["RITree"]


class RITree(RootedPlaces):
    """The k best subscriptions for an event, those first whose node promises most.

    Building takes O(p log p log n) for p predicates of n subscriptions; 24 bytes per predicate and level on which its
    attribute is not shared, beside the columns.

    Examples
    --------
    >>> index = RITree(
    ...     {"subscription": [0, 1], "attribute": ["age", "age"], "operator": ["between", ">"],
    ...      "low": [15, 60], "high": [30, None], "weight": [1.0, 1.0]},
    ...     places=[[0, 0], [3, 4]], alpha=0.5, max_distance=10, attributes=["age"])
    >>> index.top({"age": 20}, place=[3, 4], k=1).tolist()
    [0]
    >>> index.top({"age": 70}, place=[3, 4], k=2).tolist()
    [1, 0]
    """

    _summaries, _alphas = False, True
