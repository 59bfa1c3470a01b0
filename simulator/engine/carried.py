"""What both engines hand on: a chunk of events with the messages that answer it, their travels and deliveries."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.approaches.session import Outgoing
from simulator.engine.audience import Notified
from simulator.workload.windows import Chunk

__all__ = [
    "ACKNOWLEDGEMENT",
    "KINDS",
    "MESSAGE",
    "NO_NEWS",
    "QUESTION",
    "RESENT",
    "WATERMARK",
    "Carried",
    "Moments",
    "Queues",
    "Replies",
    "Traffic",
    "Transmissions",
    "Volume",
]


class Queues(NamedTuple):
    """Seconds, per broker, over a chunk."""

    busy_s: NDArray[np.float64]
    """Time that it served messages."""
    uplink_busy_s: NDArray[np.float64]
    waited_s: NDArray[np.float64]
    """Time that messages waited for it, added up."""
    longest_wait_s: NDArray[np.float64]


class Volume(NamedTuple):
    """Bytes of the messages of a chunk, (messages,) each; in packets, what a message adds to those before it."""

    overlay: NDArray[np.int64]
    """Of all its hops between brokers."""
    ip: NDArray[np.int64]
    """The same, once for each link of the IP paths under the hops."""
    out: NDArray[np.int64]
    """Once where it starts, and once more each time that it was sent again from there."""
    resent: NDArray[np.int64] | None = None
    """The part of `overlay` that repeats something; None where nothing does."""


class Traffic(NamedTuple):
    """How the messages of a chunk travelled: per message its hops, and every delivery to a gateway.

    Deliveries, from `message` to `travelled` and `time_s`, are columns of equal length, sorted by message and then by
    broker, so that both engines hand on the same arrays.
    """

    overlay_hops: NDArray[np.int64]
    ip_hops: NDArray[np.int64]
    volume: Volume
    message: NDArray[np.int64]
    broker: NDArray[np.int64]
    travelled: NDArray[np.int64]
    """IP hops that the message took from its source to there."""
    crossed: NDArray[np.int64]
    """(pairs, 4) a broker, another one, how many messages the first sent to the second, and in how many bytes."""
    time_s: NDArray[np.float64] | None = None
    """When the gateway hands the message to its subscribers; None without a clock."""
    queues: Queues | None = None
    control: NDArray[np.int64] | None = None
    """(rows, 4) window, sender, receiver, and how many control messages (acknowledgements, watermarks, questions and
    answers without news) went from one to the other; None where there are none."""
    watermark_s: NDArray[np.float64] | None = None
    """(windows,) when the watermark of each left the server's place; None unless messages are held back."""
    copies: NDArray[np.int64] | None = None
    """(deliveries,) messages to single subscriptions that each delivery stands for, its row being a region that holds
    them; None where every delivery is of one message."""


MESSAGE, RESENT, ACKNOWLEDGEMENT, WATERMARK, QUESTION, NO_NEWS = range(6)
KINDS = ("message", "resent", "acknowledgement", "watermark", "question", "no-news")


class Transmissions(NamedTuple):
    """What was sent from broker to broker, in columns of equal length: the rows of `hops.parquet`."""

    kind: NDArray[np.int64]
    """Number in `KINDS`."""
    window: NDArray[np.int64]
    """Window of the chunk."""
    message: NDArray[np.int64]
    """Row of the message in its chunk; -1 of what is about none: a watermark, a question, an answer without news."""
    sender: NDArray[np.int64]
    receiver: NDArray[np.int64]
    size: NDArray[np.int64]
    """Bytes, of a message in a packet those that it adds to it; 0 of control messages, which are all of one size."""
    depart_s: NDArray[np.float64] | None = None
    """When the uplink began with it; None without a clock."""
    arrive_s: NDArray[np.float64] | None = None
    """When the receiver had it, NaN if it never got it."""
    wait_s: NDArray[np.float64] | None = None
    """How long it had waited before, at its sender, for broker and uplink together."""

    @property
    def again(self) -> NDArray[np.bool_]:
        """Whether each repeats an earlier one."""
        repeats: NDArray[np.bool_] = self.kind == RESENT
        return repeats


class Moments(NamedTuple):
    """When what took place, in seconds, whatever message it was about."""

    sent_s: NDArray[np.float64]
    """(packets,) when the uplink began with each transmission of one,"""
    sent_bytes: NDArray[np.int64]
    """(packets,) and its bytes."""
    came_s: NDArray[np.float64]
    """(waits,) when each message came to a broker that had others to serve before,"""
    begun_s: NDArray[np.float64]
    """(waits,) and when it began with it, or crashed."""
    control_s: NDArray[np.float64]
    """(control messages,) when each left."""


class Replies(NamedTuple):
    """What became of the questions of a chunk, in their order."""

    gateway: NDArray[np.int64]
    """Where each came from."""
    left_s: NDArray[np.float64] | None = None
    """When it left there; None without a clock."""
    ready_s: NDArray[np.float64] | None = None
    """When the server had the answer ready; None without a clock."""


class Carried(NamedTuple):
    """A chunk of events, what an approach sent for it, how that travelled and whom it reached."""

    chunk: Chunk
    outgoing: Outgoing
    sources: NDArray[np.int64]
    """(messages,) broker at which each message starts."""
    traffic: Traffic
    received: NDArray[np.int64]
    """(deliveries,) subscriptions that each delivery reaches."""
    notified: Notified
    """Those of them that are watched, in the order of the messages."""
    sent: Transmissions | None = None
    """Where they are recorded."""
    moments: Moments | None = None
    """None without a clock."""
    replies: Replies | None = None
    """Where subscriptions ask."""
    repeated: NDArray[np.int64] | None = None
    """(deliveries,) how many of the subscriptions that each reaches were told the same before; None if none was."""

    @property
    def window_of(self) -> NDArray[np.int64]:
        """(messages,) window of the chunk that each message answers."""
        return np.repeat(np.arange(self.chunk.windows), np.diff(self.outgoing.offsets))

    @property
    def notified_s(self) -> NDArray[np.float64] | None:
        """(notifications,) when each watched subscription was notified; None without a clock."""
        return None if self.traffic.time_s is None else self.traffic.time_s[self.notified.delivery]

    @property
    def since_s(self) -> NDArray[np.float64]:
        """(messages,) when the first event arose that each message tells of: that of its window, or of its answer."""
        asked = self.outgoing.asked
        return self.arose_s[self.window_of] if asked is None else asked.since_s[asked.row_of]

    @property
    def arose_s(self) -> NDArray[np.float64]:
        """(windows,) when the first event of each window arose."""
        return self.chunk.events.time_s[self.chunk.starts[:-1]]
