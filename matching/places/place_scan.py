"""SCAN: every subscription scored for every event. Seed 001, Section 6.1; what the other place indexes must beat."""

from matching.places.columns import Where
from matching.places.place_owner import BestSoFar, PlaceOwner
from matching.range_index import Ints

__all__ = ["PlaceScan"]


class PlaceScan(PlaceOwner[Ints]):
    """The k best subscriptions for an event, all of them scored in one compiled loop: O(predicates + n log k)."""

    def _built(self, ids: Ints) -> Ints:
        return ids

    def _search(self, part: Ints, where: Where, best: BestSoFar) -> int:
        return self._scan(part, where, best)

    def _bytes(self, part: Ints) -> int:
        del part  # these are the ids that are counted already
        return 0

    def _check_part(self, part: Ints, ids: Ints) -> None:
        assert part is ids
