"""The version of the distribution."""

from importlib.metadata import PackageNotFoundError, version

__all__ = ["VERSION"]

try:
    VERSION = version("rangecast")
except PackageNotFoundError:  # a checkout on the path that was never installed
    VERSION = "0"
