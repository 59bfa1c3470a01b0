"""What a start costs: seconds until a server has answered, the first time and later.

Run it with `python -m benchmarks.paint_start`. Each figure is that of a process of its own. The first start, with an
empty cache, compiles; a later one loads the compiled kernels, and should pay under 1 s for it beyond importing the
packages.
"""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.record import best_of, write_rows

ROOT = Path(__file__).parent.parent
IMPORT = "import paint"
DENSE = """
import paint
server = paint.Server([0.1, 0.5, 0.9], [0.3, 0.2, 0.1], k=2)
server.update(0, 0.05)
server.replay([1, 2], [0.9, 0.8])
"""
SPARSE = DENSE.replace("k=2)", 'k=2, algorithm="sparse", subscriptions=[[0.0, 1.0]])')
LATER_RUNS = 3


def processor_seconds() -> float:
    """Processor time of all processes that were run and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(code: str, cache: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, env=os.environ | {"RANGECAST_CACHE": cache})


def main() -> None:
    """Print the table and write it, with machine and commit, to benchmarks/results/paint_start.csv."""
    rows = []
    with tempfile.TemporaryDirectory() as cache:
        imported = best_of(LATER_RUNS, lambda: run(IMPORT, cache), processor_seconds)
        print(f"import alone {imported:.2f} s")
        for algorithm, code in (("dense", DENSE), ("sparse", SPARSE)):
            first = best_of(1, lambda code=code: run(code, cache), processor_seconds)  # type: ignore[misc]
            later = best_of(LATER_RUNS, lambda code=code: run(code, cache), processor_seconds)  # type: ignore[misc]
            rows.append(
                {"algorithm": algorithm, "import_s": imported, "first_s": first, "later_s": later}
                | {"load_s": later - imported}
            )
            print(f"{algorithm}: first {first:.2f} s, later {later:.2f} s, of which kernels {later - imported:.2f}")
    write_rows("paint_start", rows, seed=0)


if __name__ == "__main__":
    main()
