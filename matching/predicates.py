"""Predicates as columns: what subscriptions ask of named attributes, checked, and turned into closed intervals.

A subscription is a conjunction of predicates, each an attribute, an operator and what it compares with (seed 001,
Definition 1 and Table 2):

================  ==================================  ======================================
operator          holds for x if                      reads
================  ==================================  ======================================
`<`, `<=`         x is less than, at most v           `high`, or `low` where that is missing
`=`, `!=`         x is v, is not v                    `low`, or `high` where that is missing
`>=`, `>`         x is at least, more than v          `low`, or `high` where that is missing
`between`         low <= x <= high                    `low` and `high`
`in`, `not in`    x is one of the set, is none of it  `set`
================  ==================================  ======================================

Every one becomes a closed interval that holds all x for which it is true: a strict end is the float next to it. An
interval cannot say `!=`, `in` and `not in`; seed 001 tests no more than the interval, so {1, 9} would hold for 5.
Here such a predicate keeps its set beside the interval, and what is found by intervals is tested by it afterwards.
No predicate holds for an attribute that an event does not have, be it `!=`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from matching.range_index import Floats, Ints

__all__ = [
    "AT_LEAST",
    "AT_MOST",
    "COLUMNS",
    "EQUAL",
    "IN",
    "INTERVAL",
    "LESS",
    "MORE",
    "OPERATORS",
    "OUT",
    "UNEQUAL",
    "Predicates",
    "attribute_names",
]

OPERATORS = ("<", "<=", "=", "!=", ">=", ">", "between", "in", "not in")
"""Names of the operators; a column of operators has names, or positions in this tuple."""
LESS, AT_MOST, EQUAL, UNEQUAL, AT_LEAST, MORE, BETWEEN, ONE_OF, NONE_OF = range(len(OPERATORS))
COLUMNS = ("subscription", "attribute", "operator", "low", "high", "set", "weight")
INTERVAL, IN, OUT = range(3)
"""What a predicate asks beside its interval: nothing, to be in its set, not to be in it."""
MOST_ATTRIBUTES = 2**16 - 1


class Predicates:
    """Checked predicates of subscriptions 0 to n - 1, in the order of these.

    Parameters
    ----------
    columns
        A mapping or table with the columns `attribute`, `operator` and, as needed, `subscription` (numbers from 0;
        without them all predicates are of one subscription), `low`, `high`, `set` (a sequence of numbers for each
        predicate, None where there is none; or two arrays: where the set of each predicate starts, and all values)
        and `weight` (0 if missing). NaN and None stand for a missing number.
    attributes
        Names of the attributes in the order of the columns of events, or their number. Without it attributes are
        numbers, and there are as many as the largest one says.
    subscriptions
        How many subscriptions there are; needed where some have no predicates, which match every event.

    Attributes
    ----------
    subscription, attribute : int64
        Of each predicate.
    low, high : float64
        Its interval; +inf and -inf if nothing satisfies it.
    kind : int8
        INTERVAL, IN or OUT.
    offset, value : int64, float64
        Its set, ascending, for IN and OUT.
    weight : float64
    names : tuple of str, or None
    attributes, subscriptions : int
    declared : bool
        Whether the number of attributes was given.

    Raises
    ------
    TypeError
        A column does not hold what it should.
    ValueError
        A column is missing, unknown or of another length; an attribute or operator is unknown; a number is missing,
        low > high, a set is empty, a weight is not finite, or a subscription has no predicate.

    Examples
    --------
    >>> wanted = Predicates({"subscription": [0, 0, 1], "attribute": ["price", "year", "price"],
    ...     "operator": ["<", "=", "in"], "high": [30, None, None], "low": [None, 2008, None],
    ...     "set": [None, None, [5, 7]]}, attributes=["price", "year"])
    >>> wanted.low.tolist(), wanted.high.tolist()
    ([-inf, 2008.0, 5.0], [29.999999999999996, 2008.0, 7.0])
    """

    def __init__(
        self,
        columns: Mapping[str, Any],
        attributes: Sequence[str] | int | None = None,
        subscriptions: int | None = None,
    ) -> None:
        given = {name: columns[name] for name in columns}
        _check_names(given)
        self.names, counted = attribute_names(attributes)
        operator = _operators(given["operator"])
        rows = operator.size
        self.attribute = _attributes(given["attribute"], self.names, counted, rows)
        self.declared = counted is not None
        self.attributes = int(self.attribute.max(initial=-1)) + 1 if counted is None else counted
        self.subscription, self.subscriptions = _owners(given.get("subscription"), subscriptions, rows)
        self.weight = _numbers("weight", given.get("weight"), rows, 0.0)
        _refuse(~np.isfinite(self.weight), "weight", self.weight, "must be finite", "give every predicate a number")
        low, high = (_numbers(name, given.get(name), rows, np.nan) for name in ("low", "high"))
        self.low, self.high = _intervals(operator, low, high)
        self._take_sets(operator, given.get("set"))
        self._sort()

    def __len__(self) -> int:
        return self.subscription.size

    def _take_sets(self, operator: Ints, given: Any) -> None:
        """Sets of `!=`, `in` and `not in`, and the intervals of these."""
        offset, value = _sets(given, operator)
        unequal = operator == UNEQUAL
        self.kind = np.where(operator == ONE_OF, IN, np.where(unequal | (operator == NONE_OF), OUT, INTERVAL))
        sizes = np.diff(offset)
        listed = self.kind == IN
        self.low[listed] = value[offset[:-1][listed]]
        self.high[listed] = value[offset[1:][listed] - 1]
        self.kind[listed & (sizes == 1)] = INTERVAL
        sizes[unequal] = 1
        sizes[self.kind == INTERVAL] = 0
        self.offset = np.concatenate(([0], np.cumsum(sizes)))
        self.value = np.empty(self.offset[-1])
        held = np.flatnonzero((self.kind != INTERVAL) & ~unequal)
        _copy_runs(offset, value, held, self.offset, self.value)
        self.value[self.offset[:-1][unequal]] = self.low[unequal]
        everything = self.kind == OUT
        self.low[everything], self.high[everything] = -np.inf, np.inf

    def _sort(self) -> None:
        """Bring the rows into the order of subscriptions."""
        if (np.diff(self.subscription) >= 0).all():
            return
        order = np.argsort(self.subscription, kind="stable")
        sizes = np.diff(self.offset)[order]
        offset = np.concatenate(([0], np.cumsum(sizes)))
        value = np.empty_like(self.value)
        starts = self.offset[:-1][order]
        value[:] = self.value[np.repeat(starts - offset[:-1], sizes) + np.arange(value.size)]
        self.offset, self.value = offset, value
        for name in ("subscription", "attribute", "low", "high", "kind", "weight"):
            setattr(self, name, getattr(self, name)[order])


def _copy_runs(offset: Ints, value: Floats, rows: Ints, starts: Ints, out: Floats) -> None:
    """Copy the runs of some rows to where they start in `out`."""
    sizes = np.diff(offset)[rows]
    within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    out[np.repeat(starts[rows], sizes) + within] = value[np.repeat(offset[rows], sizes) + within]


def attribute_names(attributes: Sequence[str] | int | None) -> tuple[tuple[str, ...] | None, int | None]:
    """Names and number of attributes, as far as they are given."""
    if attributes is None:
        return None, None
    if isinstance(attributes, (int, np.integer)):
        names, count = None, int(attributes)
    else:
        names = tuple(str(name) for name in attributes)
        count = len(names)
        twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
        if twice is not None:
            raise ValueError(f"attributes must have different names, got {twice!r} twice: rename one")
    if not 0 <= count <= MOST_ATTRIBUTES:
        raise ValueError(f"there may be 0 to {MOST_ATTRIBUTES} attributes, got {count}")
    return names, count


def _check_names(given: dict[str, Any]) -> None:
    unknown = sorted(set(given) - set(COLUMNS))
    if unknown:
        raise ValueError(f"unknown column {unknown[0]!r} of predicates: there are {', '.join(COLUMNS)}")
    for name in ("attribute", "operator"):
        if name not in given:
            raise ValueError(f"predicates lack the column {name!r}: give one value for each predicate")


def _refuse(wrong: npt.NDArray[np.bool_], name: str, values: Any, rule: str, remedy: str) -> None:
    """Raise ValueError for the first value that is wrong."""
    if wrong.any():
        i = int(wrong.argmax())
        raise ValueError(f"{name} {rule}, got {values[i]} in predicate {i} ({wrong.sum()} in all): {remedy}")


def _check_rows(name: str, shape: tuple[int, ...], rows: int) -> None:
    if shape != (rows,):
        raise ValueError(f"column {name!r} must have one value for each predicate ({rows}), got shape {shape}")


def _numbers(name: str, given: Any, rows: int, otherwise: float) -> Floats:
    if given is None:
        return np.full(rows, otherwise)
    try:
        array = np.array(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"column {name!r} must hold numbers: {error}") from None
    _check_rows(name, array.shape, rows)
    return array


def _operators(given: Any) -> Ints:
    array = np.asarray(given)
    if array.dtype.kind in "iu":
        _refuse(
            (array < 0) | (array >= len(OPERATORS)),
            "operator",
            array,
            "is unknown",
            f"take 0 to {len(OPERATORS) - 1}",
        )
        return array.astype(np.int64)
    names, which = np.unique(array.astype(str), return_inverse=True)
    unknown = [name for name in names if name not in OPERATORS]
    if unknown and array.size:
        at = np.flatnonzero(array.astype(str) == unknown[0])[0]
        raise ValueError(f"unknown operator {str(unknown[0])!r} in predicate {at}: there are {', '.join(OPERATORS)}")
    return np.array([OPERATORS.index(name) for name in names] if array.size else [], np.int64)[which.ravel()]


def _attributes(given: Any, names: tuple[str, ...] | None, counted: int | None, rows: int) -> Ints:
    array = np.asarray(given)
    _check_rows("attribute", array.shape, rows)
    if array.dtype.kind in "iu" or not array.size:
        numbers = array.astype(np.int64)
        most = MOST_ATTRIBUTES if counted is None else counted
        rule, remedy = f"is unknown (there are {most})", f"take 0 to {most - 1}"
        _refuse((numbers < 0) | (numbers >= most), "attribute", numbers, rule, remedy)
        return numbers
    if array.dtype.kind not in "OSUT":
        raise TypeError(f"column 'attribute' must hold names or integers, got dtype {array.dtype}")
    if names is None:
        raise ValueError(f"attribute {str(array[0])!r} is a name: say which there are with attributes=[...]")
    present, which = np.unique(array.astype(str), return_inverse=True)
    place = {name: i for i, name in enumerate(names)}
    unknown = [name for name in present if name not in place]
    if unknown:
        at = np.flatnonzero(array.astype(str) == unknown[0])[0]
        raise ValueError(f"unknown attribute {str(unknown[0])!r} in predicate {at}: there are {', '.join(names)}")
    return np.array([place[name] for name in present], np.int64)[which.ravel()]


def _owners(given: Any, count: int | None, rows: int) -> tuple[Ints, int]:
    """Subscription of each predicate, and how many there are."""
    if given is None:
        return np.zeros(rows, np.int64), 1 if count is None and rows else count or 0
    array = np.asarray(given)
    _check_rows("subscription", array.shape, rows)
    if array.dtype.kind not in "iu" and rows:
        raise TypeError(f"column 'subscription' must hold integers, got dtype {array.dtype}")
    owners = array.astype(np.int64)
    most = int(owners.max(initial=-1)) + 1 if count is None else count
    _refuse((owners < 0) | (owners >= most), "subscription", owners, f"must be 0 to {most - 1}", "number them from 0")
    if count is None:
        used = np.zeros(most, np.bool_) if most <= rows else np.zeros(rows + 1, np.bool_)
        used[owners[owners < used.size]] = True
        if not used.all():
            raise ValueError(
                f"subscription {int(used.argmin())} has no predicate: number them without gaps, or say how many "
                "there are with subscriptions=n"
            )
    return owners, most


def _intervals(operator: Ints, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Closed intervals of what the operators that compare with numbers say; those of sets follow."""
    upper = (operator == LESS) | (operator == AT_MOST)
    one = operator < BETWEEN
    number = np.where(upper, np.where(np.isnan(high), low, high), np.where(np.isnan(low), high, low))
    names = np.array(OPERATORS)[operator]
    _refuse(one & np.isnan(number), "operator", names, "needs a number", "give it in low or high")
    both = (operator == EQUAL) | (operator == UNEQUAL)
    differ = both & ~np.isnan(low) & ~np.isnan(high) & (low != high)
    _refuse(differ, "operator", names, "takes one number, not two", "leave out high")
    between = operator == BETWEEN
    _refuse(between & (np.isnan(low) | np.isnan(high)), "operator", names, "needs low and high", "give both")
    pairs = np.stack((low, high), axis=1)
    _refuse(between & (low > high), "[low, high]", pairs, "must have low <= high", "swap them")
    lower = np.where(between, low, np.where(upper, -np.inf, number))
    upmost = np.where(between, high, np.where((operator == MORE) | (operator == AT_LEAST), np.inf, number))
    strict_above, strict_below = operator == MORE, operator == LESS
    with np.errstate(over="ignore"):  # next to the largest float is infinity
        lower[strict_above] = np.nextafter(lower[strict_above], np.inf)
        upmost[strict_below] = np.nextafter(upmost[strict_below], -np.inf)
    nothing = (strict_above & (number == np.inf)) | (strict_below & (number == -np.inf))
    lower[nothing], upmost[nothing] = np.inf, -np.inf
    return lower, upmost


def _sets(given: Any, operator: Ints) -> tuple[Ints, Floats]:
    """Where the set of each predicate starts, and the values of all, ascending and distinct in each set."""
    rows, wanted = operator.size, np.flatnonzero(operator >= ONE_OF)
    offset = np.zeros(rows + 1, np.int64)
    if not wanted.size:
        return offset, np.empty(0)
    if given is None:
        raise ValueError(
            f"operator {OPERATORS[operator[wanted[0]]]!r} in predicate {wanted[0]} needs a set: give it in "
            "column 'set'"
        )
    if isinstance(given, tuple) and len(given) == 2 and np.ndim(given[0]) == 1 and len(given[0]) == rows + 1:
        starts, values = np.asarray(given[0], np.int64), np.asarray(given[1], np.float64)
    else:
        if len(given) != rows:
            raise ValueError(f"column 'set' must have one value for each predicate ({rows}), got {len(given)}")
        lists = [np.asarray(() if given[i] is None else given[i]).ravel() for i in wanted.tolist()]
        starts = np.zeros(rows + 1, np.int64)
        starts[wanted + 1] = [one.size for one in lists]
        starts = np.cumsum(starts)
        try:
            values = np.concatenate(lists).astype(np.float64)
        except (TypeError, ValueError) as error:
            raise TypeError(f"column 'set' must hold numbers: {error}") from None
    empty = np.flatnonzero(np.diff(starts)[wanted] == 0)
    if empty.size:
        raise ValueError(
            f"the set of predicate {wanted[empty[0]]} is empty: give it a number, or leave the predicate out"
        )
    sizes = np.where(operator >= ONE_OF, np.diff(starts), 0)
    owner = np.repeat(np.arange(rows), sizes)
    within = np.arange(owner.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    values = values[starts[owner] + within]
    unknown = np.isnan(values)
    if unknown.any():
        raise ValueError(f"a set must not hold NaN, got one in predicate {owner[unknown.argmax()]}: leave it out")
    order = np.lexsort((values, owner))
    values = values[order] + 0.0
    kept = np.ones(values.size, np.bool_)
    kept[1:] = (values[1:] != values[:-1]) | (owner[1:] != owner[:-1])
    offset[1:] = np.cumsum(np.bincount(owner[kept], minlength=rows))
    return offset, values[kept]
