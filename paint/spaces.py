"""The spaces that a server works in: ranges of one attribute, or boxes, halfspaces or disks over several.

A space knows what differs between them: the algorithms and object indexes there are, what an x is, and what a
subscription is. The server asks it and is the same for all.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from paint.algorithm import Algorithm, Plan
from paint.arguments import choice, number, numbers, range_end
from paint.corner_covered import CornerCovered
from paint.corner_dense import CornerDense
from paint.corner_index import CornerIndex, IntervalIndex, OneSidedIndex
from paint.corner_relax import CornerRelax
from paint.corner_sparse import CornerSparse, CornerSparseByTiles
from paint.corner_unicast import CornerUnicast
from paint.dense import Dense
from paint.indexes import INDEXES
from paint.known_boxes import KnownBoxes, end_names
from paint.known_shapes import KnownShapes
from paint.known_subscriptions import KnownSubscriptions
from paint.place_arguments import place, places
from paint.ranked_index import RankedIndex
from paint.relax import Relax
from paint.shape_relax import ShapeRelax
from paint.shape_sparse import ShapeSparse
from paint.shape_unicast import ShapeUnicast
from paint.shapes import SHAPES, check_size, names_of, sides_of_shape
from paint.sides import DIMENSIONS, sides_of
from paint.sparse import Sparse
from paint.unicast import Unicast, UnicastByTiles

__all__ = ["ALGORITHMS", "BOX_ALGORITHMS", "SHAPE_ALGORITHMS", "Space", "space_of"]

ALGORITHMS: dict[str, type[Algorithm]] = {
    "dense": Dense,
    "relax": Relax,
    "sparse": Sparse,
    "unicast": Unicast,
    "unicast-tiles": UnicastByTiles,
}
BOX_ALGORITHMS: dict[str, Any] = {
    "dense": CornerDense,
    "relax": CornerRelax,
    "sparse": CornerSparse,
    "sparse-tiles": CornerSparseByTiles,
    "unicast": CornerUnicast,
}
"""Those over several attributes."""
SHAPE_ALGORITHMS: dict[str, Any] = {"relax": ShapeRelax, "sparse": ShapeSparse, "unicast": ShapeUnicast}
"""Those for halfspaces and disks."""


class Space(Protocol):
    """What a server asks of its space."""

    algorithms: ClassVar[Mapping[str, Any]]
    indexes: Mapping[str, Any]
    index: ClassVar[str]
    """The object index when none is named."""
    refused: ClassVar[Mapping[str, str]]
    """Algorithms and settings of others that there cannot be, and why."""
    row: tuple[str, ...]
    """What the row of a subscription has."""

    def places(self, x: ArrayLike) -> NDArray[np.float64]:
        """Check the x of objects."""

    def place(self, name: str, x: Any) -> Any:
        """Check the x of one object."""

    def comparable(self, name: str, x: Any) -> Any:
        """Check the x of one object, and give it as a value that can be compared."""

    def same(self, x: Any, there: Any) -> bool:
        """Whether a checked x is that of an object of the index."""

    def known(self, subscriptions: Any, sketch: int | None) -> Any:
        """Make the subscriptions that a server knows."""

    def ends(self, l: Any, r: Any) -> tuple[Any, Any]:
        """Check the ends of a subscription."""

    def start(self, algorithm: Any, index: Any, plan: Plan, known: Any) -> Algorithm:
        """Make an algorithm over an index."""


class Line:
    """Ranges of one attribute; an x is a number."""

    algorithms: ClassVar[Mapping[str, Any]] = ALGORITHMS
    indexes: Mapping[str, Any] = INDEXES
    index: ClassVar[str] = "tournament"
    refused: ClassVar[Mapping[str, str]] = {}
    row: tuple[str, ...] = ("l", "r")

    def places(self, x: ArrayLike) -> NDArray[np.float64]:
        """Check the x of objects, which may be the one column of an array."""
        given = np.asarray(x) if isinstance(x, np.ndarray) else x
        if isinstance(given, np.ndarray) and given.ndim == 2 and given.shape[1] == 1:
            given = given[:, 0]
        return numbers("x", given)

    def place(self, name: str, x: Any) -> float:
        """Check the x of one object."""
        return number(name, x)

    comparable = place

    def same(self, x: float, there: np.float64) -> bool:
        """Whether a checked x is that of an object of the index."""
        return x == float(there)

    def known(self, subscriptions: Any, sketch: int | None) -> KnownSubscriptions:
        """Make the subscriptions that a server knows, from (m, 2) rows [l, r] or an index."""
        return KnownSubscriptions(() if subscriptions is None else subscriptions, sketch)

    def ends(self, l: Any, r: Any) -> tuple[float, float]:
        """Check the ends of a subscription."""
        return range_end("l", l), range_end("r", r)

    def start(self, algorithm: Any, index: Any, plan: Plan, known: Any) -> Algorithm:
        """Make an algorithm over an index."""
        made: Algorithm = algorithm(index, plan, known)
        return made


class Boxes:
    """Boxes of several attributes; an x is an array of d numbers."""

    algorithms: ClassVar[Mapping[str, Any]] = BOX_ALGORITHMS
    index: ClassVar[str] = "kd"
    refused: ClassVar[Mapping[str, str]] = {}

    def __init__(self, dimensions: float) -> None:
        self._dimensions = dimensions
        self._sides = sides_of(dimensions)
        self.row = tuple(end_names(self._sides))
        self._attributes = int(np.ceil(dimensions))
        self.indexes: Mapping[str, Any] = {"kd": CornerIndex}
        if dimensions == 1.5:
            self.indexes = {"kd": OneSidedIndex, "intervals": IntervalIndex}

    def places(self, x: ArrayLike) -> NDArray[np.float64]:
        """Check the x of objects."""
        return places(x, self._attributes, self._dimensions)

    def place(self, name: str, x: Any) -> NDArray[np.float64]:
        """Check the x of one object."""
        return place(name, x, self._attributes, self._dimensions)

    def comparable(self, name: str, x: Any) -> tuple[float, ...]:
        """Check the x of one object, and give it as a tuple."""
        return tuple(self.place(name, x).tolist())

    def same(self, x: NDArray[np.float64], there: NDArray[np.float64]) -> bool:
        """Whether a checked x is that of an object of the index."""
        return bool((x == there).all())

    def known(self, subscriptions: Any, sketch: int | None) -> KnownBoxes:
        """Make the subscriptions that a server knows, from (m, D) rows of ends or an index."""
        return KnownBoxes(() if subscriptions is None else subscriptions, self._sides, sketch)

    def ends(self, l: Any, r: Any) -> tuple[Any, Any]:
        """Give the ends of a subscription as they are; `KnownBoxes` checks them."""
        return l, r

    def start(self, algorithm: Any, index: Any, plan: Plan, known: Any) -> Algorithm:
        """Make an algorithm over an index; Paint-Sparse has another where a sketch stands in for subscriptions."""
        chosen: Any = CornerCovered if known.sketched else algorithm
        made: Algorithm = chosen(index, plan, known, self._sides)
        return made


_NO_BOXES = (
    "is for boxes: regions of halfspaces and disks are no unions of boxes, only subscriptions there are can be told "
    "apart by some; choose sparse, unicast or relax"
)


class Shapes(Boxes):
    """Halfspaces or disks over two or three attributes; an x is an array of d numbers."""

    algorithms: ClassVar[Mapping[str, Any]] = SHAPE_ALGORITHMS
    index: ClassVar[str] = "ranked"
    refused: ClassVar[Mapping[str, str]] = {
        "dense": f"algorithm 'dense' {_NO_BOXES}",
        "sparse-tiles": f"algorithm 'sparse-tiles' {_NO_BOXES}",
        "epsilon": "epsilon is for boxes: it groups tiles, which halfspaces and disks do not have; leave it out",
        "sketch": "sketch is for boxes: tiles are snapped to it, and halfspaces and disks have none; leave it out",
    }

    def __init__(self, shape: str, dimensions: int) -> None:
        super().__init__(dimensions)
        self._shape, self._sides = shape, sides_of_shape(shape, dimensions)
        self.row = tuple(names_of(shape, dimensions))
        self.indexes = {"ranked": RankedIndex}

    def places(self, x: ArrayLike) -> NDArray[np.float64]:
        """Check the x of objects."""
        array = super().places(x)
        check_size("x", array)
        return array

    def place(self, name: str, x: Any) -> NDArray[np.float64]:
        """Check the x of one object."""
        array = super().place(name, x)
        check_size(name, array[None])
        return array

    def known(self, subscriptions: Any, sketch: int | None) -> KnownShapes:  # noqa: ARG002
        """Make the subscriptions that a server knows, from (m, D) rows or an index; there is no sketch."""
        return KnownShapes(() if subscriptions is None else subscriptions, self._shape, int(self._dimensions))


def space_of(dimensions: float, shape: str = "boxes") -> Space:
    """Give the space of so many dimensions, where subscriptions have a shape.

    Raises
    ------
    TypeError, ValueError
        If they are none of those offered.
    """
    choice("shape", shape, {"boxes": None, **SHAPES})
    if isinstance(dimensions, bool | str) or not isinstance(dimensions, int | float | np.number):
        raise TypeError(f"dimensions must be one of {', '.join(map(str, DIMENSIONS))}, got {dimensions!r}")
    if shape in SHAPES:
        if dimensions not in SHAPES[shape]:
            offered = " or ".join(map(str, SHAPES[shape]))
            raise ValueError(f"dimensions must be {offered} for {shape}, got {dimensions}")
        return Shapes(shape, int(dimensions))
    if dimensions not in DIMENSIONS:
        raise ValueError(
            f"dimensions must be one of {', '.join(map(str, DIMENSIONS))}, got {dimensions}; "
            "x.5 is one more attribute with an upper bound only"
        )
    return Line() if dimensions == 1 else Boxes(float(dimensions))
