"""Files and directories that appear whole or not at all."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from floor.files import whole, write_whole

MAKERS = ("file", "directory")


def make(kind: str, partial: Path, text: str) -> None:
    if kind == "directory":
        partial.mkdir()
        partial = partial / "part"
    partial.write_text(text)


def read(path: Path) -> str:
    return (path / "part" if path.is_dir() else path).read_text()


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


@pytest.mark.parametrize("kind", MAKERS)
def test_it_has_its_name_when_the_block_ends_and_not_before(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "far" / "away" / "made"
    with whole(path) as partial:
        make(kind, partial, "all of it")
        assert not path.exists()
        assert partial.parent == path.parent
        assert partial.name.startswith(".")
    assert read(path) == "all of it"
    assert names(path.parent) == ["made"]


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("replace", [True, False])
def test_a_block_that_fails_leaves_nothing(kind: str, replace: bool, tmp_path: Path) -> None:
    def fail() -> None:
        with whole(tmp_path / "made", replace=replace) as partial:
            make(kind, partial, "half of it")
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        fail()
    assert names(tmp_path) == []


def test_a_block_that_writes_nothing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), whole(tmp_path / "made"):
        pass
    assert names(tmp_path) == []


def test_a_file_gives_way_unless_told_otherwise(tmp_path: Path) -> None:
    path = tmp_path / "made"
    path.write_text("old")
    with pytest.raises(FileExistsError, match="made"), whole(path, replace=False) as partial:
        make("file", partial, "new")
    assert (read(path), names(tmp_path)) == ("old", ["made"])
    with whole(path) as partial:
        make("file", partial, "new")
    assert (read(path), names(tmp_path)) == ("new", ["made"])


@pytest.mark.parametrize("replace", [True, False])
def test_a_directory_that_holds_something_never_gives_way(replace: bool, tmp_path: Path) -> None:
    path = tmp_path / "made"
    make("directory", path, "old")
    with pytest.raises(OSError, match="made"), whole(path, replace=replace) as partial:
        make("directory", partial, "new")
    assert (read(path), names(tmp_path)) == ("old", ["made"])


def test_a_directory_does_not_take_the_place_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "made"
    path.write_text("old")
    with pytest.raises(OSError, match="made"), whole(path, replace=False) as partial:
        make("directory", partial, "new")
    assert (read(path), names(tmp_path)) == ("old", ["made"])


@pytest.mark.parametrize("kind", MAKERS)
def test_of_parallel_writers_each_file_is_whole(kind: str, tmp_path: Path) -> None:
    path, writers = tmp_path / "made", 8
    meet = Barrier(writers)

    def write(number: int) -> bool:
        try:
            with whole(path, replace=kind == "file") as partial:
                make(kind, partial, str(number) * 100_000)
                meet.wait()
        except OSError:
            return False
        return True

    with ThreadPoolExecutor(writers) as pool:
        ended = list(pool.map(write, range(writers)))
    text = read(path)
    assert text == text[0] * 100_000
    assert names(tmp_path) == ["made"]
    # Of directories the first has the name, and its content stays; of files the last.
    if kind == "file":
        assert all(ended)
    else:
        assert [number for number in range(writers) if ended[number]] == [int(text[0])]


def test_long_names_have_room_for_the_temporary_one(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 255)
    write_whole(path, "x")
    assert path.read_text() == "x"


@pytest.mark.parametrize(("content", "stored"), [("k ≤ n\n", "k ≤ n\n".encode()), (b"\x00\r\n", b"\x00\r\n")])
def test_write_whole_takes_text_and_bytes_as_they_are(content: str | bytes, stored: bytes, tmp_path: Path) -> None:
    path = tmp_path / "made"
    write_whole(path, "old")
    write_whole(path, content)
    assert (path.read_bytes(), names(tmp_path)) == (stored, ["made"])


def test_what_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        write_whole(tmp_path / "file" / "made", "x")
    assert names(tmp_path) == ["file"]
