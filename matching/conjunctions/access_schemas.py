"""Access predicates: which equalities of a subscription an event has to satisfy before the subscription is looked at.

F. Fabret et al., SIGMOD 2001 (seed 004, reference [10] and Section 5). The access predicate of a subscription is a
conjunction of up to three of its equalities; the attributes of these are its *schema*. An event looks up one list of
subscriptions for each schema, by the values that it has there. Attributes are preferred that have many values, by
powers of two, and among these the ones that most subscriptions ask for, so that there are few schemas; one of few
subscriptions gives up its last attribute.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.conjunctions.asked import Asked
from matching.range_index import Floats, Ids, Ints

__all__ = ["ANY", "Schemas", "access_keys", "chosen_schemas", "event_key", "find_schemas", "preferences"]

MOST = 3
"""Equalities in an access predicate."""
FEWEST = 64
SHARE = 512
"""A schema of two or three attributes has at least FEWEST subscriptions, and one in SHARE of all."""
ANY = 0
"""Code of the schema without attributes."""

ONE_ATTRIBUTE, TWO_ATTRIBUTES = 2**16 - 1, 2**32 - 1

Keys = npt.NDArray[np.uint64]

START, SHIFT_A, SHIFT_B, SHIFT_C = np.uint64(0x9E3779B97F4A7C15), np.uint64(30), np.uint64(27), np.uint64(31)
TIMES_A, TIMES_B = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


class Schemas(NamedTuple):
    """Schemas in use."""

    code: npt.NDArray[np.int64]
    """(schemas,): ascending; 16 bits for each attribute, one more than its rank by preference, the first lowest."""
    attribute: npt.NDArray[np.int32]
    """(schemas, MOST): attributes in that order, -1 behind the last."""
    rank: npt.NDArray[np.int32]
    """(attributes,): place of an attribute in the order of preference."""


def preferences(asked: Asked, attributes: int) -> npt.NDArray[np.int32]:
    """Rank of each attribute: most values first, by powers of two, then most equalities, then number; O(p log p)."""
    equal = np.flatnonzero(asked.low == asked.high)
    used = asked.attribute[equal]
    counts = np.bincount(used, minlength=attributes)
    order = np.lexsort((asked.low[equal], used))
    value, of = asked.low[equal][order], used[order]
    first = np.ones(of.size, np.bool_)
    first[1:] = (of[1:] != of[:-1]) | (value[1:] != value[:-1])
    distinct = np.bincount(of[first], minlength=attributes)
    powers = np.round(np.log2(np.maximum(distinct, 1)))
    rank = np.empty(attributes, np.int32)
    rank[np.lexsort((np.arange(attributes), -counts, -powers))] = np.arange(attributes)
    return rank


@njit
def _best_codes(asked: Asked, rank: Ids) -> Ints:
    """Code of the schema of the most preferred equalities of each subscription."""
    n = len(asked.offset) - 1
    codes = np.zeros(n, np.int64)
    for i in range(n):
        a, b, c = 2**16 - 1, 2**16 - 1, 2**16 - 1
        for at in range(asked.offset[i], asked.offset[i + 1]):
            if asked.low[at] == asked.high[at]:
                place = rank[asked.attribute[at]]
                if place < a:
                    a, b, c = place, a, b
                elif place < b:
                    b, c = place, b
                elif place < c:
                    c = place
        none = 2**16 - 1
        codes[i] = (0 if a == none else a + 1) | (0 if b == none else b + 1) << 16 | (0 if c == none else c + 1) << 32
    return codes


def find_schemas(asked: Asked, attributes: int) -> Schemas:
    """Schemas for subscriptions: O(p log p) for p predicates."""
    rank = preferences(asked, attributes)
    codes = _best_codes(asked, rank)
    fewest = max(FEWEST, codes.size // SHARE)
    for shorter in (TWO_ATTRIBUTES, ONE_ATTRIBUTE):
        _, which, counts = np.unique(codes, return_inverse=True, return_counts=True)
        rare = (counts[which] < fewest) & (codes > shorter)
        codes[rare] &= shorter
    code = np.unique(np.append(codes, ANY))
    places = np.stack([(code >> (16 * place) & ONE_ATTRIBUTE) - 1 for place in range(MOST)], axis=1)
    of_rank = np.append(np.argsort(rank), -1)
    return Schemas(code, of_rank[places].astype(np.int32), rank)


@njit
def _schema(code: Ints, wanted: int) -> int:
    """Number of a schema, or -1."""
    at = int(np.searchsorted(code, wanted))
    return at if at < len(code) and code[at] == wanted else -1


@njit
def chosen_schemas(schemas: Schemas, asked: Asked) -> Ints:
    """Number of the schema of each subscription: of the longest beginning of its best one that is in use."""
    codes = _best_codes(asked, schemas.rank)
    out = np.empty(len(codes), np.int64)
    for i in range(len(codes)):
        at = _schema(schemas.code, codes[i])
        if at < 0:
            at = _schema(schemas.code, codes[i] & TWO_ATTRIBUTES)
        if at < 0:
            at = _schema(schemas.code, codes[i] & ONE_ATTRIBUTE)
        out[i] = at if at >= 0 else 0
    return out


@njit
def _mixed(key: np.uint64, word: np.uint64) -> np.uint64:
    """The next state of a hash: Steele, Lea and Flood's SplitMix64."""
    key = (key ^ word) + START
    key = (key ^ (key >> SHIFT_A)) * TIMES_A
    key = (key ^ (key >> SHIFT_B)) * TIMES_B
    return key ^ (key >> SHIFT_C)


@njit
def event_key(code: Ints, attributes: Ids, schema: int, event: Floats) -> tuple[bool, np.uint64]:
    """Whether an event has the attributes of a schema, and its key there; -0 is 0."""
    key = _mixed(START, np.uint64(code[schema]))
    for place in range(MOST):
        attribute = attributes[schema, place]
        if attribute < 0:
            break
        x = event[attribute]
        if x != x:
            return False, key
        key = _mixed(key, np.float64(x + 0.0).view(np.uint64))
    return True, key


@njit
def access_keys(schemas: Schemas, schema: Ints, asked: Asked) -> Keys:
    """Key of the access predicate of each subscription; its equalities are moved behind the other intervals."""
    keys = np.empty(len(schema), np.uint64)
    for i in range(len(schema)):
        key = _mixed(START, np.uint64(schemas.code[schema[i]]))
        behind = asked.offset[i + 1]
        for place in range(MOST):
            attribute = schemas.attribute[schema[i], place]
            if attribute < 0:
                break
            at = asked.offset[i]
            while asked.attribute[at] != attribute:
                at += 1
            key = _mixed(key, np.float64(asked.low[at] + 0.0).view(np.uint64))
            behind -= 1
            # What has been moved already is not met again: attributes of a subscription are distinct.
            asked.attribute[at], asked.attribute[behind] = asked.attribute[behind], asked.attribute[at]
            asked.low[at], asked.low[behind] = asked.low[behind], asked.low[at]
            asked.high[at], asked.high[behind] = asked.high[behind], asked.high[at]
        keys[i] = key
    return keys
