"""Whether this version gives what another one gave: `python -m benchmarks.same_outputs REVISION`.

Every scenario of the project, some of them varied, and a sweep are run by both versions, and all files compared byte
by byte. Of `manifest.json` the timings and versions are left out; `scenario.toml` is compared by its values, since
only its layout may differ. Exit code 1 if anything differs.
"""

import json
import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from benchmarks.revisions import ROOT, checkout_of

HOPS = ("--set", 'record=["hops"]')
EVERY = (
    'approaches=["paint-dense(0.5)", "paint-sparse", "paint-sparse(0.25)", "paint-batch(10)", '
    '"paint-batch-sparse(50ms)", "paint-batch-printed(20)", "coalesce(20)", "unicast", "cn-relax"]'
)
MIXED = tuple(word for kind in ("insert", "delete", "move") for word in ("--set", f"events.{kind}=0.1"))
OVERLAY = ("--set", "network.unicast=overlay", "--set", "network.last_hop=true")
COMMANDS: dict[str, tuple[str, ...]] = {
    "demo": ("run", "demo", *HOPS),
    "demo-tally": ("run", "demo", "--engine", "tally", *HOPS),
    "demo-tree": ("run", "demo", "--set", "network.kind=tree", "--set", EVERY),
    "demo-mixed": ("run", "demo", *MIXED, *OVERLAY),
    "demo-spark": (
        *("run", "demo", "--engine", "tally", "--deliveries", "spark", "--set", "verify=none"),
        *("--set", 'approaches=["paint-dense", "cn-relax"]'),
    ),
    "faults": ("run", "faults", *HOPS),
    "paper-default": ("run", "paper-default"),
    "sweep": ("sweep", "grids/epsilon"),
}
"""What is run, by the directory it goes to."""


def run_all(checkout: Path, out: Path) -> None:
    """Run all commands with the code of a checkout; a run that verification finds wrong counts like any other."""
    code = "from simulator.cli import main; main()"
    for name, (command, scenario, *options) in COMMANDS.items():
        print(f"{checkout.name}: {name}", flush=True)
        file = checkout / "scenarios" / f"{scenario}.toml"
        words = [sys.executable, "-c", code, command, str(file), "--out", str(out / name), *options]
        ran = subprocess.run(
            words, cwd=checkout, env=os.environ | {"PYTHONPATH": str(checkout)}, capture_output=True, check=False
        )
        if not (out / name).is_dir():
            raise SystemExit(f"{name} failed: {ran.stderr.decode()[-2000:]}")


def content(path: Path) -> Any:
    """What of a file must be equal."""
    if path.name == "manifest.json":
        kept = json.loads(path.read_text())
        return {key: value for key, value in kept.items() if key not in ("seconds", "versions", "grid")}
    return tomllib.loads(path.read_text()) if path.name == "scenario.toml" else path.read_bytes()


def differences(one: Path, other: Path) -> list[str]:
    """Files that are in one directory only, or differ."""
    files = [{path.relative_to(root) for path in root.rglob("*") if path.is_file()} for root in (one, other)]
    kept = sorted(path for path in files[0] | files[1] if not path.name.startswith("."))
    return [
        str(path) for path in kept if path not in files[0] & files[1] or content(one / path) != content(other / path)
    ]


def main(revision: str) -> int:
    """Compare this checkout with another revision."""
    with tempfile.TemporaryDirectory() as scratch:
        run_all(checkout_of(revision), Path(scratch) / "out-before")
        run_all(ROOT, Path(scratch) / "out-now")
        found = differences(Path(scratch) / "out-before", Path(scratch) / "out-now")
        count = sum(path.is_file() for path in (Path(scratch) / "out-now").rglob("*"))
    print(f"{count} files, {len(found)} differ" + "".join(f"\n  {path}" for path in found))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
