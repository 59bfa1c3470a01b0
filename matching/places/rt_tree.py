"""The R^t-tree: an R-tree over places that knows one interval and one weight per node and attribute.

Li, Wang, Wang and Feng, "Location-aware publish/subscribe" (KDD 2013), with its tokens made attributes as in seed
001, Section 6.1: the smallest interval around all below, and the largest weight. Of alphas its nodes know nothing, so
subscriptions are grouped by place alone. Search and bounds are those of the R^I-tree, better than what the paper
compares with: best node first instead of from the root to the leaves.
"""

from matching.places.rooted import RootedPlaces

__all__ = ["RtTree"]


class RtTree(RootedPlaces):
    """The k best subscriptions for an event, as the R^I-tree finds them, in less space and with looser bounds."""

    _summaries, _alphas = True, False
