"""Access predicates: a subscription is tested only by events that satisfy some equalities of it.

`matching.conjunctions.access_schemas` says which, and gives keys for them. Subscriptions with one key form a cluster,
and stand beside each other in memory, so that an event reads a few runs of the intervals, after one look-up for each
schema. Keys are hashes: two access predicates of one key share a cluster, which costs time and nothing else, since
every candidate is tested in full. Subscriptions without an equality are tested by every event.

Those that come later are kept in chains from the key, until there are as many as half of the others, and all are
sorted anew; the same when half of all are gone.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.conjunctions.access_schemas import Schemas, access_keys, chosen_schemas, event_key, find_schemas
from matching.conjunctions.asked import Asked, Checks, held, joined, keep_if_passing, kept_checks, taken, with_checks
from matching.conjunctions.conjunction_index import ConjunctionIndex
from matching.flat_arrays import grown, room_for
from matching.range_index import Floats, Ids, Ints

__all__ = ["AccessPredicates", "Chains", "Clusters"]

GONE = -1
END = -1
RECENT = 1024
"""As many later subscriptions are kept in chains in any case."""

Keys = npt.NDArray[np.uint64]


class Clusters(NamedTuple):
    """The arrays of the subscriptions that were there when they were sorted last, and of those behind them."""

    schemas: Schemas
    directory: npt.NDArray[np.int32]
    """(2^b + 1,): the first cluster whose key has these b bits on top, or more."""
    key: npt.NDArray[np.uint64]
    """(clusters,): ascending."""
    start: npt.NDArray[np.int32]
    """(clusters + 1,): first slot of a cluster."""
    asked: Asked
    """Intervals by slot, those of the access predicate last."""
    id: npt.NDArray[np.int32]
    """(slots,): ids, GONE for one that was deleted."""


class Chains(NamedTuple):
    """Later subscriptions by key: a table of 2^t places, half of them free at least."""

    key: npt.NDArray[np.uint64]
    head: npt.NDArray[np.int32]
    """(2^t,): the newest slot of a key, END if the place is free."""
    next: npt.NDArray[np.int32]
    """(later,): the slot before it in the chain, by slot from the first later one."""


@njit
def _top_bits(directory: Ids) -> int:
    """Bits of a key by which a directory is read."""
    bits = 0
    while len(directory) - 1 > 1 << bits:
        bits += 1
    return bits


@njit
def _cluster(directory: Ids, keys: Keys, bits: int, key: np.uint64) -> int:
    """Cluster of a key, or -1."""
    top = np.int64(key >> np.uint64(64 - bits)) if bits else 0
    at, behind = directory[top], directory[top + 1]
    while at < behind and keys[at] < key:
        at += 1
    return at if at < behind and keys[at] == key else -1


@njit
def _place(heads: Ids, keys: Keys, key: np.uint64) -> int:
    """Place of a key in the table of chains, or a free one."""
    last = len(keys) - 1
    at = np.int64(key & np.uint64(last))
    while heads[at] != END and keys[at] != key:
        at = (at + 1) & last
    return int(at)


@njit
def _chain(chains: Chains, keys: Keys, slot: int) -> None:
    """Put subscriptions before the chains of their keys; they are the later ones from the `slot`-th on."""
    for i in range(len(keys)):
        at = _place(chains.head, chains.key, keys[i])
        chains.next[slot + i] = chains.head[at]
        chains.key[at] = keys[i]
        chains.head[at] = slot + i


@njit
def match_all(clusters: Clusters, chains: Chains, checks: Checks, events: Floats) -> tuple[Ints, Ints, int]:
    """Kernel of `matching.conjunctions.conjunction_index`."""
    code, schema_attribute, _ = clusters.schemas
    directory, cluster_key, start = clusters.directory, clusters.key, clusters.start
    asked, id_of = clusters.asked, clusters.id
    chain_key, head, chain_next = chains
    bits, sorted_slots = _top_bits(directory), start[-1]
    offsets = np.zeros(len(events) + 1, np.int64)
    ids = np.empty(64, np.int64)
    found, made = 0, 0
    for i in range(len(events)):
        event = events[i]
        for schema in range(len(code)):
            has, key = event_key(code, schema_attribute, schema, event)
            made += 1
            if not has:
                continue
            at = _cluster(directory, cluster_key, bits, key)
            slot, behind = (start[at], start[at + 1]) if at >= 0 else (0, 0)
            later = head[_place(head, chain_key, key)]
            while slot < behind or later != END:
                here = slot
                if slot < behind:
                    slot += 1
                else:
                    here = sorted_slots + later
                    later = chain_next[later]
                holds, tests = held(asked, here, event)
                made += tests
                if not holds or id_of[here] == GONE:
                    continue
                if found == len(ids):
                    ids = room_for(ids, found, 1)
                found, tests = keep_if_passing(checks, id_of[here], event, ids, found)
                made += tests
        offsets[i + 1] = found
    return offsets, ids[:found], made


def _sorted(asked: Asked, ids: Ids, attributes: int) -> Clusters:
    """Clusters of subscriptions."""
    schemas = find_schemas(asked, attributes)
    keys = access_keys(schemas, chosen_schemas(schemas, asked), asked)
    order = np.argsort(keys, kind="stable")
    key, start = np.unique(keys[order], return_index=True)
    bits = max(int(key.size).bit_length() - 2, 0)
    tops = (key >> np.uint64(64 - bits)).astype(np.int64) if bits else np.zeros(key.size, np.int64)
    directory = np.searchsorted(tops, np.arange(2**bits + 1)).astype(np.int32)
    starts = np.append(start, ids.size).astype(np.int32)
    return Clusters(schemas, directory, key, starts, taken(asked, order), ids[order])


class AccessPredicates(ConjunctionIndex):
    """All subscriptions that an event matches, from the clusters of the equalities that it satisfies.

    Per event one look-up for each schema, of which there are at most 1,024 and one for each attribute, and a test of
    each candidate: n / v^3 for equalities of v values. Building takes O(p log p) for p predicates, a change amortised
    O(log p); about 18 bytes per predicate and 20 to 35 per subscription.
    """

    arrays: tuple[Clusters, Chains]

    def _build(self, asked: Asked, ids: Ids) -> None:
        clusters = _sorted(asked, ids, self.attributes)
        self.arrays = clusters, _no_chains(16)
        self._sorted_slots = self._used = ids.size
        self._place[clusters.id] = np.arange(ids.size)

    def _match_all(self, events: Floats) -> tuple[Ints, Ints, int]:
        return match_all(*self.arrays, self._checks, events)

    def _add(self, asked: Asked, ids: Ids, sets: Checks) -> None:
        self._checks = with_checks(self._checks, sets)
        clusters, chains = self.arrays
        keys = access_keys(clusters.schemas, chosen_schemas(clusters.schemas, asked), asked)
        later, behind = self._used - self._sorted_slots, self._used + ids.size
        clusters = clusters._replace(
            asked=joined(clusters.asked, self._used, asked), id=grown(clusters.id, self._used, ids)
        )
        self._place[ids] = np.arange(self._used, behind)
        self._used = behind
        if later + ids.size > max(RECENT, self._sorted_slots // 2):
            self.arrays = clusters, chains
            self._sort_anew()
            return
        chains = chains._replace(next=grown(chains.next, later, np.full(ids.size, END, np.int32)))
        if 2 * (later + ids.size) > chains.key.size:
            chains = _wider(chains, 4 * (later + ids.size))
        _chain(chains, keys, later)
        self.arrays = clusters, chains

    def _remove(self, ids: Ints) -> None:
        self.arrays[0].id[self._place[ids]] = GONE
        self._place[ids] = -1
        if 2 * len(self) < self._used:
            self._sort_anew()

    def _sort_anew(self) -> None:
        clusters = self.arrays[0]
        slots = np.flatnonzero(clusters.id[: self._used] != GONE)
        self._checks = kept_checks(self._checks, self._place >= 0)
        self._build(taken(clusters.asked, slots), clusters.id[slots])

    def _check(self) -> None:
        """Raise AssertionError unless every invariant holds: O(n) in interpreted Python."""
        self._check_places()
        clusters, chains = self.arrays
        ids = clusters.id[: self._used]
        slots = np.flatnonzero(ids != GONE)
        assert slots.size == len(self) >= self._used // 2
        assert (self._place[ids[slots]] == slots).all()
        assert (np.diff(clusters.key.astype(object)) > 0).all()
        assert (np.diff(clusters.start) > 0).all()
        assert clusters.start[-1] == self._sorted_slots
        asked = taken(clusters.asked, np.arange(self._used))
        keys = access_keys(clusters.schemas, chosen_schemas(clusters.schemas, asked), asked)
        found: dict[int, set[int]] = {}
        for cluster, key in enumerate(clusters.key.tolist()):
            bits = _top_bits(clusters.directory)
            assert _cluster(clusters.directory, clusters.key, bits, np.uint64(key)) == cluster
            found[key] = set(range(clusters.start[cluster], clusters.start[cluster + 1]))
        for key, later in zip(chains.key.tolist(), chains.head.tolist(), strict=True):
            while later != END:
                found.setdefault(key, set()).add(self._sorted_slots + later)
                later = int(chains.next[later])
        assert sum(map(len, found.values())) == self._used
        assert all(slot in found[key] for slot, key in enumerate(keys.tolist()))


def _no_chains(places: int) -> Chains:
    return Chains(np.zeros(places, np.uint64), np.full(places, END, np.int32), np.empty(0, np.int32))


def _wider(chains: Chains, least: int) -> Chains:
    """The same chains in a table with at least as many places."""
    wider = _no_chains(1 << int(least).bit_length())._replace(next=chains.next)
    for_keys = np.flatnonzero(chains.head != END)
    _move(wider, chains.key[for_keys], chains.head[for_keys])
    return wider


@njit
def _move(chains: Chains, keys: Keys, heads: Ids) -> None:
    for i in range(len(keys)):
        at = _place(chains.head, chains.key, keys[i])
        chains.key[at], chains.head[at] = keys[i], heads[i]
