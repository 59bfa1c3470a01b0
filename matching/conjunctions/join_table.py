"""The join table of seed 002: each distinct quantified expression once, with the profiles that need it.

Section 4.2. A join predicate compares an attribute of the new document, or a constant, with one of an old document d:
`left operator d.old`. Under a quantifier stands one of them or a conjunction: for some d all hold, or for all d.

The printed procedure ORs the profiles of the expressions that hold, which accepts a profile with two expressions of
which one is false. Here all profiles pass but those that need an expression that does not hold, so profiles
without joins pass as well. An expression that reads an attribute which the new document lacks does not hold, even
over no documents; otherwise `all` holds over none of them. A document without the attribute `old` is in no document
bit vector, so `all` fails by it.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.conjunctions.documents import Documents, related, write_related
from matching.intervals.bit_vectors import BitVectors
from matching.predicates import OPERATORS
from matching.range_index import Floats, Ints

__all__ = ["ALL_OLD", "CONSTANT", "EXISTS", "QUANTIFIERS", "JoinTable", "Joins", "join_table", "look_up", "take_away"]

QUANTIFIERS = ("exists", "all")
EXISTS, ALL_OLD = range(2)
CONSTANT = -1
"""In the place of an attribute: a term compares with a constant."""
COLUMNS = ("subscription", "expression", "quantifier", "attribute", "operator", "old", "value")
ONE = np.uint64(1)

Words = npt.NDArray[np.uint64]


class Joins:
    """Checked join predicates.

    Parameters
    ----------
    columns
        A mapping or table with the columns `subscription`, `quantifier` ("exists" or "all"), `attribute` (number or
        name of one of the new document, None or -1 for a constant), `operator` (`<`, `<=`, `=`, `!=`, `>=`, `>`),
        `old` (attribute of an old document) and, as needed, `value` (the constant) and `expression`: join predicates
        of a subscription with the same number stand under one quantifier. Without it each stands alone.
    names, attributes
        Names of the attributes, if they have any, and their number.
    subscriptions
        How many there are.

    Raises
    ------
    ValueError
        A column is missing, unknown or of another length, or a value in it is unknown.
    """

    def __init__(
        self, columns: Mapping[str, Any], names: tuple[str, ...] | None, attributes: int, subscriptions: int
    ) -> None:
        given = {name: columns[name] for name in columns}
        unknown = sorted(set(given) - set(COLUMNS))
        if unknown:
            raise ValueError(f"unknown column {unknown[0]!r} of join predicates: there are {', '.join(COLUMNS)}")
        for name in ("subscription", "quantifier", "attribute", "operator", "old"):
            if name not in given:
                raise ValueError(f"join predicates lack the column {name!r}: give one value for each")
        rows = len(given["quantifier"])
        for name, column in given.items():
            if len(column) != rows:
                raise ValueError(
                    f"column {name!r} must have one value for each join predicate ({rows}), got {len(column)}"
                )
        self.quantifier = _places("quantifier", given["quantifier"], QUANTIFIERS)
        self.operator = _places("operator", given["operator"], OPERATORS[:6])
        self.attribute = _attributes("attribute", given["attribute"], names, attributes)
        self.old = _attributes("old", given["old"], names, attributes)
        _refuse(self.old == CONSTANT, "old", self.old, "must be an attribute")
        self.value = np.array(given.get("value", np.zeros(rows)), np.float64)
        constant = self.attribute == CONSTANT
        _refuse(constant & np.isnan(self.value), "value", self.value, "must be a number where there is no attribute")
        self.value = np.where(constant, self.value + 0.0, 0.0)
        self.subscription = np.asarray(given["subscription"]).astype(np.int64)
        wrong = (self.subscription < 0) | (self.subscription >= subscriptions)
        _refuse(wrong, "subscription", self.subscription, f"must be 0 to {subscriptions - 1}")
        self._number(np.asarray(given.get("expression", np.arange(rows))).astype(np.int64))

    def _number(self, expression: Ints) -> None:
        """Number the expressions by subscription, and sort the rows by them."""
        order = np.lexsort((expression, self.subscription))
        for name in ("quantifier", "operator", "attribute", "old", "value", "subscription"):
            setattr(self, name, getattr(self, name)[order])
        expression = expression[order]
        new = np.ones(order.size, np.bool_)
        new[1:] = (np.diff(expression) != 0) | (np.diff(self.subscription) != 0)
        self.expression = np.cumsum(new) - 1
        """Of each row, ascending: all expressions of all subscriptions, 0 to e - 1."""
        first = np.flatnonzero(new)
        mixed = self.quantifier != self.quantifier[first][self.expression] if order.size else np.zeros(0, np.bool_)
        _refuse(mixed, "expression", expression, "must have one quantifier")
        self.owner, self.kind = self.subscription[first], self.quantifier[first]
        """(e,): subscription and quantifier of each expression."""


def _refuse(wrong: npt.NDArray[np.bool_], name: str, values: Any, rule: str) -> None:
    if wrong.any():
        i = int(wrong.argmax())
        raise ValueError(f"{name} {rule}, got {values[i]} in join predicate {i} ({wrong.sum()} in all): mend it")


def _places(name: str, given: Any, known: tuple[str, ...]) -> Ints:
    """Places of names in a tuple of those that are known."""
    array = np.asarray(given).astype(str)
    places = np.full(array.size, -1)
    for place, one in enumerate(known):
        places[array == one] = place
    _refuse(places < 0, name, array, f"must be one of {', '.join(known)}")
    return places


def _attributes(name: str, given: Any, names: tuple[str, ...] | None, attributes: int) -> Ints:
    array = np.array([CONSTANT if one is None else one for one in given], object)
    if names is not None:
        place = {one: i for i, one in enumerate(names)}
        array = np.array([place.get(one, one) for one in array], object)
    numbers = np.array([one if isinstance(one, (int, np.integer)) else -2 for one in array], np.int64)
    known = f"{attributes}" if names is None else ", ".join(names)
    _refuse((numbers < CONSTANT) | (numbers >= attributes), name, array, f"is unknown (there are {known})")
    return numbers


class JoinTable(NamedTuple):
    """Entries: distinct quantified expressions."""

    quantifier: npt.NDArray[np.int64]
    """(entries,): EXISTS or ALL_OLD."""
    offset: npt.NDArray[np.int64]
    """(entries + 1,): where the terms of an entry start."""
    attribute: npt.NDArray[np.int64]
    operator: npt.NDArray[np.int64]
    old: npt.NDArray[np.int64]
    value: npt.NDArray[np.float64]
    """(terms,): `left operator d.old`, left being an attribute, or the value if that is CONSTANT."""
    needing: BitVectors
    """A set per entry: the profile bit vector."""
    needed: npt.NDArray[np.int64]
    """(subscriptions + 1,): where the entries that a subscription needs start."""
    entry: npt.NDArray[np.int64]


def join_table(joins: Joins, subscriptions: int) -> JoinTable:
    """The table of join predicates: O(j log j)."""
    terms = np.stack((joins.attribute, joins.operator, joins.old, joins.value), axis=1)
    distinct, which = np.unique(terms, axis=0, return_inverse=True)
    count = joins.owner.size
    sizes = np.bincount(joins.expression, minlength=count)
    padded = np.full((count, 1 + sizes.max(initial=0)), -1)
    order = np.lexsort((which.ravel(), joins.expression))
    within = np.arange(order.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    padded[:, 0] = joins.kind
    padded[joins.expression[order], 1 + within] = which.ravel()[order]
    entries, entry = np.unique(padded, axis=0, return_inverse=True)
    entry = entry.ravel()
    held = entries[:, 1:]
    lists = held[held >= 0]
    attribute, operator, old = (distinct[lists, field].astype(np.int64) for field in range(3))
    pairs = np.unique(np.stack((entry, joins.owner), axis=1), axis=0)
    return JoinTable(
        entries[:, 0].copy(),  # one kind of array, however many entries
        np.concatenate(([0], np.cumsum((held >= 0).sum(axis=1)))),
        attribute,
        operator,
        old,
        distinct[lists, 3],
        _sets(pairs[:, 0], pairs[:, 1], len(entries)),
        np.searchsorted(joins.owner, np.arange(subscriptions + 1)),
        entry,
    )


def _sets(which: Ints, member: Ints, count: int) -> BitVectors:
    """Sets of members, given by set, then by member."""
    word = member >> 6
    new = np.ones(which.size, np.bool_)
    new[1:] = (np.diff(which) != 0) | (np.diff(word) != 0)
    first = np.flatnonzero(new)
    bits = (
        np.bitwise_or.reduceat(ONE << (member & 63).astype(np.uint64), first)
        if first.size
        else np.empty(0, np.uint64)
    )
    offset = np.searchsorted(which[first], np.arange(count + 1))
    return BitVectors(offset, word[first].astype(np.int32), bits)


@njit
def look_up(table: JoinTable, entry: int, documents: Documents, event: Floats) -> tuple[bool, int]:
    """Whether an entry holds for a new document, and the terms looked up."""
    count = documents.having[-1]
    first, behind = table.offset[entry], table.offset[entry + 1]
    exists = table.quantifier[entry] == EXISTS
    common = np.empty(0, np.uint64)
    for term in range(first, behind):
        attribute = table.attribute[term]
        x = table.value[term] if attribute == CONSTANT else event[attribute]
        if x != x:
            return False, term - first + 1
        low, high, others = related(documents, table.old[term], table.operator[term], x)
        size = documents.having[table.old[term]] - (high - low) if others else high - low
        if (size == 0 and exists) or (size < count and not exists):
            return False, term - first + 1
        if exists and behind - first > 1:
            own = np.empty((count + 63) >> 6, np.uint64)
            write_related(documents, table.old[term], table.operator[term], x, own)
            common = own if term == first else common & own
            if not common.any():
                return False, term - first + 1
    return True, behind - first


@njit
def take_away(table: JoinTable, entries: Ints, documents: Documents, event: Floats, left: Words) -> int:
    """Take the profiles of those entries that do not hold out of a bit vector; the terms looked up."""
    made = 0
    for entry in entries:
        holds, terms = look_up(table, entry, documents, event)
        made += terms
        if not holds:
            for at in range(table.needing.offset[entry], table.needing.offset[entry + 1]):
                left[table.needing.word[at]] &= ~table.needing.bits[at]
    return made
