"""What the R^I-tree and the R^t-tree share: all but what their nodes know of weights."""

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from matching.event_index import Event, checked_event
from matching.flat_arrays import bytes_of
from matching.places.columns import Where, similarities
from matching.places.node_weights import NodeWeights, bounds, children_of, new_sums, node_weights, present, search
from matching.places.packed_places import PackedPlaces, check_packed, packed_places
from matching.places.place_index import checked_places
from matching.places.place_owner import BestSoFar, PlaceOwner
from matching.range_index import Floats, Ints

__all__ = ["RootedPlaces"]

Part = tuple[PackedPlaces, NodeWeights]


class RootedPlaces(PlaceOwner[Part]):
    """R-trees over places whose nodes bound the scores below them."""

    _summaries: ClassVar[bool]
    """Whether a node knows the summaries of its attributes only."""
    _alphas: ClassVar[bool]
    """Whether a node knows the alphas below it."""

    def _built(self, ids: Ints) -> Part:
        tree = packed_places(ids, self.columns.place, self._known_alpha(), self.fan_out)
        return tree, node_weights(tree, self.columns, summaries=self._summaries)

    def _known_alpha(self) -> Floats | None:
        return self.columns.alpha if self._alphas else None

    def _search(self, part: Part, where: Where, best: BestSoFar) -> int:
        best.size, tests = search(*part, self.columns, where, best.scores, best.ids, best.size)
        return tests

    def _bytes(self, part: Part) -> int:
        return bytes_of(part)

    def bounds(self, event: Event, place: npt.ArrayLike) -> list[tuple[float, float]]:
        """The bound of every node for an event at a place, inf of a root, and the best score below it."""
        values = checked_event(event, self.attributes, self.names, declared=self.declared)[0]
        x, y = checked_places("place", place, 1)[0].tolist()
        where = (values, x, y, self.max_distance)
        found: list[tuple[float, float]] = []
        for _, (tree, weights) in self._parts:
            limits = np.full(len(tree.box), np.inf)
            for node in range(tree.level[2], limits.size):
                first, behind = children_of(tree, node)
                bounds(
                    *(tree, weights, node, (first, behind), where, present(values), -np.inf),
                    *(new_sums(tree), limits[first:behind]),
                )
            scores = np.empty(tree.id.size)
            similarities(self.columns, tree.id, where, scores)
            scores[np.isnan(scores)] = -np.inf
            width = 1
            for start, stop in zip(tree.level[1:-1], tree.level[2:], strict=True):
                width *= int(tree.level[0])
                best = np.maximum.reduceat(scores, np.arange(0, scores.size, width))
                found += zip(limits[start:stop].tolist(), best.tolist(), strict=True)
        return found

    def _check_part(self, part: Part, ids: Ints) -> None:
        tree, weights = part
        check_packed(tree, ids, self.columns.place, self._known_alpha())
        assert weights.first[-1] == weights.attribute.size == weights.start.size - 1
        assert (np.diff(weights.start) > 0).all()
        assert weights.start[-1] == weights.low.size == weights.entry.size
        for node in range(len(tree.box)):
            attributes = weights.attribute[weights.first[node] : weights.first[node + 1]]
            assert (np.diff(attributes) > 0).all()
        for at in range(weights.attribute.size):
            assert (np.diff(weights.entry[weights.start[at] : weights.start[at + 1]]) > 0).all()
