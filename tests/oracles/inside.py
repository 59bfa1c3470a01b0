"""Whether a range holds a place, over one attribute or several."""

Place = float | list[float]
"""A number, or a list of as many as there are attributes."""


def inside(x: Place, l: Place, r: Place) -> bool:
    """Whether l <= x <= r, in every attribute."""
    if isinstance(x, list) and isinstance(l, list) and isinstance(r, list):
        return all(low <= one <= high for low, one, high in zip(l, x, r, strict=True))
    assert isinstance(x, float | int)
    assert isinstance(l, float | int)
    assert isinstance(r, float | int)
    return l <= x <= r
