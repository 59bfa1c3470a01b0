"""Ranked range indexes: the best ranges that hold a point, without finding all of them (seed 000)."""

from matching.ranked.scored_rtree import ScoredRTree
from matching.ranked.sopt_rtree import SOPTRTree

__all__ = ["SOPTRTree", "ScoredRTree"]
