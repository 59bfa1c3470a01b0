"""Every range index, event index and place index by its name, with the paper and section that it comes from.

Papers: 000 is *Scalable Ranked Publish/Subscribe* (Machanavajjhala, Vee, Garofalakis, Shanmugasundaram, VLDB 2008),
001 is *Efficient Top-k Subscription Matching for Location-Aware Publish/Subscribe* (Hu, Cheng, Wu, Jin, SSTD 2015),
002 is *Index Structures and Algorithms for Efficient Profile Matching* (Tatbul, Brown University CS-01-09, 2001),
004 is *Performance Analysis of UB-tree Indexed Pub/Sub System* (Wang, Zhang, Kitsuregawa, 2004).
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from matching.conjunctions import AccessPredicates, BitVectorIndex, BoxRTree, Counting, LinearScan, UBTree
from matching.event_index import EventIndex
from matching.intervals import ClusterIndex, HybridIndex, IntervalIndex, IntervalTree, SegmentTree, Windows
from matching.places import PlaceIndex, PlaceScan, RITree, RtTree, ThresholdPlaces
from matching.range_index import RangeIndex
from matching.ranked import (
    EndSortedIntervalTree,
    IRTree,
    ScoredIntervalTree,
    ScoredRTree,
    ScoredSegmentTree,
    SOPTRTree,
)

__all__ = [
    "EVENT_INDEXES",
    "PLACE_INDEXES",
    "RANGE_INDEXES",
    "EventIndexEntry",
    "PlaceIndexEntry",
    "RangeIndexEntry",
]


class RangeIndexEntry(NamedTuple):
    """What the registry says of an index."""

    kind: type[RangeIndex]
    source: str
    """Paper and section, and where it departs from them."""
    ranked: bool
    """Whether it has `ranked`, `top` and `tops`."""
    changes: bool
    """Whether ranges can be inserted, deleted and rescored."""


RANGE_INDEXES: dict[str, RangeIndexEntry] = {
    "cluster-index": RangeIndexEntry(ClusterIndex, "002, 4.1.1", ranked=False, changes=False),
    "interval-index": RangeIndexEntry(IntervalIndex, "002, 4.1.2", ranked=False, changes=False),
    "hybrid-index": RangeIndexEntry(HybridIndex, "002, 4.1.3", ranked=False, changes=False),
    "segment-tree": RangeIndexEntry(SegmentTree, "002, 4.1.4", ranked=False, changes=False),
    "interval-tree": RangeIndexEntry(IntervalTree, "002, 4.1.4", ranked=False, changes=False),
    "windows": RangeIndexEntry(Windows, "Chazelle 1986; 002, 4.1.2 in linear space", ranked=False, changes=False),
    "scored-segment-tree": RangeIndexEntry(ScoredSegmentTree, "000, 2.2.1", ranked=True, changes=False),
    "scored-interval-tree": RangeIndexEntry(ScoredIntervalTree, "000, 2.2.2, by score", ranked=True, changes=False),
    "end-sorted-interval-tree": RangeIndexEntry(
        EndSortedIntervalTree, "000, 2.2.2, by endpoint", ranked=True, changes=False
    ),
    "scored-r-tree": RangeIndexEntry(ScoredRTree, "000, 2.2.3", ranked=True, changes=False),
    "sopt-r-tree": RangeIndexEntry(SOPTRTree, "000, 3.2; touching ends corrected", ranked=True, changes=False),
    "ir-tree": RangeIndexEntry(IRTree, "000, 3.1; insertion and deletion added", ranked=True, changes=True),
}


class PlaceIndexEntry(NamedTuple):
    """What the registry says of a place index."""

    kind: type[PlaceIndex]
    source: str
    """Paper and section, and where it departs from them."""


PLACE_INDEXES: dict[str, PlaceIndexEntry] = {
    "place-scan": PlaceIndexEntry(PlaceScan, "001, 6.1, SCAN"),
    "ri-tree": PlaceIndexEntry(RITree, "001, 5; bound of far events corrected, static parts"),
    "rt-tree": PlaceIndexEntry(RtTree, "001, 6.1, after Li and others 2013"),
    "threshold-places": PlaceIndexEntry(ThresholdPlaces, "001, 4, TAS"),
}


class EventIndexEntry(NamedTuple):
    """What the registry says of an event index."""

    make: Callable[..., EventIndex]
    """Its type, or that with options; takes what every event index takes."""
    source: str
    """Paper and section."""
    changes: bool
    """Whether subscriptions can be inserted and deleted."""


def _ub_tree(source: str, **options: Any) -> EventIndexEntry:
    return EventIndexEntry(partial(UBTree, **options), source, changes=True)


EVENT_INDEXES: dict[str, EventIndexEntry] = {
    "scan": EventIndexEntry(LinearScan, "004, 6; 002, 4.1.5: the lazy algorithm", changes=True),
    "counting": EventIndexEntry(Counting, "Yan and Garcia-Molina 2000; 004, 5", changes=False),
    "bit-vectors": EventIndexEntry(BitVectorIndex, "002, 4.1; sets of windows where ends are many", changes=False),
    "access-predicates": EventIndexEntry(AccessPredicates, "Fabret et al. 2001; 004, 5", changes=True),
    "r-tree": EventIndexEntry(BoxRTree, "004, 6; packed", changes=False),
    "ub-tree": _ub_tree("004, 3", coordinates=False, grids=False),
    "ub-tree-coordinates": _ub_tree("004, 4.3", coordinates=True, grids=False),
    "ub-tree-grids": _ub_tree("004, 4.2", coordinates=False, grids=True),
    "ub-tree-coordinates-grids": _ub_tree("004, 4.2 and 4.3", coordinates=True, grids=True),
}
