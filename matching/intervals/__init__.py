"""Range indexes that find all ranges that hold a point (seed 002), and windows, their form of linear space."""

from matching.intervals.cluster_index import ClusterIndex
from matching.intervals.hybrid_index import HybridIndex
from matching.intervals.interval_index import IntervalIndex
from matching.intervals.interval_tree import IntervalTree
from matching.intervals.segment_tree import SegmentTree
from matching.intervals.windows import Windows

__all__ = ["ClusterIndex", "HybridIndex", "IntervalIndex", "IntervalTree", "SegmentTree", "Windows"]
