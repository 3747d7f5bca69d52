"""Files that are whole or not there, and that only one writes at a time."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self
from uuid import uuid4

from carom.errors import StorageError
from carom.locking import taken

ENDING = ".checkpoint"
"""Of checkpoints."""
POSIX = os.name != "nt"


def beside(path: Path, ending: str) -> Path:
    """A file in the same folder, so that it can be moved into place in one go."""
    return path.with_name(f".{path.name}.{ending}")


@contextlib.contextmanager
def replaced(path: Path) -> Iterator[BinaryIO]:
    """A file to write to that takes the place of `path` when it is whole and on the disk; else nothing changes.

    Its `name` is where it stands meanwhile, for who writes by name.
    """
    try:
        file = _part(path)
        part, whole = Path(file.name), False
        try:
            yield file
            file.flush()
            sync(file.fileno())
            whole = True
        finally:
            if not POSIX:  # where an open file cannot be moved; elsewhere its lock is held until it has been
                file.close()
            try:
                _end(part, path, whole=whole)
            finally:
                file.close()
        settle(path.parent)
    except OSError as error:
        raise StorageError.of(path, error) from error


def _end(part: Path, path: Path, *, whole: bool) -> None:
    """Move a file into place, or take it away."""
    try:
        if whole:
            part.replace(path)
            return
    except OSError:
        part.unlink(missing_ok=True)
        raise
    with contextlib.suppress(OSError):
        part.unlink()


def _part(path: Path) -> BinaryIO:
    """An empty file beside another: what a dead writer left, or one of its own where another is writing."""
    part = beside(path, "part")
    with contextlib.suppress(OSError):  # a system without locks, or a file of someone else
        while POSIX:
            with contextlib.ExitStack() as stack:
                file = stack.enter_context(open(part, "r+b", opener=_open_or_make))
                if not taken(file.fileno()):
                    break
                if _is(file.fileno(), part):
                    file.truncate(0)
                    stack.pop_all()
                    return file
    return beside(path, f"{uuid4().hex}.part").open("xb")


def _open_or_make(name: str, flags: int) -> int:
    return os.open(name, flags | os.O_CREAT | os.O_NOFOLLOW, 0o666)


def sync(handle: int) -> None:
    """Have the system put a file on the disk, if it is one that can be."""
    try:
        os.fsync(handle)
    except OSError as error:
        unable = {errno.EINVAL, errno.ENOTSUP} if POSIX else {errno.EINVAL, errno.ENOTSUP, errno.EBADF}
        if error.errno not in unable:
            raise


def settle(folder: Path) -> None:
    """Ask the system to put a folder's entries on the disk; not every system can."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        sync(handle)
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
                try:
                    ours = taken(handle)
                except OSError:
                    os.close(handle)
                    raise
                if not ours:
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


def _is(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False
