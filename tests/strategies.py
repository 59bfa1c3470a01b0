"""Hypothesis strategies: small worlds of objects and streams of events, with ties, no objects, one object, k > n."""

from typing import Any

from hypothesis import strategies as st

__all__ = ["events", "worlds"]


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
