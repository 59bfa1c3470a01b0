"""All benchmarks, or those named, one after the other in processes of their own: `python -m benchmarks [NAME ...]`.

Rows go to benchmarks/results/NAME.csv; at the end the growth of cost with n, m and k is drawn to
benchmarks/results/growth.png.
"""

import sys

from benchmarks.growth import draw_growth
from benchmarks.parts import run_parts

NAMES = (
    "start",
    "paint_dense",
    "object_indexes",
    "subscriptions",
    "matching",
    "paint_sparse",
    "theorem5",
    "paint_start",
    "paint_batch",
    "dimensions",
    "counters",
    "topologies",
    "multicast",
    "networks",
    "network_latency",
    "routing_tree",
    "fit",
    "des",
    "scale",
    "populations",
    "deliveries",
    "on_disk",
    "hop_records",
)


def main(names: list[str]) -> int:
    failed = run_parts(names, NAMES)
    if failed is None:
        return 2
    print(f"growth of cost: {draw_growth()}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
