"""Hypothesis strategies: small worlds of objects and streams of events, with ties, no objects, one object, k > n."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

__all__ = ["events", "seeded_stream", "worlds"]


def _values(distinct: int) -> st.SearchStrategy[float]:
    return st.integers(0, distinct).map(float)


@st.composite
def worlds(draw: st.DrawFn, max_objects: int = 8, max_k: int = 5) -> dict[str, Any]:
    """A dict with x, y (lists of floats, from few values so that ties are common, or many) and k."""
    n = draw(st.integers(0, max_objects))
    coarse = draw(st.booleans())
    values = _values(4 if coarse else 1000)
    return {
        "x": draw(st.lists(values, min_size=n, max_size=n)),
        "y": draw(st.lists(values, min_size=n, max_size=n)),
        "k": draw(st.integers(1, max_k)),
    }


def events(kinds: tuple[str, ...] = ("update", "insert", "delete", "move"), max_events: int = 8) -> Any:
    """A list of (kind, which, value, other value): `which` picks among the objects that live then."""
    fine = st.integers(0, 1000).map(float)
    value = st.one_of(_values(4), fine)
    return st.lists(st.tuples(st.sampled_from(kinds), st.integers(0, 1000), value, value), max_size=max_events)


def seeded_stream(
    rng: np.random.Generator, objects: tuple[int, int], max_k: int, events: int, distinct: int
) -> tuple[dict[str, Any], list[tuple[str, int, float, float]]]:
    """A world as of `worlds` and a list as of `events`: more objects than hypothesis draws, mostly updates."""
    n, k = int(rng.integers(*objects)), int(rng.integers(1, max_k + 1))
    world = {"x": rng.integers(0, distinct, n) * 1.0, "y": rng.integers(0, distinct, n) * 1.0, "k": k}
    kinds = rng.choice(["update", "insert", "delete", "move"], events, p=[0.6, 0.15, 0.1, 0.15])
    stream = [(str(kind), int(rng.integers(1000)), *(rng.integers(0, distinct, 2) * 1.0).tolist()) for kind in kinds]
    return world, stream
