"""Where everything is kept that can be made again."""

import os
from pathlib import Path

__all__ = ["cache_dir"]


def cache_dir() -> Path:
    """Directory of everything that can be made again: `$RANGECAST_CACHE`, or `rangecast` in the user's cache."""
    chosen = os.environ.get("RANGECAST_CACHE")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rangecast"
