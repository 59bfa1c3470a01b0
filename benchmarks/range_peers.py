"""Libraries that find the ranges that hold a point, each behind the same calls; `pip install .[peers]` gets them.

All take integer coordinates below 2^30, since some know no others, and all return the caller's own ids.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["PEERS", "Peer", "find_peers"]

Ints = npt.NDArray[np.int64]


class Peer(NamedTuple):
    """How a library is asked."""

    module: str
    build: Callable[[Any, Ints, Ints], Any]
    """(module, l, r) -> index."""
    one: Callable[[Any, Any], Callable[[int], Any]]
    """(module, index) -> a function from a point to ids."""
    many: Callable[[Any, Any], Callable[[Ints], Any]] | None
    """(module, index) -> a function from points to ids, in the form that the library has."""
    ids: Callable[[Any], Any] = list
    """What `one` gives as ids in a row."""
    batch_ids: Callable[[Any], Any] = list
    """What `many` gives as the ids of all points in a row."""
    points: Callable[[Any], Any] = int
    """A point in the form that `one` takes."""
    largest: int = 10**9
    """Most ranges that it is asked to hold."""


def _superintervals(module: Any, l: Ints, r: Ints) -> Any:
    return module.IntervalMap.from_arrays(l.astype(np.int32), r.astype(np.int32), range(len(l)))


def _ints(xs: Ints) -> npt.NDArray[np.int32]:
    return xs.astype(np.int32)


def _geoindex(module: Any, l: Ints, r: Ints) -> Any:
    builder = module.RTreeBuilder(len(l))
    left, right = l.astype(float), r.astype(float)
    builder.add(left, right, left, right)
    return builder.finish()


def _shapely_points(module: Any, l: Ints, r: Ints) -> Any:
    return module.STRtree(module.points(l.astype(float), r.astype(float)))


def _shapely_boxes(module: Any, l: Ints, r: Ints) -> Any:
    return module.STRtree(module.box(l.astype(float), 0.0, r.astype(float), 0.0))


def _rtree(module: Any, l: Ints, r: Ints) -> Any:
    return module.Index(
        (i, (a, 0.0, b, 0.0), None) for i, (a, b) in enumerate(zip(l.tolist(), r.tolist(), strict=True))
    )


def _sorted(module: Any, l: Ints, r: Ints) -> Any:
    order = module.argsort(l)
    return l[order], r[order], order, int((r - l).max(initial=0))


def _sorted_stab(_: Any, index: Any) -> Callable[[int], Any]:
    l, r, order, longest = index

    def stab(x: int) -> Any:
        first, last = l.searchsorted(x - longest), l.searchsorted(x, side="right")
        return order[first:last][r[first:last] >= x]

    return stab


SIDE = float(2**31)

PEERS: dict[str, Peer] = {
    "superintervals search_values": Peer(
        "superintervals",
        _superintervals,
        lambda _, index: lambda x: index.search_values(x, x),
        lambda _, index: lambda xs: index.search_values_batch(_ints(xs), _ints(xs)),
        batch_ids=lambda found: [i for ids in found for i in ids],
    ),
    "ncls": Peer(
        "ncls",
        lambda ncls, l, r: ncls.NCLS(l, r + 1, np.arange(len(l))),
        lambda _, index: lambda x: [hit[2] for hit in index.find_overlap(x, x + 1)],
        lambda _, index: lambda xs: index.all_overlaps_both(xs, xs + 1, np.arange(len(xs))),
        batch_ids=lambda found: found[1],
    ),
    "ailist": Peer(
        "ailist",
        lambda ailist, l, r: ailist.AIList.from_array(l, r + 1, np.arange(len(l))),
        lambda _, index: lambda x: index.intersect_ids(x, x + 1),
        lambda _, index: lambda xs: index.intersect_ids(xs, xs + 1),
        batch_ids=lambda found: found[1],
    ),
    "geoindex-rs": Peer(
        "geoindex_rs.rtree",
        _geoindex,
        lambda geo, index: lambda x: geo.search(index, -SIDE, x, x, SIDE),
        None,
        lambda found: np.asarray(found).tolist(),
    ),
    "shapely points (l, r)": Peer(
        "shapely",
        _shapely_points,
        lambda shapely, index: lambda x: index.query(shapely.box(-SIDE, x, x, SIDE)),
        lambda shapely, index: lambda xs: index.query(shapely.box(-SIDE, xs, xs, SIDE)),
        batch_ids=lambda found: found[1],
    ),
    "shapely boxes": Peer(
        "shapely",
        _shapely_boxes,
        lambda shapely, index: lambda x: index.query(shapely.Point(x, 0.0)),
        lambda shapely, index: lambda xs: index.query(shapely.points(xs, 0.0)),
        batch_ids=lambda found: found[1],
    ),
    "rtree": Peer(
        "rtree.index",
        _rtree,
        lambda _, index: lambda x: list(index.intersection((x, 0.0, x, 0.0))),
        None,
        largest=100_000,
    ),
    "pandas": Peer(
        "pandas",
        lambda pandas, l, r: pandas.IntervalIndex.from_arrays(l, r, closed="both"),
        lambda _, index: lambda x: index.get_indexer_non_unique([x])[0],
        lambda _, index: lambda xs: index.get_indexer_non_unique(xs),
        lambda found: found[found >= 0],
        lambda found: found[0][found[0] >= 0],
    ),
    "intervaltree": Peer(
        "intervaltree",
        lambda module, l, r: module.IntervalTree.from_tuples(
            (a, b + 1, i) for i, (a, b) in enumerate(zip(l.tolist(), r.tolist(), strict=True))
        ),
        lambda _, index: lambda x: [hit.data for hit in index.at(x)],
        None,
        largest=100_000,
    ),
    "numpy, sorted starts and the longest": Peer("numpy", _sorted, _sorted_stab, None),
    "numpy scan": Peer(
        "numpy",
        lambda _, l, r: (l, r),
        lambda numpy, index: lambda x: numpy.flatnonzero((index[0] <= x) & (x <= index[1])),
        None,
    ),
}


def find_peers() -> dict[str, tuple[Peer, Any]]:
    """The peers that are installed, with their modules; a line tells of the others."""
    found, missing = {}, []
    for name, peer in PEERS.items():
        try:
            found[name] = peer, import_module(peer.module)
        except ImportError:
            missing.append(peer.module.partition(".")[0])
    if missing:
        print(f"not installed, left out: {', '.join(dict.fromkeys(missing))}; `pip install .[peers]` gets them")
    return found
