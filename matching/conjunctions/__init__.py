"""Event indexes: which conjunctions of predicates does an event match (seeds 002 and 004)?"""

from matching.conjunctions.access_predicates import AccessPredicates
from matching.conjunctions.bit_vector_index import BitVectorIndex
from matching.conjunctions.box_rtree import BoxRTree
from matching.conjunctions.counting import Counting
from matching.conjunctions.linear_scan import LinearScan
from matching.conjunctions.profiles import Profiles
from matching.conjunctions.ub_tree import UBTree

__all__ = ["AccessPredicates", "BitVectorIndex", "BoxRTree", "Counting", "LinearScan", "Profiles", "UBTree"]
