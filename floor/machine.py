"""What there is on this machine: memory, and room on its disks."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

__all__ = ["free_bytes", "memory_bytes", "size_text"]

_CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")


def memory_bytes() -> int:
    """Memory that this process may use: the machine's, or what its container is allowed."""
    limits = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    with suppress(OSError, ValueError):  # no file or "max": no container limit
        limits.append(int(_CONTAINER_LIMIT.read_text()))
    return min(limits)


def free_bytes(path: Path) -> int | None:
    """Room on the disk that a path is on, or will be on once it is made; None where nobody can tell.

    What has no size at all, such as /proc, is no disk: why it cannot be written to is told when that is tried.
    """
    for place in (path.absolute(), *path.absolute().parents):
        with suppress(OSError, ValueError):
            usage = shutil.disk_usage(place)
            return usage.free if usage.total else None
    return None


def size_text(size: int) -> str:
    """A size in the largest unit that leaves a number above 1: 6.4 TB."""
    for unit, factor in (("PB", 10**15), ("TB", 10**12), ("GB", 10**9), ("MB", 10**6)):
        if size >= factor:
            return f"{size / factor:,.3g} {unit}"
    return f"{size / 1000:,.3g} kB"
