import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from carom.errors import StorageError
from carom.storage.atomic import Lock, beside, replaced


def test_a_file_is_replaced_when_it_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")
    with replaced(target) as file:
        file.write(b"new")
        assert target.read_text() == "old"
    assert target.read_text() == "new"
    assert [each.name for each in tmp_path.iterdir()] == ["a.txt"]


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")

    def half() -> None:
        with replaced(target) as file:
            file.write(b"half")
            raise KeyError

    with pytest.raises(KeyError):
        half()
    assert target.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["a.txt"]


def test_a_missing_folder_is_one_clear_line(tmp_path: Path) -> None:
    with (
        pytest.raises(StorageError, match=r"a\.txt: there is no such file or folder\. Check the name\."),
        replaced(tmp_path / "nowhere" / "a.txt"),
    ):
        pass


def test_only_one_has_the_lock(tmp_path: Path) -> None:
    target = tmp_path / "gas.h5"
    with Lock(target), pytest.raises(StorageError, match=r"gas\.h5: another run is writing this file\. Wait"):
        Lock(target).acquire()
    with Lock(target):
        pass
    assert not list(tmp_path.iterdir())


def test_a_dead_writers_lock_is_free(tmp_path: Path) -> None:
    target = tmp_path / "gas.h5"
    program = (
        "import os, sys; from pathlib import Path; from carom.storage.atomic import Lock; "
        "Lock(Path(sys.argv[1])).acquire(); os._exit(9)"
    )
    assert subprocess.run([sys.executable, "-c", program, str(target)], check=False).returncode == 9
    assert list(tmp_path.iterdir())  # it was not tidied up
    with Lock(target):
        pass


def test_two_who_write_at_once_do_not_mix(tmp_path: Path) -> None:
    target = tmp_path / "a.bin"
    with replaced(target) as one:
        one.write(b"a" * 1000)
        with replaced(target) as two:
            two.write(b"b")
        assert target.read_bytes() == b"b"
    assert target.read_bytes() == b"a" * 1000
    assert [each.name for each in tmp_path.iterdir()] == ["a.bin"]


def test_what_a_dead_writer_left_is_used_again(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    beside(target, "part").write_text("much longer than what comes")
    with replaced(target) as file:
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
    with pytest.raises(StorageError, match=r"a\.txt: cannot be used"), replaced(target) as file:
        file.write(b"lost")
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr(os, "fsync", failing(errno.EINVAL))  # a file that cannot be put on a disk
    with replaced(target) as file:
        file.write(b"kept")
    assert target.read_text() == "kept"


def test_a_system_without_locks_is_no_rival(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("carom.locking._lock", failing(errno.ENOLCK))
    with pytest.raises(StorageError, match=r"gas\.h5: cannot be used \(No locks available\)"):
        Lock(tmp_path / "gas.h5").acquire()
    with replaced(tmp_path / "a.txt") as file:
        file.write(b"new")
    assert (tmp_path / "a.txt").read_text() == "new"
