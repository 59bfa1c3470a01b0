"""Indexes of `matching`, part by part: `python -m benchmarks.matching [PART ...]`.

stabs         all ranges that hold a point, beside libraries that people use
ranked        the best ranges at a point (seed 000)
conjunctions  subscriptions that an event matches (seed 004)

Each part is a benchmark by itself too, `python -m benchmarks.PART`, says which of its targets are reached, and fails
if one is not.
"""

import sys

from benchmarks.parts import run_parts

PARTS = ("stabs", "ranked", "conjunctions")


def main(names: list[str]) -> int:
    failed = run_parts(names, PARTS)
    return 2 if failed is None else bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
