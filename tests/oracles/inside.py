"""Whether a range holds a place, over one attribute or several; or a halfspace or disk does."""

Place = float | list[float] | str
"""A number, or a list of as many as there are attributes; in place of an l, the name of a shape."""


def inside(x: Place, l: Place, r: Place) -> bool:
    """Whether l <= x <= r, in every attribute; of a shape, whether the one that is the point r of S holds x.

    Of a disk (a, b, a^2 + b^2 - radius^2) the square of the radius is found again, and compared with that of the
    distance: not as the predicate does it, but on a grid of eighths floats are exact.
    """
    if isinstance(x, float) and isinstance(l, float) and isinstance(r, float):  # asked far more often than all else
        return l <= x <= r
    if isinstance(l, str) and isinstance(x, list) and isinstance(r, list):
        return _holds(l, r, x)
    if isinstance(x, list) and isinstance(l, list) and isinstance(r, list):
        return all(low <= one <= high for low, one, high in zip(l, x, r, strict=True))
    assert isinstance(x, float | int)
    assert isinstance(l, float | int)
    assert isinstance(r, float | int)
    return l <= x <= r


def _holds(shape: str, point: list[float], x: list[float]) -> bool:
    if shape == "disks":
        a, b, lifted = point
        return (x[0] - a) ** 2 + (x[1] - b) ** 2 <= a * a + b * b - lifted
    return x[-1] >= sum(slope * one for slope, one in zip(point[:-1], x[:-1], strict=True)) + point[-1]
