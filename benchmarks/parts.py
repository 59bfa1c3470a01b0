"""Running benchmarks one after the other, each in a process of its own."""

import subprocess
import sys
from collections.abc import Sequence

__all__ = ["run_parts"]


def run_parts(names: Sequence[str], known: Sequence[str]) -> list[str] | None:
    """Run the benchmarks named, or all that are known, and give those that failed; None if a name is not known."""
    unknown = sorted(set(names) - set(known))
    if unknown:
        print(f"no benchmark is called {', '.join(unknown)}; there are {', '.join(known)}", file=sys.stderr)
        return None
    failed = []
    for name in names or known:
        print(f"== {name}", flush=True)
        if subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=False).returncode:
            failed.append(name)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return failed
