"""Files that are whole or not there, and that only one writes at a time."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from carom.errors import StorageError


def beside(path: Path, ending: str) -> Path:
    """A file in the same folder, so that it can be moved into place in one go."""
    return path.with_name(f".{path.name}.{ending}")


@contextlib.contextmanager
def replaced(path: Path) -> Iterator[BinaryIO]:
    """A file to write to that takes the place of `path` when it is whole and on the disk; else nothing changes."""
    part = beside(path, "part")
    try:
        with part.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
        settle(path.parent)
    except BaseException as error:
        with contextlib.suppress(OSError):
            part.unlink()
        if isinstance(error, OSError):
            raise StorageError.of(path, error) from error
        raise


def settle(folder: Path) -> None:
    """Ask the system to put a folder's entries on the disk; not every system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


class Lock:
    """The right to write a file, held as long as the process lives: the system frees a dead writer's lock."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.file = beside(path, "lock")
        self._handle: int | None = None

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def acquire(self) -> None:
        """Take it, or say who has it."""
        try:
            while self._handle is None:
                handle = os.open(self.file, os.O_RDWR | os.O_CREAT, 0o666)
                if not _taken(handle):
                    os.close(handle)
                    remedy = "Wait until that run has ended, or choose another name."
                    raise StorageError(self.path, "another run is writing this file", remedy)
                if _is(handle, self.file):
                    self._handle = handle
                else:  # who had it removed the file between our two looks
                    os.close(handle)
        except OSError as error:
            raise StorageError.of(self.path, error) from error

    def release(self) -> None:
        """Give it back."""
        if self._handle is not None:
            with contextlib.suppress(OSError):
                self.file.unlink()
            os.close(self._handle)
            self._handle = None


def _taken(handle: int) -> bool:
    """Lock an open file without waiting; False if someone else has."""
    try:
        _lock(handle)
    except OSError:
        return False
    return True


def _is(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def _lock(handle: int) -> None:
    if os.name == "nt":
        msvcrt: Any = __import__("msvcrt")  # it has other names on other systems
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        fcntl: Any = __import__("fcntl")
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
