"""Rangecast from Python: the door for scripts and notebooks, behind which everything is loaded when first used."""

from floor.errors import RangecastError
from floor.version import VERSION

__version__ = VERSION

__all__ = ["RangecastError", "__version__"]
