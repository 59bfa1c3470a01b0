"""The files of other revisions, to measure this one against."""

import os
import subprocess
import tempfile
from pathlib import Path

from floor.cache import cache_place

__all__ = ["ROOT", "checkout_of"]

ROOT = Path(__file__).parents[1]


def checkout_of(revision: str) -> Path:
    """Directory in the cache with the files of a revision; those that are missing or differ are written.

    It stays there, and unchanged files keep their times: earlier versions keep kernels by the place and time of
    their source, and compile them anew, for a quarter of an hour, if either is another.
    """
    commit = _git("rev-parse", "--verify", f"{revision}^{{commit}}")
    place = cache_place("revisions") / commit
    place.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        own = {
            "GIT_DIR": _git("rev-parse", "--absolute-git-dir"),
            "GIT_WORK_TREE": str(place),
            "GIT_INDEX_FILE": f"{scratch}/index",
        }
        _git("read-tree", commit, own=own)
        # Git knows then which files are as they should be, and writes only the others. It exits with 1 if there are.
        _git("update-index", "-q", "--refresh", own=own, check=False)
        _git("checkout-index", "--all", "--force", "--quiet", own=own)
    return place


def _git(*words: str, own: dict[str, str] | None = None, check: bool = True) -> str:
    """What git prints, in an environment with settings of its own; it works where these say."""
    settings = own or {}
    cwd = settings.get("GIT_WORK_TREE", ROOT)
    ran = subprocess.run(
        ["git", *words], cwd=cwd, env=os.environ | settings, stdout=subprocess.PIPE, text=True, check=check
    )
    return ran.stdout.strip()
