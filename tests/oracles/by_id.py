"""Things under ids that are given in order and never again: the lists under the oracles of indexes."""

from typing import Generic, TypeVar

Thing = TypeVar("Thing")


class ById(Generic[Thing]):
    """Things by id; None for one that was deleted."""

    def __init__(self, held: list[Thing]) -> None:
        self.held: list[Thing | None] = list(held)

    def insert(self, more: list[Thing]) -> list[int]:
        first = len(self.held)
        self.held += more
        return list(range(first, len(self.held)))

    def delete(self, ids: list[int]) -> None:
        for i in ids:
            self.held[i] = None

    def alive(self) -> list[int]:
        return [i for i, one in enumerate(self.held) if one is not None]
