"""Finding Java among executables of a directory that stands for the user's machine."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import pipeline.java
from pipeline import PipelineError, require_java
from pipeline.java import find_java, java_version, main

SCRIPT = Path(pipeline.java.__file__)
APT = """#!/bin/sh
echo "$@" >> {log}
case "$*" in
  *openjdk-17*)
    if [ -n "{unknown}" ]; then echo "E: Unable to locate package openjdk-17-jre-headless" >&2; exit 100; fi;;
esac
case "$1" in
  install) if [ -n "{broken}" ]; then echo "E: no network" >&2; exit 100; fi
           printf '#!/bin/sh\\necho "openjdk version \\\\"17.0.1\\\\"" >&2\\n' > {java}; /bin/chmod +x {java};;
esac
"""


def put_java(directory: Path, banner: str, code: int = 0) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    java = directory / "java"
    java.write_text(f"#!/bin/sh\n/bin/cat >&2 <<'END'\n{banner}\nEND\nexit {code}\n")
    java.chmod(0o755)
    return java


def test_a_java_is_asked_for_its_version_once_and_again_after_a_change(tmp_path: Path) -> None:
    java, asked = put_java(tmp_path / "bin", 'openjdk version "17.0.1"'), tmp_path / "asked"
    java.write_text(java.read_text().replace("#!/bin/sh\n", f"#!/bin/sh\necho >> {asked}\n"))
    assert [java_version(java), java_version(str(java)), java_version(java)] == [17, 17, 17]
    assert asked.read_text() == "\n"
    put_java(tmp_path / "bin", 'openjdk version "21.0.1"')
    assert java_version(java) == 21
    java.unlink()
    assert java_version(java) is None


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "bin"
    path.mkdir()
    monkeypatch.setenv("PATH", str(path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    return path


@pytest.fixture
def debian(machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    release = tmp_path / "os-release"
    release.write_text('PRETTY_NAME="Some"\nID=mint\nID_LIKE="ubuntu debian"\n')
    monkeypatch.setattr(pipeline.java, "OS_RELEASE", release)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    return machine


def put_apt(machine: Path, unknown: str = "", broken: str = "") -> Path:
    log = machine / "apt.log"
    apt = machine / "apt-get"
    apt.write_text(APT.format(log=log, java=machine / "java", unknown=unknown, broken=broken))
    apt.chmod(0o755)
    return log


@pytest.mark.parametrize(
    ("banner", "version"),
    [
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('java version "1.8.0_391"', 8),
        ('openjdk version "21" 2023-09-19', 21),
        ('openjdk version "24-ea" 2025-03-18', 24),
        ('Picked up JAVA_TOOL_OPTIONS: -Xmx1g\nopenjdk version "11.0.2"', 11),
        ("no Java here", None),
    ],
)
def test_version(machine: Path, banner: str, version: int | None) -> None:
    assert java_version(put_java(machine, banner)) == version


def test_java_that_fails_is_no_java(machine: Path) -> None:
    assert java_version(put_java(machine, 'openjdk version "17.0.15"', code=1)) is None
    assert java_version(machine / "absent") is None


def test_java_home_comes_first_unless_too_old(machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on_path = put_java(machine, 'openjdk version "17.0.15"')
    at_home = put_java(tmp_path / "home" / "bin", 'openjdk version "21"')
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    assert find_java() == at_home
    put_java(tmp_path / "home" / "bin", 'openjdk version "11"')
    assert find_java() == on_path


def test_missing_and_old_java_are_told_apart(machine: Path) -> None:
    with pytest.raises(PipelineError, match=r"^Java is missing: .*17 or newer; install openjdk-17-jre-headless"):
        require_java()
    put_java(machine, 'java version "1.8.0_391"')
    with pytest.raises(PipelineError, match=r"^Java is too old \(.*/java is Java 8\): [^\n]*$"):
        require_java()


def test_script_runs_alone_and_quietly(machine: Path) -> None:
    def run() -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-I", "-S", str(SCRIPT)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    missing = run()
    assert (missing.returncode, missing.stdout, missing.stderr.count("\n")) == (1, "", 1)
    put_java(machine, 'openjdk version "17.0.15"')
    found = run()
    assert (found.returncode, found.stdout, found.stderr) == (0, "", "")


def test_install(debian: Path) -> None:
    log = put_apt(debian)
    assert main(["--install"]) == 0
    assert log.read_text().splitlines() == ["update", "install -y --no-install-recommends openjdk-17-jre-headless"]
    log.unlink()
    assert main(["--install"]) == 0
    assert not log.exists()


def test_install_falls_back_to_the_default_java(debian: Path) -> None:
    log = put_apt(debian, unknown="yes")
    assert main(["--install"]) == 0
    assert log.read_text().splitlines()[-1] == "install -y --no-install-recommends default-jre-headless"


def test_install_says_why_it_failed(debian: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put_apt(debian, broken="yes")
    assert main(["--install"]) == 1
    assert capsys.readouterr().err.splitlines()[-1] == "apt-get could not install Java: E: no network"


def test_no_install_without_the_right(
    debian: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log = put_apt(debian)
    assert main([]) == 1
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert main(["--install"]) == 1
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    pipeline.java.OS_RELEASE.write_text("ID=fedora\n")
    assert main(["--install"]) == 1
    pipeline.java.OS_RELEASE.unlink()
    assert main(["--install"]) == 1
    assert not log.exists()
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 4
    assert len(set(lines)) == 1


def test_unknown_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--uninstall"]) == 2
    assert capsys.readouterr().err == "usage: java.py [--install]\n"
