"""Indexes over subscriptions: which ones does a point, a message or a rectangle concern?"""

from matching.kdtree import Tree
from matching.kdtree_queries import closed_box, half_open
from matching.scan import Scan
from matching.sketch import SubscriptionSketch
from matching.subscriptions import SubscriptionIndex, UnknownSubscriptionError

__all__ = [
    "Scan",
    "SubscriptionIndex",
    "SubscriptionSketch",
    "Tree",
    "UnknownSubscriptionError",
    "closed_box",
    "half_open",
]
