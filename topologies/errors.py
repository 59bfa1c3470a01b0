"""The errors of this room."""

from floor.errors import RangecastError

__all__ = ["DisconnectedError", "TopologyError"]


class TopologyError(RangecastError):
    """A network that cannot be used: a broken file, a graph in several pieces, a meaningless attribute."""


class DisconnectedError(TopologyError):
    """A network is in several pieces."""
