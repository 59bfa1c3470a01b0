"""The object indexes by name, as a server's `index` argument gives it."""

from paint.index import ObjectIndex
from paint.kd_index import KdIndex
from paint.range_tree_index import RangeTreeIndex
from paint.tournament_index import TournamentIndex

__all__ = ["INDEXES"]

INDEXES: dict[str, type[ObjectIndex]] = {"kd": KdIndex, "range": RangeTreeIndex, "tournament": TournamentIndex}
