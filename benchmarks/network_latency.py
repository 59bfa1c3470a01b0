"""The demo with a clock on the three networks, as it is, with crashes, and with packets.

Run with `python -m benchmarks.network_latency`. Of Paint-Dense and Unicast the mean over events of the median
latency, staleness, the share of (list x time) that is wrong, and overlay bytes; with crashes of one broker in eight,
also the bytes that each crash makes brokers send again; with headers of 20 bytes, messages by themselves and in
packets. Bound: on `prefix` Paint-Dense's median latency is at most 1.6 x Unicast's.
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

import rangecast
from benchmarks.record import write_rows

SCENARIO = "demo"
APPROACHES = ["paint-dense", "unicast"]
NETWORKS = ("can", "prefix", "tree")
CRASHES = 8
VARIANTS: dict[str, dict[str, Any]] = {
    "as it is": {},
    "crashes": {"faults.crashes": CRASHES, "faults.detection": "50ms", "faults.downtime": "300ms"},
    "headers": {"sizes.header": "20B"},
    "packets": {"sizes.header": "20B", "network.bundle": True},
}
COLUMNS = ("latency_p50", "latency_p99", "stale", "wrong_share", "overlay_bytes", "ip_bytes")
BOUND = 1.6

Row = dict[str, Any]


def measure(directory: Path, kind: str, variant: str) -> list[Row]:
    """Run the demo on a network: a row per approach."""
    changes = {"network.kind": kind, "approaches": APPROACHES, **VARIANTS[variant]}
    result = rangecast.run(SCENARIO, directory / f"{kind}-{variant}", changes=changes)
    if not result.right:
        raise SystemExit(f"wrong lists on {kind}, {variant}: {result.verified}")
    resent = result.events.to_pandas().groupby("approach")["resent_bytes"].sum()
    rows = []
    for found in result.summary.to_pylist():
        name = found["approach"]
        row = {"variant": variant, "network": kind, "approach": name, **{key: found[key] for key in COLUMNS}}
        rows.append(row | {"resent_per_crash": float(resent[name]) / CRASHES})
        told = ", ".join(f"{key} {value:,.4g}" for key, value in rows[-1].items() if isinstance(value, float))
        print(f"{variant:10} {kind:8} {name:12} {told}", flush=True)
    return rows


def main() -> int:
    with tempfile.TemporaryDirectory() as scratch:
        rows = [row for variant in VARIANTS for kind in NETWORKS for row in measure(Path(scratch), kind, variant)]
    write_rows("network_latency", rows, 1)
    right = True
    medians = {(row["network"], row["approach"]): row["latency_p50"] for row in rows if row["variant"] == "as it is"}
    for kind in NETWORKS:
        ratio = medians[kind, "paint-dense"] / medians[kind, "unicast"]
        bounded = kind == "prefix"
        right &= not bounded or ratio <= BOUND
        told = f" (bound: at most {BOUND:g})" if bounded else ""
        print(f"{kind}: Paint-Dense's median latency is {ratio:.2f} x Unicast's{told}")
    return int(not right)


if __name__ == "__main__":
    sys.exit(main())
