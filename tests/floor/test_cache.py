"""The cache is its owner's, unless the owner has opened it."""

import stat
from pathlib import Path

import pytest

from floor.cache import cache_place


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_cache_is_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANGECAST_CACHE", str(tmp_path / "far" / "cache"))
    place = cache_place("routes")
    assert place == tmp_path / "far" / "cache" / "routes"
    assert (mode(place.parent), mode(place)) == (0o700, 0o700)
    assert cache_place("routes") == place


def test_what_is_shared_stays_shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    cache.chmod(0o770)
    monkeypatch.setenv("RANGECAST_CACHE", str(cache))
    assert (mode(cache_place("routes")), mode(cache)) == (0o770, 0o770)


def test_a_cache_that_cannot_be_made_is_told_by_who_needs_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("RANGECAST_CACHE", str(tmp_path / "file" / "cache"))
    assert not cache_place("routes").exists()
