"""The scenario that these tests run, as a caller writes it."""

from typing import Any

SMALL: dict[str, Any] = {
    "name": "small",
    "seed": 7,
    "k": 3,
    "approaches": ["paint-dense", "unicast"],
    "engine": "des",
    "verify": "all",
    "topology": {"model": "barabasi-albert", "nodes": 100},
    "network": {"brokers": 8},
    "objects": {"count": 30},
    "subscriptions": {"count": 200},
    "events": {"count": 30, "rate": "100/s"},
}
