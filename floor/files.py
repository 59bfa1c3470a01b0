"""Files and directories that appear whole or not at all: written under a temporary name, then renamed.

A temporary name begins with a dot, so that readers of the directory pass over it, and tells which process of which
machine has it: what a process that was killed has left behind is removed when the next one comes by, and what belongs
to a process that lives is let alone.
"""

import errno
import hashlib
import os
import re
import shutil
import socket
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Self

from floor.text import first_line

__all__ = ["Claim", "clear_leftovers", "is_claimed", "partial_name", "reason_of", "whole", "write_whole"]

_PARTIAL = re.compile(r"\.(?P<name>.*)\.partial-(?P<machine>[0-9a-f]{8})-(?P<pid>[0-9]+)-(?P<kind>[wc])[0-9a-f]{12}")
_LONGEST = 180
"""Bytes of its own name that a temporary one repeats; a name may have 255."""
_KEPT = ".kept"
"""File that says that a directory with a temporary name is whole and to stay."""


@contextmanager
def whole(path: Path, *, replace: bool = True) -> Iterator[Path]:
    """Give a name to write a file or a directory to; it gets its own name when the block ends well.

    If the block fails, nothing is left of it.

    Parameters
    ----------
    path : Path
        The name it gets; missing parents are made.
    replace : bool
        Whether what has that name already gives way to it. A directory never replaces one that holds something.

    Raises
    ------
    OSError
        The file cannot be written or renamed; without `replace`, `path` exists.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = partial_name(path)
    try:
        yield partial
        if not replace and path.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
        partial.replace(path)
    finally:
        _remove(partial)


def write_whole(path: Path, content: bytes | str) -> None:
    """Write a file whole or not at all, and on the disk before it has its name.

    Raises
    ------
    OSError
        It cannot be written.
    """
    with whole(path) as partial, partial.open("wb") as stream:
        stream.write(content.encode() if isinstance(content, str) else content)
        stream.flush()
        os.fsync(stream.fileno())


class Claim:
    """A new directory whose name is taken at once, while another one beside it is filled.

    Used as a context. Of several processes that want a name one gets it, before any of them has worked for it: the
    name is that of an empty directory meanwhile. When the block ends well, `partial` takes its place; when it fails,
    nothing is left, nor are parents that were made for it. If the name is lost in the end, what was made stays under
    another one.

    Parameters
    ----------
    path : Path
        The name; missing parents are made, and leftovers beside it removed.

    Attributes
    ----------
    partial : Path
        The directory to fill.
    path : Path
        Where it is when the context has ended: `path` as given, or with a number behind it.

    Raises
    ------
    FileExistsError
        Something has the name, be it a link that leads nowhere.
    OSError
        The directory cannot be made; at the end, what was made cannot be renamed and stays in `partial`.
    """

    def __init__(self, path: Path) -> None:
        self._made = [above for above in path.parents if not above.exists()]
        self.path, self.partial = path, partial_name(path, "c")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            clear_leftovers(path.parent)
            # First the one that shows that we live, so that nobody takes the empty one for a leftover.
            self.partial.mkdir()
            path.mkdir()
        except BaseException:
            _remove_empty(self.partial, *self._made)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._finish()
            return
        ours = self.partial.exists()  # else somebody has removed both, and the name may be another's by now
        _remove(self.partial)
        if ours:
            _remove_empty(self.path, *self._made)

    def _finish(self) -> None:
        try:
            self.partial.rename(self.path)
        except OSError as error:
            self.path = self._other_name(error)

    def _other_name(self, reason: OSError) -> Path:
        for number in range(2, 1000):
            other = self.path.with_name(f"{self.path.name}-{number}")
            with suppress(OSError):
                other.mkdir()
                self.partial.rename(other)
                return other
        with suppress(OSError):
            (self.partial / _KEPT).touch()
        raise reason


def partial_name(path: Path, kind: str = "w") -> Path:
    """A name beside another one that nobody else has, and that tells whose it is; `kind` is "c" beside a claim."""
    name = path.name.encode(errors="ignore")[:_LONGEST].decode(errors="ignore")
    return path.with_name(f".{name}.partial-{_machine()}-{os.getpid()}-{kind}{uuid.uuid4().hex[:12]}")


def clear_leftovers(directory: Path) -> None:
    """Remove what processes of this machine that are gone have left half-written in a directory. O(its entries)."""
    try:
        found = list(directory.iterdir())
    except OSError:
        return
    for path in found:
        owned = _PARTIAL.fullmatch(path.name)
        if owned and owned["machine"] == _machine() and not _is_alive(int(owned["pid"])):
            _clear(path, owned)


def is_claimed(path: Path) -> bool:
    """Whether some process, here or elsewhere, is filling a directory that is to have this name."""
    wanted = partial_name(path, "c").name.partition(".partial-")[0]
    for other in path.parent.iterdir():
        owned = _PARTIAL.fullmatch(other.name)
        if owned and owned["kind"] == "c" and f".{owned['name']}" == wanted:
            return True
    return False


def reason_of(error: OSError) -> str:
    """Why something cannot be read or written, in a few words; Arrow's errors have a story in that place."""
    if error.errno:
        return os.strerror(error.errno)
    return first_line(error)


def _clear(leftover: Path, owned: re.Match[str]) -> None:
    """Remove a leftover, and the empty directory that its process had claimed."""
    if (leftover / _KEPT).exists():
        return
    ours = partial_name(leftover.with_name(owned["name"]), owned["kind"])
    try:
        leftover.rename(ours)  # of several processes one succeeds, and no other removes the claim
    except OSError:
        return
    if owned["kind"] == "c":
        with suppress(OSError):
            leftover.with_name(owned["name"]).rmdir()
    _remove(ours)


def _remove_empty(*directories: Path) -> None:
    """Remove directories, the lowest first, but those that are gone or in which somebody has put something."""
    for directory in directories:
        with suppress(OSError):
            directory.rmdir()


def _remove(partial: Path) -> None:
    if partial.is_dir():
        shutil.rmtree(partial, ignore_errors=True)
    else:
        partial.unlink(missing_ok=True)


@cache
def _machine() -> str:
    """Stands for what process ids mean something in: this machine, and the container in it."""
    try:
        namespace = str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        namespace = ""
    return hashlib.sha256(f"{socket.gethostname()} {namespace}".encode()).hexdigest()[:8]


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # another user's, or none that we know of
        return True
    return True
