"""Paint-Batch: one round of messages for a batch of y-updates, of which only the outcome matters (Section IV-A).

Events about one object are coalesced into one. E_down are the objects whose y falls (their rank rises), E_up those
whose y grows; IR_0, IR_1 are influence regions before and after the whole batch. The exact variant sends, in this
order,

1. each object i of E_up to IR_0(i) ∪ IR_1(i), in descending order of the new (y, id);
2. each object h that the batch does not update to IR_1(h) - IR_0(h), if that is not empty;
3. each object i of E_down to IR_1(i).

**It is exact.** Say that S shows the value of an object that its list holds. A shown value is the final one, except
that an object of E_down may be shown too high, and one of E_up too low until step 1 comes to it (it is sent to all
that hold it). Suppose a message about i makes m leave the list of S although m belongs to its final k. Then k objects
are shown below m, and since fewer than k finally are, some j of them is shown too low: i is of step 1, and j in E_up
with a new value between those of m and, by the order, i. So i is shown above m and is not one of the k: the list
would have held k + 2. Hence m itself was shown too high; it is in E_down, and step 3 brings it back. So every member
of the final list is there at the end: unchanged ones were held or come in step 2, those of E_up come in step 1, those
of E_down in step 3, and none leaves after its last message. If the range has fewer than k objects, those deleted left
in step 1.

**No message is spare.** Regions of one object do not overlap, so S hears of an object once: in step 1 of one it held
and that changed or that enters its list, in step 2 and 3 of one that is in its final list, and of an unchanged one
only if it did not hold it.

**With epsilon** tiles are grouped as in `paint.staircase`, and more are told than need be. Lists are still exact:
what is told in vain has its final value, and the argument above does not ask why S was told. No object is told twice,
as boxes of one object do not overlap.

**Which objects step 2 is about.** With E_down applied, E_up is swept as in Paint-Dense, in that order. An unchanged
object has its region shrunk by E_down and grown by E_up, so each one with IR_1(h) not in IR_0(h) is exposed by a
sweep. After its own sweep the region of i is IR_1(i): those that follow have a smaller new y, so they stay below i or
above as they were. IR_0(h) is wanted only when all of this is known: the updates are undone and done again, O(log n)
each.

**The printed variant** sends i of E_up to IR_pre(i) ∪ IR_1(i), IR_pre the region after E_down but before E_up, and
the tiles of each sweep for its exposed objects. An object of E_up that E_down pushes out of S's list only for a time
is outside of IR_pre: S keeps the stale value, and may end with a wrong list. It also repeats unchanged objects that S
holds but that were pushed out for a time, against Theorem 6.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit
from matching.flat_arrays import room_for
from paint.algorithm import FIRST_K, MIN_Y, Plan, Rows
from paint.geometry import ALL, START, exposed_tiles, influence_tiles
from paint.index import first_k, next_exposed, open_sweep, update
from paint.messages import EXPOSED, UPDATE, reserve, stamp
from paint.staircase import Columns, cut, gain_boxes, gain_tiles, make_columns, union_tiles
from paint.sweep import EAST, WEST, Sweep, expose, influence_interval, make_sweep

__all__ = [
    "VARIANTS",
    "all_lists",
    "coalesce",
    "first_lists",
    "paint_batch",
    "sweep_next",
    "sweep_open",
    "tell_fallen",
    "tell_gains",
    "tell_union",
]

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]

VARIANTS = ("exact", "printed", "coalesce", "online")


class Batch(NamedTuple):
    """Distinct objects and their new y, in descending order of (y, id): E_down, then E_up."""

    fallen: Ids
    fallen_y: Floats
    risen: Ids
    risen_y: Floats


class Lists(NamedTuple):
    """West and east lists of e objects at one time: x values, shape (e, 2, k), and lengths, shape (e, 2)."""

    xs: Floats
    counts: Ids


def coalesce(ids: Ids, ys: Floats, y: Floats) -> tuple[Ids, Floats]:
    """Keep the last event of each object, in the order of the stream, if it changes the y it has. O(e log e)."""
    _, back = np.unique(ids[::-1], return_index=True)
    last = np.sort(len(ids) - 1 - back)
    ids, ys = ids[last], ys[last]
    changed = ys != y[ids]
    return ids[changed], ys[changed]


def paint_batch(arrays: Any, plan: Plan, ids: Ids, ys: Floats, *, printed: bool) -> Rows:
    """Apply coalesced events to the index and give back their messages.

    Parameters
    ----------
    arrays : NamedTuple
        The arrays of an object index.
    ids, ys : arrays of e values
        Distinct objects and their new y; +inf for one to be deleted, which is left in the index with that y.
    printed : bool
        Whether to follow the paper to the letter instead of the exact variant.

    Returns
    -------
    float64 array of shape (messages, 8)
        O(e log e + (e + v)(t(n) + k)) when the sweeps expose v objects, and n bytes to tell the updated ones.
    """
    order = np.lexsort((ids, ys))[::-1]
    ids, ys = ids[order], ys[order]
    up = ys > arrays.y[ids]
    batch = Batch(ids[~up], ys[~up], ids[up], ys[up])
    kernel = _printed if printed else _exact
    return kernel(arrays, make_sweep(plan.k), make_columns(plan.k), plan, batch)


@njit
def first_lists(arrays: Any, plan: Plan, sweep: Sweep, i: int, y: float, xs: Floats, counts: Ids) -> None:
    """Write the x of the lists of object i at y to xs, row WEST and EAST, and their lengths to counts."""
    for side in (WEST, EAST):
        counts[side] = first_k(arrays, i, y, side == WEST, plan.k, sweep.ids[side])
        for at in range(counts[side]):
            xs[side, at] = arrays.x[sweep.ids[side, at]]
    plan.costs[FIRST_K] += 2


@njit
def all_lists(arrays: Any, plan: Plan, sweep: Sweep, ids: Ids) -> Lists:
    """Lists of each object at the y it has. O(t(n) + k) each."""
    lists = Lists(np.empty((len(ids), 2, plan.k)), np.empty((len(ids), 2), np.int64))
    for e in range(len(ids)):
        first_lists(arrays, plan, sweep, ids[e], arrays.y[ids[e]], lists.xs[e], lists.counts[e])
    return lists


@njit
def tell_union(
    arrays: Any,
    plan: Plan,
    columns: Columns,
    i: int,
    y: float,
    xs: Floats,
    counts: Ids,
    sweep: Sweep,
    out: Rows,
    row: int,
) -> tuple[Rows, int]:
    """Tell the region of lists xs, and that of the lists of the sweep unless object i is deleted, of i at y."""
    x, k = arrays.x[i], plan.k
    out = reserve(out, row, 2 * k + 1)
    if y < np.inf:
        steps = cut(x, xs, counts, sweep.xs, sweep.counts, k, columns)
        end = union_tiles(x, steps, columns, plan.cut, k, out, row)
    else:
        end = influence_tiles(x, xs, counts, k, plan.cut, ALL, out, row)
    stamp(out, row, end, x, plan.sign * y, i, UPDATE)
    return out, end


@njit
def tell_fallen(arrays: Any, plan: Plan, sweep: Sweep, fallen: Ids, out: Rows, row: int) -> tuple[Rows, int]:
    """Tell IR(i) of each object of E_down."""
    k = plan.k
    for i in fallen:
        x, y = arrays.x[i], arrays.y[i]
        first_lists(arrays, plan, sweep, i, y, sweep.xs, sweep.counts)
        out = reserve(out, row, k)
        end = influence_tiles(x, sweep.xs, sweep.counts, k, plan.cut, ALL, out, row)
        stamp(out, row, end, x, plan.sign * y, i, UPDATE)
        row = end
    return out, row


@njit
def _update_all(arrays: Any, ids: Ids, ys: Floats) -> None:
    """Give each object a new y, and leave the one it had in ys."""
    for e in range(len(ids)):
        old = arrays.y[ids[e]]
        update(arrays, ids[e], ys[e])
        ys[e] = old


@njit
def _marks(arrays: Any, fallen: Ids, risen: Ids) -> NDArray[np.bool_]:
    """Flags by object id, set for those that the batch updates."""
    marks = np.zeros(len(arrays.x), np.bool_)
    for i in fallen:
        marks[i] = True
    for i in risen:
        marks[i] = True
    return marks


@njit
def sweep_open(arrays: Any, plan: Plan, sweep: Sweep, i: int, y: float) -> None:
    """Start the sweep of object i up to y; two first_k calls."""
    open_sweep(arrays, sweep, i, y, plan.k)
    plan.costs[FIRST_K] += 2


@njit
def sweep_next(arrays: Any, plan: Plan, sweep: Sweep) -> int:
    """Find the next exposed object of a sweep, or -1; one min_y call."""
    left, right = influence_interval(sweep, plan.k)
    plan.costs[MIN_Y] += 1
    return next_exposed(arrays, sweep, left, right)


@njit
def _exact(arrays: Any, sweep: Sweep, columns: Columns, plan: Plan, batch: Batch) -> Rows:
    """Run the exact variant; the messages."""
    fallen, fallen_y, risen, risen_y = batch
    k = plan.k
    out = np.empty((1024 + k * (len(fallen) + 2 * len(risen)), 8))
    row = START
    before = all_lists(arrays, plan, sweep, risen)
    known = _marks(arrays, fallen, risen)
    exposed = np.empty(1024, np.int64)
    count = 0
    _update_all(arrays, fallen, fallen_y)
    for e in range(len(risen)):
        i = risen[e]
        x = arrays.x[i]
        sweep_open(arrays, plan, sweep, i, risen_y[e])
        while True:
            h = sweep_next(arrays, plan, sweep)
            if h < 0:
                break
            # With fewer than k others in sight every list that h is in range of has room, and has it.
            if not known[h] and sweep.counts[WEST] + sweep.counts[EAST] >= k - 1:
                known[h] = True
                exposed = room_for(exposed, count, 1)
                exposed[count] = h
                count += 1
            expose(sweep, h, arrays.x[h], x, k)
        out, row = tell_union(arrays, plan, columns, i, risen_y[e], before.xs[e], before.counts[e], sweep, out, row)
        _update_all(arrays, risen[e : e + 1], risen_y[e : e + 1])
    exposed = exposed[:count]
    after = all_lists(arrays, plan, sweep, exposed)
    if count > 0:
        _update_all(arrays, fallen, fallen_y)
        _update_all(arrays, risen, risen_y)
        out, row = tell_gains(arrays, plan, sweep, columns, exposed, after, out, row)
        _update_all(arrays, fallen, fallen_y)
        _update_all(arrays, risen, risen_y)
    out, row = tell_fallen(arrays, plan, sweep, fallen, out, row)
    return out[:row]


@njit
def tell_gains(
    arrays: Any, plan: Plan, sweep: Sweep, columns: Columns, exposed: Ids, after: Lists, out: Rows, row: int
) -> tuple[Rows, int]:
    """Tell what unchanged objects gain from their lists in the index to those in `after`."""
    k = plan.k
    for e in range(len(exposed)):
        h = exposed[e]
        x, y = arrays.x[h], arrays.y[h]
        first_lists(arrays, plan, sweep, h, y, sweep.xs, sweep.counts)
        out = reserve(out, row, 6 * k + 3)
        steps = cut(x, sweep.xs, sweep.counts, after.xs[e], after.counts[e], k, columns)
        end = gain_tiles(steps, columns, out, row)
        if plan.cut.groups > 0:
            boxes = gain_boxes(steps, columns, plan.cut, k, out, end)
            if boxes - end < end - row:
                out[row : row + boxes - end] = out[end:boxes]
                end = row + boxes - end
        stamp(out, row, end, x, plan.sign * y, h, EXPOSED)
        row = end
    return out, row


@njit
def _printed(arrays: Any, sweep: Sweep, columns: Columns, plan: Plan, batch: Batch) -> Rows:
    """Run the four steps as printed; the messages.

    An object of E_up whose messages no sweep has discarded still has its region IR_pre, which contains IR_new, so
    IR_new ∪ IR_pre is what the paper sends in either case.
    """
    fallen, fallen_y, risen, risen_y = batch
    k = plan.k
    out = np.empty((1024 + k * (len(fallen) + 2 * len(risen)), 8))
    row = START
    updated = _marks(arrays, fallen, risen)
    _update_all(arrays, fallen, fallen_y)
    before = all_lists(arrays, plan, sweep, risen)
    for e in range(len(risen)):
        i, y = risen[e], risen_y[e]
        x = arrays.x[i]
        first_lists(arrays, plan, sweep, i, y, sweep.xs, sweep.counts)
        out, row = tell_union(arrays, plan, columns, i, y, before.xs[e], before.counts[e], sweep, out, row)
        sweep_open(arrays, plan, sweep, i, y)
        while True:
            h = sweep_next(arrays, plan, sweep)
            if h < 0:
                break
            x_h = arrays.x[h]
            if not updated[h]:
                out = reserve(out, row, k)
                end = exposed_tiles(x_h, x, sweep.xs, sweep.counts, k, plan.cut, ALL, out, row)
                stamp(out, row, end, x_h, plan.sign * arrays.y[h], h, EXPOSED)
                row = end
            expose(sweep, h, x_h, x, k)
        _update_all(arrays, risen[e : e + 1], risen_y[e : e + 1])
    out, row = tell_fallen(arrays, plan, sweep, fallen, out, row)
    return out[:row]
