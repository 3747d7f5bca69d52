import errno
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from carom.atomic_write import beside, replacing, write_text
from carom.errors import StorageError


def test_a_file_is_replaced_when_it_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")
    with replacing(target) as file:
        file.write(b"new")
        assert target.read_text() == "old"
    assert target.read_text() == "new"
    assert [each.name for each in tmp_path.iterdir()] == ["a.txt"]


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")

    def half() -> None:
        with replacing(target) as file:
            file.write(b"half")
            raise KeyError

    with pytest.raises(KeyError):
        half()
    assert target.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["a.txt"]


def test_a_missing_folder_is_one_clear_line(tmp_path: Path) -> None:
    with (
        pytest.raises(StorageError, match=r"a\.txt: there is no such folder\. Make it first\."),
        replacing(tmp_path / "nowhere" / "a.txt"),
    ):
        pass


def test_two_who_write_at_once_do_not_mix(tmp_path: Path) -> None:
    target = tmp_path / "a.bin"
    with replacing(target) as one:
        one.write(b"a" * 1000)
        with replacing(target) as two:
            two.write(b"b")
        assert target.read_bytes() == b"b"
    assert target.read_bytes() == b"a" * 1000
    assert [each.name for each in tmp_path.iterdir()] == ["a.bin"]


def test_what_a_dead_writer_left_is_used_again(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    beside(target, "part").write_text("much longer than what comes")
    with replacing(target) as file:
        file.write(b"new")
    assert target.read_text() == "new"
    assert [each.name for each in tmp_path.iterdir()] == ["a.txt"]


def failing(number: int) -> Any:
    def fail(*_: Any) -> None:
        raise OSError(number, os.strerror(number))

    return fail


def test_what_does_not_reach_the_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "a.txt"
    monkeypatch.setattr(os, "fsync", failing(errno.EIO))
    with pytest.raises(StorageError, match=r"a\.txt: cannot be used"), replacing(target) as file:
        file.write(b"lost")
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr(os, "fsync", failing(errno.EINVAL))  # a file that cannot be put on a disk
    with replacing(target) as file:
        file.write(b"kept")
    assert target.read_text() == "kept"


def test_a_system_without_locks_is_no_rival(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("carom.file_lock._lock", failing(errno.ENOLCK))
    with replacing(tmp_path / "a.txt") as file:
        file.write(b"new")
    assert (tmp_path / "a.txt").read_text() == "new"


@pytest.mark.skipif(os.name == "nt", reason="permissions and links of POSIX systems")
def test_permissions_and_links_stay(tmp_path: Path) -> None:
    target, link = tmp_path / "folder" / "a.txt", tmp_path / "link.txt"
    target.parent.mkdir()
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    write_text(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    target.unlink()
    write_text(link, "newer")  # a link to where there is no file yet
    assert target.read_text() == "newer"
    assert [each.name for each in target.parent.iterdir()] == ["a.txt"]


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX systems")
def test_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_text(pipe, "through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert [each.name for each in tmp_path.iterdir()] == ["pipe"]


def test_what_is_not_permitted_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that may not be written stays, though its folder would allow to replace it."""
    target = tmp_path / "a.txt"
    target.write_text("old")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(StorageError, match=r"a\.txt: the system does not permit it"):
        write_text(target, "new")
    assert target.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["a.txt"]


def test_a_name_as_long_as_names_can_be(tmp_path: Path) -> None:
    target = tmp_path / f"{'a' * 251}.txt"
    write_text(target, "new")
    assert target.read_text() == "new"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
def test_the_file_that_has_no_room_is_named_among_several(tmp_path: Path) -> None:
    full = tmp_path / "full.txt"
    full.symlink_to("/dev/full")

    def write() -> None:
        with replacing(tmp_path / "one.txt") as one, replacing(full) as two, replacing(tmp_path / "three.txt") as three:
            for file in (one, two, three):
                file.write(b"some")
                file.flush()

    with pytest.raises(StorageError, match=r"full\.txt: there is no room left on the disk\. Make room and try again"):
        write()
    assert [each.name for each in tmp_path.iterdir()] == ["full.txt"]
