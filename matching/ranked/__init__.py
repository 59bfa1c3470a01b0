"""Ranked range indexes: the best ranges that hold a point, without finding all of them (seed 000)."""

from matching.ranked.end_sorted_interval_tree import EndSortedIntervalTree
from matching.ranked.ir_tree import IRTree
from matching.ranked.scored_interval_tree import ScoredIntervalTree
from matching.ranked.scored_rtree import ScoredRTree
from matching.ranked.scored_segment_tree import ScoredSegmentTree
from matching.ranked.sopt_rtree import SOPTRTree
from matching.ranked.threshold import ExactMatching, RelaxedMatching

__all__ = [
    "EndSortedIntervalTree",
    "ExactMatching",
    "IRTree",
    "RelaxedMatching",
    "SOPTRTree",
    "ScoredIntervalTree",
    "ScoredRTree",
    "ScoredSegmentTree",
]
