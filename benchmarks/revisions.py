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
        _git("read-tree", commit, cwd=place, **own)
        # Knows then which files are as they should be, and writes no others; says 1 if there are.
        _git("update-index", "-q", "--refresh", cwd=place, check=False, **own)
        _git("checkout-index", "--all", "--force", "--quiet", cwd=place, **own)
    return place


def _git(*words: str, cwd: Path = ROOT, check: bool = True, **own: str) -> str:
    """What git prints; `own` are settings of its environment."""
    ran = subprocess.run(
        ["git", *words], cwd=cwd, env=os.environ | own, stdout=subprocess.PIPE, text=True, check=check
    )
    return ran.stdout.strip()
