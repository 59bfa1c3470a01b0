"""Files and directories that appear whole or not at all."""

import errno
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from floor.files import Claim, clear_leftovers, is_claimed, partial_name, reason_of, whole, write_whole

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


def left_by(pid: int, directory: Path, name: str = "made", kind: str = "w") -> Path:
    """What a process with that id would have left."""
    own = partial_name(directory / name, kind)
    left = own.with_name(own.name.replace(f"-{os.getpid()}-", f"-{pid}-"))
    left.mkdir()
    (left / "half").touch()
    return left


def dead_process() -> int:
    """Id of a process that is gone."""
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


def test_leftovers_of_the_dead_are_removed_and_those_of_the_living_are_not(tmp_path: Path) -> None:
    left_by(dead_process(), tmp_path)
    (partial_name(tmp_path / "file")).write_text("ours")
    alive = left_by(os.getppid(), tmp_path)
    elsewhere = tmp_path / ".made.partial-00000000-1-w000000000000"
    elsewhere.mkdir()
    (tmp_path / "made").mkdir()
    before = {path.name for path in tmp_path.iterdir()}
    clear_leftovers(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {name for name in before if f"-{os.getpid()}-" in name} | {
        alive.name, elsewhere.name, "made",
    }  # fmt: skip
    clear_leftovers(tmp_path / "nowhere")


def test_a_claim_has_its_name_at_once_and_its_content_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "far" / "made"
    with Claim(path) as claim:
        (claim.partial / "part").write_text("all of it")
        assert list(path.iterdir()) == []
        assert is_claimed(path)
        with pytest.raises(FileExistsError) as taken:
            Claim(path)
        assert taken.value.filename == str(path)
    assert (claim.path, read(path), names(path.parent)) == (path, "all of it", ["made"])
    assert not is_claimed(path)


@pytest.mark.parametrize("where", ["made", "far/away/made"])
def test_a_claim_that_fails_leaves_nothing(tmp_path: Path, where: str) -> None:
    def fail() -> None:
        with Claim(tmp_path / where) as claim:
            (claim.partial / "part").touch()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert names(tmp_path) == []


def test_a_claim_that_cannot_be_leaves_nothing_of_its_parents(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="too long"):
        Claim(tmp_path / "far" / ("n" * 300))
    assert names(tmp_path) == []


def test_a_claim_that_fails_leaves_the_parents_that_others_use(tmp_path: Path) -> None:
    first = Claim(tmp_path / "runs" / "one")
    with Claim(tmp_path / "runs" / "two"):
        pass
    with pytest.raises(KeyboardInterrupt), first:
        raise KeyboardInterrupt
    assert names(tmp_path / "runs") == ["two"]


def test_a_claim_that_fails_leaves_the_claim_of_another_alone(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    first = Claim(folder / "made")
    shutil.rmtree(folder)  # somebody has cleared it away meanwhile
    second = Claim(folder / "made")
    with pytest.raises(KeyboardInterrupt), first:
        raise KeyboardInterrupt
    assert names(folder) == [second.partial.name, "made"]


def test_a_link_that_leads_nowhere_is_taken(tmp_path: Path) -> None:
    (tmp_path / "made").symlink_to(tmp_path / "nowhere")
    with pytest.raises(FileExistsError):
        Claim(tmp_path / "made")
    assert names(tmp_path) == ["made"]


def test_of_many_claims_at_once_one_succeeds(tmp_path: Path) -> None:
    left_by(dead_process(), tmp_path, kind="c")  # what a killed one left must not let two in
    (tmp_path / "made").mkdir()
    writers = 8
    meet = Barrier(writers)

    def claim(_: int) -> Claim | None:
        meet.wait()
        try:
            return Claim(tmp_path / "made")
        except FileExistsError:
            return None

    with ThreadPoolExecutor(writers) as pool:
        (winner,) = (claim for claim in pool.map(claim, range(writers)) if claim is not None)
    assert names(tmp_path) == [winner.partial.name, "made"]


def test_what_a_killed_claim_left_is_free_again(tmp_path: Path) -> None:
    left_by(dead_process(), tmp_path, kind="c")
    (tmp_path / "made").mkdir()
    with Claim(tmp_path / "made") as claim:
        (claim.partial / "part").write_text("new")
    assert (read(tmp_path / "made"), names(tmp_path)) == ("new", ["made"])


def test_what_was_made_stays_when_its_name_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "made"
    with Claim(path) as claim:
        (claim.partial / "part").write_text("dear")
        (path / "letter").write_text("somebody else's")
    assert (claim.path, read(claim.path)) == (tmp_path / "made-2", "dear")
    assert names(path) == ["letter"]

    def refuse(*_: object) -> None:
        raise PermissionError(errno.EACCES, "no", "no")

    claim = Claim(tmp_path / "other")
    (claim.partial / "part").write_text("dear")
    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", refuse)
        with pytest.raises(PermissionError), claim:
            pass
    kept = claim.partial.with_name(claim.partial.name.replace(f"-{os.getpid()}-", f"-{dead_process()}-"))
    claim.partial.rename(kept)
    clear_leftovers(tmp_path)
    assert read(kept) == "dear"


def test_reasons_are_told_in_a_few_words() -> None:
    assert reason_of(OSError(28, "a story\nof two lines")) == "No space left on device"
    assert reason_of(OSError("a story\nof two lines")) == "a story"
