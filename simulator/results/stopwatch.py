"""A stopwatch for the steps of a run."""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

__all__ = ["Stopwatch", "Value"]


Value = TypeVar("Value")


class Stopwatch:
    """Seconds spent in each step, for the manifest."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, step: str) -> Iterator[None]:
        """Add the time spent in the block to a step."""
        begun = time.perf_counter()
        yield
        self.seconds[step] = round(self.seconds.get(step, 0.0) + time.perf_counter() - begun, 3)

    def each(self, step: str, values: Iterable[Value]) -> Iterator[Value]:
        """Add the time that it takes to produce each of the values to a step."""
        iterator = iter(values)
        while True:
            with self(step):
                value = next(iterator, None)
            if value is None:
                return
            yield value
