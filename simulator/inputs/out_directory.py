"""The directory that a command makes for `--out`: its name is taken before the work, or refused in one line."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from floor.errors import RangecastError
from floor.files import Claim, is_claimed, reason_of

__all__ = ["claim_out", "new_directory"]


def claim_out(out: Path, error: type[RangecastError]) -> Claim:
    """Take the name of a directory before there is anything to put into it.

    Raises
    ------
    error
        Something has the name, another process is writing to it, or it cannot be made.
    """
    if not out.name:
        raise error(f"--out {out}: exists already; choose another directory")
    try:
        return Claim(out)
    except FileExistsError as taken:
        if taken.filename != str(out):
            raise error(f"--out {out}: cannot be made: {taken.filename} is no directory; choose another") from taken
        if is_claimed(out):
            told = "another process is writing to it; choose another directory or wait for that process"
        else:
            told = "exists already; choose another directory or remove it"
        raise error(f"--out {out}: {told}") from taken
    except (OSError, ValueError) as refused:
        reason = reason_of(refused) if isinstance(refused, OSError) else str(refused)
        raise error(f"--out {out}: cannot be made: {reason}; choose another directory") from refused


@contextmanager
def new_directory(out: Path, error: type[RangecastError]) -> Iterator[Path]:
    """Give a name to make a directory at, which gets its own when the block ends well.

    Raises
    ------
    error
        As in `claim_out`, or the name was taken meanwhile; what was made then stays under one that is told.
    """
    claim = claim_out(out, error)
    with claim:
        made = claim.partial / "made"
        yield made
        for part in made.iterdir():
            part.rename(claim.partial / part.name)
        made.rmdir()
    if claim.path != out:
        raise error(f"--out {out}: was taken by something else meanwhile; what was made is in {claim.path}")
