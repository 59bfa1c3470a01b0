"""Peak of the resident memory of this process and all that it starts: the JVM, Spark's Python workers, executors."""

import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

__all__ = ["PeakMemory", "kind_of", "role_of"]


def kind_of(command: str) -> str:
    """Whether a process is Java or Python, by its command line."""
    return "java" if command.partition("\0")[0].endswith("java") else "python"


def role_of(command: str) -> str:
    """What a process does for a run on a cluster, by its command line."""
    if "org.apache.spark.deploy.master" in command or "org.apache.spark.deploy.worker" in command:
        return "master and workers"
    if "CoarseGrainedExecutorBackend" in command:
        return "executors, java"
    if "pyspark.daemon" in command:
        return "executors, python"
    return f"driver, {kind_of(command)}"


class PeakMemory(threading.Thread):
    """Watches the resident memory of this process and its descendants (Linux), by kinds of process.

    Attributes
    ----------
    peak_bytes : Counter
        The most that each kind took at a time.
    together_bytes : int
        The most that all of them took at a time.
    """

    def __init__(self, kind: Callable[[str], str] = kind_of) -> None:
        super().__init__(daemon=True)
        self.peak_bytes: Counter[str] = Counter()
        self.together_bytes = 0
        self._kind, self._done = kind, threading.Event()

    def run(self) -> None:
        """Look twice a second."""
        while not self._done.wait(0.5):
            seen = _resident_bytes(self._kind)
            self.peak_bytes |= seen
            self.together_bytes = max(self.together_bytes, seen.total())

    def stop(self) -> None:
        """Look no more."""
        self._done.set()
        self.join()


def _resident_bytes(kind: Callable[[str], str]) -> Counter[str]:
    """Sums of the proportional set sizes of all descendants."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                rest = (entry / "stat").read_text().rpartition(")")[2]
            except OSError:
                continue
            parents[int(entry.name)] = int(rest.split()[1])
    family = {int(Path("/proc/self").readlink().name)}
    while more := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= more
    sizes: Counter[str] = Counter()
    for pid in family:
        try:
            command = Path(f"/proc/{pid}/cmdline").read_text()
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        sizes[kind(command)] += next((1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)
    return sizes
