"""Zones and messages over one attribute or several, drawn so that edges often coincide."""

from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from cn import Zones
from paint.messages import message_of
from paint.sides import Sides, sides_of, upper_sides
from tests.cn.drawing import draw_rectangles, draw_wide, edge_values
from tests.oracles.side_network import LARGEST, attributes_of

Kind = float | str
KINDS: list[Kind] = [1.5, 2, 2.5, 3, "u3"]

kinds = st.sampled_from(KINDS)
every_kind = st.sampled_from([1, *KINDS])
"""With one attribute, which has zones and kernels of its own."""


def make_sides(kind: Kind) -> Sides:
    """The sides of so many dimensions, or some upper ones."""
    return upper_sides(int(kind[1:])) if isinstance(kind, str) else sides_of(kind)


def make_zones(kind: Kind, brokers: int, seed: int, space: str, **options: Any) -> Zones:
    """Zones over the sides of a kind."""
    if kind == 1:
        return Zones(brokers, seed=seed, space=space, **options)  # type: ignore[arg-type]
    return Zones(brokers, seed=seed, space=space, sides=make_sides(kind), **options)  # type: ignore[arg-type]


def side_values(zones: Zones, rng: np.random.Generator, side: int, count: int) -> npt.NDArray[np.float64]:
    """Edges of zones in a side, as ends, their neighbouring floats, values between and beyond them."""
    edges = zones.table.extents[:, :, side] * (zones.sides.sign[side] if zones.sides else 1.0)
    base = rng.choice(np.concatenate([edges[np.isfinite(edges)], rng.uniform(-0.2, 1.2, 6), [0.0, 1.0]]), count)
    step = rng.integers(0, 3, count)
    return np.where(step == 0, base, np.nextafter(base, np.where(step == 1, -np.inf, np.inf)))


def draw_ranges(
    kind: Kind, zones: Zones, rng: np.random.Generator, count: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Subscriptions with ends on and beside edges, some open, some one point."""
    if kind == 1:
        l, r = np.sort(edge_values(zones, rng, 2 * count).reshape(2, count), axis=0)
        return l, r
    attributes = attributes_of(kind)
    l, r = np.full((2, count, len(attributes)), -LARGEST)
    for j, (left, right) in enumerate(attributes):
        r[:, j] = side_values(zones, rng, right, count)
        if left >= 0:
            l[:, j] = np.where(rng.random(count) < 0.1, r[:, j], side_values(zones, rng, left, count))
            l[rng.random(count) < 0.1, j] = -LARGEST
        r[rng.random(count) < 0.1, j] = LARGEST
    if any(left >= 0 for left, _ in attributes):
        both = [j for j, (left, _) in enumerate(attributes) if left >= 0]
        l[:, both], r[:, both] = np.minimum(l, r)[:, both], np.maximum(l, r)[:, both]
    return l, r


def draw_messages(
    kind: Kind, zones: Zones, rng: np.random.Generator, count: int, *, wide: bool = False
) -> npt.NDArray[np.void]:
    """Valid messages; some with open sides, some with a single point; when `wide`, across a diagonal or several."""
    if kind == 1:
        return draw_wide(zones, rng, count) if wide else draw_rectangles(zones, rng, count)
    attributes = attributes_of(kind)
    drawn = 40 * count
    table = np.zeros(drawn, message_of(len(attributes)))
    fine = np.ones(drawn, np.bool_)
    across = np.zeros(drawn, np.bool_)
    for j, (left, right) in enumerate(attributes):
        r_in, r_out = np.sort(side_values(zones, rng, right, 2 * drawn).reshape(2, drawn), axis=0)
        l_out, l_in = np.full(drawn, -np.inf), np.full(drawn, np.inf)
        if left >= 0:
            l_out, l_in = np.sort(side_values(zones, rng, left, 2 * drawn).reshape(2, drawn), axis=0)
            l_out, l_in, r_in, r_out = np.where(
                wide & (rng.random(drawn) < 0.7),
                (l_out, l_in, r_in, r_out),
                np.sort((l_out, l_in, r_in, r_out), axis=0),
            )
        point = rng.random(drawn) < 0.1
        r_out = np.where(point, np.nextafter(r_in, np.inf), r_out)
        r_out = np.where(rng.random(drawn) < 0.1, np.inf, r_out)
        if left >= 0:
            l_out = np.where(point, np.nextafter(l_in, -np.inf), l_out)
            l_out = np.where(rng.random(drawn) < 0.1, -np.inf, l_out)
            if wide:
                everybody = rng.random(drawn) < 0.2
                l_in, r_in = np.where(everybody, np.inf, l_in), np.where(everybody, -np.inf, r_in)
            across |= l_in > r_in
            fine &= np.nextafter(l_out, np.inf) <= np.nextafter(r_out, -np.inf)
        elif wide:
            r_in = np.where(rng.random(drawn) < 0.2, -np.inf, r_in)
        fine &= (l_out < l_in) & (r_in < r_out)
        for name, column in (("l_in", l_in), ("r_in", r_in), ("l_out", l_out), ("r_out", r_out)):
            table[name].reshape(drawn, -1)[:, j] = column
    return table[fine & (across if wide else ~across)][:count]
