"""Finding the files of this package, in a checkout and wherever it is installed.

Files beside this one are scenarios, and those in a directory `grids` are grids of sweeps. The other files below
`paper` say what the paper's tables and figures claim, and those below `matching` what the papers on matching do, with
trials of indexes in place of grids; `rangecast paper` reads them. The comment on the first line of
a scenario or grid says what it is.
"""

import os
from importlib.resources import files
from pathlib import Path
from typing import Literal, NamedTuple

__all__ = ["DIRECTORY", "Packaged", "located", "packaged"]

DIRECTORY = Path(str(files("scenarios")))
"""Where the files are; they name each other by relative paths, so a package in a zip file would not do."""


class Packaged(NamedTuple):
    """A scenario or a grid that comes with Rangecast."""

    name: str
    """Its path below `DIRECTORY`, without the ending."""
    kind: Literal["scenario", "grid"]
    path: Path

    @property
    def description(self) -> str:
        """What it is: the first sentence of the comment on its first line."""
        with self.path.open(encoding="utf-8") as lines:
            return next(lines, "").lstrip("# ").strip().split(". ")[0].removesuffix(".")


def packaged(directory: Path = DIRECTORY) -> dict[str, Packaged]:
    """All scenarios and grids below a directory by their names, scenarios first."""
    kinds: dict[Literal["scenario", "grid"], str] = {"scenario": "*.toml", "grid": "**/grids/**/*.toml"}
    return {
        name: Packaged(name, kind, path)
        for kind, pattern in kinds.items()
        for path in sorted(directory.glob(pattern))
        for name in [path.relative_to(directory).with_suffix("").as_posix()]
    }


def located(path: Path) -> Path:
    """Where a file is: at its path or, if there is nothing and `packaged` has one of that name, where that is."""
    found = None if os.path.exists(path) else packaged().get(path.as_posix())  # noqa: PTH110 - takes any path
    return path if found is None else found.path
