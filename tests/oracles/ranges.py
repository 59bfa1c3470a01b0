"""Scored ranges as plain lists: what every range index must answer, in the order it must answer it."""

from tests.oracles.by_id import ById

Scored = tuple[float, float, float]


class ScoredRanges(ById[Scored]):
    """Ranges (l, r, score) by id."""

    def rescore(self, ids: list[int], scores: list[float]) -> None:
        for i, score in zip(ids, scores, strict=True):
            held = self.held[i]
            assert held is not None
            self.held[i] = (held[0], held[1], score)

    def stab(self, x: float) -> list[int]:
        """Ids of the ranges that hold x, by score descending, then id."""
        hits = [(-held[2], i) for i, held in enumerate(self.held) if held is not None and held[0] <= x <= held[1]]
        return [i for _, i in sorted(hits)]


def relaxed(l: list[list[float]], r: list[list[float]], weight: list[list[float]], x: list[float]) -> list[int]:
    """Ids of the subscriptions with a range that holds its coordinate, by the sum of their weights, then id."""
    totals = []
    for i, ends in enumerate(zip(l, r, weight, strict=True)):
        held = [w for a, b, w, v in zip(*ends, x, strict=True) if a <= v <= b]
        if held:
            totals.append((-sum(held), i))
    return [i for _, i in sorted(totals)]


def exact(l: list[list[float]], r: list[list[float]], score: list[float], x: list[float]) -> list[int]:
    """Ids of the subscriptions all of whose ranges hold their coordinates, by score, then id."""
    held = [
        (-s, i)
        for i, (a, b, s) in enumerate(zip(l, r, score, strict=True))
        if all(low <= v <= high for low, high, v in zip(a, b, x, strict=True))
    ]
    return [i for _, i in sorted(held)]
