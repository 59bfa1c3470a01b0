"""Directories that are put beside each other: each may be given once, and each has a name that tells it apart."""

from collections.abc import Sequence
from pathlib import Path

from floor.errors import RangecastError

__all__ = ["distinct_names", "refuse_twice"]


def refuse_twice(directories: Sequence[Path], kind: str, error: type[RangecastError]) -> None:
    """Refuse the same directory given twice, whatever the paths to it; `kind` is what it holds, in a word.

    Raises
    ------
    RangecastError
        Of the type `error`: one line.
    """
    places = [directory.resolve() for directory in directories]
    twice = next((place for place in places if places.count(place) > 1), None)
    if twice is not None:
        raise error(f"{twice}: given twice; name each {kind} once")


def distinct_names(directories: Sequence[Path]) -> list[str]:
    """A name for each directory: its own, with as many of those above it as tell it apart from the others."""
    paths = [directory.resolve().parts for directory in directories]

    def name(parts: tuple[str, ...]) -> str:
        lengths = range(1, len(parts))
        alone = (n for n in lengths if sum(other[-n:] == parts[-n:] for other in paths) == 1)
        return str(Path(*parts[-next(alone, len(parts)) :]))

    return list(map(name, paths))
