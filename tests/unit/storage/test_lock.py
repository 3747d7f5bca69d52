import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from carom.errors import StorageError
from carom.storage.lock import Lock


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
        "import os, sys; from pathlib import Path; from carom.storage.lock import Lock; "
        "Lock(Path(sys.argv[1])).acquire(); os._exit(9)"
    )
    assert subprocess.run([sys.executable, "-c", program, str(target)], check=False).returncode == 9
    assert list(tmp_path.iterdir())  # it was not tidied up
    with Lock(target):
        pass


def test_a_system_without_locks_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr("carom.file_lock._lock", fail)
    with pytest.raises(StorageError, match=r"gas\.h5: cannot be used \(No locks available\)"):
        Lock(tmp_path / "gas.h5").acquire()
