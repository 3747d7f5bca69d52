"""Files that are whole or not there: written beside their place, put on the disk, and then moved into it."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import stat
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO
from uuid import uuid4

from carom.errors import StorageError
from carom.file_lock import try_lock

POSIX = os.name != "nt"
LONGEST_NAME = 255
"""Bytes of a file's name, on most systems."""


def write_text(path: Path, text: str) -> None:
    """Write a text in UTF-8, whole or not at all."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all."""
    with replaced(path) as file:
        file.write(content)


@contextlib.contextmanager
def replaced(path: Path) -> Iterator[BinaryIO]:
    """A file to write to that takes the place of `path` when it is whole and on the disk; else nothing changes.

    Its `name` is where it stands meanwhile, for libraries that write by name. A link stays, and the file that it leads
    to is replaced, with its permissions. A pipe or a device is written to as it is: there is nothing to replace.
    """
    try:
        place = _place(path)
        if place.exists() and not place.is_file():
            with _Raw(path, place, "w") as raw, io.BufferedWriter(raw) as file:
                yield file
            return
        with _beside(path, place) as file:
            yield file
        settle(place.parent)
    except OSError as error:
        raise unwritten(path, error) from error


@contextlib.contextmanager
def _beside(path: Path, place: Path) -> Iterator[BinaryIO]:
    """A file beside a place, which is moved into it in the end, or deleted after an error."""
    _check_permitted(place)
    file = _part(path, place)
    part, whole = Path(file.name), False
    try:
        yield file
        file.flush()
        _keep_permissions(file.fileno(), place)
        sync(file.fileno())
        whole = True
    finally:
        if not POSIX:  # where an open file cannot be moved; elsewhere its lock is held until it has been
            _close(file)
        try:
            _end(part, place, whole=whole)
        finally:
            _close(file)


def unwritten(path: Path, error: BaseException) -> StorageError:
    """The error for a file that could not be written."""
    if isinstance(error, FileNotFoundError):
        return StorageError(path, "there is no such folder", "Make it first.")
    return StorageError.of(path, error, full="Make room and try again; the file is as it was before.")


class _Raw(io.FileIO):
    """A file whose errors name the place that it is written for, also where several are written at once."""

    def __init__(self, path: Path, name: Path, mode: str, opener: Any = None) -> None:
        super().__init__(name, mode, opener=opener)
        self.path = path

    def write(self, data: Any, /) -> int:
        """Write some bytes."""
        try:
            return super().write(data)
        except OSError as error:
            raise unwritten(self.path, error) from error


def _place(path: Path) -> Path:
    """The file that a link leads to, or the file itself."""
    return path.resolve() if path.is_symlink() else path


def _check_permitted(place: Path) -> None:
    """Refuse to replace what is not permitted to be written, though the folder would allow it."""
    if place.exists() and not os.access(place, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _keep_permissions(handle: int, place: Path) -> None:
    """Give an open file the permissions of the file that it takes the place of, and its owner if that is allowed."""
    if not POSIX or not place.exists():
        return
    old = place.stat()
    with contextlib.suppress(OSError):
        os.fchown(handle, old.st_uid, old.st_gid)
    with contextlib.suppress(OSError):  # a file system without permissions
        os.fchmod(handle, stat.S_IMODE(old.st_mode))


def _close(file: BinaryIO) -> None:
    """Close a file; what cannot be written then has been told before."""
    with contextlib.suppress(OSError, StorageError):
        file.close()


def _end(part: Path, place: Path, *, whole: bool) -> None:
    """Move a file into place, or delete it."""
    try:
        if whole:
            part.replace(place)
            return
    except OSError:
        part.unlink(missing_ok=True)
        raise
    with contextlib.suppress(OSError):
        part.unlink()


def beside(path: Path, ending: str) -> Path:
    """A file in the same folder, so that it can be moved into place in one go."""
    name = f".{path.name}.{ending}"
    if len(os.fsencode(name)) > LONGEST_NAME:
        name = f".{sha256(os.fsencode(path.name)).hexdigest()}.{ending}"
    return path.with_name(name)


def _part(path: Path, place: Path) -> BinaryIO:
    """An empty file beside another: what a dead writer left, or one of its own where another is writing."""
    part = beside(place, "part")
    with contextlib.suppress(OSError):  # a system without locks, or a file of someone else
        while POSIX:
            with contextlib.ExitStack() as stack:
                file = stack.enter_context(io.BufferedRandom(_Raw(path, part, "r+", _open_or_make)))
                if not try_lock(file.fileno()):
                    break
                if is_at(file.fileno(), part):
                    file.truncate(0)
                    stack.pop_all()
                    return file
    return io.BufferedRandom(_Raw(path, beside(place, f"{uuid4().hex}.part"), "x+"))


def _open_or_make(name: str, flags: int) -> int:
    return os.open(name, flags | os.O_CREAT | os.O_NOFOLLOW, 0o666)


def is_at(handle: int, path: Path) -> bool:
    """Is the file of a handle the one that has this name now?"""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


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
