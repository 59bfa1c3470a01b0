"""The file that a command writes for `--out`: its path is refused before the work, it appears whole or not at all."""

import io
import os
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from floor.errors import RangecastError
from floor.files import reason_of, write_whole
from floor.text import visible

__all__ = ["PICTURES", "OutputError", "check_out", "write_out", "write_picture"]

PICTURES = (".svg", ".png", ".pdf")
_UNDATED: dict[str, dict[str, str | None]] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
"""Without a date the same picture is the same file."""


class OutputError(RangecastError):
    """A file that cannot be written; the text is one line for the user."""


def check_out(path: Path, endings: tuple[str, ...], option: str = "--out") -> None:
    """Refuse a path to which no file of these kinds can be written, before there is one.

    Raises
    ------
    OutputError
        One line: the path, the rule and the remedy.
    """
    if path.suffix.lower() not in endings:
        raise OutputError(f"{option} {path}: must end in {' or '.join(endings)}; rename it")
    try:
        is_directory, has_parent = path.is_dir(), path.parent.is_dir()
    except OSError as error:  # a name that is too long
        raise OutputError(f"{option} {path}: cannot be written: {reason_of(error)}; choose another path") from error
    if is_directory or not has_parent:
        reason = "is a directory" if is_directory else f"there is no directory {path.parent}"
        raise OutputError(f"{option} {path}: {reason}; choose another path")
    if not os.access(path.parent, os.W_OK):
        raise OutputError(f"{option} {path}: the directory {path.parent} cannot be written to; choose another path")


def write_out(content: bytes, path: Path) -> None:
    """Write a file, whole or not at all.

    Raises
    ------
    OutputError
        It cannot be written.
    """
    try:
        write_whole(path, content)
    except OSError as error:
        raise OutputError(f"--out {path}: cannot be written: {reason_of(error)}; choose another path") from error


def write_picture(figure: Figure, path: Path, dpi: int = 130) -> None:
    """Write a figure as one of `PICTURES`.

    Raises
    ------
    OutputError
        It cannot be written.
    """
    stream, ending = io.BytesIO(), path.suffix.lower()
    with mpl.rc_context({"svg.hashsalt": "rangecast"}):  # the same picture has the same ids
        figure.savefig(stream, format=ending[1:], dpi=dpi, metadata=_UNDATED.get(ending))
    content = stream.getvalue()
    # Words of the picture stand in its comments as they are, and XML knows no control characters.
    write_out(visible(content.decode(), page=True).encode() if ending == ".svg" else content, path)
