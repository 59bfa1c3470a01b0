"""Rehearsing deliveries counted on Spark: their kernels are compiled here, or every worker of Spark's would."""

import numpy as np

from matching import SubscriptionIndex
from matching.side_index import SideIndex
from pipeline.deliveries import _count_boxes, _count_side_boxes

__all__ = ["rehearse_deliveries"]


def rehearse_deliveries() -> None:
    """Count messages that there are not among three subscriptions, over one attribute and over several."""
    ends, counts = np.array([0.0, 0.5, 1.0]), np.empty(0, np.int64)
    _count_boxes(SubscriptionIndex(ends, ends).arrays, np.empty((0, 4)), np.empty((0, 4)), counts, counts)
    sides = SideIndex(np.column_stack((ends, ends, ends)))
    _count_side_boxes(sides.arrays, np.empty((0, 2, 3)), np.empty((0, 2, 3)), counts, counts)
