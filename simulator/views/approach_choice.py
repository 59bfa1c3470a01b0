"""Which approaches a picture shows beside each other: each may be named once."""

from collections.abc import Sequence

from floor.errors import RangecastError

__all__ = ["named_once"]


def named_once(approaches: Sequence[str], error: type[RangecastError]) -> list[str]:
    """The approaches that `--approach` names.

    Raises
    ------
    RangecastError
        Of the type `error`: one is named twice.
    """
    twice = next((name for name in approaches if approaches.count(name) > 1), None)
    if twice is not None:
        raise error(f"--approach {twice}: named twice; name each approach once")
    return list(approaches)
