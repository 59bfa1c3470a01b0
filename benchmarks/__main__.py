"""All benchmarks, or those named, one after the other in processes of their own: `python -m benchmarks [NAME ...]`.

Rows go to benchmarks/results/NAME.csv; at the end the growth of cost with n, m and k is drawn to
benchmarks/results/growth.png.
"""

import subprocess
import sys

from benchmarks.growth import draw_growth

NAMES = (
    "start",
    "paint_dense",
    "object_indexes",
    "subscriptions",
    "conjunctions",
    "ranked",
    "places",
    "paint_sparse",
    "theorem5",
    "paint_start",
    "paint_batch",
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
    unknown = sorted(set(names) - set(NAMES))
    if unknown:
        print(f"no benchmark is called {', '.join(unknown)}; there are {', '.join(NAMES)}", file=sys.stderr)
        return 2
    failed = []
    for name in names or NAMES:
        print(f"== {name}", flush=True)
        if subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=False).returncode:
            failed.append(name)
    print(f"growth of cost: {draw_growth()}")
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
