"""Steps: how something that takes long tells whoever waits what goes on, and how far it has come."""

from collections.abc import Callable
from typing import Protocol

__all__ = ["Advance", "Steps", "unheard"]

Advance = Callable[[int], object]
"""Told how much more of a step is done."""


class Steps(Protocol):
    """Listens to steps, one after the other."""

    def __call__(self, what: str, total: int | None = None) -> Advance:
        """Note that a step begins, and of how many parts it is if that is known; gives whom to tell of parts done."""


def unheard(what: str, total: int | None = None) -> Advance:  # noqa: ARG001
    """For work that nobody waits for."""
    return lambda _: None
