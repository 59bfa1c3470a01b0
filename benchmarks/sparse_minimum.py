"""Paint-Sparse over several attributes against the fewest messages that would do, where these can be found.

Run it with `python -m benchmarks.sparse_minimum`; rows go to standard output and results/sparse_minimum.csv.
The fewest are a minimum partition, found by integer programming: boxes that hold, together and once each, those that
must be told of an object, and nobody else. A ratio is of one object and one event. Theorem 4's factor of 2 is for one
attribute, where tiles are in one line, and nobody has shown another.
"""

import numpy as np

from benchmarks.record import write_rows
from tests.paint.one_event import sparse_and_fewest

SEEDS = 20
INSTANCES = ((1.5, 8, 0.3), (1.5, 12, 0.1), (1.5, 16, 0.05), (2, 6, 0.2), (2, 8, 0.05), (2, 10, 0.02))
"""Dimensions, objects, and the share of the cells of the grid of ends that hold somebody."""


def measure(dimensions: float, n: int, share: float, k: int) -> dict[str, object]:
    """Ratios over all objects of some events of every kind."""
    sent, fewest = np.array(list(sparse_and_fewest(dimensions, n, k, share, SEEDS))).T
    ratios = sent / fewest
    row: dict[str, object] = {
        "dimensions": dimensions,
        "n": n,
        "share": share,
        "k": k,
        "objects_told": len(sent),
        "fewest": round(float(fewest.mean()), 3),
        "mean_ratio": round(float(ratios.mean()), 3),
        "largest_ratio": round(float(ratios.max()), 3),
        "above_2": int((ratios > 2).sum()),
    }
    print("  ".join(f"{name} {value}" for name, value in row.items()), flush=True)
    return row


def main() -> None:
    write_rows("sparse_minimum", [measure(d, n, share, k) for d, n, share in INSTANCES for k in (1, 2, 3, 5)], 0)


if __name__ == "__main__":
    main()
