"""The server: takes events, keeps the objects, gives back the messages.

Every argument is checked before anything changes, so an event that is refused leaves the server as it was; this
holds for a whole stream given to `replay`. The work is done by one algorithm over one object index, each an entry
of a table.
"""

import math
from collections.abc import Iterable
from typing import Any, SupportsFloat, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from floor.errors import RangecastError
from matching import SubscriptionIndex
from matching.side_index import SideIndex
from paint.algorithm import (
    COUNTERS,
    EMPTY,
    FIRST_K,
    MIN_X2,
    MIN_Y,
    MIN_Y_APART,
    SNAP,
    SNAP_APART,
    Batching,
    Outlining,
    Plan,
    Rows,
)
from paint.arguments import choice, columns, cut_of, integer, list_length, number, numbers, same_length
from paint.batch import VARIANTS, coalesce
from paint.event_arguments import Held, known_object, known_stream, known_window
from paint.messages import MESSAGE, Messages
from paint.spaces import ALGORITHMS, space_of

__all__ = ["ALGORITHMS", "Server"]


class Server:
    """Objects under events, and the messages that keep every range top-k subscription right.

    Parameters
    ----------
    x, y : array_like of n numbers
        Finite values of the objects 0 to n - 1; the k smallest y in a range rank first. Ties are ordered by id. Over
        d attributes x has the shape (n, d).
    k : int
        Length of the lists, at least 1; it may be larger than n.
    algorithm : {"dense", "relax", "sparse", "unicast", "unicast-tiles", "sparse-tiles"}
        Paint-Dense (Section III-A), CN-Relax (Section V), Paint-Sparse (Section III-B), or Unicast (Section V), which
        finds the affected subscriptions among candidates or, over one attribute, through Paint-Dense's tiles
        (footnote 8). Over several there is "sparse-tiles" too, which snaps tile by tile, as Appendix D does. All but
        the first two know the subscriptions and take `subscribe`; dense and sparse have Paint-Batch, so only they
        take `window` and the first two variants of `batch`. Unicast's rows are of type `paint.UNICAST`, explained in
        `paint.unicast`; all others' are of type `paint.MESSAGE`, explained in `paint.messages`.
    index : {"tournament", "kd", "range", "intervals"}, optional
        The object index; all send the same, the first is the fastest and the one when it is left out. Over several
        attributes there is "kd", and in 1.5 dimensions beside it "intervals", the search of Appendix D.
    epsilon : float in (0, 1], optional
        Approximate version (Section IV-B): neighbouring tiles are sent as one box, so that subscriptions also
        receive, and ignore, some objects ranked within (1 + epsilon)k.
    cut : {"levels", "tiles", "strips"}, optional
        With epsilon, whether the k levels are cut into ceil(1 / epsilon) groups, as when it is left out, or the tiles
        there are into sublists of ceil(epsilon k): fewer messages, more redundancy. "strips", in one dimension, are
        levels whose boxes also span what ties make empty, but in windows (see `paint.geometry`).
    subscriptions : array_like of shape (m, 2) or matching.SubscriptionIndex, optional
        Ends [l, r] of the first subscriptions, for algorithms that know them; they need it, be it empty. Over several
        attributes rows of all ends, l1, r1, l2, ..., or a `matching.side_index.SideIndex` of points.
    sketch : int, optional
        Let Paint-Sparse work from a cover of the subscriptions by so many rectangles: more messages, less memory.
    descending : bool
        Whether the largest y ranks first. Messages carry the y as given; an object that is deleted has y = -inf then.
    dimensions : {1, 1.5, 2, 2.5, 3}
        Ranges over one attribute, or boxes over several (Section IV-C); .5 is a last attribute with an upper bound
        only. Places are then arrays of d numbers and messages have vector fields (`paint.messages`); `paint.slabs`
        and the modules it names tell how it is done.
    shape : {"boxes", "halfspaces", "disks"}
        What subscriptions are. Halfspaces over 2 or 3 attributes have rows (a_1, ..., a_d), which hold x if
        x_d >= a_1 x_1 + ... + a_d; disks over 2 have rows (a, b, radius). Messages are boxes of their points
        (`paint.shapes`). There are relax, sparse and unicast for them, and the object index "ranked".

    Examples
    --------
    >>> import paint
    >>> server = paint.Server([1.0, 2.0, 3.0], [5.0, 6.0, 7.0], k=1)
    >>> server.update(2, 4.0).table[["l_in", "r_in", "l_out", "r_out", "object"]].tolist()
    [(3.0, 3.0, -inf, inf, 2)]
    >>> server.delete(2).table[["object", "cause"]].tolist()
    [(2, 0), (0, 1), (1, 1)]
    """

    def __init__(
        self,
        x: ArrayLike,
        y: ArrayLike,
        *,
        k: int,
        algorithm: str = "dense",
        index: str | None = None,
        epsilon: float | None = None,
        cut: str | None = None,
        subscriptions: ArrayLike | SubscriptionIndex | SideIndex | None = None,
        sketch: int | None = None,
        descending: bool = False,
        dimensions: float = 1,
        shape: str = "boxes",
    ) -> None:
        self._space = space = space_of(dimensions, shape)
        xs, ys = space.places(x), numbers("y", y)
        same_length("x", xs, "y", ys)
        k = list_length(k)
        settings = {"epsilon": epsilon, "cut": cut, "subscriptions": subscriptions, "sketch": sketch}
        for name, why in space.refused.items():
            if name == algorithm or settings.get(name) is not None:
                raise ValueError(why)
        where = "" if dimensions == 1 else f" in {dimensions:g} dimensions"
        chosen = choice("algorithm", algorithm, space.algorithms, where)
        chosen_index = choice("index", space.index if index is None else index, space.indexes, where)
        for name, value in settings.items():
            if value is not None and name not in chosen.takes:
                raise ValueError(f"algorithm {algorithm!r} takes no {name}; leave it out or choose another algorithm")
        if subscriptions is None and "subscriptions" in chosen.takes:
            raise ValueError(
                f"algorithm {algorithm!r} needs subscriptions, rows of {', '.join(space.row)}; there may be none"
            )
        if cut == "strips" and dimensions != 1:
            raise ValueError(f"cut 'strips' is for one dimension, and not{where}; choose levels or tiles")
        if sketch is not None and integer("sketch", sketch) < 1:
            raise ValueError(f"sketch must be at least 1 (rectangles that cover the subscriptions), got {sketch}")
        self._sign = sign = -1.0 if descending else 1.0
        self._plan = Plan(k, cut_of(epsilon, cut, k), sign, np.zeros(COUNTERS, np.int64))
        self._count = len(xs)
        self._takes = chosen.takes
        self._subscriptions = space.known(subscriptions, sketch)
        self._index = chosen_index(xs, sign * ys)
        self._by_intervals = {"min_x2": MIN_X2} if getattr(self._index, "by_intervals", False) else {}
        self._algorithm = space.start(chosen, self._index, self._plan, self._subscriptions)

    @property
    def costs(self) -> dict[str, int]:
        """Calls so far of the object index (first_k, min_y) and of the subscription index.

        `snap` counts those for tiles and strips, `empty` the emptiness tests of merging. By intervals there is also
        `min_x2`, the calls for the least x2 in the influence polygon.
        """
        names = {"first_k": FIRST_K, "min_y": MIN_Y, "snap": SNAP, "empty": EMPTY, **self._by_intervals}
        return {name: int(self._plan.costs[at]) for name, at in names.items()}

    @property
    def paper_costs(self) -> dict[str, int]:
        """The calls so far as the paper counts them; Paint-Sparse's it counts otherwise (see `paint.sparse`)."""
        costs = self._plan.costs
        more = {"first_k": 0, "min_y": int(costs[MIN_Y_APART]), "snap": int(costs[SNAP_APART])}
        more |= dict.fromkeys(self._by_intervals, 0)
        return {name: self.costs[name] + apart for name, apart in more.items()}

    def subscribe(self, l: Any, r: Any = None) -> int:
        """Add the subscription [l, r], whose list the caller fills, and give its id, which is never used again.

        A halfspace or disk is one row, as it is written; with an `r`, that is a point of S, and `l` means nothing.

        Raises
        ------
        TypeError, ValueError
            If an end is not a number, or l > r.
        RangecastError
            If the algorithm does not know the subscriptions.
        """
        self._need_subscriptions()
        return int(self._subscriptions.subscribe(*self._space.ends(l, r)))

    def unsubscribe(self, subscription_id: int) -> None:
        """Remove a subscription.

        Raises
        ------
        TypeError
            If the id is not an integer.
        RangecastError
            If there is no such subscription, or the algorithm does not know the subscriptions.
        """
        self._need_subscriptions()
        self._subscriptions.unsubscribe(integer("subscription_id", subscription_id))

    def _need_subscriptions(self) -> None:
        if "subscriptions" not in self._takes:
            every = self._space.algorithms
            aware = ", ".join(name for name, one in every.items() if "subscriptions" in one.takes)
            raise RangecastError(
                f"this server's algorithm does not know the subscriptions; those that do are {aware}"
            )

    def update(self, object_id: SupportsIndex, new_y: SupportsFloat) -> Messages:
        """Change the y of an object (Upd of Section II-A); nothing is sent if it stays the same.

        O((k + v)(k + log n)) with Paint-Dense over the tournament index when v objects are exposed.

        Raises
        ------
        TypeError
            If the id is not an integer or the value not a number.
        ValueError
            If there is no such object or the value is not finite.
        """
        i = known_object(object_id, self._index.arrays.y, self._count)
        y = number("new_y", new_y)
        return self._event(self._algorithm.change(i, self._sign * y))

    def insert(self, x: Any, y: SupportsFloat) -> tuple[int, Messages]:
        """Add an object, an update from y = +inf; gives it the next free id, which is never used again.

        Raises
        ------
        TypeError, ValueError
            If a value is not a number or not finite.
        """
        place, rank = self._space.place("x", x), self._sign * number("y", y)
        i = self._count
        self._index.insert(i, place, rank)
        self._count += 1
        return i, self._event(self._algorithm.enter(i))

    def delete(self, object_id: SupportsIndex) -> Messages:
        """Remove an object, an update to y = +inf, which the messages carry (-inf when descending).

        Raises
        ------
        TypeError, ValueError
            If there is no such object.
        """
        i = known_object(object_id, self._index.arrays.y, self._count)
        messages = self._event(self._algorithm.leave(i))
        self._index.delete(i)
        return messages

    def move(self, object_id: SupportsIndex, new_x: Any, *, direct: bool = True) -> Messages:
        """Change the x of an object; nothing is sent if it stays the same.

        Directly, a subscription that loses the object receives its new x, which is outside its range, and a
        replacement; one that keeps or gains it receives it once. Otherwise as a deletion and an insertion, two
        events in the result (footnote 4 of Section II-A).

        Raises
        ------
        TypeError, ValueError
            If there is no such object, or the value is not a number or not finite.
        """
        i = known_object(object_id, self._index.arrays.y, self._count)
        x = self._space.place("new_x", new_x)
        if self._space.same(x, self._index.arrays.x[i]):
            return self._event(self._algorithm.change(i, float(self._index.arrays.y[i])))
        y = float(self._index.arrays.y[i])
        left = (self._algorithm.leave_for(i, x) if direct else self._algorithm.leave(i)).copy()
        self._index.delete(i)
        self._index.insert(i, x, y)
        rows = np.concatenate((left, self._algorithm.enter(i)))
        ends = (0, len(rows)) if direct else (0, len(left), len(rows))
        return self._messages(rows, np.array(ends))

    def replay(self, object_ids: ArrayLike, new_ys: ArrayLike) -> Messages:
        """Run a stream of y-updates in one compiled call; the same messages as one `update` after the other.

        Parameters
        ----------
        object_ids : array_like of e integers
            The object of each event.
        new_ys : array_like of e numbers
            Its new y.

        Raises
        ------
        TypeError, ValueError
            If any entry is one that `update` refuses; then no event has happened.
        """
        ids, ys = known_stream(object_ids, new_ys, self._held())
        rows, marks = self._algorithm.replay(ids, ys)
        return Messages.of_stream(rows, marks, self._algorithm.dtype)

    def batch(self, events: Iterable[tuple[int, float]], variant: str = "exact") -> Messages:
        """Run a batch of y-updates of which only the outcome matters (Section IV-A); one event in the result.

        Parameters
        ----------
        events : iterable of (object_id, new_y)
            In the order in which they happened. A new y of +inf (-inf when descending) deletes the object; no later
            event may name it.
        variant : {"exact", "printed", "coalesce", "online"}
            Paint-Batch, put right or as printed, which may leave lists wrong (see `paint.batch`); for comparison, the
            last event of each object only, one after the other, or all events one after the other.

        Returns
        -------
        Messages
            Subscriptions that apply them in order have the right lists at the end, not in between.

        Raises
        ------
        TypeError, ValueError
            If any event is one that `update` refuses (deletions aside), or the algorithm has no Paint-Batch; then no
            event has happened.
        """
        if variant not in VARIANTS:
            raise ValueError(f"variant must be one of {', '.join(VARIANTS)}, got {variant!r}")
        object_ids, new_ys = columns("events", events, ("object_id", "new_y"))
        ids, ys = known_stream(object_ids, new_ys, self._held(), "events")
        if variant == "online":
            return self._one_by_one(ids, ys)
        ids, ys = coalesce(ids, ys, self._index.arrays.y)
        if variant == "coalesce":
            return self._one_by_one(ids, ys)
        if not isinstance(self._algorithm, Batching):
            raise ValueError(f"variant {variant!r} is for dense and sparse; choose 'coalesce' or 'online'")
        rows = self._algorithm.batch(ids, ys, variant == "printed")
        for i in ids[ys == np.inf].tolist():
            self._index.delete(i)
        return self._event(rows)

    def window(self, events: Iterable[tuple[int, Any, float]]) -> Messages:
        """Run events of any kind of which only the outcome matters, by Paint-Batch; one event in the result.

        Parameters
        ----------
        events : iterable of (object_id, x, y)
            Where each object is after an event, in the order in which they happened. The next free id inserts an
            object; a y of +inf (-inf when descending) deletes it, and no later event may name it.

        Returns
        -------
        Messages
            As those of `batch`: a subscription hears of an object once at most, and only if its list changes, the x
            of an object in it included.

        Raises
        ------
        TypeError, ValueError
            If an event names no object, a deleted one, or a value that is not finite, or the algorithm has no
            Paint-Batch; then no event has happened.
        """
        if not isinstance(self._algorithm, Batching):
            raise ValueError(
                "windows of events are for dense and sparse; choose one of them or send events one by one"
            )
        changes, fresh = known_window(events, self._held(), self._space.comparable)
        for one in changes:
            if one.id >= self._count and one.y_1 == math.inf:  # came and went: the id is taken all the same
                self._index.insert(one.id, one.x_1, 0.0)
                self._index.delete(one.id)
        self._count = fresh
        changes = [one for one in changes if one.y_0 != one.y_1 or one.moves]
        if any(one.moves or one.y_0 == math.inf for one in changes):
            return self._event(self._algorithm.window(changes))
        ids, ys = np.array([one.id for one in changes], np.int64), np.array([one.y_1 for one in changes])
        rows = self._algorithm.batch(ids, ys, False)
        for i in ids[ys == np.inf].tolist():
            self._index.delete(i)
        return self._event(rows)

    def regions(self, object_ids: ArrayLike, new_ys: ArrayLike) -> Messages:
        """Run a stream as `replay` does with Unicast over one attribute, at its costs, without listing its messages.

        Returns
        -------
        Messages
            Of type MESSAGE: disjoint tiles that hold those whom Unicast would write to, once each. O(k + sqrt(m)) per
            event, however many they are.

        Raises
        ------
        TypeError, ValueError
            If any entry is one that `update` refuses, or the algorithm is another; then no event has happened.
        """
        if not isinstance(self._algorithm, Outlining):
            raise ValueError("regions are for the algorithm 'unicast' over one attribute; choose replay")
        ids, ys = known_stream(object_ids, new_ys, self._held())
        return Messages.of_stream(*self._algorithm.regions(ids, ys), MESSAGE)

    def _one_by_one(self, ids: NDArray[np.int64], ys: NDArray[np.float64]) -> Messages:
        """Replay events, with a break at each deletion, as one event."""
        parts = [np.empty(0, self._algorithm.dtype)]
        start = 0
        for end in [*np.flatnonzero(ys == np.inf).tolist(), len(ids)]:
            rows, _ = self._algorithm.replay(ids[start:end], ys[start:end])
            parts.append(rows.view(self._algorithm.dtype)[:, 0])
            if end < len(ids):
                parts.append(self.delete(int(ids[end])).table)
            start = end + 1
        table = parts[0] if len(parts) == 1 else np.concatenate(parts)
        return Messages(table, np.array((0, len(table))))

    def _held(self) -> Held:
        arrays = self._index.arrays
        return Held(arrays.x, arrays.y, self._count, self._sign)

    def _event(self, rows: Rows) -> Messages:
        return Messages.of_event(rows, self._algorithm.dtype)

    def _messages(self, rows: Rows, offsets: NDArray[np.int64]) -> Messages:
        return Messages.of_rows(rows, offsets, self._algorithm.dtype)
