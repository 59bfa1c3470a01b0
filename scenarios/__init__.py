"""The scenarios and grids that come with Rangecast: TOML files, and where they are."""

from scenarios.packaged import DIRECTORY, Packaged, located, packaged

__all__ = ["DIRECTORY", "Packaged", "located", "packaged"]
