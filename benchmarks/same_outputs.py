"""Whether this version gives what another one gave: `python -m benchmarks.same_outputs REVISION [NAME...]`.

Every scenario and grid of the project, and some of them varied, or those that are named, are run by both versions,
and all files compared byte by byte; what the other version has no file for is left out. Of `manifest.json` the
timings and versions are left out; `scenario.toml` is compared by its values, since only its layout may differ. Each
version makes populations and objects anew, and these are compared by their columns: how a footer of Parquet lists
encodings differs from one JVM to the next. Exit code 1 if anything differs.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from benchmarks.revisions import ROOT, checkout_of
from floor.cache import cache_place

HOPS = ("--set", 'record=["hops"]')
EVERY = (
    'approaches=["paint-dense(0.5)", "paint-sparse", "paint-sparse(0.25)", "paint-batch(10)", '
    '"paint-batch-sparse(50ms)", "paint-batch-printed(20)", "coalesce(20)", "unicast", "cn-relax"]'
)
MIXED = tuple(word for kind in ("insert", "delete", "move") for word in ("--set", f"events.{kind}=0.1"))
OVERLAY = ("--set", "network.unicast=overlay", "--set", "network.last_hop=true")
SMALLER = tuple(
    word
    for setting in (
        "topology.nodes=5000",
        "network.brokers=200",
        "objects.count=1000",
        "subscriptions.count=50000",
        "events.count=200",
    )
    for word in ("--set", setting)
)
OPTIONS = {"demo": HOPS, "faults": HOPS, "large": SMALLER}
"""Of scenarios that are not run as they stand."""
VARIED: dict[str, tuple[str, ...]] = {
    "demo-tally": ("run", "demo", "--engine", "tally", *HOPS),
    "demo-tree": ("run", "demo", "--set", "network.kind=tree", "--set", EVERY),
    "demo-mixed": ("run", "demo", *MIXED, *OVERLAY),
    "demo-spark": (
        *("run", "demo", "--engine", "tally", "--deliveries", "spark", "--set", "verify=none"),
        *("--set", 'approaches=["paint-dense", "cn-relax"]'),
    ),
}
MADE = ("populations", "objects")
"""What a cache holds that a version must make itself."""
_DRAWN = re.compile(r"(?<=part-\d{5})-[0-9a-f-]{36}")


def commands() -> dict[str, tuple[str, ...]]:
    """What is run, by the directory it goes to."""
    scenarios = sorted(path.stem for path in (ROOT / "scenarios").glob("*.toml"))
    grids = sorted(f"grids/{path.stem}" for path in (ROOT / "scenarios" / "grids").glob("*.toml"))
    return {
        **{name: ("run", name, *OPTIONS.get(name, ())) for name in scenarios},
        **VARIED,
        **{name: ("sweep", name) for name in grids},
    }


def run_all(chosen: Mapping[str, tuple[str, ...]], checkout: Path, out: Path) -> None:
    """Run commands with the code of a checkout; a run that verification finds wrong counts like any other."""
    code = "from simulator.cli import main; main()"
    cache = out / "cache"
    for made in MADE:
        (cache / made).mkdir(parents=True)
    for shared in ("kernels", "spark"):
        (cache / shared).symlink_to(cache_place(shared))
    own = os.environ | {"PYTHONPATH": str(checkout), "RANGECAST_CACHE": str(cache)}
    for name, (command, scenario, *options) in chosen.items():
        print(f"{checkout.name}: {name}", flush=True)
        (out / name).parent.mkdir(exist_ok=True)
        file = checkout / "scenarios" / f"{scenario}.toml"
        words = [sys.executable, "-c", code, command, str(file), "--out", str(out / name), *options]
        ran = subprocess.run(words, cwd=checkout, env=own, capture_output=True, check=False)
        if not (out / name).is_dir():
            raise SystemExit(f"{name} failed: {ran.stderr.decode()[-2000:]}")


def content(path: Path) -> Any:
    """What of a file must be equal."""
    if path.name == "manifest.json":
        kept = json.loads(path.read_text())
        return {key: value for key, value in kept.items() if key not in ("seconds", "versions", "grid")}
    if path.suffix == ".parquet" and any(f"/cache/{made}/" in path.as_posix() for made in MADE):
        return pq.ParquetFile(path).read()
    return tomllib.loads(path.read_text()) if path.name == "scenario.toml" else path.read_bytes()


def files_of(root: Path) -> dict[str, Path]:
    """Files below a directory, by names without what Spark draws anew for every part that it writes."""
    found = sorted(path for path in root.rglob("*") if path.is_file() and not path.name.startswith("."))
    return {_DRAWN.sub("", str(path.relative_to(root))): path for path in found}


def differences(one: Path, other: Path) -> list[str]:
    """Files that are in one directory only, or differ."""
    before, now = files_of(one), files_of(other)
    return [
        name
        for name in sorted(before.keys() | now.keys())
        if name not in before or name not in now or content(before[name]) != content(now[name])
    ]


def main(revision: str, *names: str) -> int:
    """Compare this checkout with another revision."""
    every, other = commands(), checkout_of(revision)
    if unknown := sorted(set(names) - set(every)):
        raise SystemExit(f"{', '.join(unknown)}: no such scenario; choose of {', '.join(every)}")
    wanted = {name: every[name] for name in names or every}
    chosen = {name: told for name, told in wanted.items() if (other / "scenarios" / f"{told[1]}.toml").exists()}
    if lacking := sorted(set(wanted) - set(chosen)):
        print(f"{revision} lacks {', '.join(lacking)}", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        before, now = Path(scratch) / "out-before", Path(scratch) / "out-now"
        run_all(chosen, other, before)
        run_all(chosen, ROOT, now)
        found, count = differences(before, now), len(files_of(now))
    print(f"{count} files, {len(found)} differ" + "".join(f"\n  {path}" for path in found))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
