"""Rectangles and points drawn so that they often coincide with the edges of zones."""

from typing import Literal

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from cn import Zones

RECTANGLE = np.dtype([("l_in", "f8"), ("r_in", "f8"), ("l_out", "f8"), ("r_out", "f8")])
EVERYBODY = (np.inf, -np.inf, -np.inf, np.inf)
LARGEST = float(np.finfo(np.float64).max)

SPACES: tuple[Literal["triangle", "square"], ...] = ("triangle", "square")

spaces = st.sampled_from(SPACES)
seeds = st.integers(0, 2**32 - 1)


def edge_values(zones: Zones, rng: np.random.Generator, count: int) -> npt.NDArray[np.float64]:
    """Edges of zones, their neighbouring floats, values between and beyond them."""
    edges = zones.table.extents[np.isfinite(zones.table.extents)]
    base = rng.choice(np.concatenate([edges, rng.uniform(-0.2, 1.2, 20), [0.0, 1.0]]), count)
    step = rng.integers(0, 3, count)
    return np.where(step == 0, base, np.nextafter(base, np.where(step == 1, -np.inf, np.inf)))


def draw_rectangles(zones: Zones, rng: np.random.Generator, count: int) -> npt.NDArray[np.void]:
    """Valid messages; some with open sides, some holding a single point."""
    ends = np.sort(edge_values(zones, rng, 4 * count).reshape(4, count), axis=0)
    table = np.zeros(count, RECTANGLE)
    table["l_out"], table["l_in"], table["r_in"], table["r_out"] = ends
    point = rng.random(count) < 0.2
    table["l_out"] = np.where(point, np.nextafter(table["l_in"], -np.inf), table["l_out"])
    table["r_out"] = np.where(point, np.nextafter(table["r_in"], np.inf), table["r_out"])
    table["l_out"] = np.where(rng.random(count) < 0.1, -np.inf, table["l_out"])
    table["r_out"] = np.where(rng.random(count) < 0.1, np.inf, table["r_out"])
    return table[(table["l_out"] < table["l_in"]) & (table["r_in"] < table["r_out"])]


def draw_wide(zones: Zones, rng: np.random.Generator, count: int) -> npt.NDArray[np.void]:
    """Messages across the diagonal: one for everybody, and others with l_in > r_in, some with open sides."""
    ends = np.sort(edge_values(zones, rng, 8 * count).reshape(2, 2, 2 * count), axis=1)
    table = np.zeros(2 * count, RECTANGLE)
    (table["l_out"], table["l_in"]), (table["r_in"], table["r_out"]) = ends
    for name, side in (("l_out", -np.inf), ("r_out", np.inf), ("l_in", np.inf), ("r_in", -np.inf)):
        table[name] = np.where(rng.random(2 * count) < 0.1, side, table[name])
    wide = (table["l_in"] > table["r_in"]) & (table["l_out"] < table["l_in"]) & (table["r_in"] < table["r_out"])
    some = np.nextafter(table["l_out"], np.inf) <= np.nextafter(table["r_out"], -np.inf)
    return np.concatenate((np.array([EVERYBODY], RECTANGLE), table[wide & some]))[:count]
