"""What the clock of the oracle is told: windows and their messages, ways through the network, numbers and chance."""

from typing import Any, NamedTuple, Protocol


class Window(NamedTuple):
    """What the server answers at once."""

    event: int
    """Its first event."""
    arisen: list[tuple[float, int]]
    """Time and broker of every event."""
    closes_s: float
    service_s: float
    messages: list[list[Any]]
    """Those that begin together, list by list."""


class Way(NamedTuple):
    """One hop of a packet: where it comes from, by which hop it came there (-1 for the source), where it goes."""

    sender: int
    before: int
    receiver: int
    delivers: list[int]
    """Places, among the messages that begin together, of those that it delivers, and of all in it."""
    members: list[int]
    size: int


class Overlay(Protocol):
    """The network as it is now."""

    def way(self, messages: list[Any], source: int) -> tuple[list[int], list[Way]]:
        """Those that the source delivers, and all hops, those of a broker in the order in which it sends."""

    def size(self, messages: list[Any]) -> int:
        """Bytes of messages where they begin together."""

    def told(self, message: Any, broker: int) -> list[int]:
        """Subscriptions that a broker hands a message to."""

    def leave(self, broker: int) -> None:
        """A broker is taken over from."""

    def join(self, broker: int) -> None:
        """It is back."""


class Place(NamedTuple):
    """Numbers that stay the same."""

    brokers: int
    server: int | None
    """None if messages begin where events arise."""
    delay_s: Any
    """[a][b] from broker to broker."""
    byte_s: Any
    event_transmit_s: Any
    broker_s: float
    detection_s: float
    downtime_s: float
    timeout_s: float
    server_downtime_s: float
    replay_s: float


class Chance(NamedTuple):
    """What chance and plan decided."""

    crashes: list[tuple[float, int, bool]]
    """Time, broker, and whether it stays down until it is restored."""
    restores: list[tuple[float, int]]
    server_crashes: list[float]
    partitions: list[tuple[float, float, set[int]]]
    delays: list[tuple[float, set[int], float]]
    """From when on a pair of brokers takes how much longer."""
    links: dict[tuple[int, int, int, int], list[tuple[float, str, float]]]
    """Of event, message, sender and receiver: when what left, lost or held up or doubled, by how much."""
