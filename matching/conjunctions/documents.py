"""The document database of seed 002: old documents, and which of them stand in a relation to a value.

Section 4.2 keeps a B-tree per attribute that is augmented with document bit vectors. Here an attribute has the values
of the documents that have it, ascending, with the documents' numbers: those that stand in a relation to a value are
one or two runs of these, found by bisection, and a bit vector is written from the runs where one is needed.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.predicates import AT_LEAST, AT_MOST, LESS, MORE, UNEQUAL
from matching.range_index import Floats

__all__ = ["Documents", "add_document", "empty_documents", "related", "write_related"]

Words = npt.NDArray[np.uint64]
ONE = np.uint64(1)


class Documents(NamedTuple):
    """The arrays of documents, with room for more."""

    value: npt.NDArray[np.float64]
    """(attributes, room): values ascending, as far as documents have the attribute."""
    document: npt.NDArray[np.int32]
    """(attributes, room): whose value it is."""
    having: npt.NDArray[np.int64]
    """(attributes + 1,): how many documents have an attribute; last, how many there are."""


def empty_documents(attributes: int, room: int = 16) -> Documents:
    """No documents over some attributes."""
    shape = (attributes, room)
    return Documents(np.empty(shape), np.empty(shape, np.int32), np.zeros(attributes + 1, np.int64))


@njit
def _add(documents: Documents, event: Floats) -> None:
    attributes = len(event)
    number = documents.having[attributes]
    for a in range(attributes):
        x = event[a]
        if x != x:
            continue
        at = documents.having[a]
        while at > 0 and documents.value[a, at - 1] > x:
            documents.value[a, at] = documents.value[a, at - 1]
            documents.document[a, at] = documents.document[a, at - 1]
            at -= 1
        documents.value[a, at], documents.document[a, at] = x, number
        documents.having[a] += 1
    documents.having[attributes] = number + 1


def add_document(documents: Documents, event: Floats) -> Documents:
    """The documents with one more: O(attributes x documents) moves at worst."""
    count, room = int(documents.having[-1]), documents.value.shape[1]
    if count == room:
        wider = empty_documents(documents.value.shape[0], 2 * room)
        wider.value[:, :room], wider.document[:, :room] = documents.value, documents.document
        documents = wider._replace(having=documents.having)
    _add(documents, event)
    return documents


@njit
def related(documents: Documents, old: int, operator: int, x: float) -> tuple[int, int, bool]:
    """The run [first, behind) of the documents with `x operator value`; of all but the run if the last is true."""
    having = documents.having[old]
    values = documents.value[old, :having]
    if x != x:
        return 0, 0, False
    below = int(np.searchsorted(values, x))
    up_to = int(np.searchsorted(values, x, side="right"))
    if operator == LESS:
        return up_to, having, False
    if operator == AT_MOST:
        return below, having, False
    if operator == AT_LEAST:
        return 0, up_to, False
    if operator == MORE:
        return 0, below, False
    return below, up_to, operator == UNEQUAL


@njit
def write_related(documents: Documents, old: int, operator: int, x: float, out: Words) -> int:
    """Write the document bit vector of `x operator value` to words, document 0 lowest; how many are in it."""
    first, behind, others = related(documents, old, operator, x)
    out[:] = 0
    having = documents.having[old]
    for at in range(having):
        if (first <= at < behind) != others:
            number = documents.document[old, at]
            out[number >> 6] |= ONE << np.uint64(number & 63)
    return having - (behind - first) if others else behind - first
