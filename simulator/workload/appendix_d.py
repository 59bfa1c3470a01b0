"""The objects and subscriptions of the paper's Appendix D.3 as arrays: ranges [l1, r1] x (-inf, r2].

For servers that are asked without a network. Populations of a scenario are made on Spark, by the same rules.
"""

import numpy as np
from numpy.typing import NDArray

from pipeline import objects_covered

__all__ = ["DATASETS", "make_dataset"]

Floats = NDArray[np.float64]

DATASETS = (1, 2, 3)


def make_dataset(dataset: int, count: int, x1: Floats, seed: int) -> Floats:
    """Make rows (l1, r1, r2) of one of the three datasets, all in [0, 1]; O(count log n).

    l1 and r1 are two uniform numbers in order, or l1 is uniform and r1 the last of the objects that it covers; where
    fewer are left, r1 is 1. r2 is uniform.

    Raises
    ------
    ValueError
        If there are fewer objects than a subscription covers.
    """
    rng = np.random.default_rng((seed, dataset))
    covered = objects_covered(f"dataset-{dataset}")
    if not covered:
        ends = np.sort(rng.random((2, count)), axis=0)
    else:
        if len(x1) < covered:
            raise ValueError(f"objects must be at least {covered} for dataset {dataset}, got {len(x1)}; add some")
        left = rng.random(count)
        places = np.append(np.sort(x1), np.ones(covered))
        ends = np.stack((left, places[np.searchsorted(places[: len(x1)], left) + covered - 1]))
    return np.column_stack((*ends, rng.random(count)))
