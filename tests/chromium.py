"""Chromium for the tests of pages: where it is, and how it gets there (`make chromium`)."""

import shutil
import sys

from pipeline.java import apt, can_install

PACKAGE = "chromium"
MISSING = f"Chromium is missing and the tests of pages need it: run `make chromium`, or install {PACKAGE}"
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find_chromium() -> str | None:
    """Path of the browser, from `PATH`."""
    return next(filter(None, map(shutil.which, _NAMES)), None)


def install_chromium() -> str | None:
    """Install the browser with apt-get; None if all is well, else one line saying what went wrong."""
    print(f"Chromium is missing: installing {PACKAGE} with apt-get", file=sys.stderr)
    apt("update")
    done = apt("install", "-y", "--no-install-recommends", PACKAGE)
    if done.returncode != 0:
        told = [line for line in done.stderr.splitlines() if line.strip()]
        return f"apt-get could not install {PACKAGE}: {told[-1] if told else 'it gave no reason'}"
    return None if find_chromium() else MISSING


def main(arguments: list[str]) -> int:
    """Check for the browser and, with `--install`, install it; prints at most one line of complaint."""
    if find_chromium():
        return 0
    problem = install_chromium() if arguments == ["--install"] and can_install() else MISSING
    if problem is not None:
        print(problem, file=sys.stderr)
    return 0 if problem is None else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
