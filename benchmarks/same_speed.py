"""Whether this version is as fast as another over one attribute: `python -m benchmarks.same_speed REVISION [ROUNDS]`.

Both run `benchmarks/one_attribute.py` in turns, in processes of their own, after a first run each that compiles. A
row has the best of all rounds of either version, their quotient, and the noise: how far the rounds of one version
are apart, the median over the best. Rows go to benchmarks/results/same_speed.csv.
"""

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

from benchmarks.record import write_rows
from benchmarks.revisions import ROOT, checkout_of

BOUND = 1.03
"""What a measure may take of the time of the other version."""


def measured(checkout: Path) -> dict[str, float]:
    """Seconds by measure, with the packages of a checkout."""
    # Without -P the module `matching` of the benchmarks would stand for the package.
    words = [sys.executable, "-P", str(ROOT / "benchmarks" / "one_attribute.py")]
    ran = subprocess.run(
        words, cwd=checkout, env=os.environ | {"PYTHONPATH": str(checkout)}, capture_output=True, check=False
    )
    if ran.returncode:
        raise SystemExit(f"{checkout.name} failed: {ran.stderr.decode()[-2000:]}")
    seconds: dict[str, float] = json.loads(ran.stdout)
    return seconds


def compared(name: str, before: list[float], now: list[float]) -> dict[str, object]:
    """One row, printed."""
    quotient = min(now) / min(before)
    noise = max(statistics.median(times) / min(times) for times in (before, now))
    verdict = "holds" if quotient <= BOUND else "within noise" if quotient <= noise else "DOES NOT HOLD"
    print(
        f"{name:<56}{1e3 * min(before):>9.1f} ms {1e3 * min(now):>9.1f} ms   {quotient:.3f} x (noise {noise:.3f})"
        f"   {verdict}",
        flush=True,
    )
    return {"what": name, "before_s": min(before), "now_s": min(now), "quotient": quotient, "noise": noise}


def main(revision: str, rounds: str = "5") -> int:
    """Compare this checkout with another revision; 1 if something takes longer than it may, by more than noise."""
    before = checkout_of(revision)
    for checkout in (before, ROOT):
        measured(checkout)
    runs = [(measured(before), measured(ROOT)) for _ in range(int(rounds))]
    rows = [compared(name, [one[name] for one, _ in runs], [one[name] for _, one in runs]) for name in runs[0][0]]
    write_rows("same_speed", rows, 1)
    slower = [row for row in rows if float(str(row["quotient"])) > max(BOUND, float(str(row["noise"])))]
    print(f"{len(rows)} measures against {revision}, {len(slower)} slower by more than {BOUND - 1:.0%} and noise")
    return int(bool(slower))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
