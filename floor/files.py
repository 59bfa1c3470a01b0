"""Files that appear whole or not at all: written under a temporary name beside their own, then renamed."""

import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["whole", "write_whole"]


@contextmanager
def whole(path: Path, *, replace: bool = True) -> Iterator[Path]:
    """Give a name to write a file or a directory to; it gets its own name when the block ends well.

    If the block fails, nothing is left of it. The temporary name begins with a dot, so that readers of the
    directory pass over it, and nobody else has it.

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
    partial = path.with_name(f".{path.name[:200]}.partial-{uuid.uuid4().hex}")
    try:
        yield partial
        if not replace and path.exists():
            raise FileExistsError(17, os.strerror(17), str(path))
        partial.replace(path)
    finally:
        if partial.is_dir():
            shutil.rmtree(partial, ignore_errors=True)
        else:
            partial.unlink(missing_ok=True)


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
