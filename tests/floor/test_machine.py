"""What there is on this machine."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from floor import machine
from floor.machine import free_bytes, memory_bytes, size_text


def test_a_container_has_what_it_is_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "_CONTAINER_LIMIT", tmp_path / "none")
    everything = memory_bytes()
    assert everything > 10**8
    (tmp_path / "limit").write_text("123456789\n")
    monkeypatch.setattr(machine, "_CONTAINER_LIMIT", tmp_path / "limit")
    assert memory_bytes() == 123456789
    (tmp_path / "limit").write_text("max\n")
    assert memory_bytes() == everything


def test_room_is_told_for_what_is_not_there_yet(tmp_path: Path) -> None:
    there, to_be = free_bytes(tmp_path), free_bytes(tmp_path / "a" / "b")
    assert there is not None
    assert to_be is not None
    assert abs(there - to_be) < 10**9


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0 kB"), (6_400_000_000_000, "6.4 TB"), (10**9, "1 GB"), (4 * 10**31, "4e+16 PB")]
)
def test_sizes_are_told_in_a_unit_that_fits(size: int, text: str) -> None:
    assert size_text(size) == text


def test_what_has_no_size_is_no_disk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(total=0, used=0, free=0))
    assert free_bytes(tmp_path / "new") is None
