"""Where everything is kept that can be made again."""

import os
import stat
from contextlib import suppress
from pathlib import Path

__all__ = ["cache_dir", "cache_place"]

_PRIVATE = 0o700


def cache_dir() -> Path:
    """Directory of everything that can be made again: `$RANGECAST_CACHE`, or `rangecast` in the user's cache."""
    chosen = os.environ.get("RANGECAST_CACHE")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rangecast"


def cache_place(name: str) -> Path:
    """Directory in the cache for one kind of thing, made if it is not there.

    A cache that is made here is its owner's alone, because code is run from it. In one that is there already, new
    directories are open to those to whom the cache itself is: whoever wants to share it, opens it.
    """
    root = cache_dir()
    place = root / name
    with suppress(OSError):  # whoever writes there will tell
        if not root.exists():
            root.parent.mkdir(parents=True, exist_ok=True)
            root.mkdir(_PRIVATE, exist_ok=True)
        if not place.exists():
            place.mkdir(_PRIVATE, exist_ok=True)
            place.chmod(stat.S_IMODE(root.stat().st_mode))
    return place
