"""Populations of scored boxes as seed 000 makes them, and points for them: Section 4 and Table 1.

Points lie in regions of the unit cube; within a region, cells farther from its middle get fewer. A subscription is a
box around a point, [x - length, x + length] in every dimension with a length of its own, scored 1 - length there.

The paper leaves open what a length is and how distance in a region is taken. Here a length is (rank - U) / cells with
a Zipf rank up to `cells`, so lengths fill (0, 1]; the offset of a cell from the middle of its region is drawn for
each dimension by itself, with a Zipf weight of 1 + |offset|.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["ZipfBoxes", "make_zipf_boxes"]

Floats = npt.NDArray[np.float64]


class ZipfBoxes(NamedTuple):
    """What a population is made from; the defaults are those of Table 1."""

    subscriptions: int = 1_000_000
    dimensions: int = 1
    skew_length: float = 0.75
    regions: int = 10
    cells: int = 100
    volume: float = 1 / 20
    """Share of the cube that a region takes."""
    skew_across: float = 0.0
    skew_within: float = 1.0


def _zipf(rng: np.random.Generator, ranks: int, skew: float, size: int) -> npt.NDArray[np.int64]:
    """Ranks from 1, each with a weight of rank^-skew."""
    reach = np.cumsum(np.arange(1, ranks + 1, dtype=float) ** -skew)
    ranked: npt.NDArray[np.int64] = np.searchsorted(reach, rng.random(size) * reach[-1], side="right") + 1
    return ranked


def _points(spec: ZipfBoxes, corners: Floats, side: int, rng: np.random.Generator, count: int) -> Floats:
    region = _zipf(rng, spec.regions, spec.skew_across, count) - 1
    offset = np.abs(np.arange(side) - (side - 1) // 2) + 1.0
    reach = np.cumsum(offset**-spec.skew_within)
    cell = np.searchsorted(reach, rng.random((count, spec.dimensions)) * reach[-1], side="right")
    points: Floats = (corners[region] + cell + rng.random((count, spec.dimensions))) / spec.cells
    return points


def make_zipf_boxes(spec: ZipfBoxes, points: int, seed: int) -> tuple[Floats, Floats, Floats, Floats]:
    """Ends l and r and scores of boxes, shape (subscriptions, dimensions), and points, shape (points, dimensions)."""
    rng = np.random.default_rng(seed)
    side = max(1, min(spec.cells, round(spec.cells * spec.volume ** (1 / spec.dimensions))))
    corners = rng.integers(0, spec.cells - side + 1, (spec.regions, spec.dimensions)).astype(float)
    middle = _points(spec, corners, side, rng, spec.subscriptions)
    ranks = _zipf(rng, spec.cells, spec.skew_length, spec.subscriptions * spec.dimensions).reshape(middle.shape)
    length = (ranks - rng.random(middle.shape)) / spec.cells
    return middle - length, middle + length, 1 - length, _points(spec, corners, side, rng, points)
