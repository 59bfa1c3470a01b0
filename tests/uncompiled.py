"""Programs run in a process of their own, where Numba is switched off: small instances need no compiler."""

import os
import subprocess
import sys

__all__ = ["run_uncompiled"]


def run_uncompiled(program: str) -> str:
    """What a program prints; a failure with what it says if it fails."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
