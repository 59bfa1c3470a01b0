"""Means over independent replications, with their 95% confidence intervals.

Replications differ only in their seed and share nothing, so their values are independent draws and Student's t
applies. Differences between approaches are taken within a replication, where both answer the same events: what the
events do to both falls out, and the interval is narrower than that of two means apart. Quotients are taken likewise,
and averaged as logarithms: that of B and A is then the reciprocal of that of A and B, and so are the ends of its
interval.
"""

import math
import sys
from collections.abc import Sequence
from typing import NamedTuple

from scipy.special import stdtrit

__all__ = ["Estimate", "Quotient", "estimate", "paired", "quotient"]

_LEVEL = 0.95
_LARGEST = math.log(sys.float_info.max)


class Estimate(NamedTuple):
    """What a handful of replications say about a mean."""

    mean: float
    half_width: float | None
    """Half the width of the 95% confidence interval; None for a single replication, which says nothing of it."""
    replications: int


class Quotient(NamedTuple):
    """What a handful of replications say about how many times one value is another; None where it is none."""

    ratio: float | None
    """Geometric mean of the quotients."""
    ratio_low: float | None
    """Lower end of its 95% confidence interval; None for a single replication."""
    ratio_high: float | None


def estimate(values: Sequence[float]) -> Estimate:
    """Mean of the replications' values and its 95% confidence interval by Student's t, in O(n).

    Sums are rounded once, so that the result does not depend on the order of the values.

    Raises
    ------
    ValueError
        Without a value.
    """
    count = len(values)
    if count == 0:
        raise ValueError("values must hold at least one replication, got none")
    mean = math.fsum(values) / count
    if count == 1:
        return Estimate(mean, None, 1)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (count - 1))
    quantile = float(stdtrit(count - 1, (1 + _LEVEL) / 2))
    return Estimate(mean, quantile * deviation / math.sqrt(count), count)


def paired(values: Sequence[float], against: Sequence[float]) -> Estimate:
    """Mean difference `values - against`, one pair per replication, and its 95% confidence interval, in O(n).

    Raises
    ------
    ValueError
        Without a pair, or when the lengths differ.
    """
    if len(values) != len(against):
        raise ValueError(f"against must hold as many replications as values, {len(values)}, got {len(against)}")
    return estimate([one - other for one, other in zip(values, against, strict=True)])


def quotient(values: Sequence[float], against: Sequence[float]) -> Quotient:
    """Geometric mean of `values / against`, one pair per replication, and its 95% confidence interval, in O(n).

    There is none where a value is not above 0.

    Raises
    ------
    ValueError
        Without a pair, or when the lengths differ.
    """
    if min(*values, *against, 1.0) <= 0:
        return Quotient(None, None, None)
    logarithm = paired([math.log(one) for one in values], [math.log(other) for other in against])
    if logarithm.half_width is None:
        return Quotient(math.exp(logarithm.mean), None, None)
    low, high = (_power(logarithm.mean + sign * logarithm.half_width) for sign in (-1, 1))
    return Quotient(math.exp(logarithm.mean), low, high)


def _power(exponent: float) -> float:
    """The exponential, which is infinite for what no float can hold: few replications that differ by magnitudes."""
    return math.exp(exponent) if exponent < _LARGEST else math.inf
