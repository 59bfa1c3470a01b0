"""Event indexes: which conjunctions of predicates does an event match (seeds 002 and 004)?"""

from matching.conjunctions.access_predicates import AccessPredicates
from matching.conjunctions.linear_scan import LinearScan
from matching.conjunctions.ub_tree import UBTree

__all__ = ["AccessPredicates", "LinearScan", "UBTree"]
