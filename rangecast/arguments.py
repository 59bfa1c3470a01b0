"""What callers may give, and how they are told of mistakes: paths, plain values, and errors in Python's words."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from floor.errors import RangecastError

__all__ = ["AnyPath", "as_mapping", "as_path", "in_python_words", "plain"]

AnyPath = str | PathLike[str]
"""A path as callers write it."""


def as_path(value: object, name: str, kinds: str = "a path") -> Path:
    """Take an argument as a path.

    Raises
    ------
    TypeError
        It is none; `kinds` says what it may be.
    """
    if not isinstance(value, str | PathLike):
        raise TypeError(f"{name} must be {kinds}, got {type(value).__name__}")
    return Path(value)


def as_mapping(value: object, name: str) -> Mapping[str, Any]:
    """Take an argument as a mapping; None is an empty one.

    Raises
    ------
    TypeError
        It is none.
    """
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise TypeError(f'{name} must be a mapping such as {{"network.brokers": 16}}, got {type(value).__name__}')
    return value


def plain(value: object, key: str) -> Any:
    """Values as TOML knows them: NumPy's arrays and numbers, tuples, ranges and paths become what they stand for.

    Raises
    ------
    TypeError
        A value that a scenario file cannot hold.
    """
    if isinstance(value, Mapping):
        above = f"{key}." if key else ""
        return {str(inner): plain(content, f"{above}{inner}") for inner, content in value.items()}
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple | range):
        return [plain(content, key) for content in value]
    if isinstance(value, PathLike):
        return fspath(value)
    if isinstance(value, str | bool | int | float):
        return value
    raise TypeError(f"{key} must be text, a number, a truth value, a list or a mapping, got {value!r}; leave it out")


@contextmanager
def in_python_words() -> Iterator[None]:
    """Let errors name arguments, not the options of the command line: `event 7: ...`, not `--event 7: ...`."""
    try:
        yield
    except RangecastError as error:
        if error.args and isinstance(error.args[0], str):
            error.args = (_mended(error.args[0]), *error.args[1:])
        if isinstance(mistakes := getattr(error, "mistakes", None), tuple):
            vars(error)["mistakes"] = tuple(map(_mended, mistakes))
        raise


def _mended(told: str) -> str:
    for option in ("command line: ", "--set ", "--with ", "--"):
        told = told.removeprefix(option)
    return told
