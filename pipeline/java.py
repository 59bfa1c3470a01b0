"""Finding Java for Spark, and installing it where that is simple.

`make` runs this file as a script, with any Python 3.11+ and before anything is installed: standard library only.
Java is looked for where Spark looks: `JAVA_HOME`, then `PATH`.
"""

import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

__all__ = ["apt", "can_install", "find_java", "java_version", "require_java"]

OLDEST = 17
PACKAGE = "openjdk-17-jre-headless"
FALLBACK_PACKAGE = "default-jre-headless"
OS_RELEASE = Path("/etc/os-release")


def java_version(java: str | Path) -> int | None:
    """Feature version that a `java` executable reports (8, 17, 21, ...); None if it does not run or says nothing."""
    try:
        return _told_version(str(java), Path(java).stat().st_mtime_ns)
    except OSError:
        return None


@cache  # a JVM takes a tenth of a second to tell, and a run asks three times
def _told_version(java: str, _changed_ns: int) -> int | None:
    try:
        told = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(r'version "(\d+)(?:\.(\d+))?', told.stderr + told.stdout)
    if told.returncode != 0 or match is None:
        return None
    # Up to Java 8 the version was written 1.8.
    return int(match[2]) if match[1] == "1" and match[2] else int(match[1])


def _candidates() -> list[Path]:
    found = []
    if home := os.environ.get("JAVA_HOME"):
        found.append(Path(home) / "bin" / "java")
    if on_path := shutil.which("java"):
        found.append(Path(on_path))
    return found


def find_java() -> Path | None:
    """Find the first `java` of `JAVA_HOME` and `PATH` that is new enough for Spark."""
    for java in _candidates():
        version = java_version(java)
        if version is not None and version >= OLDEST:
            return java
    return None


def _problem() -> str:
    """One line on what is wrong and what to install."""
    versions = [(java, java_version(java)) for java in _candidates()]
    old = [f"{java} is Java {version}" for java, version in versions if version is not None]
    what = f"too old ({', '.join(old)})" if old else "missing"
    return f"Java is {what}: Spark needs Java {OLDEST} or newer; install {PACKAGE} or newer and put java on PATH"


def require_java() -> Path:
    """
    Path of a `java` that Spark can run on.

    Raises
    ------
    PipelineError
        If `JAVA_HOME` and `PATH` hold no Java 17 or newer.
    """
    java = find_java()
    if java is None:
        # Imported here because the script runs before the packages that errors.py needs are installed.
        from pipeline.errors import PipelineError

        raise PipelineError(_problem())
    return java


def can_install() -> bool:
    """Only root on Debian, Ubuntu or one of their kin: elsewhere the user chooses how Java gets there."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0 or shutil.which("apt-get") is None:
        return False
    try:
        release = OS_RELEASE.read_text(encoding="utf-8")
    except OSError:
        return False
    kin = re.findall(r'^(?:ID|ID_LIKE)="?([^"\n]*)"?$', release, flags=re.MULTILINE)
    return bool({"debian", "ubuntu"} & set(" ".join(kin).split()))


def apt(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run apt-get without questions."""
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    return subprocess.run(["apt-get", *arguments], env=environment, capture_output=True, text=True, check=False)


def install_java() -> str | None:
    """Install Java with apt-get; returns None if all is well, else one line saying what went wrong."""
    print(f"Java {OLDEST} or newer is missing: installing {PACKAGE} with apt-get", file=sys.stderr)
    apt("update")
    done = apt("install", "-y", "--no-install-recommends", PACKAGE)
    if done.returncode != 0 and re.search("Unable to locate package|no installation candidate", done.stderr):
        done = apt("install", "-y", "--no-install-recommends", FALLBACK_PACKAGE)
    if done.returncode != 0:
        told = [line for line in done.stderr.splitlines() if line.strip()]
        return f"apt-get could not install Java: {told[-1] if told else 'it gave no reason'}"
    return None if find_java() is not None else _problem()


def main(arguments: list[str]) -> int:
    """Check for Java and, with `--install`, install it; prints at most one line of complaint."""
    if arguments not in ([], ["--install"]):
        print("usage: java.py [--install]", file=sys.stderr)
        return 2
    if find_java() is not None:
        return 0
    problem = install_java() if arguments and can_install() else _problem()
    if problem is not None:
        print(problem, file=sys.stderr)
    return 0 if problem is None else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
