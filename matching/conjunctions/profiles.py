"""Profiles with constant and join predicates, matched by a new document against the documents that came before.

Seed 002, Sections 4.2 and 4.3. Constant predicates are in an event index, join predicates in a join table
(`join_table`), and old documents in their database (`documents`). Either filter may go first (4.3.1); with constants
first, only the entries that the profiles which are left need are looked up.

**Pre-filtering** (4.3.2). What a profile asks of a new document by constants, and of old ones by joins, implies
intervals for the old ones: with a in [low, high] for the new document,

    a < d.b   implies   d.b > low         a > d.b   implies   d.b < high        a = d.b   implies   low <= d.b <= high

and likewise with equality; with one constant this is Table 2. A constant term says its interval itself, and every
other term that d has the attribute, which is the paper's existence filter. Each expression so becomes a conjunction
over an old document, kept in an event index of its own: a profile survives if each of its `exists` was satisfied by
some document so far and each of its `all` by every one, so over no documents `all` survives, as it holds then.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.conjunctions.access_predicates import AccessPredicates
from matching.conjunctions.asked import asked_of
from matching.conjunctions.documents import add_document, empty_documents
from matching.conjunctions.join_table import CONSTANT, EXISTS, Joins, join_table, take_away
from matching.event_index import Event, EventIndex, checked_event
from matching.predicates import AT_LEAST, AT_MOST, EQUAL, LESS, MORE, UNEQUAL, Predicates
from matching.range_index import Floats, Ints

__all__ = ["Profiles"]

Words = npt.NDArray[np.uint64]
ONE = np.uint64(1)


class Profiles:
    """Profiles over a growing database of documents.

    Parameters
    ----------
    predicates
        Constant predicates; with `subscriptions` for profiles that have none.
    joins
        Columns of join predicates, as `matching.conjunctions.join_table.Joins` takes them.
    make
        The event index for constant predicates and for pre-filtering.
    prefilter
        Whether profiles that the old documents rule out are left out beforehand.

    Examples
    --------
    >>> smith = Predicates({"attribute": ["author"], "operator": ["="], "low": [7]}, attributes=["author", "isbn"])
    >>> new_ones = Profiles(smith, {"subscription": [0], "quantifier": ["all"], "attribute": ["isbn"],
    ...     "operator": ["!="], "old": ["isbn"]})
    >>> new_ones.match({"author": 7, "isbn": 1}).tolist()
    [0]
    >>> new_ones.add({"author": 7, "isbn": 1})
    >>> new_ones.match({"author": 7, "isbn": 1}).tolist(), new_ones.match({"author": 7, "isbn": 2}).tolist()
    ([], [0])
    """

    def __init__(
        self,
        predicates: Predicates,
        joins: Mapping[str, Sequence[Any]],
        *,
        make: Callable[..., EventIndex] = AccessPredicates,
        prefilter: bool = True,
    ) -> None:
        self._names, self._attributes = predicates.names, predicates.attributes
        checked = Joins(joins, predicates.names, predicates.attributes, predicates.subscriptions)
        self.constants = make(predicates)
        self.table = join_table(checked, predicates.subscriptions)
        self.documents = empty_documents(predicates.attributes)
        self._terms = 0
        self._owner, self._exists = checked.owner, checked.kind == EXISTS
        self._implied = make(_implied(checked, predicates)) if prefilter else None
        self._satisfied = np.zeros(checked.owner.size, np.bool_)
        self._refuted = np.zeros(checked.owner.size, np.bool_)

    def __len__(self) -> int:
        return len(self.constants)

    @property
    def evaluations(self) -> int:
        """Evaluations of the event index, and terms looked up among documents, in all matches so far."""
        return self.constants.evaluations + self._terms

    def add(self, document: Event) -> None:
        """Put a document into the database: O(attributes x documents) moves, and one pass of the pre-filter."""
        row = checked_event(document, self._attributes, self._names)[0]
        self.documents = add_document(self.documents, row)
        if self._implied is not None:
            held = np.zeros(self._owner.size, np.bool_)
            held[self._implied.match(row)] = True
            self._satisfied |= held
            self._refuted |= ~held

    def surviving(self) -> Words:
        """The pre-filter bit vector: who can still match a new document, profile 0 lowest."""
        left = np.zeros(len(self), np.bool_)
        left[:] = True
        if self._implied is not None:
            out = np.where(self._exists, ~self._satisfied, self._refuted)
            left[self._owner[out]] = False
        packed = np.packbits(left, bitorder="little")
        return np.frombuffer(packed.tobytes().ljust(-(-len(self) // 64) * 8, b"\0"), np.uint64).copy()

    def match(self, document: Event, *, first: str = "constants") -> Ints:
        """Ids of the profiles that a new document matches, best first.

        Parameters
        ----------
        document
            The new one; it is not put into the database.
        first
            Which filter goes first: `constants` or `joins`.
        """
        if first not in ("constants", "joins"):
            raise ValueError(f"first must be constants or joins, got {first!r}")
        row = checked_event(document, self._attributes, self._names)
        left = self.surviving()
        if first == "joins":
            entries = np.arange(self.table.quantifier.size)
            self._terms += take_away(self.table, entries, self.documents, row[0], left)
            return _members(self.constants.match(row[0]), left)
        ids = _members(self.constants.match(row[0]), left)
        sizes = np.diff(self.table.needed)[ids]
        places = np.repeat(self.table.needed[ids] - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
        self._terms += take_away(self.table, np.unique(self.table.entry[places]), self.documents, row[0], left)
        return _members(ids, left)


@njit
def _members(ids: Ints, left: Words) -> Ints:
    """Those ids that are in a bit vector, in their order."""
    kept = np.empty(len(ids), np.int64)
    found = np.int64(0)
    for i in ids:
        kept[found] = i
        found += np.int64((left[i >> 6] >> np.uint64(i & 63)) & ONE)
    return kept[:found]


def _implied(joins: Joins, predicates: Predicates) -> Predicates:
    """What every expression implies of an old document, expressions in the place of subscriptions."""
    low, high = _constant_bounds(joins, predicates)
    operator = joins.operator
    rising, falling = (operator == LESS) | (operator == AT_MOST), (operator == AT_LEAST) | (operator == MORE)
    free = operator == UNEQUAL
    lowest = np.where(rising | (operator == EQUAL), low, -np.inf)
    highest = np.where(falling | (operator == EQUAL), high, np.inf)
    with np.errstate(over="ignore"):  # next to the largest float is infinity
        lowest[operator == LESS] = np.nextafter(lowest[operator == LESS], np.inf)
        highest[operator == MORE] = np.nextafter(highest[operator == MORE], -np.inf)
    lowest[free], highest[free] = -np.inf, np.inf
    # Bounds that nothing satisfies are said by two predicates: between refuses them.
    columns = {
        "subscription": np.repeat(joins.expression, 2),
        "attribute": np.repeat(joins.old, 2),
        "operator": np.tile(np.array([AT_LEAST, AT_MOST]), operator.size),
        "low": np.stack((lowest, highest), axis=1).ravel(),
    }
    return Predicates(
        columns, predicates.attributes if predicates.names is None else predicates.names, joins.owner.size
    )


def _constant_bounds(joins: Joins, predicates: Predicates) -> tuple[Floats, Floats]:
    """The interval of the left side of each join predicate, by the constants of its subscription."""
    asked = asked_of(predicates)
    owner = np.repeat(np.arange(predicates.subscriptions), np.diff(asked.offset))
    keys = owner * (predicates.attributes + 1) + asked.attribute
    wanted = joins.subscription * (predicates.attributes + 1) + joins.attribute
    at = np.searchsorted(keys, wanted)
    known = at < keys.size
    known[known] = keys[at[known]] == wanted[known]
    known &= joins.attribute != CONSTANT
    low, high = np.full(wanted.size, -np.inf), np.full(wanted.size, np.inf)
    low[known], high[known] = asked.low[at[known]], asked.high[at[known]]
    constant = joins.attribute == CONSTANT
    low[constant] = high[constant] = joins.value[constant]
    return low, high
