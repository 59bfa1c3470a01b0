"""`docs/reproduction-matching.md`: the papers on matching beside ours, from trials that have really been run."""

from pathlib import Path

from simulator.paper.exhibits import MATCHING
from simulator.paper.reproduction import Text, write_page

__all__ = ["write_matching_reproduction"]

_HEAD = """\
# Four papers on matching, reproduced

{verdict}

Written by `rangecast paper matching --scale SCALE --reproduction docs/reproduction-matching.md` from trials that were
run; do not edit. What a paper claims, and by which rule we judge it, stands in `scenarios/matching/*.toml` and was
fixed before anything was measured. [Matching](matching.md) says which index to take;
[the reproduction](reproduction.md) has the paper that Rangecast rebuilds.

## What differs

{differing}

## How it is judged

    rangecast paper matching                    # small sizes: what does not depend on size
    rangecast paper matching --scale paper      # the papers' sizes, as far as below
    rangecast paper 000-fig6 --scale paper      # one table or figure

Outcomes go to `paper/NAME-SCALE/`, as those of the other paper: `verdicts.csv`, `NAME.csv`, `results.csv`, and the
figure. What is measured goes to `paper/trials-SCALE/` and is not measured again. Sizes and parameters stand in
`scenarios/matching/trials/SCALE/`. All indexes are asked the same events, and a trial fails if two give different
answers.

Times are processor times of one batch of events, the best of several, by one process on one core; only ratios within
a point are compared, and where a claim is an order of two indexes, 10% count as equal. What a paper counts, such as
evaluations or leaves, is counted. Bytes are those of all arrays of an index. None of these papers publishes its
data: populations are made as they describe them.

What the rules say:

* **±50%**: ours is no further from the printed number than that.
* **at least 2.4**, **at most 2**, **0.67 to 1.5**: every value that the claim is about lies there; **mean** and
  **highest** are those of all points. `ours` gives the lowest and the highest. Where a claim compares two indexes,
  the value is the quotient of the two; of several, the best is taken. A printed speed-up holds from half of it on,
  an order of magnitude from half an order below on.
* **each over the next at least 1**: indexes in the order of the claim; **each over the one before**: points.
* **power 0.5 to 2**: growth from the first to the last point as a power of the key.
* **largest over smallest at most 1.5**: the change along a key, whatever its direction.
* **holds in the mean**: the 95% interval over seeds of a value that it is about reaches beyond the limits.

What is smaller than in the papers at the scale `paper`, for two cores and minutes instead of hours:

* Seed 000: Table 2 and Figure 6 have the paper's 1,000,000 subscriptions and 100 events instead of 1,000; Figures 7
  to 9 have 200,000 subscriptions and 20 events.
* Seed 001: Figure 5 has 200,000 to 1,000,000 subscriptions instead of 1 to 5 million, the others 200,000 instead of
  2,000,000; 100 events instead of 1,000, and 10 for SCAN, which takes by any event the same.
* Seed 002: nothing; 20 seeds.
* Seed 004: Figures 7(a), 7(b), 8(a) and 9 have the paper's sizes, the others 400,000 subscriptions instead of
  1,200,000; 100 events, and 10 for counting and the scan.

## How many claims hold
"""

_VERDICT = """\
**{holds} of the {judged} numbers and claims that are judged at the papers' sizes hold, {differ} differ.** Some sizes
are smaller than the papers', as told below. The papers are told apart by numbers, as in `matching.registry`: 000 is
*Scalable Ranked Publish/Subscribe* (2008), 001 *Efficient Top-k Subscription Matching for Location-Aware
Publish/Subscribe* (2015), 002 *Index Structures and Algorithms for Efficient Profile Matching* (2001), 004
*Performance Analysis of UB-tree Indexed Pub/Sub System* (2004)."""


def write_matching_reproduction(out: Path, path: Path, directory: Path | None = None) -> None:
    """Write what the trials below `out` say about every table and figure, at both scales; see `write_page`."""
    write_page(out, path, directory, MATCHING, Text(_HEAD, _VERDICT))
