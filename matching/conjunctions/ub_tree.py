"""The UB-tree over transformed subscriptions, with and without coordinates beside the key and grid tables.

Seed 004. Subscriptions are points along the Z-curve (`codes`, `z_order`) in leaves (`ub_leaves`). An event is a box:
the search goes from the first point of the box on the curve to the leaf that may hold it, looks through that leaf,
and goes on from the first point of the box that is not before the next leaf.

Looking through a leaf is most of the work (Section 4.1). Without anything else the Z-address of every point is held
against the box, dimension by dimension in its interleaved bits. `coordinates` keeps coordinates instead of addresses
(Section 4.3 keeps both; an address follows from them, and comparing two needs none), `grids` looks up the cells of a
point in tables filled for the event first (Section 4.2, `grid_tables`).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.conjunctions.asked import Asked, Checks, keep_if_passing, kept_checks, rows_of, with_checks
from matching.conjunctions.codes import (
    Codes,
    Points,
    coded,
    decoded,
    encode_event,
    find_codes,
    merged_checks,
    split_checks,
)
from matching.conjunctions.conjunction_index import Columns, ConjunctionIndex
from matching.conjunctions.grid_tables import CELLS, cells_of, fill_tables, tables_for
from matching.conjunctions.ub_leaves import (
    CAPACITY,
    LEAVES,
    Leaves,
    insert_points,
    loaded,
    read_point,
    remove_points,
    search,
    with_room,
)
from matching.conjunctions.z_order import BITS, Keys, interleaved, next_in_box, words_of, z_less, z_sorted
from matching.flat_arrays import room_for
from matching.predicates import INTERVAL
from matching.range_index import Floats, Ids, Ints

__all__ = ["UBTree", "Work"]

FEWEST = 256
"""As many may come after building in any case, before all is coded anew."""


class Work(NamedTuple):
    """What queries have done so far: the measures of Fig. 8."""

    leaves: int
    """Leaves looked through."""
    points: int
    """Points in these."""
    tested: int
    """Points that were held against the box: those that passed the grid tables."""


@njit
def _masks(dimensions: int) -> Keys:
    """Bits of each dimension in a key, shape (dimensions, words)."""
    masks = np.zeros((dimensions, words_of(dimensions)), np.uint64)
    for j in range(dimensions):
        for level in range(BITS):
            position = (BITS - 1 - level) * dimensions + j
            masks[j, position >> 6] |= np.uint64(1) << np.uint64(63 - (position & 63))
    return masks


@njit
def _key_in_box(key: Keys, low: Keys, high: Keys, masks: Keys) -> tuple[bool, int]:
    """Whether the coordinates in a key lie in a box, starts and ends alternately; and the dimensions tested."""
    for j in range(len(masks)):
        bound = low if j & 1 else high
        for word in range(len(key)):
            own, other = key[word] & masks[j, word], bound[word] & masks[j, word]
            if own != other:
                if (own < other) == (j & 1 == 1):
                    return False, j + 1
                break
    return True, len(masks)


@njit
def match_all(leaves: Leaves, codes: Codes, checks: Checks, events: Floats, work: Ints) -> tuple[Ints, Ints, int]:
    """Kernel of `matching.conjunctions.conjunction_index`; adds leaves, points and tests to `work`."""
    dimensions, tables = leaves.bound.shape[1], leaves.cell.shape[1]
    size, point_of, key_of, cell_of, id_of = leaves.size, leaves.point, leaves.key, leaves.cell, leaves.id
    by_key, masks = len(point_of) == 0, _masks(dimensions)
    corners = np.empty((2, dimensions), np.uint16)
    low, high = corners[0], corners[1]
    corner_keys = interleaved(corners)
    z = np.empty(dimensions, np.uint16)
    grid, met = np.empty((tables, CELLS), np.bool_), np.empty((2, CELLS), np.int32)
    offsets = np.zeros(len(events) + 1, np.int64)
    ids = np.empty(64, np.int64)
    found, made, tested = 0, 0, 0
    for i in range(len(events)):
        encode_event(codes, events[i], low, high)
        if by_key:
            corner_keys[:] = interleaved(corners)
        fill_tables(low, high, grid, met)
        leaf = 0
        while leaf < leaves.state[LEAVES]:
            if leaf > 0 or leaves.state[LEAVES] > 1:
                made += 1
                if not next_in_box(leaves.bound[leaf], low, high, z):
                    break
                if leaf + 1 < leaves.state[LEAVES] and z_less(leaves.bound[leaf + 1], z):
                    leaf = search(leaves, leaf + 1, z, False)
            block = leaves.block[leaf]
            work[0] += 1
            work[1] += size[block]
            made += size[block]
            for entry in range(block * CAPACITY, block * CAPACITY + size[block]):
                meets = True
                for table in range(tables):
                    meets &= grid[table, cell_of[entry, table]]
                if not meets:
                    continue
                tested += 1
                if by_key:
                    inside, tests = _key_in_box(key_of[entry], corner_keys[0], corner_keys[1], masks)
                    made += tests
                    if not inside:
                        continue
                else:
                    j = 0
                    while j < dimensions and point_of[entry, j] <= high[j] and point_of[entry, j + 1] >= low[j + 1]:
                        j += 2
                    made += j + 2
                    if j < dimensions:
                        continue
                if found == len(ids):
                    ids = room_for(ids, found, 1)
                found, tests = keep_if_passing(checks, id_of[entry], events[i], ids, found)
                made += tests
            leaf += 1
        offsets[i + 1] = found
    work[2] += tested
    return offsets, ids[:found], made


class UBTree(ConjunctionIndex):
    """All subscriptions that an event matches, from the leaves of the Z-curve that its box meets.

    Building takes O(p log p) for p predicates, insertion O(log n) amortised; 4 bytes per attribute and subscription
    for coordinates or keys alike, 4 for grid tables and 8 for ids, over leaves that are half to all full.

    Parameters
    ----------
    predicates, attributes
        As of every event index.
    coordinates
        Whether leaves keep coordinates; else Z-addresses.
    grids
        Whether grid tables are asked before a point is tested.
    """

    arrays: tuple[Leaves, Codes]

    def __init__(
        self,
        predicates: Columns | None = None,
        *,
        attributes: Sequence[str] | int | None = None,
        coordinates: bool = True,
        grids: bool = True,
    ) -> None:
        self._coordinates, self._grids = coordinates, grids
        self._work = np.zeros(3, np.int64)
        super().__init__(predicates, attributes=attributes)

    @property
    def work(self) -> Work:
        """What queries have done so far."""
        return Work(*self._work.tolist())

    def _build(self, asked: Asked, ids: Ids) -> None:
        codes = find_codes(asked, self.attributes)
        points, undecided = coded(codes, asked)
        self._checks = merged_checks(self._checks, split_checks(asked, ids, undecided))
        order = z_sorted(points)
        cells = self._cells(points[order])
        self.arrays = loaded(points[order], cells, ids[order], coordinates=self._coordinates), codes
        self._built, self._later = ids.size, 0
        leaves = self.arrays[0]
        entries = _entries(leaves)
        self._place[leaves.id[entries]] = entries

    def _cells(self, points: Points) -> npt.NDArray[np.uint16]:
        return cells_of(points, tables_for(self.attributes) if self._grids else 0)

    def _match_all(self, events: Floats) -> tuple[Ints, Ints, int]:
        return match_all(*self.arrays, self._checks, events, self._work)

    def _add(self, asked: Asked, ids: Ids, sets: Checks) -> None:
        leaves, codes = self.arrays
        points, undecided = coded(codes, asked)
        self._later += ids.size
        self._checks = with_checks(self._checks, merged_checks(sets, split_checks(asked, ids, undecided)))
        cells, done = self._cells(points), 0
        while (done := insert_points(leaves, points, cells, ids, done, self._place)) < ids.size:
            leaves = with_room(leaves)
        self.arrays = leaves, codes
        if self._later > self._built + FEWEST:
            self._code_anew()

    def _remove(self, ids: Ints) -> None:
        remove_points(self.arrays[0], ids, self._place)
        if 2 * len(self) < self._built:
            self._code_anew()

    def _code_anew(self) -> None:
        """Build again, with the ends that there are now as cuts."""
        asked, ids = self._asked()
        checks = kept_checks(self._checks, self._place >= 0)
        self._checks = rows_of(checks, np.flatnonzero(checks.kind != INTERVAL))
        self._build(asked, ids)

    def _asked(self) -> tuple[Asked, Ids]:
        """Intervals of all subscriptions, by id."""
        leaves, codes = self.arrays
        ids = np.flatnonzero(self._place[: self._issued] >= 0).astype(np.int32)
        points = np.empty((ids.size, leaves.bound.shape[1]), np.uint16)
        _read_points(leaves, self._place[ids].astype(np.int64), points)
        asked = decoded(codes, points)
        _put_intervals(asked, ids, self._checks)
        return asked, ids

    def _check(self) -> None:
        """Raise AssertionError unless every invariant holds: O(n) in interpreted Python."""
        self._check_places()
        leaves, _ = self.arrays
        count = int(leaves.state[LEAVES])
        assert sorted(leaves.block[:count].tolist()) == list(range(count))
        assert not leaves.bound[0].any()
        assert leaves.size[:count].sum() == len(self)
        assert (leaves.size <= CAPACITY).all()
        entries = _entries(leaves)
        assert (self._place[leaves.id[entries]] == entries).all()
        points = np.empty((entries.size, leaves.bound.shape[1]), np.uint16)
        _read_points(leaves, entries, points)
        assert (leaves.cell[entries] == self._cells(points)).all()
        leaf_of = np.empty(count, np.int64)
        leaf_of[leaves.block[:count]] = np.arange(count)
        for point, leaf in zip(points, leaf_of[entries // CAPACITY].tolist(), strict=True):
            assert not z_less(point, leaves.bound[leaf])
            assert leaf + 1 == count or not z_less(leaves.bound[leaf + 1], point)


def _entries(leaves: Leaves) -> Ints:
    """Places of all entries."""
    sizes = leaves.size[: leaves.state[LEAVES]].astype(np.int64)
    within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    entries: Ints = np.repeat(np.arange(sizes.size) * CAPACITY, sizes) + within
    return entries


@njit
def _read_points(leaves: Leaves, entries: Ints, points: Points) -> None:
    for i in range(len(entries)):
        read_point(leaves, entries[i], points[i])


@njit
def _put_intervals(asked: Asked, ids: Ids, checks: Checks) -> None:
    """Put the exact intervals of rows in the place of those that codes tell."""
    for row in range(len(checks.owner)):
        slot = int(np.searchsorted(ids, checks.owner[row]))
        if checks.kind[row] != INTERVAL or slot == len(ids) or ids[slot] != checks.owner[row]:
            continue
        for at in range(asked.offset[slot], asked.offset[slot + 1]):
            if asked.attribute[at] == checks.attribute[row]:
                asked.low[at] = checks.value[checks.offset[row]]
                asked.high[at] = checks.value[checks.offset[row] + 1]
